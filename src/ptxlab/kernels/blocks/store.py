"""Stores of results from the registers of a warpgroup to C: through shared memory by TMA, or by ordinary stores.

A warpgroup holds blocks of 64 rows as wgmma leaves them: warp w has rows 16w to 16w + 15; lane l has, of each 8 columns, two
neighbours at columns 2(l mod 4) in row l // 4 and two in the row 8 below. Element 4j + i of a block lies in columns 8j onwards,
i = 0, 1 in the upper row, 2, 3 in the lower. Where the product is swapped, rows of the block are columns of C, and `stmatrix.trans`
turns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import ptxlab as px
from ptxlab.kernels.blocks.finish import LANES, Finish, parts_of
from ptxlab.kernels.blocks.rows import Rows
from ptxlab.kernels.blocks.tiling import BOX_BYTES, ROWS, TMA_BYTES, WARPGROUP, Tiling


class Store(Protocol):
    """What writes C."""

    def begin(self, member: Any) -> None:
        """Compute what all tiles share. `member` numbers the warpgroup among the consumers; a register."""
        ...

    def prefetch_inputs(self, row: Any, column: Any) -> None:
        """Begin to read what an epilogue needs first for the block at (row, column)."""
        ...

    def write(self, block: Sequence[Any], row: Any, column: Any) -> None:
        """Write a block of 64 rows, whose first result is at (row, column) of the product as wgmma computes it.

        Where an epilogue makes one result of two sums, the block has the sums of the gate first, then the others.
        """
        ...

    def end(self) -> None:
        """Wait for what is still being read from shared memory."""
        ...


@dataclass(frozen=True, slots=True)
class _Lane:
    """Where a lane is: its number, its warp's among those of the warpgroup, and whether it is the warpgroup's first thread."""

    lane: Any
    warp: Any
    leads: Any

    @classmethod
    def of(cls, k: px.Builder) -> _Lane:
        return cls(k.tid.x & 31, k.warp & 3, (k.tid.x & (WARPGROUP - 1)) == 0)


class TmaStore:
    """Boxes of C: into one of two buffers in the order that TMA expects, then a TMA store from there.

    One thread starts the stores, and they drain while the next box is written, the last ones while the next tile is multiplied. TMA
    drops what lies outside C, but in whole 16 bytes of a row: rows of C have to be multiples of that.

    Args:
        prefetch: whether the map is there when the kernel begins.

    Example: see Mainloop
    """

    def __init__(
        self, k: px.Builder, c: Any, out: type[px.Register], tiling: Tiling, finish: Finish, *, prefetch: bool = True
    ) -> None:
        self.k, self.c, self.out, self.tiling, self.finish, self.prefetch = k, c, out, tiling, finish, prefetch
        self.size = out.scalar.bytes
        self.rows, columns = tiling.box(self.size)
        self.columns = ROWS if tiling.swapped else columns
        shape = (tiling.consumers, tiling.buffers, self.rows, self.columns)
        self.staging = k.smem(out, shape, swizzle="128B", name="staging")
        self._fetched: tuple[Any, Any] | None = None

    def __repr__(self) -> str:
        return f"<TmaStore of {self.tiling} as .{self.out.scalar}>"

    def begin(self, member: Any) -> None:
        """Compute what all tiles share.

        Args:
            member: number of the warpgroup among the consumers, a register.

        Example: see Mainloop
        """
        k = self.k
        self.buffers = self.staging[member]
        self.barrier = member + 1  # barrier 0 is the whole CTA's
        self.at = _Lane.of(k)
        if self.prefetch:
            k.prefetch.tensormap(self.c, pred=self.at.leads)
        self.places = (self._swapped_places if self.tiling.swapped else self._places)(self.buffers[0])
        self.finish.begin()

    def _places(self, buffer: px.Tile) -> list[px.Address]:
        """Where the lane writes, for each 16 columns of the box, or each 8 of f32 and of fp8."""
        k, lane, warp = self.k, self.at.lane, self.at.warp
        if self.size == 2:
            # stmatrix takes rows from lanes: 0–15 those of 8 columns, 16–31 those of the next 8
            row, first, step = k.mad.lo.u32(warp, 16, lane & 15), (lane >> 4) * 8, 16
        else:
            row, first, step = k.mad.lo.u32(warp, 16, lane >> 2), (lane & 3) * 2, 8
        return [buffer.locate(row, first + j) for j in range(0, self.columns, step)]

    def _swapped_places(self, buffer: px.Tile) -> list[px.Address]:
        """Where the lane writes columns of the block, which are rows of C: for 16-bit results the rows that stmatrix takes from
        it, for others its own four results of the first 8."""
        k, lane, warp = self.k, self.at.lane, self.at.warp
        if self.size == 2:
            # lanes 0–7 and 8–15 give rows of C for the upper and the lower 8 rows of the block, 16–31 those 8 rows of C on
            high = min(1, self.rows // 8 - 1)
            row = (lane & 7) + (lane >> 4) * (8 * high)
            return [buffer.locate(row, k.mad.lo.u32(warp, 16, (lane >> 3 & 1) * 8))]
        if self.size == 1:
            column = k.mad.lo.u32(warp, 16, lane >> 2)
            return [buffer.locate((lane & 3) * 2 + i % 2, column + i // 2 * 8) for i in range(4)]
        column = k.mad.lo.u32(warp & 1, 16, lane >> 2)
        panel = (warp >> 1) * buffer.panel_bytes
        return [buffer.locate((lane & 3) * 2 + i % 2, column + i // 2 * 8).at(panel) for i in range(4)]

    def prefetch_inputs(self, row: Any, column: Any) -> None:
        """Begin to read what an epilogue needs for a block.

        Args:
            row, column: of its first result, the registers that `write` gets.

        Example: see Mainloop
        """
        if self.finish.staged is not None:
            self._fetch(row, column)
        self.finish.prefetch_inputs(0, (self.rows if self.tiling.swapped else self.columns) // 2, row, column)

    def _fetch(self, row: Any, column: Any) -> None:
        """Copy the epilogue's matrix for a block to where results will be. Each warp copies its own 16 rows, 16 bytes a lane."""
        k, at = self.k, self.at
        k.cp.async_.bulk.wait_group.read(0, pred=at.leads)
        k.bar.sync(self.barrier, WARPGROUP)
        each = TMA_BYTES // self.size
        across = self.columns // each
        for i in range(16 * across // 32):
            down, chunk = parts_of(k, at.lane + 32 * i if i else at.lane, across)
            line, first = k.mad.lo.u32(at.warp, 16, down), chunk * each
            target = self.buffers[0].locate(line, first)
            for box in range(self.tiling.stored_columns // self.columns):
                source, inside = self.finish.source(row + line, column + first + box * self.columns)
                size = k.selp.u32(TMA_BYTES, 0, inside == 1)
                k.cp.async_.cg.shared.global_(target + self.buffers.strides[0] * box, source, TMA_BYTES, size)
        k.cp.async_.commit_group()
        self._fetched = (row, column)

    def _set_source_box(self, box: int, row: Any, column: Any) -> None:
        """Read the epilogue's matrix for a box in the layout of the results."""
        k, step = self.k, self.columns // 2
        for j, place in enumerate(self.places):
            four = k.ldmatrix.sync.aligned.m8n8.x4.shared.b16(place + self.buffers.strides[0] * box)
            for q, both in enumerate(four):
                self.finish.set_source(box * step + 8 * j + 2 * q, k.unpack(both, px.b16), row, column)

    def write(self, block: Sequence[Any], row: Any, column: Any) -> None:
        """Write a block of 64 rows.

        Args:
            block: its registers of f32, as an accumulator has them. row, column: of its first result, registers.

        Example: see Mainloop
        """
        k, step = self.k, self.rows if self.tiling.swapped else self.columns
        boxes = len(block) * 2 // (step * self.finish.per_result)
        known = self._fetched is not None and self._fetched[0] is row and self._fetched[1] is column
        staged = self.finish.staged is not None
        if not (staged and known):
            self.prefetch_inputs(row, column)
        if staged:
            k.cp.async_.wait_group(0)
            k.bar.warp.sync(LANES)
        stage = self._stage_swapped if self.tiling.swapped else self._stage
        together = self.tiling.together
        slots = self.tiling.buffers // together
        for number in range(0, boxes, together):
            some = range(number, min(number + together, boxes))
            if not staged:  # else that was before
                self._wait_for_room(slots)
            for box in some:
                if staged:
                    self._set_source_box(box, row, column)
                if box + 1 < boxes:
                    self.finish.prefetch_inputs((box + 1) * step // 2, step // 2, row, column)
                values = self.finish.values(block, box * step // 2, step // 2, row, column)
                stage(values, self.buffers.strides[0] * (box % self.tiling.buffers))
            self._send_boxes(some, step, row, column)
        self._finish_tile(boxes, slots)

    def _wait_for_room(self, slots: int) -> None:
        """The stores from these buffers before have read them."""
        self.k.cp.async_.bulk.wait_group.read(slots - 1, pred=self.at.leads)
        self.k.bar.sync(self.barrier, WARPGROUP)

    def _send_boxes(self, some: Sequence[int], step: int, row: Any, column: Any) -> None:
        """Boxes of a block that begins at (row, column), each `step` columns of it, are in their buffers: store them."""
        k = self.k
        # where C was read, TMA must not write it before that
        (k.fence.proxy.async_ if self.finish.reads_c else k.fence.proxy.async_.shared__cta)()
        k.bar.sync(self.barrier, WARPGROUP)
        with k.if_(self.at.leads):
            for box in some:
                first = column + box * step
                buffer = self.buffers[box % self.tiling.buffers]
                self._send((row, first) if self.tiling.swapped else (first, row), buffer)
            k.cp.async_.bulk.commit_group()

    def _finish_tile(self, boxes: int, slots: int) -> None:
        """An empty group stands for the buffer left out: the next tile begins with the first one again."""
        for _ in range(-boxes % slots):
            self.k.cp.async_.bulk.commit_group(pred=self.at.leads)

    def _send(self, at: tuple[Any, Any], box: px.Tile) -> None:
        """Start the store of a box. The warpgroup's first thread executes it."""
        self.k.tma_store(self.c, at, box)

    def _stage(self, values: Sequence[Any], offset: int) -> None:
        """The lane's share of a box into the buffer at `offset`."""
        k = self.k
        for j, place in enumerate(self.places):
            if self.size == 2:
                packed = [packed_pair(k, self.out, values[i + 1], values[i]) for i in range(8 * j, 8 * j + 8, 2)]
                k.stmatrix.sync.aligned.m8n8.x4.shared.b16(place + offset, packed)
                continue
            for half in range(2):
                # the lower row is eight below: the swizzle repeats after them
                low, high = values[4 * j + 2 * half : 4 * j + 2 * half + 2]
                at = place + (offset + 8 * BOX_BYTES * half)
                if self.size == 4:
                    getattr(k.st.shared.v2, word_of(self.out))(at, [low, high])
                else:
                    k.st.shared.b16(at, packed_pair(k, self.out, high, low))

    def _stage_swapped(self, values: Sequence[Any], offset: int) -> None:
        """The same, transposed: 8 columns of the block are 8 rows of the box, after which the swizzle repeats."""
        k = self.k
        for j in range(len(values) // 4):
            below = offset + 8 * j * BOX_BYTES
            four = values[4 * j : 4 * j + 4]
            if self.size == 4:
                for i, place in enumerate(self.places):
                    getattr(k.st.shared, word_of(self.out))(place + below, four[i])
            elif self.size == 1:
                for i, x in enumerate(separate(k, self.out, four[:2]) + separate(k, self.out, four[2:])):
                    k.st.shared.b8(self.places[i] + below, x)
            elif j % 2 == 0:
                pairs = [
                    packed_pair(k, self.out, values[i + 1], values[i])
                    for i in range(4 * j, min(4 * j + 8, len(values)), 2)
                ]
                self._transpose(self.places[0] + below, pairs)

    def _transpose(self, place: px.Address, pairs: list[Any]) -> None:
        """Two or four 8 × 8 matrices, transposed."""
        count = self.k.stmatrix.sync.aligned.m8n8
        (count.x4 if len(pairs) == 4 else count.x2).trans.shared.b16(place, pairs)

    def end(self) -> None:
        """Wait until nothing is read from shared memory any more.

        Example: see Mainloop
        """
        self.k.cp.async_.bulk.wait_group.read(0, pred=self.at.leads)
        self.finish.end()


class DirectStore(TmaStore):
    """Ordinary stores of what lies inside C, for rows that TMA would write beyond: boxes go through shared memory, from where
    neighbouring threads copy neighbours of a row.

    Args:
        pitch: bytes from one row of C to the next.
        each: bytes that a thread stores at once: 1, 2, 4 or 8, of which addresses, pitch and width of C are multiples. Default
            those of an element.

    Example: see Exchange
    """

    def __init__(
        self,
        k: px.Builder,
        c: Any,
        pitch: Any,
        out: type[px.Register],
        tiling: Tiling,
        finish: Finish,
        *,
        each: int | None = None,
    ) -> None:
        super().__init__(k, c, out, tiling, finish, prefetch=False)
        self.pitch, self.each = pitch, each or self.size
        self.m, self.n = reversed(finish.extents) if tiling.swapped else finish.extents

    def __repr__(self) -> str:
        return f"<DirectStore of {self.tiling} as .{self.out.scalar}>"

    def begin(self, member: Any) -> None:
        """Compute what all tiles share.

        Args:
            member: number of the warpgroup among the consumers, a register.

        Example: see Exchange
        """
        super().begin(member)
        k = self.k
        self.rows_of = Rows.of(k, k.tid.x & (WARPGROUP - 1), min(self.columns * self.size, BOX_BYTES), self.each)
        self.sources = self.rows_of.places(self.buffers[0])

    def prefetch_inputs(self, row: Any, column: Any) -> None:
        """Begin to read what an epilogue needs for a block.

        Args:
            row, column: of a block's first result.

        Example: see Exchange
        """
        super().prefetch_inputs(row, column)

    def write(self, block: Sequence[Any], row: Any, column: Any) -> None:
        """Write a block of 64 rows.

        Args:
            block: its registers of f32, as an accumulator has them. row, column: of its first result, registers.

        Example: see Exchange
        """
        super().write(block, row, column)

    def _wait_for_room(self, slots: int) -> None:
        self.k.bar.sync(self.barrier, WARPGROUP)

    def _send_boxes(self, some: Sequence[int], step: int, row: Any, column: Any) -> None:
        """Copy boxes out of shared memory."""
        self.k.bar.sync(self.barrier, WARPGROUP)
        for box in some:
            first = column + box * step
            offset = self.buffers.strides[0] * (box % self.tiling.buffers)
            for panel in range(-(-self.columns * self.size // BOX_BYTES)):
                across = panel * (BOX_BYTES // self.size)
                at = (first, row + across) if self.tiling.swapped else (row, first + across)
                self._copy(offset + panel * self.buffers[0].panel_bytes, *at)

    def _copy(self, offset: int, line: Any, column: Any) -> None:
        """Rows of at most 128 bytes, from (line, column) of C on."""
        k, rows, word = self.k, self.rows_of, f"b{8 * self.each}"
        line, column = line + rows.row, k.mad.lo.u32(rows.across, self.each // self.size, column)
        left = k.selp.s32(self.m - line, 0, column < self.n)  # rows from here on; none where the column is none of C
        if rows.partial:
            left = k.selp.s32(left, 0, rows.inside)
        start = k.mad.wide.u32(column, self.size, k.mad.lo.u64(k.cvt.u64.u32(line), self.pitch, self.c))
        at, down = px.Address.of(start, space="global"), k.mul.lo.u64(self.pitch, rows.at_once)
        for i in range(-(-self.rows // rows.at_once)):
            if i:
                start = k.add.u64(start, down)
                at = px.Address.of(start, space="global")
            value = getattr(k.ld.shared, word)(rows.place(self.sources, i) + offset)
            getattr(k.st.global_, word)(at, value, pred=left > i * rows.at_once)

    def _finish_tile(self, boxes: int, slots: int) -> None:
        pass

    def end(self) -> None:
        """Combine what the epilogue has summed up.

        Example: see Exchange
        """
        self.finish.end()


def word_of(out: type[px.Register]) -> str:
    """The type by which results of 32 bits are stored."""
    return "f32" if out is px.f32 else "s32"


def packed_pair(k: px.Builder, out: type[px.Register], high: Any, low: Any) -> Any:
    """Two results of 8 or 16 bits in one register. Those of fp8 that are too large become the largest number."""
    rounds = k.cvt.rn.satfinite if out.scalar.bytes == 1 else k.cvt.rn
    return getattr(rounds, f"{out.scalar.name}x2").f32(high, low)


def separate(k: px.Builder, out: type[px.Register], pair: Sequence[Any]) -> list[Any]:
    """The same, each in its own register."""
    both = packed_pair(k, out, pair[1], pair[0])
    if out.scalar.bytes == 2:
        return list(k.unpack(both, px.b16))
    word = k.cvt.u32.u16(both)
    return [word, k.shr.u32(word, 8)]
