"""What a warp computes: scores of its keys of each block, their softmax, and the product with values, all in registers.

Keys of a block are shared out among warps, which have softmaxes of their own; `combine` brings them together when a head ends.
mma.sync with queries as its left matrix has rows to waste: 16, of which one query of 8 heads fills half. That costs nothing, as
memory is the limit: an SM gets about 21 bytes of a cache a clock, and needs the tensor cores for 2 clocks for each 256 of them.
With keys as the left matrix, half of these clocks would be saved, and each weight would have to be transposed between lanes. wgmma
would fill 64 rows, and its results would lie in the registers of four warps, each of which would have all keys of a block to do.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.scores import Band, ScorePlace, shape
from ptxlab.kernels.attention.softmax import LANES, Softmax
from ptxlab.kernels.decode.combine import Combine, State
from ptxlab.kernels.decode.operands import Operand
from ptxlab.kernels.decode.program import Program, Rooms
from ptxlab.kernels.decode.queries import Line, Queries, lines
from ptxlab.kernels.decode.schedule import Schedule, Segment
from ptxlab.kernels.decode.tiling import DEEP, ROWS

NOWHERE = 2**30
"""A key behind all others."""


class Consumer:
    """A warp with its rows of queries, and its keys of each block."""

    def __init__(self, p: Program, rooms: Rooms) -> None:
        k = self.k = p.k
        t, f = p.tiling, p.form
        self.p, self.rooms = p, rooms
        number = k.warp - 1
        self.part, self.member = number // t.warps, number % t.warps
        self.leads = k.laneid == 0
        self.own = self.member * (ROWS * t.each)
        self.keys = Operand(k, f, rooms.ring.tiles[0], self.own, across=False)
        self.values = Operand(k, f, rooms.ring.tiles[1], self.own, across=True)
        self.tile = Tile(p)
        self.ends = Combine(p, rooms, self.part, self.member, self.tile.state)

    def run(self) -> None:
        """All segments of the CTA."""
        k = self.k
        schedule = Schedule(self.p)
        with schedule.segments() as segment:
            rows = lines(self.p, segment, k.cvt.s32.u32(self.part))
            self.tile.begin(segment, rows)
            band = self.p.band(segment.length)
            with k.loop(segment.stop, start=segment.first) as block, self.rooms.ring.consume(release=None) as slot:
                self._step(segment, band, block, slot)
                k.bar.warp.sync(LANES)
                slot.empty.arrive(pred=self.leads)
            self.tile.state.softmax.gather()
            self.ends.finish(segment, *schedule.takers(segment))

    def _step(self, segment: Segment, band: Band, block: Any, slot: px.Slot) -> None:
        """This warp's keys of a block. Most blocks have no key to hide, so those that have are a case of their own."""
        k, t, tile = self.k, self.p.tiling, self.tile
        first = block * t.keys + k.cvt.s32.u32(self.own)
        places = self.keys.at(slot.stage)
        tile.clear()
        for i in range(t.each):
            for part in self.keys.parts:
                for half, pair in enumerate(self.keys.load(places, part, i)):
                    tile.score(part * (2 if self.p.form.narrow else 1) + half, i, pair)
        base = first + k.cvt.s32.u32((k.laneid & 3) * 2)
        if self.p.form.scales_first:
            tile.shape(segment, base)
        there = self._there(slot)
        all_seen = first + ROWS * t.each <= band.end(k.mov.s32(0))
        if band.bounds.left:
            all_seen = all_seen & (first >= band.first(self.p.rows - 1))
        for x in there:
            all_seen = all_seen & (x != 0)
        places = self.values.at(slot.stage)
        with k.if_(all_seen):
            tile.exponentials()
            self._add(places, [None] * t.each)
        with k.else_():
            bases = [base + ROWS * i if i else base for i in range(t.each)]
            shown = [k.selp.s32(x, NOWHERE, y != 0) for x, y in zip(bases, there, strict=True)] if there else bases
            tile.hide(band, shown)
            tile.exponentials()
            self._add(places, [self._masks(band, x) for x in bases])

    def _there(self, slot: px.Slot) -> list[Any]:
        """For each 16 keys whether their page is in the pool."""
        if self.rooms.there is None:
            return []
        k, t = self.k, self.p.tiling
        boxes = [(self.own + ROWS * i) // self.p.form.box(t) for i in range(t.each)]
        return [k.ld.shared.u32(self.rooms.there[slot.stage].at(box * 4)) for box in boxes]

    def _add(self, places: list[px.Address], masks: list[Any]) -> None:
        """Add the product with values. `masks`: for each 16 keys, as `_masks` gives them, or None."""
        k = self.k
        for i, mask in enumerate(masks):
            for part in self.values.parts:
                for half, pair in enumerate(self.values.load(places, part, i)):
                    if mask:
                        pair = [[k.and_.b32(x, y) for x, y in zip(one, mask, strict=True)] for one in pair]
                    self.tile.add(part * (2 if self.p.form.narrow else 1) + half, i, pair)

    def _masks(self, band: Band, base: Any) -> list[Any]:
        """For both words of a column of 16 values, which hold two keys each: bits of the keys that anybody sees. What lies beside
        them in memory may be anything, and 0 times it need not be 0."""
        k = self.k
        first = band.first(k.mov.s32(0)) if band.bounds.left else None
        masks: list[Any] = []
        for ahead in (0, 8):
            halves: list[Any] = []
            for one, bits in ((ahead, 0xFFFF), (ahead + 1, 0xFFFF0000)):
                key = base + one if one else base
                seen = key < band.length
                seen = seen & (key >= first) if first is not None else seen
                halves.append(k.selp.b32(bits, 0, seen))
            masks.append(k.or_.b32(*halves))
        return masks


class Tile:
    """16 rows of queries."""

    def __init__(self, p: Program) -> None:
        k = self.k = p.k
        self.p = p
        kind = p.form.operand.scalar.name
        self.mma = getattr(getattr(k.mma.sync.aligned.m16n8k16.row.col.f32, kind), kind).f32
        self.pack = getattr(k.cvt.rn, f"{kind}x2").f32
        self.queries = Queries(p)
        self.own = not isinstance(p.factors[0], px.Ptr) and self.queries.powers is None
        self.scales = [p.scale] * 2 if self.own else [k.reg(px.f32) for _ in range(2)]
        self.scores = [k.reg(px.f32) for _ in range(8 * p.tiling.each)]
        self.weights = [k.reg(px.b32) for _ in range(4 * p.tiling.each)]
        softmax = Softmax(k, [math.log2(math.e)] * 2 if p.form.scales_first else self.scales)
        self.state = State(k, softmax, [k.reg(px.f32) for _ in range(p.form.depth // 2)])

    def begin(self, segment: Segment, rows: list[Line]) -> None:
        """Queries of a segment."""
        k, p = self.k, self.p
        self.rows = rows
        self.queries.load(segment.batch, rows)
        if not self.own:
            scale = p.scale
            if isinstance(p.factors[0], px.Ptr):
                scale = k.mul.rn.f32(scale, k.ld.global_.f32(p.factors[0][segment.head]))
            for r, register in enumerate(self.scales):
                power = self.queries.powers[r] if self.queries.powers else 1.0
                k.mul.rn.f32(scale, power, d=register)
        self.state.begin()

    def clear(self) -> None:
        """No scores yet."""
        for x in self.scores:
            self.k.mov.f32(0.0, d=x)

    def score(self, step: int, block: int, pair: list[list[Any]]) -> None:
        """Scores of 16 keys: 16 more elements of the sum."""
        for i, right in enumerate(pair):
            sums = self.scores[8 * block + 4 * i : 8 * block + 4 * i + 4]
            self.mma(self.queries.steps[step], right, sums, d=sums)

    def shape(self, segment: Segment, base: Any) -> None:
        """What a function makes of scores."""
        k = self.k
        batch = k.cvt.u32.s32(segment.batch)
        places = [partial(ScorePlace, batch, k.cvt.u32.s32(x.head), x.query, base) for x in self.rows]
        shape(k, self.scores, self.scales, self.p.form.score, places)

    def hide(self, band: Band, shown: list[Any]) -> None:
        """-inf for scores of invisible keys. `shown`: for each 16 keys where they stand, as far as that is concerned."""
        for i, first in enumerate(shown):
            band.hide(self.scores[8 * i : 8 * i + 8], [x.query for x in self.rows], first)

    def exponentials(self) -> None:
        """Scores become weights, and results shrink."""
        shrinks = self.state.softmax.update(self.scores, masked=True)
        self.state.shrink(shrinks, asks=self.p.form.depth <= DEEP)  # deeper heads leave no register for it
        for i, weight in enumerate(self.weights):
            self.pack(self.scores[2 * i + 1], self.scores[2 * i], d=weight)

    def add(self, group: int, block: int, pair: list[list[Any]]) -> None:
        """The product of 16 keys with 16 elements of their values."""
        for i, right in enumerate(pair):
            sums = self.state.results[8 * group + 4 * i : 8 * group + 4 * i + 4]
            self.mma(self.weights[4 * block : 4 * block + 4], right, sums, d=sums)
