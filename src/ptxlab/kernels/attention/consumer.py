"""What a consumer warpgroup does: scores, their softmax, the product with V, and results to global memory.

With `Tiling.overlap`, the tensor cores have the product of one block with V to do while exponentials of the next one are computed:

    S₀ = Q·K₀ᵀ, P₀      S₁ = Q·K₁ᵀ | O += P₀·V₀ with P₁ beside it      S₂ = Q·K₂ᵀ | O += P₁·V₁ with P₂ beside it …
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.program import Program, QueryTile, Rooms, matrix
from ptxlab.kernels.attention.scores import ScorePlace, row_of, shape
from ptxlab.kernels.attention.softmax import Softmax
from ptxlab.kernels.attention.tiling import ROWS, WARPGROUP
from ptxlab.kernels.attention.warpgroup import Warpgroup

TURNS = 4
"""The first of the barriers by which consumers take turns; 1 to 3 are their own."""
LIFT = 8
"""The largest exponential in fp8 is 2 to the power of this: 448 is the largest number, and small weights keep their digits."""


class Turn:
    """The consumers take turns at issuing products, in the order of their numbers. A turn is given by arriving at the barrier of
    the next consumer; the first one is given by the last consumer, and the first consumer takes the one that is left over."""

    def __init__(self, k: px.Builder, member: Any, consumers: int) -> None:
        self.k, self.member, self.consumers = k, member, consumers
        self.mine = member + TURNS
        self.next = k.selp.u32(TURNS, self.mine + 1, member == consumers - 1)

    def begin(self) -> None:
        with self.k.if_(self.member == self.consumers - 1):
            self.give()

    def take(self) -> None:
        self.k.bar.sync(self.mine, 2 * WARPGROUP)

    def give(self) -> None:
        self.k.bar.arrive(self.next, 2 * WARPGROUP)

    def end(self) -> None:
        with self.k.if_(self.member == 0):
            self.take()


class Consumer(Warpgroup):
    """A warpgroup with 64 queries of each tile."""

    def __init__(self, p: Program, rooms: Rooms) -> None:
        super().__init__(p.k, p.dtype, p.depth, p.value_depth, p.made)
        k, t = p.k, p.tiling
        self.p, self.rooms = p, rooms
        self.queries, self.out = rooms.queries[self.member], rooms.results[self.member]
        self.left = matrix(self.queries).descriptor("K")
        self.scores, self.results = k.accumulator(ROWS, t.keys), k.accumulator(ROWS, p.value_depth)
        self.weights = [k.reg(px.b32) for _ in range(t.keys * p.item // 8)]
        self.scale, self.lift = (p.scale, 0) if self.wide else (k.reg(px.f32), LIFT)
        self.softmax = Softmax(k, [math.log2(math.e) if p.scales_first else self.scale] * 2, self.lift)
        self.turn = Turn(k, self.member, t.consumers) if t.pingpong and t.consumers > 1 else None
        self.block = k.reg(px.s32)

    def run(self) -> None:
        """All tiles of the CTA."""
        k = self.k
        k.prefetch.tensormap(self.p.results, pred=self.leads)
        if self.turn:
            self.turn.begin()
        with self.p.tiles() as tile:
            self._tile(tile)
        if self.turn:
            self.turn.end()
        k.cp.async_.bulk.wait_group.read(0, pred=self.leads)

    def _tile(self, tile: QueryTile) -> None:
        k, p, t = self.k, self.p, self.p.tiling
        first, end = tile.band.blocks(tile.row, t.rows, t.keys)
        row = self.first_row(tile.row)
        start, stop = tile.band.clear(row, t.keys, first, end)
        self.tile, self.lines = tile, self.lines_of(row)
        self.softmax.begin()
        if p.descales:
            k.mul.rn.f32(p.scale, k.mul.rn.f32(self._descale(0), self._descale(1)), d=self.scale)
        for x in self.results:
            k.mov.f32(0.0, d=x)
        k.mov.s32(end - 1, d=self.block)
        step = self._overlapping if t.overlap else self._step
        with self.rooms.loaded.consume(release=None) as queries:
            (self._begin if t.overlap else lambda: self._step(masked=True))()
            if p.band.bounds.right:
                self._repeat(end - 1 - stop, step, masked=True)
            self._repeat(stop - start, step, masked=False)
            if p.band.bounds.left:
                self._repeat(start - first, step, masked=True)
            if p.staged:
                queries.empty.arrive(pred=self.leads)
            if t.overlap:
                self._end()
            self._store()
            if not p.staged:
                k.cp.async_.bulk.wait_group.read(0, pred=self.leads)
                queries.empty.arrive(pred=self.leads)

    def _repeat(self, count: Any, step: Callable[..., None], *, masked: bool) -> None:
        with self.k.loop(count):
            step(masked=masked)

    # --- products --------------------------------------------------------------------------------------------------------------
    def _score(self, slot: px.Slot) -> None:
        """Issue S = Q · Kᵀ."""
        self.multiply_rows(self.scores, self.left, matrix(slot[0]))

    def _add(self, slot: px.Slot) -> None:
        """Issue O += P · V."""
        self.add_product(self.results, self.weights, matrix(slot[0]))

    def _wait(self, groups: int, slot: px.Slot) -> None:
        """Wait until no more groups are under way, and give back what the one before them has read."""
        self.k.wgmma.wait_group.sync.aligned(groups)
        slot.empty.arrive(pred=self.leads)

    # --- blocks ----------------------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        """The first block up to its exponentials."""
        with self.rooms.keys.consume(release=None) as keys:
            self._score(keys)
            self._wait(0, keys)
        self._exponentials(masked=True)
        self._pack()

    def _overlapping(self, *, masked: bool) -> None:
        """The next block up to its exponentials, and the product of the one before it with V."""
        with self.rooms.keys.consume(release=None) as keys:
            if self.turn:
                self.turn.take()
            self._score(keys)
            with self.rooms.values.consume(release=None) as values:
                self._add(values)
                if self.turn:
                    self.turn.give()
                self._wait(1, keys)
                shrinks = self._exponentials(masked=masked)
                self._wait(0, values)
        self._shrink(shrinks)
        self._pack()

    def _end(self) -> None:
        """The product of the last block with V."""
        with self.rooms.values.consume(release=None) as values:
            self._add(values)
            self._wait(0, values)

    def _step(self, *, masked: bool) -> None:
        """A block, one thing after the other."""
        with self.rooms.keys.consume(release=None) as keys:
            if self.turn:
                self.turn.take()
            self._score(keys)
            self._wait(0, keys)
        shrinks = self._exponentials(masked=masked)
        self._shrink(shrinks)
        self._pack()
        with self.rooms.values.consume(release=None) as values:
            self._add(values)
            if self.turn:
                self.turn.give()
            self._wait(0, values)

    # --- scores ----------------------------------------------------------------------------------------------------------------
    def _exponentials(self, *, masked: bool) -> list[Any]:
        """Scores become exponentials. `masked`: some keys of the block may be invisible. Returns: as `Softmax.update`."""
        k, p = self.k, self.p
        base = self.first_column(self.block, p.tiling.keys) if masked or p.score else None
        if p.scales_first:
            rows = [partial(ScorePlace, self.tile.batch, self.tile.head, line, base) for line in self.lines]
            shape(k, self.scores, [self.scale] * 2, p.score, rows, p.arrays)
        if masked:
            self.tile.band.hide(self.scores, self.lines, base)
        k.add.s32(self.block, -1, d=self.block)
        return self.softmax.update(self.scores, masked=masked or p.score is not None)

    def _shrink(self, shrinks: list[Any]) -> None:
        """Results so far, by the new maxima."""
        for i, x in enumerate(self.results):
            self.k.mul.rn.f32(x, shrinks[row_of(i)], d=x)

    def _pack(self) -> None:
        """Exponentials as the left matrix of the product with V."""
        if self.wide:
            self.pack(self.scores, self.weights)
            return
        k, s = self.k, self.scores
        for i, weight in enumerate(self.weights):  # of row i % 2 the columns of two eights, see `transposed`
            first = 8 * (i // 2) + 2 * (i % 2)
            k.mov.b32([k.cvt.rn.satfinite.e4m3x2.f32(s[j + 1], s[j]) for j in (first, first + 4)], d=weight)

    # --- results ---------------------------------------------------------------------------------------------------------------
    def _store(self) -> None:
        """Results through shared memory by TMA, which drops rows behind the last query."""
        k, tile = self.k, self.tile
        factors = self.softmax.complete(self._sink())
        self._shrink([k.mul.rn.f32(x, self._descale(2)) for x in factors] if self.p.descales else factors)
        k.cp.async_.bulk.wait_group.read(0, pred=self.leads)
        self.meet()
        self.stage(self.results, matrix(self.out))
        k.fence.proxy.async_.shared__cta()
        self.meet()
        with k.if_(self.leads):
            place, width = tile.queries.at(self.first_row(tile.row), tile.head, ROWS), self.out.panel_columns
            for i in range(-(-self.p.value_depth // width)):
                panel = self.out.part(i, self.out.shape[-1] // width, axis=-1)
                k.tma_store(self.p.results, (i * width, *place), panel)
            k.cp.async_.bulk.commit_group()
        if self.p.logarithms is not None:
            self._store_logarithms()

    def _descale(self, i: int) -> Any:
        """What numbers of Q, K or V are multiplied by in the tile's head."""
        head = self.tile.head if i == 0 else self.tile.head // self.p.group
        return self.p.descales[i][self.tile.batch, head]

    def _sink(self) -> Any:
        """The sink of the tile's head as a logarithm to base 2; None where there are none."""
        k, sinks = self.k, self.p.sinks
        if sinks is None:
            return None
        kind = sinks.element
        at = px.Address.of(k.mad.wide.u32(self.tile.head, kind.bytes, sinks), space="global")
        sink = k.ld.global_.f32(at) if kind.bytes == 4 else getattr(k.cvt.f32, kind.name)(k.ld.global_.b16(at))
        return k.mul.rn.f32(sink, math.log2(math.e))

    def _store_logarithms(self) -> None:
        k, p = self.k, self.p
        start = k.mad.wide.u32(self.tile.first, 4, p.logarithms)
        for r, line in enumerate(self.lines):
            value = self.softmax.logarithm(r)
            inside = (line < self.tile.queries.length) & ((self.lane & 3) == 0)
            k.st.global_.f32(px.Address.of(k.mad.wide.u32(k.cvt.u32.s32(line), 4, start)), value, pred=inside)
