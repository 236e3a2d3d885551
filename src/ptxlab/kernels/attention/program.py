"""What an attention kernel is made of while it is traced: its parameters, its shared memory, and the tiles of a CTA."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.scores import Band, Score
from ptxlab.kernels.attention.tiling import ROWS, Tiling, padded
from ptxlab.kernels.pipeline import TileSchedule


@dataclass(frozen=True, slots=True)
class Program:
    """The kernel.

    Attributes:
        depth: elements of a head. dtype: of all four tensors.
        queries, keys, values, results: their maps, of (batches, heads, rows, depth).
        tiles: of queries. group: heads that share keys, px.u32.
        band: which keys a query sees. score: what becomes of scores; then, or where `scales_first`, scores are multiplied by
            `scale` before it, else `scale` has log2(e) as a factor. logarithms: a pointer, or None.
    """

    k: px.Builder
    tiling: Tiling
    depth: int
    dtype: type[px.Register]
    queries: Any
    keys: Any
    values: Any
    results: Any
    tiles: Tiles
    group: Any
    band: Band
    scale: Any
    scales_first: bool
    score: Score | None
    logarithms: Any


@dataclass(frozen=True, slots=True)
class Tiles:
    """The tiles of all CTAs: rows of queries for the forward pass.

    Attributes:
        height: rows of a tile. rows: of a head, px.s32. lines: heads of all batches; heads: of one; section: that are computed
            before the next ones begin; px.u32.
        last_is_longest: whether a causal mask leaves the last rows the most to do, else it is the first ones.
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
        """Loop over this CTA's tiles.

        A section's heads are neighbours, so that what they share stays in the L2 cache. So that all CTAs get their share of the
        longest tiles, a section goes from those to the short ones and the next one back, in such a way that short tiles come last
        of all, and the CTAs take them forwards and backwards.
        """
        k, height = self.k, self.height
        down = k.cvt.u32.s32((self.rows + (height - 1)) // height)
        sections = (self.lines + (self.section - 1)) // self.section
        tiles, each = down * self.lines, down * self.section
        schedule = TileSchedule(k)
        with k.while_(lambda: schedule.tile < tiles):
            part = schedule.tile // each
            within, first = schedule.tile - part * each, part * self.section
            across = k.min.u32(self.lines - first, self.section)
            above = within // across
            line = first + (within - above * across)
            batch = line // self.heads
            climbs = ((sections - part) & 1) == (1 if self.last_is_longest else 0)
            row = k.selp.u32(down - 1 - above, above, climbs) * height
            yield Tile(k.cvt.s32.u32(row), line, batch, line - batch * self.heads)
            schedule.advance()


@dataclass(frozen=True, slots=True)
class Tile:
    """Rows of a head. `row`: the first one, px.s32. line, batch, head: px.u32."""

    row: Any
    line: Any
    batch: Any
    head: Any


class Rooms:
    """Shared memory: the queries of a tile, rings of blocks of K and V, and results on their way out.

    Attributes:
        queries, results: tiles for each consumer of 1 × 1 × 64 × depth. loaded: the ring of one stage that the queries are.
    """

    def __init__(self, p: Program) -> None:
        k, t = p.k, p.tiling
        width = padded(p.depth)
        mine, block = (t.consumers, 1, 1, ROWS, width), (t.stages, 1, 1, t.keys, width)
        self.queries = k.smem(p.dtype, mine, swizzle="128B", name="queries")
        self.results = k.smem(p.dtype, mine, swizzle="128B", name="results") if t.staging else self.queries
        self.loaded = k.ring(1, consumers=t.consumers, name="q")
        keys = k.smem(p.dtype, block, swizzle="128B", name="keys")
        self.keys = k.ring(t.stages, keys, consumers=t.consumers, name="k")
        values = k.smem(p.dtype, block, swizzle="128B", name="values")
        self.values = k.ring(t.stages, values, consumers=t.consumers, name="v")


def produce(p: Program, rooms: Rooms) -> None:
    """One thread loads the queries of each tile and its blocks of keys and values, the last block first."""
    k, t = p.k, p.tiling
    for tensor in (p.queries, p.keys, p.values):
        k.prefetch.tensormap(tensor)
    with p.tiles.each() as tile:
        first, end = p.band.blocks(tile.row, t.rows, t.keys)
        shared = tile.head // p.group

        def load(ring: px.Ring, tensor: Any, block: Any) -> None:
            with ring.produce() as slot:
                k.tma_load(slot[0], tensor, (0, block * t.keys, shared, tile.batch), slot.full)

        load(rooms.keys, p.keys, end - 1)
        with rooms.loaded.produce(nbytes=t.rows * padded(p.depth) * p.dtype.scalar.bytes) as slot:
            for i in range(t.consumers):
                k.tma_load(rooms.queries[i], p.queries, (0, tile.row + ROWS * i, tile.head, tile.batch), slot.full)
        load(rooms.values, p.values, end - 1)
        with k.loop(end - 1 - first) as i:
            block = end - 2 - i
            load(rooms.keys, p.keys, block)
            load(rooms.values, p.values, block)
