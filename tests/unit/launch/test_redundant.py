"""`px.redundant`: what it finds can go, and what it does not find cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px


def places(source: Any, args: list[Any], threads: int = 64, **launch: Any) -> tuple[list[str], px.Redundancy]:
    found = px.redundant(px.kernel(threads=threads)(source), grid=1, args=args, **launch)
    return [d.message.split("`")[1] for d in found.findings], found


def test_barriers_and_fences() -> None:
    def kernel(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        row = k.smem(px.u32, 64)
        k.st.shared.u32(row.at(k.tid.x * 4), k.tid.x)
        k.bar.sync(0)
        k.membar.cta()
        k.bar.warp.sync(-1)
        k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(row.at((k.tid.x ^ 32) * 4)))

    y = np.zeros(64, np.uint32)
    names, found = places(kernel, [y])
    assert (names, found.tried) == (["bar.warp.sync", "membar.cta"], 3)
    assert y.tolist() == [i ^ 32 for i in range(64)]
    assert {d.severity for d in found.findings} == {px.Severity.NOTE}
    assert "membar.cta" in str(found)


def test_of_two_barriers_one_stays() -> None:
    def kernel(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        row = k.smem(px.u32, 64)
        k.st.shared.u32(row.at(k.tid.x * 4), k.tid.x)
        k.bar.sync(0)
        k.bar.sync(0)
        k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(row.at((k.tid.x ^ 32) * 4)))

    assert places(kernel, [np.zeros(64, np.uint32)])[0] == ["bar.sync"]


def test_a_wait_of_copies_and_its_proxy_fence() -> None:
    def kernel(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        row = k.smem(px.u32, 64, align=128)
        full = k.mbarrier(1)
        k.init_barriers()
        with k.if_(k.tid.x == 0):
            full.arrive_expect_tx(256)
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(row, x, 256, full)
        full.wait(0)
        full.wait(0)
        k.st.global_.u32(y[k.tid.x], k.ld.shared.u32(row.at(k.tid.x * 4)))

    x, y = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    names, _ = places(kernel, [x, y])
    assert len([n for n in names if n.startswith("mbarrier.try_wait")]) == 1
    assert not [n for n in names if n.startswith("bar.sync")], "the mbarrier's initialisation has to be seen"
    assert (x == y).all()


def test_clusters_go_in_pairs() -> None:
    def kernel(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        k.barrier.cluster.arrive()
        k.barrier.cluster.wait()
        k.st.global_.u32(y[k.ctaid.x * 64 + k.tid.x], 1)

    found = px.redundant(px.kernel(threads=64)(kernel), grid=2, cluster=2, args=[np.zeros(128, np.uint32)])
    assert [d.message for d in found.findings] == [
        "`barrier.cluster.arrive` and the wait behind it orders nothing in this launch that something else does not order"
    ]


def test_nothing_is_tried_without_a_certificate() -> None:
    def racing(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        k.st.global_.u32(y[0], k.tid.x)
        k.membar.gl()

    names, found = places(racing, [np.zeros(1, np.uint32)])
    assert (names, found.tried, bool(found.certificate)) == ([], 0, False)
    assert str(found).startswith("racing: nothing was tried")


def test_bad_input() -> None:
    with pytest.raises(px.Diagnostic, match="PTX2322"):
        px.redundant(3, grid=1)  # type: ignore[arg-type]
