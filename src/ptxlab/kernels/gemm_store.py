"""Stores of the results of `gemm` from the registers of a warpgroup: through shared memory by TMA, or by ordinary stores.

A warpgroup holds 64 × 256 results as wgmma leaves them: warp w has rows 16w to 16w + 15; lane l has, of each 8 columns, two
neighbours at columns 2(l mod 4) in row l // 4 and two in the row 8 below. Element 4j + i of its 128 registers lies in columns 8j
onwards, i = 0, 1 in the upper row, 2, 3 in the lower.
"""

from __future__ import annotations

from typing import Any, Protocol

import ptxlab as px

WARPGROUP = 128
ROWS, COLUMNS = 64, 256
"""What a warpgroup holds of a tile."""
BOX_BYTES = 128
"""Width of the boxes that TMA stores: one span of the 128B swizzle, which keeps the writes of a warp off each other's banks."""
BUFFERS = 2


class Store(Protocol):
    """What writes C."""

    def begin(self, member: Any) -> None:
        """Compute what all tiles share. `member` numbers the warpgroup among the consumers; a register."""
        ...

    def write(self, acc: px.Registers, row: Any, column: Any, columns: int = COLUMNS) -> None:
        """Write 64 × `columns` results, whole boxes, whose first one is C[row, column]."""
        ...

    def end(self) -> None:
        """Wait for what is still being read from shared memory."""
        ...


class TmaStore:
    """64 rows × 128 bytes at a time: into one of two buffers in the order that TMA expects, then a TMA store from there.

    One thread starts the stores, and they drain while the next box is written, the last ones while the next tile is multiplied. TMA
    drops what lies outside C, but in whole 16 bytes of a row: rows of C have to be multiples of that.
    """

    def __init__(self, k: px.Builder, c: Any, out: type[px.Register], consumers: int, *, prefetch: bool = True) -> None:
        self.k, self.c, self.out, self.prefetch = k, c, out, prefetch
        self.columns = box_columns(out)
        shape = (consumers, BUFFERS, ROWS, self.columns)
        self.staging = k.smem(out, shape, swizzle="128B", name="staging")

    def begin(self, member: Any) -> None:
        k = self.k
        self.buffers = self.staging[member]
        self.barrier = member + 1  # barrier 0 is the whole CTA's
        self.leads = (k.tid.x & (WARPGROUP - 1)) == 0
        if self.prefetch:
            k.prefetch.tensormap(self.c, pred=self.leads)
        self.places = self._places(self.buffers[0], k.warp & 3, k.tid.x & 31)

    def _places(self, buffer: px.Tile, warp: Any, lane: Any) -> list[px.Address]:
        """Where the lane writes, for each quarter of the box's columns."""
        k = self.k
        if self.out is px.bf16:
            # stmatrix takes rows from lanes: 0–15 those of 8 columns, 16–31 those of the next 8
            row, first = k.mad.lo.u32(warp, 16, lane & 15), (lane >> 4) * 8
        else:
            row, first = k.mad.lo.u32(warp, 16, lane >> 2), (lane & 3) * 2
        return [buffer.locate(row, first + self.columns // 4 * j) for j in range(4)]

    def write(self, acc: px.Registers, row: Any, column: Any, columns: int = COLUMNS) -> None:
        k = self.k
        boxes = columns // self.columns
        for box in range(boxes):
            buffer = box % BUFFERS
            # the store from this buffer before has read it
            k.cp.async_.bulk.wait_group.read(BUFFERS - 1, pred=self.leads)
            k.bar.sync(self.barrier, WARPGROUP)
            self._stage(acc[box * self.columns // 2 :], self.buffers.strides[0] * buffer)
            k.fence.proxy.async_.shared__cta()
            k.bar.sync(self.barrier, WARPGROUP)
            with k.if_(self.leads):
                k.tma_store(self.c, (column + box * self.columns, row), self.buffers[buffer])
                k.cp.async_.bulk.commit_group()
        for _ in range(-boxes % BUFFERS):
            # an empty group stands for the buffer left out: the next tile begins with the first one again
            k.cp.async_.bulk.commit_group(pred=self.leads)

    def _stage(self, values: px.Registers, offset: int) -> None:
        """The lane's share of a box into the buffer at `offset`."""
        for j, place in enumerate(self.places):
            if self.out is px.bf16:
                self._stmatrix(place + offset, values[8 * j : 8 * j + 8])
            else:
                self.k.st.shared.v2.f32(place + offset, values[4 * j : 4 * j + 2])
                # eight rows below: the swizzle repeats after them
                self.k.st.shared.v2.f32(place + (offset + 8 * BOX_BYTES), values[4 * j + 2 : 4 * j + 4])

    def _stmatrix(self, place: px.Address, values: px.Registers) -> None:
        """16 columns as four 8 × 8 matrices: upper and lower rows of the first 8, then of the others."""
        packed = [self.k.cvt.rn.bf16x2.f32(values[i + 1], values[i]) for i in range(0, 8, 2)]
        self.k.stmatrix.sync.aligned.m8n8.x4.shared.b16(place, packed)

    def end(self) -> None:
        self.k.cp.async_.bulk.wait_group.read(0, pred=self.leads)


class DirectStore:
    """Ordinary stores of single elements where they lie inside C, for rows that TMA would write beyond."""

    def __init__(self, k: px.Builder, c: Any, pitch: Any, m: Any, n: Any, out: type[px.Register]) -> None:
        self.k, self.c, self.pitch, self.m, self.n, self.out = k, c, pitch, m, n, out

    def begin(self, member: Any) -> None:
        k = self.k
        lane = k.tid.x & 31
        self.row = k.mad.lo.u32(k.warp & 3, 16, lane >> 2)
        self.column = (lane & 3) * 2

    def write(self, acc: px.Registers, row: Any, column: Any, columns: int = COLUMNS) -> None:
        k = self.k
        first = column + self.column
        for half in range(2):
            line = row + self.row + 8 * half
            left = k.selp.s32(
                self.n - first, 0, line < self.m
            )  # columns of C from the first on; none below its last row
            start = k.mad.lo.u64(k.cvt.u64.u32(line), self.pitch, self.c)
            at = px.Address.of(k.mad.wide.u32(first, self.out.scalar.bytes, start))
            for j in range(columns // 8):
                self._pair(at, 8 * j, acc[4 * j + 2 * half : 4 * j + 2 * half + 2], left)

    def _pair(self, at: px.Address, column: int, pair: px.Registers, left: Any) -> None:
        """Two neighbours, each if it lies inside C."""
        k, size = self.k, self.out.scalar.bytes
        if self.out is px.bf16:
            # converted in pairs: with single conversions ptxas gives up the overlap of wgmma (its warning C7514)
            values, store = k.unpack(k.cvt.rn.bf16x2.f32(pair[1], pair[0]), px.b16), k.st.global_.b16
        else:
            values, store = pair, k.st.global_.f32
        for i in range(2):
            store(at + (column + i) * size, values[i], pred=left > column + i)

    def end(self) -> None:
        pass


def box_columns(out: type[px.Register]) -> int:
    """Columns of the box of C's tensor map: 64 for bf16, 32 for f32."""
    return BOX_BYTES * 8 // out.scalar.bits
