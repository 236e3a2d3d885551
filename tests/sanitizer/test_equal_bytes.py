"""Threads of a CTA that write equal bytes to the same place asynchronously: no error by default, told by the strict sanitizer."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order.operations import Operations

ERROR = {"PTX9215"}


@px.kernel(threads=64)
def writes(k: px.Builder, src: px.Ptr[px.u32], out: px.Ptr[px.u32], *, how: str) -> None:
    """All threads write to the same bytes, by operations of the kind that `how` names."""
    row, source = k.smem(px.u32, 32, align=16), k.smem(px.u32, 64, align=16)
    bar = k.mbarrier(1)
    i = k.tid.x
    k.st.shared.u32(source[i], i & 3)
    k.fence.proxy.async_()
    k.init_barriers()
    k.bar.sync(0)
    with k.if_(i == 0):
        bar.arrive_expect_tx(64 * 16 if how.startswith("load") else 64 * 4)
    if how.startswith("store"):
        at = 0 if how == "store of one word" else 4 * (i & 31)
        value = i if how == "store of other values" else i & 31 if how == "store of a row" else k.mov.u32(7)
        k.st.async_.weak.shared__cluster.mbarrier__complete_tx__bytes.u32(row.at(at), value, bar)
    elif how.startswith("load"):
        start = 4 * (i & 28) if how == "load of other words" else 0
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(row, src.at(start), 16, bar)
    else:
        start = 4 * (i & 28) if how == "copy of other words" else 0
        pred = i < 32 if how == "copy by a warp" else None
        k.cp.async_.bulk.global_.shared__cta.bulk_group(out, source.at(start), 16, pred=pred)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)
    if not how.startswith("copy"):
        bar.wait(0)
        k.st.global_.u32(out[i], k.ld.shared.u32(row.at(0)))


def codes(how: str, sanitize: bool | str, schedule: str) -> set[str]:
    cluster = 1 if how.startswith("store") else None
    args = [np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)]
    options = {"sanitize": sanitize, "schedule": schedule, "lints": False, "cluster": cluster}
    report = px.simulate(writes, grid=1, args=args, how=how, **options)
    return {d.code for d in report.findings}


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("how", ["store of one word", "store of a row", "load", "copy"])
def test_equal_bytes(how: str, schedule: str) -> None:
    assert codes(how, True, schedule) == set()
    assert codes(how, "strict", schedule) == ERROR


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("how", ["store of other values", "load of other words", "copy of other words"])
def test_bytes_that_may_differ(how: str, schedule: str) -> None:
    assert codes(how, True, schedule) == ERROR


def test_machine_code_takes_equal_copies_of_a_warp(monkeypatch: pytest.MonkeyPatch) -> None:
    """As kernels of CuTe DSL store their tiles: each lane of a warp issues the copy."""
    asked: list[object] = []
    monkeypatch.setattr(Operations, "_touches", lambda self, footprint, *args, **more: asked.append(footprint))
    assert codes("copy by a warp", True, "eager") == set()
    assert asked == []
