"""What an attention kernel is made of while it is traced: its parameters, its shared memory, and the tiles of a CTA."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.arrays import ScoreArray
from ptxlab.kernels.attention.scores import Band, Score
from ptxlab.kernels.attention.sequences import Offsets, Rows
from ptxlab.kernels.attention.tiling import ITEM, ROWS, SWIZZLES, Tiling, room, span
from ptxlab.kernels.pipeline import TileSchedule


@dataclass(frozen=True, slots=True)
class Program:
    """The kernel.

    Attributes:
        depth: elements of a head; value_depth: of V and O. dtype: of Q, K and V; made: of O.
        queries, keys, values, results: their maps, of (batches, heads, rows, depth), of V in fp8 (batches, heads, depth, rows).
        rows: of the queries, px.s32. lines: heads of all batches; heads: of one; group: that share keys; held: keys of a head that
            may lie in the L2 cache; px.u32.
        band: which keys a query sees. score: what becomes of scores; then, or where `scales_first`, scores are multiplied by
            `scale` before it, else `scale` has log2(e) as a factor. arrays: that it reads.
        logarithms, sinks: pointers, or None. descales: of Q, K and V in fp8, arrays of batches and heads; or none.
        offsets: of queries and keys, where sequences are packed; rows, and the band's length, are then those of all.
    """

    k: px.Builder
    tiling: Tiling
    depth: int
    value_depth: int
    dtype: type[px.Register]
    made: type[px.Register]
    queries: Any
    keys: Any
    values: Any
    results: Any
    rows: Any
    lines: Any
    heads: Any
    group: Any
    held: Any
    band: Band
    scale: Any
    scales_first: bool
    score: Score | None
    logarithms: Any
    sinks: Any
    arrays: Sequence[ScoreArray]
    descales: Sequence[ScoreArray]
    offsets: tuple[Offsets, Offsets] | None

    @property
    def item(self) -> int:
        """Bytes of an element of Q, K and V."""
        return self.dtype.scalar.bytes

    @property
    def staged(self) -> bool:
        """Whether results have shared memory of their own."""
        return self.tiling.staged(self.depth, self.value_depth, self.item)

    @contextmanager
    def tiles(self) -> Generator[QueryTile, None, None]:
        """Loop over this CTA's tiles; sequences are tiled one after the other where they are packed."""
        with self._packed_tiles() if self.offsets else self._even_tiles() as tile:
            yield tile

    @contextmanager
    def _even_tiles(self) -> Generator[QueryTile, None, None]:
        """Tiles of sequences that all have as many rows: as if their heads were those of one."""
        k = self.k
        section = self._section(self.lines, self.band.length)
        with Tiles(k, self.tiling.rows, self.rows, self.lines, self.heads, section).each() as tile:
            yield QueryTile(
                tile.row,
                tile.line * k.cvt.u32.s32(self.rows),
                tile.batch,
                tile.head,
                band=self.band,
                queries=Rows(k, self.rows, tile.batch),
                keys=Rows(k, self.band.length, tile.batch),
            )

    @contextmanager
    def _packed_tiles(self) -> Generator[QueryTile, None, None]:
        """Tiles of packed sequences. Each CTA walks past them all: what lies in front of the next tile is counted on the way."""
        assert self.offsets
        k, schedule = self.k, TileSchedule(self.k)
        count, height = self.lines // self.heads, self.tiling.rows
        number, before, there = k.mov.u32(0), k.mov.u32(0), k.reg(px.u32)
        lengths, starts = ([k.reg(px.s32) for _ in range(2)] for _ in range(2))
        queries, keys = (Rows(k, length, number, start) for length, start in zip(lengths, starts, strict=True))

        def look() -> None:
            """Read where the sequence lies, and count its tiles."""
            for offsets, length, start in zip(self.offsets or (), lengths, starts, strict=True):
                found = offsets.sequence(number)
                k.mov.s32(found.length, d=length)
                k.mov.s32(found.start, d=start)
            k.mul.lo.u32(tiles_of(k, queries.length, height), self.heads, d=there)

        def walk() -> None:
            """To the sequence that has the tile."""
            with k.while_(lambda: (schedule.tile - before >= there) & (number < count)):
                k.add.u32(before, there, d=before)
                k.add.u32(number, 1, d=number)
                with k.if_(number < count):
                    look()

        look()
        walk()
        with k.while_(lambda: number < count):
            section = self._section(self.heads, keys.length)
            line, row = Order(k, height, queries.length, self.heads, section).place(schedule.tile - before)
            first = k.mad.lo.u32(line, k.cvt.u32.s32(self.rows), k.cvt.u32.s32(queries.start))
            band = replace(self.band, length=keys.length, shift=keys.length - queries.length)
            yield QueryTile(row, first, number, line, band=band, queries=queries, keys=keys)
            schedule.advance()
            walk()

    def _section(self, lines: Any, length: Any) -> Any:
        """Of so many heads with keys of this length, those whose keys the L2 cache holds together."""
        k = self.k
        together = k.max.u32(self.held // k.cvt.u32.s32(k.max.s32(length, 1)), 1) * self.group
        return k.min.u32(together, lines)


def tiles_of(k: px.Builder, rows: Any, height: int) -> Any:
    """Tiles among so many rows, one below the other, px.u32."""
    return k.cvt.u32.s32((rows + (height - 1)) // height)


class Order:
    """The order of tiles of heads with as many rows.

    Heads of a section are neighbours, so that what they share stays in the L2 cache. So that all CTAs get their share of the
    longest tiles, a section goes from those to the short ones and the next one back, in such a way that short tiles come last of
    all, and the CTAs take them forwards and backwards.

    Args:
        height: rows of a tile. rows: of a head, px.s32. lines: heads; section: that are computed before the next ones begin;
            px.u32.
        last_is_longest: whether a causal mask leaves the last rows the most to do, else it is the first ones.
    """

    def __init__(
        self, k: px.Builder, height: int, rows: Any, lines: Any, section: Any, *, last_is_longest: bool = True
    ) -> None:
        self.k, self.height, self.lines, self.section = k, height, lines, section
        self.down = tiles_of(k, rows, height)
        self.sections = (lines + (section - 1)) // section
        self.tiles, self.each = self.down * lines, self.down * section
        self.odd = 1 if last_is_longest else 0

    def place(self, tile: Any) -> tuple[Any, Any]:
        """The head of a tile, px.u32, and its first row, px.s32."""
        k = self.k
        part = tile // self.each
        within, first = tile - part * self.each, part * self.section
        across = k.min.u32(self.lines - first, self.section)
        above = within // across
        climbs = ((self.sections - part) & 1) == self.odd
        row = k.selp.u32(self.down - 1 - above, above, climbs) * self.height
        return first + (within - above * across), k.cvt.s32.u32(row)


@dataclass(frozen=True, slots=True)
class Tiles:
    """The tiles of all CTAs, of heads with as many rows.

    Attributes:
        height, rows, lines, section, last_is_longest: as in `Order`; lines are the heads of all batches, heads those of one.
    """

    k: px.Builder
    height: int
    rows: Any
    lines: Any
    heads: Any
    section: Any
    last_is_longest: bool = True

    @contextmanager
    def each(self) -> Generator[Tile, None, None]:
        """Loop over this CTA's tiles."""
        k, schedule = self.k, TileSchedule(self.k)
        order = Order(k, self.height, self.rows, self.lines, self.section, last_is_longest=self.last_is_longest)
        with k.while_(lambda: schedule.tile < order.tiles):
            line, row = order.place(schedule.tile)
            batch = line // self.heads
            yield Tile(row, line, batch, line - batch * self.heads)
            schedule.advance()


@dataclass(frozen=True, slots=True)
class Tile:
    """Rows of a head. `row`: the first one, px.s32. line: the head among those of all batches; batch, head: px.u32."""

    row: Any
    line: Any
    batch: Any
    head: Any


@dataclass(frozen=True, slots=True)
class QueryTile:
    """Queries of a head.

    Attributes:
        row: the first one in its sequence, px.s32. first: where logarithms of its sequence and head begin; batch, head: px.u32.
        band: which keys they see. queries, keys: the rows of their sequence.
    """

    row: Any
    first: Any
    batch: Any
    head: Any
    band: Band
    queries: Rows
    keys: Rows


class Rooms:
    """Shared memory: the queries of a tile, rings of blocks of K and V, and results on their way out.

    Attributes:
        queries, results: tiles for each consumer of 64 × depth, within as many axes of one as maps have beyond the two; results
            may be wider than V where they lie in the same memory as the queries. loaded: the ring of one stage that queries are.
    """

    def __init__(self, p: Program) -> None:
        k, t = p.k, p.tiling
        ones = (1,) * (2 if p.offsets is None else 3)
        mine, block = (t.consumers, *ones, ROWS), (t.stages, *ones, t.keys)

        def declared(name: str, outer: tuple[int, ...], depth: int, dtype: type[px.Register] = p.dtype) -> px.Tile:
            item = dtype.scalar.bytes
            swizzle: Any = SWIZZLES[span(depth, item) * item]
            return k.smem(dtype, (*outer, room(depth, item)), swizzle=swizzle, name=name)

        self.queries = declared("queries", mine, p.depth)
        self.results = declared("results", mine, p.value_depth, p.made) if p.staged else self.queries
        self.loaded = k.ring(1, consumers=t.consumers, name="q")
        keys = declared("keys", block, p.depth)
        self.keys = k.ring(t.stages, keys, consumers=t.consumers, name="k")
        turned = (t.stages, *ones, p.value_depth), t.keys
        values = declared("values", *((block, p.value_depth) if p.item == ITEM else turned))
        self.values = k.ring(t.stages, values, consumers=t.consumers, name="v")


def matrix(tile: px.Tile) -> px.Tile:
    """A tile without its axes of one."""
    while len(tile.shape) > 2:
        tile = tile[0]
    return tile


def produce(p: Program, rooms: Rooms) -> None:
    """One thread loads the queries of each tile and its blocks of keys and values, the last block first."""
    k, t = p.k, p.tiling
    for tensor in (p.queries, p.keys, p.values):
        k.prefetch.tensormap(tensor)
    with p.tiles() as tile:
        first, end = tile.band.blocks(tile.row, t.rows, t.keys)
        shared = tile.head // p.group

        def load(ring: px.Ring, tensor: Any, block: Any) -> None:
            place = (0, *tile.keys.at(block * t.keys, shared, t.keys))
            if tensor is p.values and p.item != ITEM:
                place = (block * t.keys, 0, shared, tile.batch)
            with ring.produce() as slot:
                k.tma_load(slot[0], tensor, place, slot.full)

        load(rooms.keys, p.keys, end - 1)
        with rooms.loaded.produce(nbytes=t.rows * room(p.depth, p.item) * p.item) as slot:
            for i in range(t.consumers):
                place = tile.queries.at(tile.row + ROWS * i, tile.head, ROWS)
                k.tma_load(rooms.queries[i], p.queries, (0, *place), slot.full)
        load(rooms.values, p.values, end - 1)
        with k.loop(end - 1 - first) as i:
            block = end - 2 - i
            load(rooms.keys, p.keys, block)
            load(rooms.values, p.values, block)
