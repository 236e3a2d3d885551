"""Operands that threads load, where TMA cannot: rows that begin at no multiple of 16 bytes.

The warpgroup that otherwise starts TMA copies loads rows of 128 bytes by ordinary instructions, and stores them into the ring in
the order that TMA would have written. What lies outside the matrix becomes zeros. The other operand may still come by TMA.

Loads are issued several batches before they are stored, whatever stage they are for, so that memory is kept busy. Rows that begin
at odd multiples of 2 bytes are read in whole words, from the one in which they begin, and shifted: each lane of a warp gets the
rest of its word from the next lane. Where such words would reach beyond the end of a row, elements are read one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.finish import LANES
from ptxlab.kernels.blocks.mainloop import Operand, Operands
from ptxlab.kernels.blocks.rows import Rows
from ptxlab.kernels.blocks.tiling import BATCH, SPAN, WARPGROUP, in_flight

WORD = 4
"""Bytes that a thread has of each row, at least."""


@dataclass(frozen=True, slots=True, repr=False)
class LoadedOperand(Operand):
    """A matrix that threads load: `map` is its address.

    Attributes:
        pitch: bytes from row to row. extents: lines along M or N, and steps along K. All are registers.
        each: bytes of a load: 2, 4 or 8, of which address, pitch and length of rows are multiples.
    """

    pitch: Any = None
    extents: tuple[Any, Any] = (None, None)
    each: int = 2

    @property
    def by_threads(self) -> bool:
        return True

    @property
    def piece(self) -> int:
        """Bytes that a thread has of each row."""
        return max(WORD, self.each)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Rows that a thread loads before it stores any of them.

    Attributes:
        stage: counted from the first of those that one pass of the loop loads. side: 0 of the left operand, 1 of the right one.
        panel: 128 bytes of a row. numbers: of the thread's rows, as `Rows` counts them.
        values: a register for each. shift: by how many bits words are moved, and rest: the words that come last in the rows, lane
            by lane; where rows begin at odd multiples of 2 bytes.
    """

    stage: int
    side: int
    panel: int
    numbers: range
    values: Sequence[Any]
    shift: Any
    rest: Any


class Loader:
    """Fills a ring where threads load at least one operand. A whole warpgroup executes it.

    Args:
        operands: what is multiplied. ring: of `operands.ring()`.
    """

    def __init__(self, operands: Operands, ring: px.Ring) -> None:
        self.operands, self.ring = operands, ring
        k = self.k = operands.k
        thread = k.tid.x & (WARPGROUP - 1)
        self.lane = thread & 31
        self.leads, self.arrives = thread == 0, self.lane == 0
        self.sides = (operands.left, operands.right)
        self.rows = [Rows.of(k, thread, SPAN, x.piece) if isinstance(x, LoadedOperand) else None for x in self.sides]
        self.places = [rows.places(tile[0]) if rows else [] for rows, tile in zip(self.rows, ring.tiles, strict=True)]
        self.steps: list[Any] = [
            k.mul.lo.u64(x.pitch, rows.at_once) if rows and isinstance(x, LoadedOperand) else None
            for x, rows in zip(self.sides, self.rows, strict=True)
        ]
        self.ahead = in_flight(operands.tiling) // BATCH
        each = sum(1 for _ in self._planned(0))
        self.stages = -(-(self.ahead + 1) // each)
        self.batches = [self._with_registers(*plan) for stage in range(self.stages) for plan in self._planned(stage)]

    def _planned(self, stage: int) -> Iterator[tuple[int, int, int, range]]:
        """The batches of a stage."""
        for side, (operand, rows) in enumerate(zip(self.sides, self.rows, strict=True)):
            if rows is None or not isinstance(operand, LoadedOperand):
                continue
            tile = self.ring.tiles[side]
            count = tile.shape[1] // rows.at_once
            most = BATCH * WORD // operand.piece
            for panel in range(1 if operand.major == "K" else tile.shape[2] * operand.dtype.scalar.bytes // SPAN):
                for first in range(0, count, most):
                    yield stage, side, panel, range(first, min(first + most, count))

    def _with_registers(self, stage: int, side: int, panel: int, numbers: range) -> _Batch:
        k, operand = self.k, self.sides[side]
        assert isinstance(operand, LoadedOperand)
        kind = px.b64 if operand.piece == 8 else px.b32
        odd = operand.each < WORD
        values = [k.reg(kind) for _ in numbers]
        shift, rest = (k.reg(px.u32), k.reg(px.b32)) if odd else (None, None)
        return _Batch(stage, side, panel, numbers, values=values, shift=shift, rest=rest)

    def fill(self, row: Any, column: Any, start: Any, stop: Any, stride: int) -> None:
        """Load the stages of a tile: steps `start` to `stop` along K.

        Args: as for `Operands.fill`.
        """
        k, step, lines = self.k, stride, (row, column)
        stop = k.mov.u32(stop)
        for batch in self.batches[: self.ahead]:
            first = k.mov.u32(start) + batch.stage * step
            with k.if_(first < stop) if batch.stage else nullcontext():
                self._load(batch, lines, first)
        with k.loop(stop, start=start, step=self.stages * step) as at:
            for stage in range(self.stages):
                here = at + stage * step if stage else at
                with k.if_(here < stop) if stage else nullcontext():
                    self._fill_stage(stage, lines, (here, stop, stride))

    def _fill_stage(self, stage: int, lines: tuple[Any, Any], steps: tuple[Any, Any, int]) -> None:
        """Store the batches of a stage, and issue the loads that are due meanwhile. `steps`: along K, see `fill`."""
        k, count, (at, stop, step) = self.k, len(self.batches), steps
        with self.ring.produce(expect=False) as slot:
            for side, operand in enumerate(self.sides):
                if not operand.by_threads:
                    with k.if_(self.leads):
                        slot.full.arrive_expect_tx(slot[side].nbytes)
                        operand.load(k, slot[side], at, lines[side], slot.full)
            for number, batch in enumerate(self.batches):
                if batch.stage != stage:
                    continue
                turn, which = divmod(number + self.ahead, count)
                following = self.batches[which]
                later = turn * self.stages + following.stage - stage
                there = at + later * step if later else at
                with k.if_(there < stop) if later else nullcontext():
                    self._load(following, lines, there)
                self._store(batch, slot.stage)
            k.fence.proxy.async_.shared__cta()
            k.bar.warp.sync(LANES)
            slot.full.arrive(pred=self.arrives)

    def _load(self, batch: _Batch, lines: tuple[Any, Any], at: Any) -> None:
        """Issue the loads of a batch, for the stage at step `at` of a tile that begins at these lines."""
        k, operand, rows, step = self.k, self.sides[batch.side], self.rows[batch.side], self.steps[batch.side]
        assert isinstance(operand, LoadedOperand)
        assert rows is not None
        size, line, (extent, depth) = operand.dtype.scalar.bytes, lines[batch.side], operand.extents
        along, width = operand.major == "K", SPAN // operand.dtype.scalar.bytes
        if along:
            first, column, down, across = line, at, extent, depth
        else:
            first, column, down, across = at, line + batch.panel * width, depth, extent
        first = first + (rows.row + batch.numbers[0] * rows.at_once)
        begin = k.mad.wide.u32(column, size, k.mad.lo.u64(k.cvt.u64.u32(first), operand.pitch, operand.map))
        source = k.mad.wide.u32(rows.across, operand.piece, begin)
        left = k.sub.s32(down, first)  # rows from here on
        for x in batch.values:
            (k.mov.b64 if operand.piece == 8 else k.mov.b32)(0, d=x)
        here = k.mad.lo.u32(rows.across, operand.piece // size, column)
        if batch.shift is None:
            self._load_pieces(batch, source, k.selp.s32(left, 0, here < across), rows, step)
            return
        odd = k.cvt.u32.u64(begin) & 2
        k.mov.u32(0, d=batch.shift)
        base = k.cvt.u32.u64(operand.map) & 2
        with k.if_(k.selp.u32(1, 0, column + width < across) > base):
            self._load_pieces(batch, source - k.cvt.u64.u32(odd), left, rows, step)
            k.mul.lo.u32(odd, 8, d=batch.shift)
            place = k.mad.lo.u64(k.cvt.u64.u32(self.lane), step, begin - k.cvt.u64.u32(odd)) + SPAN
            most = k.sub.s32(k.selp.s32(left, 0, odd > 0), self.lane * rows.at_once)
            k.mov.b32(0, d=batch.rest)
            inside = k.selp.s32(most, 0, self.lane < len(batch.values)) > 0
            k.ld.global_.b32(px.Address.of(place, space="global"), d=batch.rest, pred=inside)
        with k.else_():
            halves = [k.selp.s32(left, 0, here + i * (operand.each // size) < across) for i in range(2)]
            self._load_elements(batch, operand, source, halves)

    def _load_pieces(self, batch: _Batch, source: Any, left: Any, rows: Rows, step: Any) -> None:
        """Whole registers, of rows that have so many bytes."""
        k = self.k
        for i, x in enumerate(batch.values):
            source = k.add.u64(source, step) if i else source
            load = getattr(k.ld.global_.L2__256B, f"b{x.scalar.bits}")
            load(px.Address.of(source, space="global"), d=x, pred=left > i * rows.at_once)

    def _load_elements(self, batch: _Batch, operand: LoadedOperand, source: Any, left: Sequence[Any]) -> None:
        """Words in two halves, each if it lies in the matrix."""
        k, rows, step = self.k, self.rows[batch.side], self.steps[batch.side]
        assert rows is not None
        for i, x in enumerate(batch.values):
            source = k.add.u64(source, step) if i else source
            halves = [k.mov.b16(0) for _ in left]
            for j, half in enumerate(halves):
                k.ld.global_.b16(
                    px.Address.of(source, j * operand.each, "global"), d=half, pred=left[j] > i * rows.at_once
                )
            low, high = (k.cvt.u32.u16(half) for half in halves)
            k.mad.lo.u32(high, 1 << 16, low, d=x)

    def _store(self, batch: _Batch, stage: Any) -> None:
        """Store a batch into its stage of the ring."""
        k, rows, tile = self.k, self.rows[batch.side], self.ring.tiles[batch.side]
        assert rows is not None
        size = tile.nbytes // self.ring.stages
        places = [place.at(stage, size) for place in self.places[batch.side]]
        for i, (number, x) in enumerate(zip(batch.numbers, batch.values, strict=True)):
            place = rows.place(places, number) + batch.panel * tile.shape[1] * SPAN
            if batch.shift is None:
                getattr(k.st.shared, f"b{x.scalar.bits}")(place, x)
                continue
            following, rest = k.shfl.sync.down.b32(x, 1, 0x1F, LANES), k.shfl.sync.idx.b32(batch.rest, i, 0x1F, LANES)
            following = k.selp.b32(rest, following, self.lane == 31)
            k.st.shared.b32(place, k.shf.r.wrap.b32(x, following, batch.shift))
