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
def kernel(kind: str, vectors: int, *, more: bool) -> px.Kernel:
    """The kernel for rows of up to `vectors` vectors for each lane; `more`: whether there are gradients of lse."""

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
        *gradient: Any,
    ) -> None:
        """`length`: vectors of a row. `pitch`: from one kind of number to the next in `out`. Others: bytes between neighbours."""
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
            if gradient:
                d_lse = k.ld.global_.f32(px.Address.of(k.mad.lo.u64(number, 4, gradient[0]), space="global"))
                total -= d_lse
            shift = k.mul.rn.f32(logarithm, -math.log2(math.e))
            shift = k.selp.f32(-math.inf, shift, logarithm == -math.inf)
            start = k.mad.lo.u64(k.mul.wide.u32(line, pitch * 2), 4, k.mad.wide.u32(row, 4, out))
            k.st.global_.f32(px.Address.of(start, space="global"), shift)
            k.st.global_.f32(px.Address.of(k.mad.wide.u32(pitch, 4, start), space="global"), total)

    extras = (Extra("d_lse", px.Ptr[px.f32]),) if more else ()
    return px.kernel(target="sm_90a", threads=THREADS, strided=("o", "d_o", "out"), name="attention_statistics")(
        extended(attention_statistics, extras)
    )


def preparing(
    o: ArrayView, d_o: ArrayView, lse: ArrayView, d_lse: ArrayView | None, out: ArrayView, **options: Any
) -> Launch:
    """The launch that computes them.

    Args:
        o, d_o: batches × heads × rows × depth. lse, d_lse: batches × heads × rows. out: lines × 2 × rows, whose pitch is any.
    """
    batches, heads, rows, depth = o.shape
    vectors = depth // ELEMENTS
    chosen = kernel(KINDS[o.dtype], -(-vectors // SHARING), more=d_lse is not None)
    numbers = [rows, heads, vectors, out.strides[1] // out.itemsize]
    args = [o, d_o, lse, out, *numbers, *o.strides[:3], *d_o.strides[:3], *([] if d_lse is None else [d_lse])]
    return chosen.prepare(grid=(batches * heads * -(-rows // (THREADS // SHARING)), 1, 1), args=args, **options)
