"""What a consumer warpgroup does backwards.

Its rows of the tile are the left matrix of each product, and what streams past them is the right one. With tiles of keys the scores
are transposed, so that their weights P and gradients dS lie in registers as the next products want them, as in the forward pass:

    Sᵀ = K·Qᵀ    dPᵀ = V·dOᵀ    dV += Pᵀ·dO    dK += dSᵀ·Q
    S = Q·Kᵀ     dP = dO·Vᵀ                    dQ += dS·K

P = exp(S - lse) is computed while dP is under way, and dS = P · (dP - delta) while dV is. Behind a block all products are complete:
registers do not suffice for those of two blocks. The tensor cores then have another consumer's products to do.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.backward.program import Program, Rooms
from ptxlab.kernels.attention.program import Tiles
from ptxlab.kernels.attention.scores import ScorePlace, column_of, row_of
from ptxlab.kernels.attention.softmax import LANES
from ptxlab.kernels.attention.tiling import ROWS
from ptxlab.kernels.attention.warpgroup import Warpgroup

HIDDEN = float("-inf")


class Consumer(Warpgroup):
    """A warpgroup with 64 rows of each tile."""

    def __init__(self, p: Program, rooms: Rooms, scale: Any) -> None:
        super().__init__(p.k, p.dtype, p.depth)
        k, block = p.k, p.cut.block
        self.p, self.rooms, self.scale = p, rooms, scale
        self.mine = [room[self.member] for room in rooms.held]
        self.left = [room[0][0].descriptor("K") for room in self.mine]
        self.scores = k.accumulator(ROWS, block)
        self.slopes = k.accumulator(ROWS, block) if p.sums.slopes else None
        self.packed = [[k.reg(px.b32) for _ in range(block // 4)] for _ in range(2)]
        self.results = [k.accumulator(ROWS, p.depth) for _ in p.results]
        self.gives = self.lane == 0 if p.sums.of_keys else self.leads
        self.block = k.reg(px.s32)
        self.tile: Any = None
        self.rows = _Streamed(self) if p.sums.of_keys else _Held(self)

    def run(self) -> None:
        """All tiles of the CTA."""
        k = self.k
        for tensor in self.p.results:
            k.prefetch.tensormap(tensor, pred=self.leads)
        with self.p.tiles.each() as tile:
            self._tile(tile)

    def _tile(self, tile: Any) -> None:
        k = self.k
        self.tile, self.lines = tile, self.lines_of(self.first_row(tile.row))
        self.rows.begin()
        for x in (x for sums in self.results for x in sums):
            k.mov.f32(0.0, d=x)
        with self._held(tile) as empty:
            self._blocks(tile)
            self._store()
            k.cp.async_.bulk.wait_group.read(0, pred=self.leads)
            empty.arrive(pred=self.leads)

    @contextmanager
    def _held(self, tile: Any) -> Generator[px.Mbarrier, None, None]:
        """What the tile holds is there. Yields: the barrier at which to give it back."""
        with self.rooms.loaded.consume(release=None) as slot:
            yield slot.empty

    def _blocks(self, tile: Any) -> None:
        """All blocks that stream past a tile."""
        k, p, cut = self.k, self.p, self.p.cut
        first, end = p.band.blocks(tile.row, cut.rows, cut.block, least=0)
        start, stop = p.band.clear(self.first_row(tile.row), cut.block, first, end)
        with p.passes(tile) as passing:
            self.head = passing.head
            k.mov.s32(end - 1, d=self.block)
            self._repeat(end - stop, masked=True)
            self._repeat(stop - start, masked=False)
            if p.band.bounds.left:
                self._repeat(start - first, masked=True)

    def _repeat(self, count: Any, *, masked: bool) -> None:
        with self.k.loop(count):
            self._step(masked=masked)

    # --- blocks ----------------------------------------------------------------------------------------------------------------
    def _step(self, *, masked: bool) -> None:
        """A block."""
        k, sums, wait = self.k, self.p.sums, self.k.wgmma.wait_group.sync.aligned
        with self.rooms.first.consume(release=None) as first, self.rooms.second.consume(release=None) as second:
            mine, other = first[0][0][0], second[0][0][0]
            self.multiply_rows(self.scores, self.left[0], mine)
            if self.slopes:
                self.multiply_rows(self.slopes, self.left[1], other)
            wait(1 if self.slopes else 0)
            self._weights(first, masked=masked)
            if sums.weights:
                self.add_product(self.results[-1], self.packed[0], other)
            if self.slopes:
                wait(1 if sums.weights else 0)
                if not sums.weights:
                    second.empty.arrive(pred=self.leads)
                self._slopes(first)
                self.add_product(self.results[0], self.packed[1], mine)
            if sums.weights:
                wait(1 if self.slopes else 0)
                second.empty.arrive(pred=self.leads)
            if self.slopes:
                wait(0)
            self.rows.end()
            first.empty.arrive(pred=self.gives)
            k.add.s32(self.block, -1, d=self.block)

    def _weights(self, slot: px.Slot, *, masked: bool) -> None:
        """Scores become P, or P times the derivative of the function of scores; P is packed before that."""
        k, p = self.k, self.p
        base = self.first_column(self.block, p.cut.block) if masked or p.scoring.score else None
        sees = self._sees(base) if masked else None
        places = self.rows.places(base) if p.scoring.score else None
        shift = self.rows.numbers(slot, 0)
        for i in range(0, len(self.scores), 2):
            found = list[Any]()
            for j in (i, i + 1):
                x = self.scores[j]
                found.append(p.scoring.exponent(x, shift(j), places(j) if places else None))
                if sees:
                    k.selp.f32(x, HIDDEN, sees(j), d=x)
                k.ex2.approx.ftz.f32(x, d=x)
            if p.sums.weights:
                self.pack(self.scores[i : i + 2], [self.packed[0][i // 2]])
            for x, factor in zip(self.scores[i : i + 2], found, strict=True):
                if factor is not None and self.slopes:
                    k.mul.rn.f32(x, factor, d=x)

    def _sees(self, base: Any) -> Callable[[int], Any]:
        """Which scores of a block are visible, by the number of a register."""
        return self.p.band.seen(self.lines, base)

    def _slopes(self, slot: px.Slot) -> None:
        """dS = P · (dP - delta), packed."""
        k, delta = self.k, self.rows.numbers(slot, 1)
        assert self.slopes is not None
        for i, (weight, x) in enumerate(zip(self.scores, self.slopes, strict=True)):
            k.mul.rn.f32(weight, k.sub.rn.f32(x, delta(i)), d=x)
        self.pack(self.slopes, self.packed[1])

    # --- results ---------------------------------------------------------------------------------------------------------------
    def _store(self) -> None:
        """Sums through the tile's own shared memory by TMA, which drops rows behind the last one."""
        k, tile = self.k, self.tile
        if self.slopes:
            for x in self.results[0]:
                k.mul.rn.f32(x, self.scale, d=x)
        rooms = self.mine[: len(self.results)]
        self.meet()
        for sums, room in zip(self.results, rooms, strict=True):
            self.stage(sums, room[0][0])
        k.fence.proxy.async_.shared__cta()
        self.meet()
        with k.if_(self.leads):
            row = self.first_row(tile.row)
            for tensor, room in zip(self.p.results, rooms, strict=True):
                k.tma_store(tensor, (0, row, tile.head, tile.batch), room)
            k.cp.async_.bulk.commit_group()


class _Held:
    """What belongs to queries, where they are the rows of the tile: two of a lane, read from global memory for each tile."""

    def __init__(self, consumer: Consumer) -> None:
        self.c = consumer
        self.found = [[consumer.k.reg(px.f32) for _ in range(2)] for _ in range(2)]

    def begin(self) -> None:
        """A new tile. Rows behind the last query have zeros; nobody sees what becomes of them."""
        k, p = self.c.k, self.c.p
        assert isinstance(p.tiles, Tiles)
        start = k.mad.lo.u64(k.mul.wide.u32(self.c.tile.line, p.pitch * 2), 4, p.statistics)
        for kind, found in enumerate(self.found):
            for line, x in zip(self.c.lines, found, strict=True):
                k.mov.f32(0.0, d=x)
                row = k.cvt.u32.s32(line) + p.pitch if kind else k.cvt.u32.s32(line)
                at = k.mad.wide.u32(row, 4, start)
                k.ld.global_.f32(px.Address.of(at, space="global"), d=x, pred=line < p.tiles.rows)

    def end(self) -> None:
        """All numbers of a block are read."""

    def numbers(self, slot: px.Slot, kind: int) -> Callable[[int], Any]:
        """By the number of a register of the accumulator: what its query has of a kind, see `statistics`."""
        return lambda i: self.found[kind][row_of(i)]

    def places(self, base: Any) -> Callable[[int], ScorePlace]:
        """By the number of a register: where its score stands."""
        c = self.c
        return lambda i: ScorePlace(c.tile.batch, c.tile.head, c.lines[row_of(i)], base, column_of(i))


class _Streamed:
    """The same where queries stream past, and are the columns: with each block they bring what belongs to them."""

    def __init__(self, consumer: Consumer) -> None:
        self.c = consumer
        self.first = (consumer.lane & 3) * 8

    def begin(self) -> None:
        """A new tile."""

    def end(self) -> None:
        """All lanes of the warp have read the block's numbers, and one of them may give it back."""
        self.c.k.bar.warp.sync(LANES)

    def numbers(self, slot: px.Slot, kind: int) -> Callable[[int], Any]:
        """As of `_Held`: two neighbours are loaded at once, which two rows share."""
        k, start = self.c.k, slot[1][0][kind].at(self.first)
        found: dict[int, Any] = {}

        def number(i: int) -> Any:
            group = i // 4
            if group not in found:
                found[group] = [k.reg(px.f32) for _ in range(2)]
                k.ld.shared.v2.f32(start.at(32 * group), d=found[group])
            return found[group][i % 2]

        return number

    def places(self, base: Any) -> Callable[[int], ScorePlace]:
        """As of `_Held`."""
        c = self.c
        queries: dict[int, Any] = {}

        def place(i: int) -> ScorePlace:
            at = column_of(i)
            if at not in queries:
                queries[at] = base + at
            return ScorePlace(c.tile.batch, c.head, queries[at], c.lines[row_of(i)], 0)

        return place
