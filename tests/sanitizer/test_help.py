"""What a finding says helps: the wait that the operation at hand ends with, by the thread that may wait for it."""

from __future__ import annotations

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
        (0, False, "wait for the operation first: cp.async.wait_group"),
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
        (0, "wait for the operation first: cp.async.bulk.wait_group.read"),
        (1, "let the thread that has issued the operation wait for it: cp.async.bulk.wait_group.read" + BARRIER),
    ],
)
def test_a_source_that_is_overwritten(first: int, help_: str) -> None:
    args = [px.empty(64, np.uint32)]
    report = px.simulate(stored, grid=1, args=args, sanitize=True, lints=False, first=first)
    assert [d.help for d in report.findings if d.code == "PTX9211"] == [help_]
