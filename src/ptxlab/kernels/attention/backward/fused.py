"""What is different where one kernel computes all gradients: dS goes through shared memory, and each tile of keys adds its part of
dQ to global memory, in turn.

    dQᵀ = Kᵀ·dSᵀ

has 64 rows for each consumer: half of the depth, or, where that is 64 or less, all of it for half of the queries. It goes to shared
memory as it lies in registers, 16 bytes of each thread in a row, in f32, and from there to sums in global memory that lie the same
way: the first tile of a block of queries copies it, the others add it. `finish` makes dQ of the sums.

Beside the thread that loads, one waits for turns (`give`), and one adds and passes turns on (`add`), so that consumers wait for no
other CTA as long as there is room in shared memory. `walk` says who comes when.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.backward.consumer import Consumer
from ptxlab.kernels.attention.backward.program import WARPS, Program, Rooms
from ptxlab.kernels.attention.backward.queue import Queue
from ptxlab.kernels.attention.backward.tiling import BUFFERS, PARTS, parts_of_queries
from ptxlab.kernels.attention.backward.walk import WARP, KeyTile, Walk
from ptxlab.kernels.attention.program import tiles_of
from ptxlab.kernels.attention.scores import row_of
from ptxlab.kernels.attention.softmax import LANES
from ptxlab.kernels.attention.tiling import ROWS, WARPGROUP, padded

AHEAD = 4
"""Turns that may be known ahead."""
TOGETHER = 3
"""The barrier of all consumers."""
BOTH = (1, 1, 1, 1)
"""Signs, and operands in shared memory that both lie across what is summed."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Where sums lie. Attributes: counters, sums: pointers, see `memory`."""

    k: px.Builder
    counters: Any
    sums: Any

    def counter(self, index: Any) -> Any:
        """Where it is counted how many tiles have added to a block, by its number among those of all heads."""
        return self.k.mad.wide.u32(index, 4, self.counters)

    def block(self, index: Any, numbers: int) -> Any:
        """Where the sums of a block begin, which have so many numbers."""
        return self.k.mad.wide.u32(index, 4 * numbers, self.sums)


def walk_of(p: Program) -> Walk:
    """The tiles of a kernel that adds dQ."""
    assert isinstance(p.tiles, Walk)
    return p.tiles


class FusedRooms(Rooms):
    """Shared memory.

    Attributes:
        shared: dS, for each buffer, consumer and part of the queries 64 × queries. given: turns; parts: dQ of a
            block, as it lies in the registers of all consumers, 16 bytes of each thread in a row. sheet: where it is added.
    """

    def __init__(self, p: Program, sheet: Sheet) -> None:
        super().__init__(p)
        self.sheet = sheet
        k, cut = p.k, p.cut
        parts = parts_of_queries(cut, p.depth)
        shape = (BUFFERS, cut.consumers, parts, ROWS, padded(cut.block // parts))
        self.shared = k.smem(p.dtype, shape, swizzle="128B", name="score_slopes")
        walk_of(p).declare(1 + cut.consumers)
        self.given = Queue(k, AHEAD, 4, 1, "given")
        self.parts = Queue(k, PARTS, cut.block * padded(p.depth), 1, "parts", writers=cut.consumers * WARPS)


def assist(p: Program, rooms: FusedRooms, rows: Any) -> None:
    """The warps beside the one that loads. `rows`: queries, px.s32."""
    k = p.k
    with k.if_(k.warp == 1):
        walk_of(p).publish(p.group, tiles_of(k, rows, p.cut.block))
    with k.else_():
        with k.if_(k.warp == 2), k.elect():
            give(p, rooms)
        with k.else_(), k.elect():
            add(rooms)


def give(p: Program, rooms: FusedRooms) -> None:
    """A thread waits for each turn of the CTA, and gives it on: where to add, and odd if nobody has added yet."""
    sheet = rooms.sheet
    k, known, given, more = p.k, walk_of(p).turns.reader(), rooms.given.writer(), p.k.mov.u32(1)
    with k.while_(lambda: more != 0):
        known.wait()
        count = k.min.s32(k.ld.shared.s32(known.word(0)), WARP)
        k.selp.u32(0, 1, count == 0, d=more)
        with k.loop(count) as i:
            turn, index = k.ld.shared.v2.u32(known.word(2).at(k.cvt.u32.s32(i) * 8))
            given.wait()
            counter = px.Address.of(sheet.counter(index), space="global")
            with k.while_(lambda: k.ld.acquire.gpu.global_.u32(counter) != turn):
                pass
            start = sheet.block(index, p.cut.block * padded(p.depth))
            k.st.shared.u64(given.word(0), start + k.selp.u64(1, 0, turn == 0))
            k.st.shared.u32(given.word(2), index)
            given.over()
        known.over()
    given.wait()
    k.st.shared.u64(given.word(0), 0)
    given.over()


def add(rooms: FusedRooms) -> None:
    """A thread adds what the consumers have of each block when it is its turn, and passes the turn on."""
    sheet = rooms.sheet
    k, given, parts, more = sheet.k, rooms.given.reader(), rooms.parts.reader(), sheet.k.mov.u32(1)
    with k.while_(lambda: more != 0):
        given.wait()
        start = k.ld.shared.u64(given.word(0))
        k.selp.u32(0, 1, start == 0, d=more)
        with k.if_(more != 0):
            to = px.Address.of(start & -2, space="global")
            parts.wait()
            room = rooms.parts.words[parts.entry]
            k.fence.proxy.async_.global_()  # what other CTAs have added comes first
            with k.if_(k.cvt.u32.u64(start & 1) == 1):
                k.cp.async_.bulk.global_.shared__cta.bulk_group(to, room, room.nbytes)
            with k.else_():
                k.cp.reduce.async_.bulk.global_.shared__cta.bulk_group.add.f32(to, room, room.nbytes)
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group.read(0)
            parts.over()
            k.cp.async_.bulk.wait_group(0)
            index = k.ld.shared.u32(given.word(2))
            k.red.release.gpu.global_.add.u32(px.Address.of(sheet.counter(index), space="global"), 1)
            given.over()


class FusedConsumer(Consumer):
    """A warpgroup with 64 keys of each tile, and half of dQ."""

    def __init__(self, p: Program, rooms: FusedRooms, scale: Any) -> None:
        super().__init__(p, rooms, scale)
        k = p.k
        self.walk, self.fused = walk_of(p), rooms
        self.parts = parts_of_queries(p.cut, p.depth)
        self.queries = p.cut.block // self.parts
        whole = self.slopes if self.parts == 1 else None  # ptxas keeps registers of an accumulator for it alone
        self.moved = whole or k.accumulator(ROWS, self.queries)
        self.out = rooms.parts.writer()
        self.thread = k.tid.x - WARPGROUP

    def run(self) -> None:
        """All tiles of the CTA."""
        for tensor in self.p.results:
            self.k.prefetch.tensormap(tensor, pred=self.leads)
        with self.walk.each(self.leads) as tile:
            self._tile(tile)

    @contextmanager
    def _held(self, tile: KeyTile) -> Generator[px.Mbarrier, None, None]:
        ring = self.rooms.loaded
        ring.full[0].wait(tile.phase)  # the ring would keep two registers for this
        yield ring.empty[0]

    def _blocks(self, tile: KeyTile) -> None:
        k, walk = self.k, self.walk
        with self.p.passes(tile) as passing:
            self.passing = passing
            k.mov.s32(tile.begin, d=self.block)
            with k.loop(tile.count):
                self._step(masked=False)
                k.add.s32(self.block, walk.step(tile), d=self.block)
                if not walk.bounded:
                    k.mov.s32(0, d=self.block, pred=self.block == tile.end)
        self._meet_all()  # results leave through the keys, which both consumers have read

    def _sees(self, base: Any) -> Callable[[int], Any]:
        band, inside = super()._sees(base), [line < self.walk.length for line in self.lines]

        def sees(i: int) -> Any:
            return band(i) & inside[row_of(i)]

        return sees

    def _step(self, *, masked: bool) -> None:
        """A block: the five products."""
        k, wait = self.k, self.k.wgmma.wait_group.sync.aligned
        with self.rooms.first.consume(release=None) as first:
            mine, other = first[0][0][0], first[2][0][0]
            self.multiply_rows(self.scores, self.left[0], mine)
            self.multiply_rows(self.slopes, self.left[1], other)
            wait(1)
            with k.if_(k.cvt.u32.s32(self.block - self.tile.start) < k.cvt.u32.s32(self.tile.stop - self.tile.start)):
                self.head = self.passing.head
                self._weights(first, masked=False)
            with k.else_():
                self.head = self.passing.head
                self._weights(first, masked=True)
            self.add_product(self.results[1], self.packed[0], other)
            wait(1)
            self._slopes(first)
            self.add_product(self.results[0], self.packed[1], mine)
            self._share()
            self._multiply_queries()
            wait(1)
            self.rows.end()
            first.empty.arrive(pred=self.gives)
            wait(0)
            self._add()

    def _share(self) -> None:
        """dS to shared memory, where both consumers have all of it."""
        k, each = self.k, self.queries // 4
        self.dealt = self.fused.shared[self.out.count & (BUFFERS - 1)]
        for part in range(self.parts):
            self.stage_packed(self.packed[1][part * each : (part + 1) * each], self.dealt[self.member][part])
        k.fence.proxy.async_.shared__cta()
        self._meet_all()

    def _meet_all(self) -> None:
        """Wait for the threads of all consumers."""
        self.k.bar.sync(TOGETHER, self.p.cut.consumers * WARPGROUP)

    def _multiply_queries(self) -> None:
        """Issue dQᵀ = Kᵀ·dSᵀ over all keys of the tile."""
        steps = list[tuple[Any, Any, bool]]()
        for i in range(self.p.cut.consumers):
            keys = self.rooms.held[0][i][0][0]
            if self.parts == 1:
                keys = keys.part(self.member, self.p.cut.consumers, axis=1)
            slopes = self.dealt[i][self.member if self.parts > 1 else 0]
            left, right = keys.descriptor("MN"), slopes.descriptor("MN")
            steps += [(left[j], right[j], i + j > 0) for j in range(ROWS // self.step)]
        self._issue(self.queries, self.moved, steps, BOTH)

    def _add(self) -> None:
        """The consumer's part of dQ to where it is added from."""
        k, numbers = self.k, len(self.moved)
        self.out.wait()
        room = self.fused.parts.words[self.out.entry]
        for i in range(0, numbers, 4):
            k.st.shared.v4.f32(room.at(self.thread * 16).at(i * 8 * WARPGROUP), self.moved[i : i + 4])
        k.fence.proxy.async_.shared__cta()
        k.bar.warp.sync(LANES)
        self.out.over(self.lane == 0)
