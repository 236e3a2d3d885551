"""What a finding says helps: the wait that the operation at hand ends with, by the thread that may wait for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px


@px.kernel(threads=64)
def copied(k: px.Builder, src: px.Ptr[px.u32], out: px.Ptr[px.u32], *, other: int, waits: bool) -> None:
    """Each thread copies four words, and reads them, or those of its neighbour."""
    row = k.smem(px.u32, 256, align=16)
    i = k.tid.x
    k.cp.async_.ca.shared.global_(row.at(i * 16), src.at(i * 16), 16)
    k.cp.async_.commit_group()
    if waits:
        k.cp.async_.wait_group(0)
    k.st.global_.u32(out[i], k.ld.shared.u32(row.at((i ^ other) * 16)))


@px.kernel(threads=32)
def stored(k: px.Builder, out: px.Ptr[px.u32], *, first: int) -> None:
    """The threads from `first` on write to a row that a bulk store of thread 0 may still be reading."""
    row = k.smem(px.u32, 32, align=16)
    i = k.tid.x
    k.st.shared.u32(row[i], i)
    k.fence.proxy.async_()
    k.bar.warp.sync(0xFFFFFFFF)
    with k.if_(i == 0):
        k.cp.async_.bulk.global_.shared__cta.bulk_group(out, row, 128)
        k.cp.async_.bulk.commit_group()
    k.bar.warp.sync(0xFFFFFFFF)
    with k.if_(i >= first):
        k.st.shared.u32(row[i], i + 100)
    with k.if_(i == 0):
        k.cp.async_.bulk.wait_group.read(0)


BARRIER = "; then a barrier between that and this access"


@pytest.mark.parametrize(
    ("other", "waits", "help_"),
    [
        (0, False, "wait for the operation first: cp.async.commit_group behind it, then cp.async.wait_group"),
        (1, True, "let the thread that has issued the operation wait for it: cp.async.wait_group" + BARRIER),
    ],
)
def test_a_copy_that_is_read(other: int, waits: bool, help_: str) -> None:
    arrays = [np.arange(256, dtype=np.uint32), np.zeros(64, np.uint32)]
    report = px.simulate(copied, grid=1, args=arrays, sanitize=True, lints=False, other=other, waits=waits)
    assert [d.help for d in report.findings if d.code == "PTX9210"] == [help_]


@pytest.mark.parametrize(
    ("first", "help_"),
    [
        (0, "wait for the operation first: cp.async.bulk.commit_group behind it, then cp.async.bulk.wait_group.read"),
        (1, "let the thread that has issued the operation wait for it: cp.async.bulk.wait_group.read" + BARRIER),
    ],
)
def test_a_source_that_is_overwritten(first: int, help_: str) -> None:
    args = [px.empty(64, np.uint32)]
    report = px.simulate(stored, grid=1, args=args, sanitize=True, lints=False, first=first)
    assert [d.help for d in report.findings if d.code == "PTX9211"] == [help_]


@px.kernel(threads=64)
def loaded(k: px.Builder, src: px.Ptr[px.u32], out: px.Ptr[px.u32], *, wait: str, passes: int = 1) -> None:
    """Thread 0 copies a row, and all threads read it; `wait`: who waits for the copy, and for which parity."""
    row = k.smem(px.u32, 64, align=16)
    full = k.mbarrier(1, name="full")
    k.init_barriers()
    i = k.tid.x
    for n in range(passes):
        with k.if_(i == 0):
            full.arrive_expect_tx(256)
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(row, src, 256, full)
            if wait == "thread 0":
                full.wait(0)
        if wait in ("0", "1"):
            full.wait(int(wait) ^ n & 1)
            k.bar.sync(0)
        k.st.global_.u32(out[i], k.ld.shared.u32(row[i]))
    if wait == "":
        k.bar.sync(0)


def help_for(schedule: str, **how: Any) -> set[str]:
    arrays = [np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)]
    report = px.simulate(loaded, grid=1, args=arrays, sanitize=True, lints=False, schedule=schedule, **how)
    return {d.help or "" for d in report.findings if d.code == "PTX9210"}


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_a_copy_that_nobody_waits_for(schedule: str) -> None:
    (told,) = help_for(schedule, wait="")
    assert told.startswith("no thread of CTA (0, 0, 0) waits at the mbarrier `full` (shared + 0x100)")
    assert "wait for its phase before the access" in told


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_a_copy_that_another_thread_waits_for(schedule: str) -> None:
    (told,) = help_for(schedule, wait="thread 0")
    if told.startswith("if the access is to find what the operation writes, wait first"):
        assert "`full` (shared + 0x100)" in told
        assert "the instruction that starts the operation" in told
    else:
        assert told.startswith("wait for the operation first: for the phase of its mbarrier `full` (shared + 0x100)")


def test_a_second_copy_over_what_is_read() -> None:
    (told,) = help_for("eager", wait="0", passes=2)
    assert told.startswith("order the earlier access before the instruction that starts the operation")


def test_a_copy_that_is_waited_for_by_the_wrong_parity() -> None:
    (told,) = help_for("late", wait="1")
    assert told.startswith("wait for phase 0 of the mbarrier `full` (shared + 0x100), with parity 0")


@px.kernel(threads=128)
def counted(k: px.Builder, out: px.Ptr[px.u32], *, threads: int) -> None:
    """Four warps meet at a barrier that counts `threads`, and read what another one has written."""
    row = k.smem(px.u32, 128)
    i = k.tid.x
    k.st.shared.u32(row[i], i)
    k.barrier.sync(1, threads)
    k.st.global_.u32(out[i], k.ld.shared.u32(row[i ^ 127]))


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_a_barrier_that_counts_too_few(schedule: str) -> None:
    def found(threads: int) -> list[str | None]:
        arrays = [np.zeros(128, np.uint32)]
        report = px.simulate(
            counted, grid=1, args=arrays, sanitize=True, lints=False, schedule=schedule, threads=threads
        )
        return [d.help for d in report.findings if d.code == "PTX9233"]

    assert found(128) == []
    (help_,) = found(64)
    assert help_ is not None
    assert help_.startswith("count 128 threads if warps 0, 1, 2, 3 are to meet there; else")


@px.kernel(threads=64)
def overrun(k: px.Builder, out: px.Ptr[px.u32], *, elements: int, shift: int) -> None:
    row, other = k.smem(px.u32, elements, name="row"), k.smem(px.u32, 128, name="other")
    i = k.tid.x
    k.st.shared.u32(other[i], 1)
    k.st.shared.u32(other[i + 64], 1)
    k.st.shared.u32(row[i + shift], i)
    k.bar.sync(0)
    k.st.global_.u32(out[i], k.ld.shared.u32(other[i]))


@pytest.mark.parametrize(
    ("elements", "shift", "miss"),
    [(48, 0, "just behind its end"), (32, 8, "just behind its end"), (16, 32, "64 bytes behind its end")],
)
def test_a_race_behind_the_end_of_an_array_names_the_array(elements: int, shift: int, miss: str) -> None:
    report = px.simulate(overrun, grid=1, args=[np.zeros(64, np.uint32)], elements=elements, shift=shift, sanitize=True)
    first = report.findings[0]
    where = f"the {4 * elements} bytes of `row` (shared + 0x0)"
    assert f"`st.shared.u32` counts from {where}, and this is {miss}" in first.notes
    assert first.help == f"keep the index within {where}"
    assert (
        px.simulate(overrun, grid=1, args=[np.zeros(64, np.uint32)], elements=64, shift=0, sanitize=True).findings == []
    )
