"""`report.unwritten`: which elements a launch leaves as they were of the arrays that it writes in part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import ptxlab as px
from ptxlab.abi.record import Buffer
from ptxlab.cli import app
from ptxlab.sim.report.report import Report
from ptxlab.sim.report.unwritten import Stored, Unwritten, unwritten

SCHEDULES: tuple[dict[str, Any], ...] = (
    {},
    {"schedule": "late"},
    {"schedule": "random", "seed": 3},
    {"sanitize": "strict"},
    {"workers": 2},
)


@px.kernel(threads=32)
def rows(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], *, active: int = 32, how: str = "store") -> None:
    """Each CTA fills 32 words of `y`, or as many of them as it has active threads."""
    i = k.ctaid.x * 32 + k.tid.x
    with k.if_(k.setp.lt.u32(k.tid.x, active)):
        value = k.ld.global_.u32(x[i])
        if how == "store":
            k.st.global_.u32(y[i], value)
        elif how == "add":
            k.red.relaxed.gpu.global_.add.u32(y[i], value)
        else:
            k.st.global_.u32(y[i], k.ld.global_.u32(y[k.ctaid.x * 32 + 31]))


@px.kernel(threads=32)
def bulk(k: px.Builder, y: px.Ptr[px.u32], *, nbytes: int = 128) -> None:
    tile = k.smem(px.u32, 32)
    k.st.shared.u32(tile.at(k.tid.x * 4), k.tid.x)
    k.fence.proxy.async_.shared__cta()
    k.bar.warp.sync(0xFFFF_FFFF)
    with k.if_(k.setp.eq.u32(k.tid.x, 0)):
        k.cp.async_.bulk.global_.shared__cta.bulk_group(y[0], tile.at(0), nbytes)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


@px.kernel(threads=32)
def letters(k: px.Builder, y: px.Ptr[px.u8], *, active: int = 32) -> None:
    with k.if_(k.setp.lt.u32(k.tid.x, active)):
        k.st.global_.u8(y[k.tid.x * 2], 7)


def simulated(kernel: Any, args: list[Any], options: dict[str, Any], **constants: Any) -> Report:
    return px.simulate(kernel, args=args, lints=False, **({"sanitize": True} | options), **constants)


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize(
    ("active", "shape", "left"),
    [
        (32, (64, 2), []),
        (31, (64, 2), [Unwritten("y", 4, 128, (15, 1))]),
        (32, (130,), [Unwritten("y", 2, 130, (128,))]),
        (1, (4, 32), [Unwritten("y", 124, 128, (0, 1))]),
    ],
)
def test_stores(options: dict[str, Any], active: int, shape: tuple[int, ...], left: list[Unwritten]) -> None:
    args = [np.ones(128, np.uint32), np.zeros(shape, np.uint32)]
    report = simulated(rows, args, options, grid=4, active=active)
    assert report.unwritten == left
    assert not report.findings
    assert report.stats.serial is None


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize("how", ["add", "keep"])
def test_what_a_launch_adds_to_or_uses_as_it_was_is_no_output(options: dict[str, Any], how: str) -> None:
    """Sums that nothing was added to stay as they were, and so does what is kept on purpose."""
    args = [np.ones(128, np.uint32), np.zeros(130, np.uint32)]
    assert simulated(rows, args, options, grid=4, active=30, how=how).unwritten == []


@pytest.mark.parametrize("options", SCHEDULES[:-1], ids=str)
def test_copies(options: dict[str, Any]) -> None:
    whole, part = (simulated(bulk, [np.zeros(32, np.uint32)], options, grid=1, nbytes=n) for n in (128, 112))
    assert whole.unwritten == []
    assert part.unwritten == [Unwritten("y", 4, 32, (28,))]


def test_bytes_are_told_apart() -> None:
    assert simulated(letters, [np.zeros(64, np.uint8)], {}, grid=1).unwritten == [Unwritten("y", 32, 64, (1,))]


@pytest.mark.parametrize(
    ("part", "left"),
    [
        (np.s_[:, :], [Unwritten("m", 10, 24, (0, 1))]),
        (np.s_[:, 1:4], [Unwritten("m", 6, 12, (0, 0))]),
        (np.s_[::-1, ::2], [Unwritten("m", 1, 12, (0, 0))]),
        (np.s_[:3, ::2], []),
    ],
)
def test_elements_are_those_of_the_array_not_of_all_memory_that_it_lies_in(part: Any, left: list[Unwritten]) -> None:
    """Rows of 6 bytes: of the first three, every other byte is written, of the last one all but the first."""
    memory, written = np.zeros((4, 6), np.uint8), np.zeros((4, 6), bool)
    written[:3, ::2] = written[3, 1:] = True
    array = memory[part]
    low, high = px.array_view(array).extent
    begin = low - memory.ctypes.data
    bits = written.reshape(-1)[begin : begin + high - low]
    buffer = Buffer("m", low, high - low, True, array)
    assert unwritten([buffer], {low: Stored(1, np.packbits(bits), keeps=False)}) == left
    assert unwritten([buffer], {low: Stored(1, np.packbits(bits), keeps=True)}) == []


def test_memory_that_is_not_followed_is_not_said_to_be_unwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    @px.kernel(threads=32)
    def apart(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(y[k.tid.x * 2], k.tid.x)

    found = [Unwritten("y", 32, 64, (1,))]
    assert simulated(apart, [np.zeros(64, np.uint32)], {}, grid=1).unwritten == found
    monkeypatch.setattr("ptxlab.sim.order.native.arena.MOST_LINES", 1)
    report = simulated(apart, [np.zeros(64, np.uint32)], {}, grid=1)
    assert report.unwatched.memory == 128
    assert report.unwritten == [Unwritten("y", 16, 64, (1,))]


def test_the_command_says_so_and_ends_well(tmp_path: Path) -> None:
    file = tmp_path / "rows.ptx"
    file.write_text(rows.specialize(active=31).ptx)
    words = [
        "run",
        str(file),
        "--sanitize",
        "--grid",
        "4",
        "--block",
        "32",
        "--arg",
        "x=zeros:u32:128",
        "--arg",
        "y=zeros:u32:128",
    ]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "note: nobody writes 4 of the 128 elements of `y`, first [31]" in result.output


def test_compare_counts_by_the_same_measure() -> None:
    def reference(x: np.ndarray, y: np.ndarray) -> None:
        y[:] = 1

    args = [np.ones(128, np.uint32), np.zeros(128, np.uint32)]
    (found,) = px.compare(rows, reference, args, grid=4, active=31, schedules=["eager"]).findings
    assert "nobody writes this element" in found.notes
    assert "nobody writes 3 of the other wrong elements" in found.notes
