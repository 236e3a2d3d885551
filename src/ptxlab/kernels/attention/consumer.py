"""What a consumer warpgroup does: scores, their softmax, the product with V, and results to global memory.

With `Tiling.overlap`, the tensor cores have the product of one block with V to do while exponentials of the next one are computed:

    S₀ = Q·K₀ᵀ, P₀      S₁ = Q·K₁ᵀ | O += P₀·V₀ with P₁ beside it      S₂ = Q·K₂ᵀ | O += P₁·V₁ with P₂ beside it …

Scores of 64 × n lie in the accumulator as wgmma wants the left matrix of 64 × n in registers, so exponentials never leave them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.program import Program, Rooms, Tile
from ptxlab.kernels.attention.scores import ScorePlace, shape
from ptxlab.kernels.attention.softmax import Softmax, place_of
from ptxlab.kernels.attention.tiling import ROWS, SPAN, WARPGROUP

TURNS = 4
"""The first of the barriers by which consumers take turns; 1 to 3 are their own."""
ALONG_K, ACROSS_K = (1, 1, 0, 0), (1, 1, 1)
"""Signs, and how operands in shared memory lie: Q and K along the depth, V across the keys."""


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


class Consumer:
    """A warpgroup with 64 queries of each tile."""

    def __init__(self, p: Program, rooms: Rooms) -> None:
        k = self.k = p.k
        t = p.tiling
        self.p, self.rooms, self.member = p, rooms, k.warpgroup - 1
        self.barrier = self.member + 1
        self.leads = (k.tid.x & (WARPGROUP - 1)) == 0
        self.lane, self.warp = k.tid.x & 31, k.warp & 3
        self.queries, self.out = rooms.queries[self.member], rooms.results[self.member]
        self.left = self.queries[0][0].descriptor("K")
        self.scores, self.results = k.accumulator(ROWS, t.keys), k.accumulator(ROWS, p.depth)
        self.weights = [k.reg(px.b32) for _ in range(t.keys // 4)]
        self.softmax = Softmax(k, [math.log2(math.e) if p.scales_first else p.scale] * 2)
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

    def _tile(self, tile: Tile) -> None:
        k, p, t = self.k, self.p, self.p.tiling
        first, end = p.band.blocks(tile.row, t.rows, t.keys)
        row = tile.row + k.cvt.s32.u32(self.member * ROWS)
        start, stop = p.band.clear(row, t.keys, first, end)
        upper = row + k.cvt.s32.u32(k.mad.lo.u32(self.warp, 16, self.lane >> 2))
        self.tile, self.lines = tile, [upper, upper + 8]
        self.softmax.begin()
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
            if t.staging:
                queries.empty.arrive(pred=self.leads)
            if t.overlap:
                self._end()
            self._store()
            if not t.staging:
                k.cp.async_.bulk.wait_group.read(0, pred=self.leads)
                queries.empty.arrive(pred=self.leads)

    def _repeat(self, count: Any, step: Callable[..., None], *, masked: bool) -> None:
        with self.k.loop(count):
            step(masked=masked)

    # --- products --------------------------------------------------------------------------------------------------------------
    def _score(self, slot: px.Slot) -> None:
        """Issue S = Q · Kᵀ."""
        right = slot[0][0][0].descriptor("K")
        steps = ((self.left[i], right[i], i > 0) for i in range(-(-self.p.depth // 16)))
        self._issue(self.p.tiling.keys, self.scores, steps, ALONG_K)

    def _add(self, slot: px.Slot) -> None:
        """Issue O += P · V."""
        right = slot[0][0][0].descriptor("MN")
        steps = ((self.weights[4 * i : 4 * i + 4], right[i], True) for i in range(self.p.tiling.keys // 16))
        self._issue(self.p.depth, self.results, steps, ACROSS_K)

    def _issue(self, columns: int, sums: Any, steps: Iterable[tuple[Any, Any, bool]], layout: Sequence[int]) -> None:
        """Issue the products of a block, as one group.

        Args:
            columns: of sums. steps: left and right operand along K, and whether the product is added to what is there.
        """
        k, name = self.k, self.p.dtype.scalar.name
        wgmma = getattr(getattr(k.wgmma.mma_async.sync.aligned, f"m64n{columns}k16").f32, name)
        k.wgmma.fence.sync.aligned()
        for left, right, adds in steps:
            getattr(wgmma, name)(sums, left, right, adds, *layout)
        k.wgmma.commit_group.sync.aligned()

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
        base = self.block * p.tiling.keys + k.cvt.s32.u32((self.lane & 3) * 2) if masked or p.score else None
        if p.scales_first:
            rows = [partial(ScorePlace, self.tile.batch, self.tile.head, line, base) for line in self.lines]
            shape(k, self.scores, [p.scale] * 2, p.score, rows)
        if masked:
            p.band.hide(self.scores, self.lines, base)
        k.add.s32(self.block, -1, d=self.block)
        return self.softmax.update(self.scores, masked=masked or p.score is not None)

    def _shrink(self, shrinks: list[Any]) -> None:
        """Results so far, by the new maxima."""
        for i, x in enumerate(self.results):
            self.k.mul.rn.f32(x, shrinks[place_of(i)[0]], d=x)

    def _pack(self) -> None:
        """Exponentials as the left matrix of the product with V."""
        convert = getattr(self.k.cvt.rn, f"{self.p.dtype.scalar.name}x2").f32
        for i, weight in enumerate(self.weights):
            convert(self.scores[2 * i + 1], self.scores[2 * i], d=weight)

    # --- results ---------------------------------------------------------------------------------------------------------------
    def _store(self) -> None:
        """Results through shared memory by TMA, which drops rows behind the last query."""
        k, tile = self.k, self.tile
        self.softmax.gather()
        self._shrink(self.softmax.divisors())
        k.cp.async_.bulk.wait_group.read(0, pred=self.leads)
        k.bar.sync(self.barrier, WARPGROUP)
        self._stage()
        k.fence.proxy.async_.shared__cta()
        k.bar.sync(self.barrier, WARPGROUP)
        with k.if_(self.leads):
            row = tile.row + k.cvt.s32.u32(self.member * ROWS)
            k.tma_store(self.p.results, (0, row, tile.head, tile.batch), self.out)
            k.cp.async_.bulk.commit_group()
        if self.p.logarithms is not None:
            self._store_logarithms()

    def _stage(self) -> None:
        """The lane's part of the results, 16 columns at a time: lanes 0 to 15 give rows of 8 of them, the others of the next 8."""
        k, room = self.k, self.out[0][0]
        convert = getattr(k.cvt.rn, f"{self.p.dtype.scalar.name}x2").f32
        row, first = k.mad.lo.u32(self.warp, 16, self.lane & 15), (self.lane >> 4) * 8
        places = [room.locate(row, first + j if j else first) for j in range(0, SPAN, 16)]
        for column in range(0, self.p.depth, 16):
            place = places[column % SPAN // 16] + column // SPAN * room.panel_bytes
            some = self.results[column // 2 : column // 2 + 8]
            pairs = [convert(some[i + 1], some[i]) for i in range(0, len(some), 2)]
            several = k.stmatrix.sync.aligned.m8n8
            (several.x4 if len(pairs) == 4 else several.x2).shared.b16(place, pairs)

    def _store_logarithms(self) -> None:
        k, p = self.k, self.p
        start = k.mad.wide.u32(self.tile.line * k.cvt.u32.s32(p.rows), 4, p.logarithms)
        for r, line in enumerate(self.lines):
            value = self.softmax.logarithm(r)
            inside = (line < p.rows) & ((self.lane & 3) == 0)
            k.st.global_.f32(px.Address.of(k.mad.wide.u32(k.cvt.u32.s32(line), 4, start)), value, pred=inside)
