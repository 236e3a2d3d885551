"""What a kernel for decoding is made of while it is traced: its parameters, its shared memory, and the thread that loads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import ptxlab as px
from ptxlab.kernels.attention.scores import Band, Bounds, Score
from ptxlab.kernels.attention.tiling import ITEM, SPAN, padded
from ptxlab.kernels.decode.tiling import LATENT_DEPTH, ROWS, Tiling


@dataclass(frozen=True, slots=True)
class Rows:
    """Where heads of queries lie in global memory, or those of results.

    Attributes:
        start: a pointer. steps: bytes from one sequence, query and head to the next; registers of px.u64.
    """

    start: Any
    steps: tuple[Any, Any, Any]

    def at(self, k: px.Builder, *index: Any) -> px.Address:
        """The head of a sequence, query and head: registers of px.s32."""
        place = k.mov.u64(self.start.address().register())
        for i, step in zip(index, self.steps, strict=True):
            place = k.mad.lo.u64(k.cvt.u64.s32(i), step, place)
        return px.Address.of(place, space="global")


@dataclass(frozen=True, slots=True)
class Form:
    """What a kernel is made for.

    Attributes:
        depth: elements of a head. dtype: of queries and results. cache: of keys and values.
        page: keys of a page; 0: there is no table. bounds: which sides of the window have an end.
        score: what becomes of scores; then, or where `scales_first`, scores are multiplied before it, else the scale has log2(e) as
            a factor.
    """

    depth: int
    dtype: type[px.Register]
    cache: type[px.Register]
    page: int
    bounds: Bounds
    score: Score | None
    scales_first: bool

    @property
    def operand(self) -> type[px.Register]:
        """The type in which matrices are multiplied: keys and values of fp8 become f16, and so do their queries."""
        return px.f16 if self.narrow else self.dtype

    @property
    def latent(self) -> bool:
        """Whether values are the first elements of keys."""
        return self.depth == LATENT_DEPTH

    @property
    def narrow(self) -> bool:
        """Whether keys and values are of fp8."""
        return self.cache.scalar.bytes == 1

    @property
    def width(self) -> int:
        """Elements of a head of keys in shared memory."""
        return padded(self.depth, SPAN * ITEM // self.cache.scalar.bytes)

    def box(self, tiling: Tiling) -> int:
        """Keys that one copy moves: as many as pages and blocks have in common."""
        return math.gcd(self.page, tiling.keys) if self.page else tiling.keys


@dataclass(frozen=True, slots=True)
class Program:
    """The kernel.

    Attributes:
        keys, values: maps of (pages, heads, rows, depth). queries, results: where they lie.
        lengths, table, logarithms: pointers, or None; a line of the table takes `line` elements, px.u32.
        batches: sequences. rows: queries of one. heads: of keys. group: heads that share them. capacity: keys of a sequence at
            most. pages: of the pool. left, right: of the window. All are px.s32.
        scale: of scores. factors: of keys and values, px.f32; or pointers to those of each head.
        partials, counters: memory for what CTAs hand to each other.
    """

    k: px.Builder
    tiling: Tiling
    form: Form
    keys: Any
    values: Any
    queries: Rows
    results: Rows
    lengths: Any
    table: Any
    line: Any
    logarithms: Any
    batches: Any
    rows: Any
    heads: Any
    group: Any
    capacity: Any
    pages: Any
    left: Any
    right: Any
    scale: Any
    factors: tuple[Any, Any]
    partials: Any
    counters: Any

    def band(self, length: Any) -> Band:
        """The keys that the queries of a sequence see."""
        return Band(self.k, self.form.bounds, length, length - self.rows, self.left, self.right)

    def length(self, batch: Any, *, pred: Any = None) -> Any:
        """The keys of a sequence: not below 0, and no more than there is room for. Where `pred` does not hold: 0."""
        k = self.k
        found = k.mov.s32(0)
        k.ld.global_.s32(self.lengths[batch], d=found, pred=pred)
        return k.max.s32(k.min.s32(found, self.capacity), 0)


Source: TypeAlias = tuple[px.Ring, list[tuple[Any, int]]]
"""A ring, and for each of its tiles the map that fills it and the first element of a head that it gets."""


class Rooms:
    """Shared memory: the ring of blocks of keys and values, which of their pages there are, and what warps hand to each other.

    Attributes:
        ring: its tiles are keys and values. there: for each copy of a stage, whether its page is in the pool.
        states: of warps, for each part. last: for each part, whether its CTA is the last one.
    """

    def __init__(self, p: Program) -> None:
        k, t, f = p.k, p.tiling, p.form
        self.boxes = t.keys // f.box(t)
        shape = (t.stages, 1, 1, t.keys, f.width)
        keys = k.smem(f.cache, shape, swizzle="128B", name="keys")
        values = k.smem(f.cache, shape, swizzle="128B", name="values")
        self.ring = k.ring(t.stages, keys, values, producers=self.boxes, consumers=t.parts * t.warps, name="kv")
        self.there = k.smem(px.u32, (t.stages, self.boxes), name="there") if f.page else None
        self.last = k.smem(px.u32, (t.parts,), name="last")
        self.states = None
        if t.warps > 1:
            self.states = k.smem(px.f32, (t.parts, t.warps // 2, t.state(f.depth)), align=ROWS, name="states")

    def sources(self, p: Program) -> list[Source]:
        """What fills the ring."""
        return [(self.ring, [(p.keys, 0), (p.values, 0)])]
