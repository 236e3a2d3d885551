"""A product whose sums along K are spread over devices, and whose rows are scattered: gemm and reduce-scatter in one kernel.

Each device multiplies its columns of A by its rows of B. Tiles that belong to another device come first: they are stored to that
device's memory, and a flag there tells it so, once the stores have completed. The device's own tiles come last. Before one is
stored, the parts of all other devices are waited for and added.

A tile's results have a place in shared memory where there is room, so that they go over the wires while the next tile is
multiplied: box by box, each warpgroup of the device at its own moments. Shortly before that tile's end they have arrived, and
asking whether they have costs no time.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import Launch
from ptxlab.kernels.blocks.finish import Finish, Planned, Read
from ptxlab.kernels.blocks.mainloop import Mainloop
from ptxlab.kernels.blocks.product import Tile, multiply
from ptxlab.kernels.blocks.store import Store, separate
from ptxlab.kernels.blocks.tiling import WARPGROUP, Tiling, parts
from ptxlab.kernels.collectives.product_call import Rooms, ShardedWork
from ptxlab.kernels.collectives.room import RANKS
from ptxlab.kernels.collectives.shards import Given, Neighbours, ShardedProduct, ShardStore, ShardTile, shard_kernel

PAUSE = 12
"""Stages before a tile's end at which a warpgroup deals with other devices: a few microseconds, in which the tensor cores go on."""


class _Summed(Finish):
    """Sums of this device, rounded as those of the others are, and added to theirs: in f32, from device 0 on.

    Args:
        parts: of the other devices, in their order: addresses. pitch: bytes of a row of them. rank: of this device.
    """

    def __init__(
        self,
        k: px.Builder,
        tiling: Tiling,
        parts: Sequence[Any],
        pitch: Any,
        *,
        rank: Any,
        extents: tuple[Any, Any],
        out: type[px.Register],
    ) -> None:
        staged = not tiling.swapped and out.scalar.bytes == 2 and tiling.buffers >= tiling.boxes(2)
        reads = tuple(
            Read("element", out, pairs=not tiling.swapped, exact=True, staged=staged and not i)
            for i in range(len(parts))
        )
        arguments = [x for part in parts for x in (part, pitch)]
        super().__init__(k, tiling, [Planned("each", None, reads)], arguments=arguments, extents=extents, out=out)
        self.rank = rank

    def _pair(self, block: Sequence[Any], e: int) -> list[Any]:
        reads = self.steps[0][1]
        own = block[e : e + 2]
        if self.out is not px.f32:
            own = self._float_of(reads[0][0], separate(self.k, self.out, own))
        others = [self._operands(0, i, e, 0) for i in range(len(reads))]
        return [self._sum(own[i], [other[i] for other in others]) for i in range(2)]

    def _sum(self, own: Any, others: Sequence[Any]) -> Any:
        k = self.k
        total: Any = None
        for device in range(1 + len(others)):
            behind = others[device - 1] if device else own  # of this rank, or of one above it
            x = k.selp.f32(own, behind, self.rank == device) if device else own
            if device < len(others):
                x = k.selp.f32(others[device], x, self.rank > device)
            total = x if total is None else k.add.f32(total, x)
        return total


class _PartsStore(ShardStore):
    """Stores to other devices, with flags, and sums to this one's rows.

    Args:
        finish: for other devices. summed: for this one. tiles: of a shard, a register.
    """

    def __init__(
        self,
        k: px.Builder,
        maps: Sequence[Any],
        out: type[px.Register],
        tiling: Tiling,
        finish: Finish,
        *,
        summed: _Summed,
        neighbours: Neighbours,
        tiles: Any,
    ) -> None:
        super().__init__(k, maps, out, tiling, finish)
        self.plain, self.summed, self.neighbours, self.tiles = finish, summed, neighbours, tiles
        self.number: Any = None
        self.flag, self.to = k.reg(px.u64), [k.reg(px.u32) for _ in range(3)]
        whole = tiling.blocks == 1 and tiling.together == tiling.boxes(self.size)
        self.turns = tiling.together if whole else 0

    def begin(self, member: Any) -> None:
        super().begin(member)
        self.member = member
        self.summed.begin()
        self.k.mov.u64(0, d=self.flag)

    def before(self, tile: ShardTile, at: tuple[Any, Any]) -> None:
        """The sums of a tile will be there soon. `at`: where the warpgroup's begin."""
        k, last = self.k, len(self.neighbours.there)
        part = k.mad.lo.u32(tile.within, self.tiling.consumers, self.member)
        with k.if_(self.at.leads):
            self._announce()
            with k.if_(self.place == last):
                self._await_parts(part)
            with k.else_():
                # shard `place` belongs to the device of slot `place`: it reads no parts of an earlier launch any more
                self.neighbours.wait(self.place, self.number)
                k.fence.proxy.async_.global_()
                self._note(part, at)
        with k.if_(self.place == last), self._sums():
            if self.summed.staged is None:  # else `prefetch_inputs` begins with such a barrier
                k.bar.sync(self.barrier, WARPGROUP)
            super().prefetch_inputs(*at)

    def prefetch_inputs(self, row: Any, column: Any) -> None:
        """Nothing as long as parts may not have come."""
        if self.finish is self.summed:
            super().prefetch_inputs(row, column)

    def write(self, block: Sequence[Any], row: Any, column: Any) -> None:
        k = self.k
        with k.if_(self.place == len(self.neighbours.there)), self._sums():
            super().write(block, row, column)
        with k.else_():
            super().write(block, row, column)

    @contextmanager
    def _sums(self) -> Generator[None, None, None]:
        """The others' parts are added."""
        self.finish = self.summed
        yield
        self.finish = self.plain

    def _send(self, at: tuple[Any, Any], box: px.Tile) -> None:
        if self.finish is self.summed:
            self.k.tma_store(self.maps[-1], at, box)
        elif not self.turns:
            super()._send(at, box)

    def send(self, turn: int) -> None:
        """Send a box of the tile before, if that belongs to another device."""
        k = self.k
        place, row, column = self.to
        with k.if_(self.at.leads), k.if_(self.flag != 0):
            first = column + turn * (self.rows if self.tiling.swapped else self.columns)
            at = (row, first) if self.tiling.swapped else (first, row)
            for i, map in enumerate(self.maps[:-1]):
                with k.if_(place == i):
                    k.tma_store(map, at, self.buffers[turn % self.tiling.buffers])
            k.cp.async_.bulk.commit_group()

    def end(self) -> None:
        for turn in range(self.turns):
            self.send(turn)
        with self.k.if_(self.at.leads):
            self._announce()
        super().end()

    def _announce(self) -> None:
        """Tell another device that the tile before has arrived, if there was one."""
        k = self.k
        with k.if_(self.flag != 0):
            k.cp.async_.bulk.wait_group(0)
            k.st.release.sys.global_.u32(px.Address.of(self.flag, space="global"), self.number)
            k.mov.u64(0, d=self.flag)

    def _await_parts(self, part: Any) -> None:
        """Wait for the others' parts of this device's tile. `part`: the warpgroup's number among those of the shard."""
        k = self.k
        each = self.tiles * self.tiling.consumers
        for slot in range(len(self.neighbours.there)):
            self.neighbours.wait(k.mad.lo.u32(each, slot, part) + RANKS, self.number)

    def _note(self, part: Any, at: tuple[Any, Any]) -> None:
        """Where a tile goes that belongs to another device, and which flag says that it is there."""
        k, there = self.k, self.neighbours.there
        for word, x in zip(self.to, (self.place, *at), strict=True):
            k.mov.u32(x, d=word)
        each = self.tiles * self.tiling.consumers
        for entry, flags in enumerate(there):
            with k.if_(self.place == self.neighbours.slot(entry)):
                k.mov.u64(flags[k.mad.lo.u32(each, entry, part) + RANKS].register(), d=self.flag)


@dataclass(frozen=True, slots=True)
class _Scattered(ShardedProduct):
    """The product, this device's own rows last."""

    store: Any = None
    neighbours: Any = None

    def begin(self) -> None:
        self.store.number = self.neighbours.begin()

    def rest(self, main: Mainloop, steps: Any, store: Store, tile: Tile, at: tuple[Any, Any]) -> None:
        """The same, while the tile before is sent, box by box; shortly before the end all of it has arrived.

        The moments of the warpgroups differ. All CTAs end their tiles at about the same time, and if they sent them then, TMA would
        load nothing for the product until all of it is gone: of 4096 × 4096 × 4096 on each of two H200s that cost a seventh.
        """
        assert isinstance(store, _PartsStore)
        assert isinstance(tile, ShardTile)
        k, consumers = self.k, self.tiling.consumers
        store.place = tile.place
        pause = k.max.u32(steps, PAUSE + 1) - PAUSE
        done: Any = 1
        if store.turns:
            each = (pause - 1) // store.turns
            senders = k.mad.lo.u32(k.ctaid.x, consumers, store.member)
            moment = k.reg(px.u32)
            k.add.u32(each * senders // (k.nctaid.x * consumers), 1, d=moment)
            for turn in range(store.turns):
                main.some(done, moment)
                store.send(turn)
                done = k.mov.u32(moment)
                k.add.u32(moment, each, d=moment)
        main.some(done, pause)
        store.before(tile, at)
        main.some(pause, steps)
        main.complete()


@cache
def _kernel(consumers: int, ranks: int, out: type[px.Register]) -> px.Kernel:
    """The kernel for so many consumers and devices."""

    def gemm_scatter(
        k: px.Builder,
        b: px.TensorMap,
        rows: px.u32,
        columns: px.u32,
        depth: px.u32,
        pitch: px.u64,
        rank: px.u32,
        flags: px.Ptr[px.u32],
        counts: px.Ptr[px.u32],
        *more: Any,
        tiling: Tiling,
        majors: tuple[str, str],
        types: tuple[type[px.Register], type[px.Register]],
        patience: int,
    ) -> None:
        """rows, columns: of a shard as wgmma has them. pitch: bytes of a row of parts."""
        given = Given.of(more, ranks)
        operands = given.operands(k, tiling, b, majors, types)
        neighbours = Neighbours(k, given.flags, flags, counts[k.ctaid.x], patience)
        extents = (rows, columns)
        plain = Finish(k, tiling, (), arguments=(), extents=extents, out=out)
        summed = _Summed(k, tiling, given.others, pitch, rank=rank, extents=extents, out=out)
        tiles = parts(rows, tiling.out_rows) * parts(columns, tiling.out_columns)
        store = _PartsStore(k, given.c, out, tiling, plain, summed=summed, neighbours=neighbours, tiles=tiles)
        multiply(_Scattered(operands, rows, columns, depth, maps=given.a, neighbours=neighbours, store=store), store)

    return shard_kernel(gemm_scatter, consumers, ranks, ("parts", px.Ptr[out]))


def launch(work: ShardedWork, rooms: Rooms, stream: Any, patience: int = 0) -> Launch:
    """The launch of one device.

    Args:
        work: of `work_of`, for a product that scatters. rooms: memory for it on all devices. stream: of the device.
        patience: nanoseconds that it waits for another device before it traps; 0: for ever.
    """
    rank, ranks = work.rank, work.ranks
    order = [(rank + 1 + place) % ranks for place in range(ranks)]
    shards = work.a_shards
    into = [rooms.part(device, (rank - device) % ranks - 1) for device in order[:-1]]
    given = [rooms.part(rank, (device - rank) % ranks - 1) for device in range(ranks) if device != rank]
    there = [rooms.flags[device] for device in reversed(order[:-1])]
    return work.prepared(
        _kernel(work.tiling.consumers, ranks, work.out),
        a=[shards[device] for device in order],
        c=[*into, work.one.c],
        numbers=[work.n * work.itemsize, rank, rooms.flags[rank], rooms.counts[rank]],
        more=[*there, *given],
        stream=stream,
        patience=patience,
    )
