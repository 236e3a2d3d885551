"""The mainloop for fp8 with a scale for every 128 steps along K: each stage is summed on its own, scaled, and added in f32.

A stage of fp8 has 128 steps, so scales change from one stage to the next and never within one. The tensor cores add fp8 products
with less precision than f32; here they never add more than 128 of them. The scales of a stage are read one stage ahead.

A scale belongs to one line or to 128 lines (`Scales`), with rows and columns as wgmma has them: a block of 128 × 128 of B is one
number for a tile, and 1 × 128 of A one for each row. A scale for each column of the tile takes half as many registers as the sums
of a stage, so tiles are then smaller (`Tiling.spread`). docs/reference/bench-kernels.md says what was tried and measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.mainloop import Mainloop, Operands
from ptxlab.kernels.blocks.tiling import ROWS

BLOCK = 128
"""Steps along K that a scale is for, and lines of one that is for several."""
ROOM = 128
"""Columns of 64 rows for which a thread has registers twice: for the sums of a stage, and for those of all."""


@dataclass(frozen=True, slots=True)
class Scales:
    """Lines of the left and of the right operand that share a scale: 1, BLOCK, or 0 where the operand has none.

    Attributes:
        unaligned: a tile may begin within a block, as behind a gate where N/2 is no multiple of BLOCK: scales are then
            looked up for each line.
    """

    left: int
    right: int
    unaligned: bool = False

    @property
    def arguments(self) -> int:
        """Parameters of the kernel: of each operand that has scales the address, and bytes from line to line and along K."""
        return 3 * ((self.left > 0) + (self.right > 0))


class _Side:
    """The scales of one operand: where they lie, and where along K the next ones are."""

    def __init__(self, k: px.Builder, lines: int, each: bool, arguments: Sequence[Any], extent: Any) -> None:
        self.k, self.lines, self.each, self.extent = k, lines, each or lines == 1, extent
        self.start, self.pitch, self.stride = arguments
        self.along = k.reg(px.u64)

    def begin(self, start: Any) -> None:
        """A tile: stages from step `start` on."""
        k = self.k
        stage = start // BLOCK if isinstance(start, int) else k.shr.u32(start, BLOCK.bit_length() - 1)
        k.mul.lo.u64(k.cvt.u64.u32(k.mov.u32(stage)), self.stride, d=self.along)

    def place(self, line: Any, gap: Any = None) -> Any:
        """Where the scales of a line begin; beyond the last one, those of the last."""
        k = self.k
        line = k.min.u32(line, self.extent - 1)
        line = line if gap is None else line + gap
        number = line if self.lines == 1 else k.shr.u32(line, BLOCK.bit_length() - 1)
        return k.mad.lo.u64(k.cvt.u64.u32(number), self.pitch, self.start)

    def load(self, place: Any) -> Any:
        """The scale of the stage at hand."""
        return self.k.ld.global_.f32(self._at(place))

    def load_into(self, factor: Any, place: Any, pred: Any = None) -> None:
        """The same into a register, where there is such a stage."""
        self.k.ld.global_.f32(self._at(place), d=factor, pred=pred)

    def _at(self, place: Any) -> px.Address:
        return px.Address.of(self.k.add.u64(place, self.along), space="global")

    def advance(self) -> None:
        """To the next stage."""
        self.k.add.u64(self.along, self.stride, d=self.along)


class PromotedMainloop(Mainloop):
    """The consumers' side of the ring where each stage has scales.

    Args:
        arguments: the kernel's parameters for the scales. extents: rows and columns of results.
    """

    def __init__(
        self,
        operands: Operands,
        ring: px.Ring,
        member: Any,
        scales: Scales,
        arguments: Sequence[Any],
        extents: tuple[Any, Any],
    ) -> None:
        super().__init__(operands, ring, member)
        k, t = self.k, self.tiling
        # where registers are short, blocks take turns with one room for the sums of a stage
        count = t.blocks if t.blocks * t.columns <= ROOM else 1
        self.partial, self.results = self.results[:count], [k.accumulator(ROWS, t.columns) for _ in range(t.blocks)]
        left, right = arguments[: 3 if scales.left else 0], arguments[3 if scales.left else 0 :]
        self.left_scales = _Side(k, scales.left, scales.unaligned, left, extents[0]) if scales.left else None
        self.right_scales = _Side(k, scales.right, scales.unaligned, right, extents[1]) if scales.right else None
        self.to_come = k.reg(px.u32)

    def tile(self, row: Any, column: Any, start: Any, steps: Any) -> None:
        """Begin a tile whose first result for this warpgroup is (row, column), at step `start` along K, of so many stages."""
        k, t = self.k, self.tiling
        lane, gap = k.tid.x & 31, self.operands.gap
        k.mov.u32(steps, d=self.to_come)
        if self.left_scales is not None:
            side = self.left_scales
            side.begin(start)
            self.rows: list[list[Any]] = []
            for i in range(t.blocks):
                up = gap if t.gated and t.swapped and i else None
                first = row + ROWS * i if i and up is None else row
                if side.each:
                    first = k.mad.lo.u32(k.warp & 3, 16, first + (lane >> 2))
                    self.rows.append([side.place(first, up), side.place(first + 8, up)])
                else:
                    self.rows.append([side.place(first, up)])
        if self.right_scales is not None:
            side = self.right_scales
            side.begin(start)
            if side.each:
                self.column = column + (lane & 3) * 2
            else:
                self.columns = [side.place(column, gap if half else None) for half in range(t.halves)]
        # ptxas multiplies scales before it issues wgmma: those that arrive only then would keep the tensor cores waiting
        self.prefetch = [[k.reg(px.f32) for _ in places] for places in self._places()]
        self._load_ahead()

    def first(self) -> None:
        self._promote(first=True)

    def rest(self, steps: Any) -> None:
        with self.k.loop(steps, start=1):
            self._promote(first=False)

    def _promote(self, *, first: bool) -> None:
        k, blocks = self.k, range(self.tiling.blocks)
        together = len(self.partial) == self.tiling.blocks
        turns = [[*blocks]] if together else [[i] for i in blocks]
        known = [[k.mov.f32(x) for x in factors] for factors in self.prefetch]
        rows: list[list[Any]] = []
        columns: list[Any] = []
        with self.ring.consume(release=None) as slot:
            left, right = [d.stage(slot.stage) for d in self.left], self.right.stage(slot.stage)
            for turn in turns:
                k.wgmma.fence.sync.aligned()
                for i in range(right.steps):
                    b = right[i]
                    for block, of_left in zip(self.partial, turn, strict=True):
                        self.wgmma(block, left[of_left][i], b, i > 0, *self.more)
                k.wgmma.commit_group.sync.aligned()
                if turn is turns[0]:
                    rows, columns = self._factors(known)
                    self._advance()
                k.wgmma.wait_group.sync.aligned(0)
                if turn is turns[-1]:
                    self._give_back(slot.stage)
                for i, block in zip(turn, self.partial, strict=True):
                    self._add(i, block, rows, columns, first=first)

    def _add(self, i: int, block: Any, rows: Any, columns: Any, *, first: bool) -> None:
        """Scale the sums of a stage, and add them to those of block i."""
        k = self.k
        products: dict[tuple[int, int], Any] = {}
        for e, (x, total) in enumerate(zip(block, self.results[i], strict=True)):
            r, c = rows[i][e // 2 % 2 % len(rows[i])], columns[self._column_of(e, len(columns))]
            key = (id(r), id(c))
            if key not in products:
                products[key] = c if r is None else r if c is None else k.mul.rn.f32(r, c)
            if first:
                k.mul.rn.f32(x, products[key], d=total)
            else:
                k.fma.rn.f32(x, products[key], total, d=total)

    def _column_of(self, e: int, count: int) -> int:
        """Which of `count` factors is that of element e's column: one, one for each half, or one for each of the lane's."""
        if count <= self.tiling.halves:
            return e // 4 * count // (self.tiling.columns // 8)
        return e // 4 * 2 + e % 2

    def _places(self) -> list[list[Any]]:
        """Where the scales begin that are read one stage ahead: of each block of rows, then of the columns."""
        rows = self.rows if self.left_scales is not None else []
        right = self.right_scales
        return [*rows, *([self.columns] if right is not None and not right.each else [])]

    def _load_ahead(self, pred: Any = None) -> None:
        left = [self.left_scales] * self.tiling.blocks if self.left_scales is not None else []
        for side, factors, places in zip([*left, self.right_scales], self.prefetch, self._places(), strict=False):
            assert side is not None
            for factor, place in zip(factors, places, strict=True):
                side.load_into(factor, place, pred)

    def _advance(self) -> None:
        """To the next stage, if there is one."""
        for side in (self.left_scales, self.right_scales):
            if side is not None:
                side.advance()
        self.to_come -= 1
        self._load_ahead(self.to_come > 0)

    def _factors(self, known: list[list[Any]]) -> tuple[list[list[Any]], list[Any]]:
        """What this stage's sums are multiplied by: for each block of rows, and for the columns. `known`: those read ahead."""
        blocks = self.tiling.blocks
        rows = known[:blocks] if self.left_scales is not None else [[None]] * blocks
        side, t = self.right_scales, self.tiling
        if side is None:
            return rows, [None]
        if not side.each:
            return rows, known[-1]
        found: list[Any] = []
        for j in range(t.columns // 8):
            half, within = divmod(j, t.columns // 8 // t.halves)
            gap = self.operands.gap if half else None
            found += [side.load(side.place(self.column + (8 * within + i), gap)) for i in range(2)]
        return rows, found
