"""Copies in the background, tensor maps, clusters."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.kernels.boxes import copy_boxes
from ptxlab.kernels.copies import copy_tma
from unit.verification.corpus.entry import Entry, rows
from unit.verification.corpus.honest_reductions import ALL, across, total

ENTRIES: list[Entry] = []


def entry(name: str, kernel: Any, reference: Any, spec: px.Spec, **options: Any) -> None:
    ENTRIES.append(Entry(name, kernel, reference, spec, **options))


def blocks(
    grid: Any = lambda b: b, dtype: str = "f32", size: int = 128, out: Any = None, count: bool = True
) -> px.Spec:
    """b blocks of `size` elements to as many."""

    def case(b: int) -> px.Case:
        n = b * size
        result = px.Output(dtype, n if out is None else out(b))
        return px.case([px.Input(dtype, n), result, *([n] if count else [])], grid=grid(b))

    return px.Spec(case, {"b": range(1, 9)})


@px.kernel(threads=128)
def by_cp_async(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """16 bytes a thread; another thread reads them."""
    room, t = k.smem(px.f32, 512, align=16), k.tid.x
    at = k.ctaid.x * 512
    k.cp.async_.cg.shared.global_(room.at(t * 16), x[at + 4 * t], 16)
    k.cp.async_.commit_group()
    k.cp.async_.wait_group(0)
    k.bar.sync(0)
    for i in range(4):
        k.st.global_.f32(y[at + 128 * i + t], k.neg.f32(k.ld.shared.f32(room.at((511 - 128 * i - t) * 4))))


@px.kernel(threads=128)
def by_bulk(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """There by a bulk copy, doubled, and back by another."""
    room, full = k.smem(px.f32, 128, align=128), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(512)
        k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(room, x[k.ctaid.x * 128], 512, full)
    full.wait(0)
    k.st.shared.f32(room[k.tid.x], k.ld.shared.f32(room[k.tid.x]) * 2.0)
    k.fence.proxy.async_.shared__cta()
    k.bar.sync(0)
    with k.if_(k.tid.x == 0):
        k.cp.async_.bulk.global_.shared__cta.bulk_group(y[k.ctaid.x * 128], room, 512)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


@px.kernel(threads=160)
def by_ring(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Four stages, a warp that fills them and four that add."""
    stages = k.smem(px.f32, (4, 128), align=16)
    ring = k.ring(4, stages, consumers=4)
    k.init_barriers()
    with k.roles():
        with k.role(warp=4), k.elect(), k.loop(n, step=128) as at, ring.produce() as slot:
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(slot[0], x[at], 512, slot.full)
        with k.role(warpgroup=0):
            sum_ = k.mov.f32(0.0)
            with k.loop(n, step=128), ring.consume(release=k.laneid == 0) as slot:
                sum_ += k.ld.shared.f32(slot[0].at(k.tid.x * 4))
                k.fence.proxy.async_.shared__cta()
                k.bar.warp.sync(ALL)
            k.st.global_.f32(y[k.tid.x], sum_)


@px.kernel(threads=128)
def by_bulk_reduce(k, x: px.Ptr[px.u32], y: px.Ptr[px.u32], n: px.u32):
    """Whole numbers added to memory by the copy engine."""
    room = k.smem(px.u32, 128, align=128)
    k.st.shared.u32(room[k.tid.x], k.ld.global_.u32(x[k.ctaid.x * 128 + k.tid.x]))
    k.fence.proxy.async_.shared__cta()
    k.bar.sync(0)
    with k.if_(k.tid.x == 0):
        k.cp.reduce.async_.bulk.global_.shared__cta.bulk_group.add.u32(y[0], room, 512)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


def accumulated(b: int) -> px.Case:
    return px.case([px.Input("u32", 128 * b), px.Input("u32", 128, updated=True), 128 * b], grid=b)


@px.kernel(threads=128)
def by_tma(k, source: px.TensorMap, to: px.TensorMap):
    """Boxes of 32 × 32, whose edges may lie outside; each element squared."""
    tile, full = k.smem(px.f32, (32, 32), align=128), k.mbarrier(1)
    k.init_barriers()
    place = k.ctaid.x * 32, k.ctaid.y * 32
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(tile.nbytes)
        k.tma_load(tile, source, place, full)
    full.wait(0)
    for i in range(8):
        v = k.ld.shared.f32(tile.at((k.tid.x + 128 * i) * 4))
        k.st.shared.f32(tile.at((k.tid.x + 128 * i) * 4), v * v)
    k.fence.proxy.async_.shared__cta()
    k.bar.sync(0)
    with k.if_(k.tid.x == 0):
        k.tma_store(to, place, tile)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


def boxes(m: int, n: int) -> px.Case:
    x, y = px.Input("f32", (m, 4 * n)), px.Output("f32", (m, 4 * n))
    return px.case([one.map(box=(32, 32)) for one in (x, y)], grid=(rows(4 * n, 32), rows(m, 32)))


@px.kernel(threads=128)
def by_tma_swizzled(k, source: px.TensorMap, y: px.Ptr[px.f16], n: px.u32):
    """64 × 64 halves under the 128-byte swizzle, stored as their transpose."""
    tile, full = k.smem(px.f16, (64, 64), swizzle="128B"), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(tile.nbytes)
        k.tma_load(tile, source, (k.ctaid.x * 64, 0), full)
    full.wait(0)
    row, side = k.tid.x & 63, k.tid.x >> 6
    with k.loop(32) as j:
        column = side * 32 + j
        v = k.ld.shared.b16(tile.locate(row, column))
        k.st.global_.b16(y[(k.ctaid.x * 64 + column) * 64 + row], v)


def panels(b: int) -> px.Case:
    x = px.Input("f16", (64, 64 * b))
    return px.case([x.map(box=(64, 64), swizzle="128B"), px.Output("f16", (64 * b, 64)), b], grid=b)


@px.kernel(threads=128, cluster=2)
def cluster_sum(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """Each CTA of a pair adds half, and the first one what the other has found."""
    room, both = k.smem(px.f32, 4), k.smem(px.f32, 1)
    part, rank = k.mov.f32(0.0), k.cluster_ctarank
    with k.loop(n, start=rank * 128 + k.tid.x, step=256) as i:
        part += k.ld.global_.f32(x[i])
    part = total(k, part, room)
    k.st.shared.f32(both[0], part, pred=k.tid.x == 0)
    k.cluster_sync()
    with k.if_((rank == 0) & (k.tid.x == 0)):
        k.st.global_.f32(y[0], part + k.ld.shared__cluster.f32(both.remote(1)))
    k.cluster_sync()


def pair(n: int) -> px.Case:
    return px.case([px.Input("f32", n), px.Output("f32", 1), n], grid=2)


@px.kernel(threads=32, cluster=4)
def cluster_rotate(k, x: px.Ptr[px.u32], y: px.Ptr[px.u32], n: px.u32):
    """Each CTA writes into the shared memory of the next one."""
    room, rank = k.smem(px.u32, 32), k.cluster_ctarank
    k.cluster_sync()
    to = room.remote((rank + 1) & 3)
    k.st.shared__cluster.u32(to + k.tid.x * 4, k.ld.global_.u32(x[k.ctaid.x * 32 + k.tid.x]))
    k.cluster_sync()
    k.st.global_.u32(y[k.ctaid.x * 32 + k.tid.x], k.ld.shared.u32(room[k.tid.x]))


@px.kernel(threads=128, cluster=2)
def multicast(k, source: px.TensorMap, y: px.Ptr[px.f32], n: px.u32):
    """A box for both CTAs of a pair, each of which writes half of it."""
    tile, full = k.smem(px.f32, (16, 32), align=128), k.mbarrier(1)
    k.init_barriers()
    rank, pair_ = k.cluster_ctarank, k.ctaid.x >> 1
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(tile.nbytes)
    with k.if_((k.tid.x == 0) & (rank == 0)):
        k.tma_load(tile, source, (0, pair_ * 16), full, multicast=3)
    full.wait_cluster(0)
    for i in range(2):
        at = rank * 256 + i * 128 + k.tid.x
        k.st.global_.f32(y[pair_ * 512 + at], k.ld.shared.f32(tile.at(at * 4)))
    k.cluster_sync()


def shared_boxes(b: int) -> px.Case:
    x = px.Input("f32", (16 * b, 32))
    return px.case([x.map(box=(16, 32)), px.Output("f32", (16 * b, 32)), b], grid=2 * b)


@px.kernel(threads=64)
def handed_over(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32):
    """One warp hands numbers to another by way of an mbarrier."""
    room, full = k.smem(px.f32, 32), k.mbarrier(32)
    k.init_barriers()
    with k.if_(k.warp == 0):
        k.st.shared.f32(room[k.laneid], k.ld.global_.f32(x[k.ctaid.x * 32 + k.laneid]))
        full.arrive()
    with k.else_():
        full.wait(0)
        v = k.ld.shared.f32(room[k.laneid ^ 1])
        k.st.global_.f32(y[k.ctaid.x * 32 + k.laneid], v)


@px.kernel(threads=32)
def flagged(k, x: px.Ptr[px.f32], flag: px.Ptr[px.u32], y: px.Ptr[px.f32]):
    """The second CTA waits for a flag of the first one."""
    lane = k.laneid
    with k.if_(k.ctaid.x == 0):
        k.st.global_.f32(y[lane], k.ld.global_.f32(x[lane]))
        k.bar.warp.sync(ALL)
        with k.if_(lane == 0):
            k.st.release.gpu.global_.u32(flag[0], 1)
    with k.else_():
        with k.if_(lane == 0):
            seen = k.mov.u32(0)
            with k.while_(lambda: seen == 0):
                k.ld.acquire.gpu.global_.u32(flag[0], d=seen)
        k.bar.warp.sync(ALL)
        k.st.global_.f32(y[lane + 32], across(k, k.ld.global_.f32(y[lane]), k.add.rn.f32))


def by_flag(x: Any, y: Any) -> None:
    flagged[2](x, np.zeros(1, np.uint32), y)


def paired(s: int) -> px.Case:
    return px.case([px.Input("f32", 32), px.Output("f32", 64)])


def by_boxes(x: Any, y: Any) -> None:
    copy_boxes(x, y)


def by_library(x: Any, y: Any) -> None:
    copy_tma(x, y)


def copied(m: int, n: int) -> px.Case:
    return px.case([px.Input("f32", (m, 4 * n)), px.Output("f32", (m, 4 * n))])


BOXED = {"m": range(1, 70), "n": range(1, 20)}
entry("by_cp_async", by_cp_async, lambda x, n: -x.reshape(-1, 512)[:, ::-1].reshape(-1), blocks(size=512))
entry("by_bulk", by_bulk, lambda x, n: 2 * x, blocks())
entry("by_ring", by_ring, lambda x, n: x.reshape(-1, 128).sum(axis=0), blocks(lambda b: 1, out=lambda b: 128))
entry("by_bulk_reduce", by_bulk_reduce, lambda x, y, n: y + x.reshape(-1, 128).sum(axis=0, dtype=np.uint32),
      px.Spec(accumulated, {"b": range(1, 9)}))  # fmt: skip
entry("by_tma", by_tma, lambda x: x * x, px.Spec(boxes, BOXED))
entry("by_tma_swizzled", by_tma_swizzled, lambda x, b: x.T, px.Spec(panels, {"b": range(1, 4)}))
entry("cluster_sum", cluster_sum, lambda x, n: x.sum().reshape(1), px.Spec(pair, {"n": range(1, 700)}))
entry("cluster_rotate", cluster_rotate, lambda x, n: np.roll(x.reshape(-1, 4, 32), 1, axis=1).reshape(-1),
      blocks(lambda b: 4 * b, "u32"))  # fmt: skip
entry("multicast", multicast, lambda x, b: x, px.Spec(shared_boxes, {"b": range(1, 5)}))
entry("handed_over", handed_over, lambda x, n: x.reshape(-1, 2)[:, ::-1].reshape(-1), blocks(size=32))
entry("by_flag", by_flag, lambda x: np.concatenate([x, np.full(32, 1.0) * x.sum()]), px.Spec(paired, {"s": [1]}))
entry("by_boxes", by_boxes, lambda x: x, px.Spec(copied, BOXED))
entry("by_library", by_library, lambda x: x, px.Spec(copied, BOXED))
