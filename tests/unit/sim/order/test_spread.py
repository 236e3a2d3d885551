"""The sanitizer in several processes: each sanitizes its own clusters, and what one alone cannot see is looked at in one process.

Clusters of different processes meet in global memory alone. Where they touch the same bytes and one writes, the launch is run
again in one process, sanitized as a whole; so it is where a process finds something.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.report.report import Report

CTAS = 8


@px.kernel(threads=64)
def exchange(k: px.Builder, out: px.Ptr[px.b32], *, pitch: int = 64, ordered: bool = True) -> None:
    row = k.smem(px.b32, 64)
    i = k.tid.x
    k.st.shared.b32(row.at(i * 4), i)
    if ordered:
        k.bar.sync(0)
    value = k.ld.shared.b32(row.at((i ^ 32) * 4))
    k.st.global_.b32(out.at((k.ctaid.x * pitch + i) * 4), value)


def launch(workers: int | None, **constants: object) -> tuple[Report, bytes]:
    out = np.zeros(64 * CTAS, np.uint32)
    report = px.simulate(exchange, grid=CTAS, args=[out], sanitize=True, workers=workers, lints=False, **constants)
    return report, out.tobytes()


def test_right_kernels_stay_spread() -> None:
    report, out = launch(2)
    assert (report.findings, report.stats.workers, report.stats.serial) == ([], 2, None)
    assert out == launch(None)[1]


@pytest.mark.parametrize("constants", [{"ordered": False}, {"pitch": 60}, {"pitch": 0}])
def test_what_is_found_is_the_same_in_one_process(constants: dict[str, object]) -> None:
    spread, out = launch(2, **constants)
    alone, expected = launch(None, **constants)
    assert [str(d) for d in spread.findings] == [str(d) for d in alone.findings]
    assert spread.findings
    assert spread.stats.serial is not None
    assert out == expected


@px.kernel(threads=32)
def far(k: px.Builder, out: px.Ptr[px.b32]) -> None:
    """The first CTA and the last one write one word, all others their own."""
    index = k.selp.b32(0, k.ctaid.x, k.setp.eq.u32(k.ctaid.x, CTAS - 1))
    k.st.global_.b32(out.at(index * 128 + k.tid.x * 4), k.ctaid.x)


def test_a_race_between_processes_alone_is_found() -> None:
    found: list[list[str]] = []
    for workers in (None, CTAS):
        out = np.zeros(32 * CTAS, np.uint32)
        report = px.simulate(far, grid=CTAS, args=[out], sanitize=True, workers=workers, lints=False)
        found.append([str(d) for d in report.findings])
    assert found[0] == found[1]
    assert len(found[0]) == 1
    assert report.stats.serial is not None
    assert report.stats.serial.startswith("clusters of different processes met at `out + 0x0`")
