"""Operands whose layout TMA or wgmma cannot read: a small kernel copies them first, before each product.

TMA wants rows that start at multiples of 16 bytes, and wgmma reads types of 8 and 32 bits along K alone. A copy reads the matrix
once and writes it once, which is little beside a large product and much beside a small one: lay operands out well where you can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Launch
from ptxlab.kernels.gemm_call import TMA_BYTES, Problem, zeroed

THREADS = 256
CTAS_PER_SM = 8


@cache
def _kernel(size: int) -> px.Kernel:
    """A copy of elements of so many bytes."""

    @px.kernel(target="sm_90a", threads=THREADS, strided=("source", "target"), name="gemm_repack")
    def repack(
        k: px.Builder,
        source: px.Ptr[px.b8],
        target: px.Ptr[px.b8],
        rows: px.u32,
        columns: px.u32,
        pitch: px.u64,
        by_row: px.u64,
        by_column: px.u64,
    ) -> None:
        """Element (r, c) of rows at `pitch` goes to `target` + r · `by_row` + c · `by_column`. A CTA takes row after row."""
        word = {1: "b8", 2: "b16", 4: "b32"}[size]
        load, store = getattr(k.ld.global_, word), getattr(k.st.global_, word)
        with k.loop(rows, start=k.ctaid.x, step=k.nctaid.x) as row:
            wide = k.cvt.u64.u32(row)
            start, there = k.mad.lo.u64(wide, pitch, source), k.mad.lo.u64(wide, by_row, target)
            with k.loop(columns, start=k.tid.x, step=THREADS) as column:
                at = px.Address.of(k.mad.wide.u32(column, size, start), space="global")
                to = px.Address.of(k.mad.lo.u64(k.cvt.u64.u32(column), by_column, there), space="global")
                store(to, load(at))

    return repack


class LaunchSequence:
    """Launches that run one after the other in one stream. The report and the record are those of the last."""

    def __init__(self, launches: Sequence[Launch]) -> None:
        self._launches = tuple(launches)
        self.record = self._launches[-1].record

    def __call__(self, stream: Any = None, **options: Any) -> Any:
        """Run them. Options are those of the launches."""
        out = None
        for launch in self._launches:
            out = launch(stream, **options) if options else launch(stream)
        return out


def readable(p: Problem) -> tuple[Problem, list[tuple[str, ArrayView, ArrayView, bool]]]:
    """The product with operands that can be read, and the copies this takes: name, source, target, and whether it is transposed."""
    copies: list[tuple[str, ArrayView, ArrayView, bool]] = []
    for name, x, major in (("a", p.a, p.a_major), ("b", p.b, p.b_major)):
        turned = major == "MN" and x.itemsize != 2
        pitch = x.strides[0] if x.shape[0] > 1 else 0
        if not turned and x.address % TMA_BYTES == 0 and pitch % TMA_BYTES == 0:
            continue
        room = _room(p, x, x.shape[::-1] if turned else x.shape)
        copies.append((name, x, room, turned))
        p = replace(p, **{name: room}, **({f"{name}_major": "K"} if turned else {}))
    return p, copies


def _room(p: Problem, x: ArrayView, shape: tuple[int, ...]) -> ArrayView:
    """Memory for a matrix, whose rows start at multiples of 16 bytes."""
    lines, length = shape
    each = TMA_BYTES // x.itemsize
    return replace(zeroed(p.c, (lines, -(-length // each) * each), x.dtype), shape=(lines, length))


def repacking(source: ArrayView, target: ArrayView, turned: bool, ctas: int, **options: Any) -> Launch:
    """The launch that copies one operand."""
    size, (rows, columns) = source.itemsize, source.shape
    pitch = source.strides[0] if rows > 1 else columns * size
    steps = (size, target.strides[0]) if turned else (target.strides[0], size)
    args = [source, target, rows, columns, pitch, *steps]
    return _kernel(size).prepare(grid=(min(rows, ctas), 1, 1), args=args, **options)
