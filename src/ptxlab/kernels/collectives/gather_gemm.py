"""A product whose rows of A are spread over devices: all-gather and gemm in one kernel.

Each device computes its own rows first. Meanwhile the idle warps of the warpgroup that loads send its rows to the other devices, to
the one in front of it first, in pieces that all CTAs take turns at. A count for each row of tiles, in the other device's memory,
says how many pieces have arrived, and the thread that loads waits until it is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import Launch, array_view
from ptxlab.kernels.blocks.finish import Finish
from ptxlab.kernels.blocks.product import multiply
from ptxlab.kernels.blocks.tiling import WARPGROUP, Tiling, parts
from ptxlab.kernels.collectives.call import words
from ptxlab.kernels.collectives.product_call import Rooms, ShardedWork
from ptxlab.kernels.collectives.room import RANKS, VECTOR
from ptxlab.kernels.collectives.shards import Given, Neighbours, ShardedProduct, ShardStore, ShardTile, shard_kernel

SENDERS = WARPGROUP - 32
"""Threads of a CTA that send."""
AT_ONCE = 4
"""Vectors of 16 bytes that each of them has under way."""
PIECE = SENDERS * AT_ONCE * 4
"""Vectors that a CTA sends at a time."""
BARRIER = 15
"""The barrier of those that send; consumers have the first ones."""


@dataclass(frozen=True, slots=True)
class _Gathered(ShardedProduct):
    """The product, this device's own rows first.

    Attributes:
        neighbours: the other devices. rooms: theirs, in the order of `neighbours.there`. own: this device's rows.
        vectors, chunk: of 16 bytes: in all of these, and in those of one row of tiles. number: of the launch, a register.
    """

    neighbours: Any = None
    rooms: Sequence[Any] = ()
    own: Any = None
    vectors: Any = None
    chunk: Any = None
    number: Any = None

    @property
    def _chunks(self) -> Any:
        return parts(*((self.columns, self.tiling.columns) if self.tiling.swapped else (self.rows, self.tiling.rows)))

    @property
    def _pieces(self) -> Any:
        """Of a chunk."""
        return (self.chunk + (PIECE - 1)) // PIECE

    def begin(self) -> None:
        self.k.mov.u32(self.neighbours.begin(), d=self.number)

    def await_rows(self, tile: ShardTile, row: Any) -> None:
        k, high = self.k, self.tiling.columns if self.tiling.swapped else self.tiling.rows
        with k.if_(tile.place > 0):
            flag = k.mad.lo.u32(tile.place - 1, self._chunks, row // high) + RANKS
            self.neighbours.wait(flag, self.number * self._pieces)
            k.fence.proxy.async_.global_()

    def beside(self) -> None:
        k = self.k
        with k.if_(k.warp > 0):
            pieces = self._pieces
            for entry, (flags, room) in enumerate(zip(self.neighbours.there, self.rooms, strict=True)):
                self.neighbours.wait(self.neighbours.slot(entry), self.number)  # its earlier launches read this no more
                with k.loop(self._chunks * pieces, start=k.ctaid.x, step=k.nctaid.x) as index:
                    chunk = index // pieces
                    first = k.mad.lo.u32(index - chunk * pieces, PIECE, chunk * self.chunk)
                    stop = k.min.u32(k.min.u32(first + PIECE, (chunk + 1) * self.chunk), self.vectors)
                    self._send(room, k.mad.lo.u32(self.vectors, entry, first), first, stop)
                    k.bar.sync(BARRIER, SENDERS)
                    with k.if_(k.tid.x == 32):
                        there = flags[k.mad.lo.u32(self._chunks, entry, chunk) + RANKS]
                        k.red.release.sys.global_.add.u32(there, 1)

    def _send(self, room: Any, to: Any, first: Any, stop: Any) -> None:
        """Vectors `first` to `stop`, to where `to` is in another device's buffer."""
        k = self.k
        with k.loop(stop, start=first + (k.tid.x - 32), step=SENDERS * AT_ONCE) as i:
            sent = [(i + SENDERS * j if j else i) for j in range(AT_ONCE)]
            inside = [x < stop for x in sent]
            found = [[k.reg(px.b32) for _ in range(4)] for _ in sent]
            for x, there, vector in zip(sent, inside, found, strict=True):
                k.ld.global_.v4.b32(self._vector(self.own, x), d=vector, pred=there)
            for x, there, vector in zip(sent, inside, found, strict=True):
                k.st.global_.v4.b32(self._vector(room, to + (x - first)), vector, pred=there)

    def _vector(self, array: Any, index: Any) -> px.Address:
        return px.Address.of(self.k.mad.wide.u32(index, VECTOR, array), space="global")


@cache
def _kernel(consumers: int, ranks: int) -> px.Kernel:
    """The kernel for so many consumers and devices."""

    def gather_gemm(
        k: px.Builder,
        b: px.TensorMap,
        rows: px.u32,
        columns: px.u32,
        depth: px.u32,
        own: px.Ptr[px.u32],
        vectors: px.u32,
        chunk: px.u32,
        flags: px.Ptr[px.u32],
        counts: px.Ptr[px.u32],
        *more: Any,
        tiling: Tiling,
        majors: tuple[str, str],
        types: tuple[type[px.Register], type[px.Register]],
        out: type[px.Register],
        patience: int,
    ) -> None:
        """rows, columns: of a shard as wgmma has them. own: this device's rows. vectors, chunk: in it, in a tile's rows."""
        given = Given.of(more, ranks)
        operands = given.operands(k, tiling, b, majors, types)
        finish = Finish(k, tiling, (), arguments=(), extents=(rows, columns), out=out)
        product = _Gathered(
            *(operands, rows, columns, depth),
            maps=given.a,
            neighbours=Neighbours(k, given.flags, flags, counts[k.ctaid.x], patience),
            rooms=given.others,
            own=own,
            vectors=vectors,
            chunk=chunk,
            number=k.reg(px.u32),
        )
        multiply(product, ShardStore(k, given.c, out, tiling, finish))

    return shard_kernel(gather_gemm, consumers, ranks, ("rooms", px.Ptr[px.u32]))


def launch(work: ShardedWork, rooms: Rooms, stream: Any, patience: int = 0) -> Launch:
    """The launch of one device.

    Args:
        work: of `work_of`, for a product that gathers. rooms: memory for it on all devices. stream: of the device.
        patience: nanoseconds that it waits for another device before it traps; 0: for ever.
    """
    rank, ranks = work.rank, work.ranks
    order = [(rank + place) % ranks for place in range(ranks)]
    others = [(rank - 1 - entry) % ranks for entry in range(ranks - 1)]
    shards = work.c_shards
    row = work.one.depth * work.one.a.itemsize // VECTOR
    return work.prepared(
        _kernel(work.tiling.consumers, ranks),
        a=[work.one.a, *(rooms.part(rank, slot) for slot in range(ranks - 1))],
        c=[shards[device] for device in order],
        numbers=[words(work.one.a), row * work.rows, row * work.high, rooms.flags[rank], rooms.counts[rank]],
        more=[
            *(rooms.flags[device] for device in others),
            *(words(array_view(rooms.buffers[device])) for device in others),
        ],
        stream=stream,
        out=work.out,
        patience=patience,
    )
