"""What belongs to each query: -lse · log2(e), and delta = Σ dO · O less the gradient of lse. A small kernel computes them first.

A line of a head has the first of them for all queries, then the second, f32. A query that sees no key has -inf where others have
-lse, so that its weights are zeros.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Launch
from ptxlab.kernels.attention.softmax import LANES
from ptxlab.kernels.attention.tiling import ITEM
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.rows.numbers import dot, unpacked

THREADS, SHARING = 256, 8
"""Of a CTA, and of those that share a row."""
VECTOR = 16
"""Bytes that a lane loads at once."""
ELEMENTS = VECTOR // ITEM
WORDS = VECTOR // 4
KINDS = {"bfloat16": "bf16", "float16": "f16"}


@cache
def kernel(kind: str, vectors: int, *, more: bool, block: int) -> px.Kernel:
    """The kernel for rows of up to `vectors` vectors for each lane.

    Args:
        more: whether there are gradients of lse. block: queries that share a counter, which becomes 0; 0: there are no counters.
    """

    def attention_statistics(
        k: px.Builder,
        o: px.Ptr[px.b8],
        d_o: px.Ptr[px.b8],
        lse: px.Ptr[px.f32],
        out: px.Ptr[px.f32],
        rows: px.u32,
        heads: px.u32,
        length: px.u32,
        pitch: px.u32,
        o_batch: px.u64,
        o_head: px.u64,
        o_row: px.u64,
        d_batch: px.u64,
        d_head: px.u64,
        d_row: px.u64,
        *more_given: Any,
    ) -> None:
        """`length`: vectors of a row. `pitch`: from one kind of number to the next in `out`. Others: bytes between neighbours."""
        given = dict(zip((x.name for x in extras), more_given, strict=True))
        together = THREADS // SHARING
        blocks = (rows + (together - 1)) // together
        line = k.ctaid.x // blocks
        row = k.mad.lo.u32(k.ctaid.x - line * blocks, together, k.tid.x // SHARING)
        batch, there, lane = line // heads, row < rows, k.tid.x % SHARING
        head = line - batch * heads

        def place(pointer: Any, strides: tuple[Any, Any, Any]) -> Any:
            at = pointer
            for index, stride in zip((batch, head, row), strides, strict=True):
                at = k.mad.lo.u64(k.cvt.u64.u32(index), stride, at)
            return k.mad.wide.u32(lane, VECTOR, at)

        places = place(o, (o_batch, o_head, o_row)), place(d_o, (d_batch, d_head, d_row))
        total = k.mov.f32(0.0)
        for i in range(vectors):
            loaded = list[Any]()
            for at in places:
                words = [k.mov.b32(0) for _ in range(WORDS)]
                inside = there & (lane + i * SHARING < length)
                k.ld.global_.v4.b32(px.Address.of(at, i * SHARING * VECTOR, "global"), d=words, pred=inside)
                loaded.append(unpacked(k, words, kind))
            total += dot(k, zip(*loaded, strict=True))
        for distance in (4, 2, 1):
            total += k.shfl.sync.bfly.b32(total, distance, 31, LANES)
        with k.if_(there & (lane == 0)):
            number = k.mul.wide.u32(line, rows) + k.cvt.u64.u32(row)
            logarithm = k.ld.global_.f32(px.Address.of(k.mad.lo.u64(number, 4, lse), space="global"))
            if more:
                d_lse = k.ld.global_.f32(px.Address.of(k.mad.lo.u64(number, 4, given["d_lse"]), space="global"))
                total -= d_lse
            shift = k.mul.rn.f32(logarithm, -math.log2(math.e))
            shift = k.selp.f32(-math.inf, shift, logarithm == -math.inf)
            start = k.mad.lo.u64(k.mul.wide.u32(line, pitch * 2), 4, k.mad.wide.u32(row, 4, out))
            k.st.global_.f32(px.Address.of(start, space="global"), shift)
            k.st.global_.f32(px.Address.of(k.mad.wide.u32(pitch, 4, start), space="global"), total)
            if block:
                own = row // block
                counter = k.mad.lo.u32(line, (rows + (block - 1)) // block, own)
                at = px.Address.of(k.mad.wide.u32(counter, 4, given["counters"]), space="global")
                k.st.global_.u32(at, 0, pred=own * block == row)

    extras = [Extra("d_lse", px.Ptr[px.f32])] * more + [Extra("counters", px.Ptr[px.u32])] * (block > 0)
    return px.kernel(target="sm_90a", threads=THREADS, strided=("o", "d_o", "out"), name="attention_statistics")(
        extended(attention_statistics, extras)
    )


def preparing(
    arrays: tuple[ArrayView, ArrayView, ArrayView, ArrayView | None],
    out: ArrayView,
    counters: ArrayView | None,
    block: int,
    **options: Any,
) -> Launch:
    """The launch that computes them.

    Args:
        arrays: O and dO, batches × heads × rows × depth, lse and its gradient, batches × heads × rows.
        out: lines × 2 × rows, whose pitch is any. counters: that become 0, for each `block` queries, or None.
    """
    o, d_o, lse, d_lse = arrays
    batches, heads, rows, depth = o.shape
    vectors = depth // ELEMENTS
    chosen = kernel(
        KINDS[o.dtype], -(-vectors // SHARING), more=d_lse is not None, block=0 if counters is None else block
    )
    numbers = [rows, heads, vectors, out.strides[1] // out.itemsize]
    args = [
        o,
        d_o,
        lse,
        out,
        *numbers,
        *o.strides[:3],
        *d_o.strides[:3],
        *(x for x in (d_lse, counters) if x is not None),
    ]
    return chosen.prepare(grid=(batches * heads * -(-rows // (THREADS // SHARING)), 1, 1), args=args, **options)
