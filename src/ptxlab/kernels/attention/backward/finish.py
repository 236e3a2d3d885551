"""dQ of the sums that tiles of keys have added up in global memory, see `fused`: scaled, and in its own type."""

from __future__ import annotations

from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Launch
from ptxlab.kernels.attention.backward.fused import Sheet
from ptxlab.kernels.attention.backward.statistics import ELEMENTS, KINDS, VECTOR
from ptxlab.kernels.attention.backward.tiling import Cut, parts_of_queries
from ptxlab.kernels.attention.tiling import ROWS, WARPGROUP

THREADS = 256


@cache
def kernel(cut: Cut, depth: int, kind: str) -> px.Kernel:
    """The kernel for sums that a kernel cut like this has made."""
    parts = parts_of_queries(cut, depth)
    queries, vectors = cut.block // parts, depth // ELEMENTS

    def attention_dq_finish(
        k: px.Builder,
        sums: px.Ptr[px.f32],
        counters: px.Ptr[px.u32],
        out: px.Ptr[px.b8],
        rows: px.u32,
        heads: px.u32,
        scale: px.f32,
        by_batch: px.u64,
        by_head: px.u64,
        by_row: px.u64,
    ) -> None:
        """A thread has 8 elements of a row, which 8 lanes of a consumer had. `by_…`: bytes between neighbours in `out`."""
        sheet = Sheet(k, counters, sums)
        blocks = (rows * vectors + (THREADS - 1)) // THREADS
        line = k.ctaid.x // blocks
        number = k.mad.lo.u32(k.ctaid.x - line * blocks, THREADS, k.tid.x)
        row = number // vectors
        vector, block = number - row * vectors, row // cut.block
        column = row - block * cut.block
        with k.if_(row < rows):
            member = vector // (ROWS // ELEMENTS) if parts == 1 else column // queries
            column = column if parts == 1 else column - member * queries
            warp = vector % (ROWS // ELEMENTS) // 2
            lane = column % 8 // 2
            thread = k.mad.lo.u32(column // 8, 2 * WARPGROUP, k.mad.lo.u32(member, WARPGROUP, warp * 32 + lane))
            place = k.mad.lo.u32(thread, 4, (vector & 1) * 2 + (column & 1))
            index = k.mad.lo.u32(line, (rows + (cut.block - 1)) // cut.block, block)
            start = sheet.block(index, queries * WARPGROUP)
            at = px.Address.of(k.mad.wide.u32(place, 4, start), space="global")
            there = k.ld.global_.u32(px.Address.of(sheet.counter(index), space="global")) > 0
            found = [k.mov.f32(0.0) for _ in range(ELEMENTS)]
            for i, x in enumerate(found):
                k.ld.global_.f32(at + i * 4 * VECTOR, d=x, pred=there)
            found = [k.mul.rn.f32(x, scale) for x in found]
            packed = getattr(k.cvt.rn, f"{kind}x2").f32
            words = [packed(found[i + 1], found[i]) for i in range(0, ELEMENTS, 2)]
            batch = line // heads
            to = k.mad.lo.u64(k.cvt.u64.u32(batch), by_batch, out)
            to = k.mad.lo.u64(k.cvt.u64.u32(line - batch * heads), by_head, to)
            to = k.mad.wide.u32(vector, VECTOR, k.mad.lo.u64(k.cvt.u64.u32(row), by_row, to))
            k.st.global_.v4.b32(px.Address.of(to, space="global"), words)

    return px.kernel(target="sm_90a", threads=THREADS, strided=("out",), name="attention_dq_finish")(
        attention_dq_finish
    )


def finishing(sums: ArrayView, counters: ArrayView, d_q: ArrayView, cut: Cut, scale: float, **options: Any) -> Launch:
    """The launch that makes dQ, batches × heads × rows × depth. sums, counters: see `memory`."""
    batches, heads, rows, depth = d_q.shape
    args = [sums, counters, d_q, rows, heads, scale, *d_q.strides[:3]]
    ctas = batches * heads * -(-rows * (depth // ELEMENTS) // THREADS)
    return kernel(cut, depth, KINDS[d_q.dtype]).prepare(grid=(ctas, 1, 1), args=args, **options)
