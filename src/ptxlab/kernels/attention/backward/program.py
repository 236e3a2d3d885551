"""What a kernel of the backward pass is made of while it is traced, and the thread that loads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.backward.scores import Scoring
from ptxlab.kernels.attention.backward.tiling import Cut
from ptxlab.kernels.attention.program import Tile, Tiles
from ptxlab.kernels.attention.scores import Band
from ptxlab.kernels.attention.tiling import ROWS, WARPGROUP, padded

WARPS = WARPGROUP // 32
"""Of a warpgroup, each of which gives a block back whose numbers its lanes have read by ordinary loads."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What a kernel adds up, with tiles of keys or of queries. P are the softmax's weights, dS the gradients of scores.

    Attributes:
        of_keys: whether tiles are of keys, past which queries stream; otherwise it is the other way round.
        slopes: the sum of dS · what streams first: the gradient of keys, or of queries.
        weights: the sum of P · what streams second: the gradient of values, with tiles of keys alone.
    """

    of_keys: bool
    slopes: bool
    weights: bool

    @property
    def held(self) -> int:
        """Matrices of a tile: keys and values, or queries and the gradients of results. P alone needs none but the keys."""
        return 2 if self.slopes else 1


@dataclass(frozen=True, slots=True)
class Program:
    """The kernel.

    Attributes:
        held: maps of what a tile holds, of (batches, heads, rows, depth): keys and values, or queries and the gradients of results.
        streamed: maps of what streams past it: the other two. results: maps of the sums, slopes first.
        statistics: of queries, see `statistics`: a map where they stream, else a pointer. pitch: from one line of them to the next.
        group: heads of queries that share keys, px.u32.
        band: the rows that stream past a row of the tile and are visible to it.
    """

    k: px.Builder
    sums: Sums
    cut: Cut
    depth: int
    dtype: type[px.Register]
    held: list[Any]
    streamed: list[Any]
    results: list[Any]
    statistics: Any
    pitch: Any
    tiles: Tiles
    group: Any
    band: Band
    scoring: Scoring

    @contextmanager
    def passes(self, tile: Tile) -> Generator[tuple[Any, Any], None, None]:
        """The heads that stream past a tile: those of queries that share its keys, or the one of its keys.

        Yields: the head, and its number among those of all batches.
        """
        if not self.sums.of_keys:
            yield tile.head // self.group, None
            return
        with self.k.loop(self.group) as i:
            yield tile.head * self.group + i, tile.line * self.group + i


class Rooms:
    """Shared memory.

    Attributes:
        held: tiles for each consumer of 1 × 1 × 64 × depth, for each of what a tile holds; results leave through them.
        loaded: the ring of one stage that they are. first, second: rings of what streams.
    """

    def __init__(self, p: Program) -> None:
        k, cut = p.k, p.cut
        width = padded(p.depth)
        mine, block = (cut.consumers, 1, 1, ROWS, width), (cut.stages, 1, 1, cut.block, width)
        names = ("keys", "values", "queries", "slopes") if p.sums.of_keys else ("queries", "slopes", "keys", "values")
        self.held = [k.smem(p.dtype, mine, swizzle="128B", name=name) for name in names[: p.sums.held]]
        self.loaded = k.ring(1, consumers=cut.consumers, name="held")
        first, second = (k.smem(p.dtype, block, swizzle="128B", name=name) for name in names[2:])
        beside = [k.smem(px.f32, (cut.stages, 1, 2, cut.block), align=128, name="numbers")] if p.sums.of_keys else []
        readers = cut.consumers * (WARPS if beside else 1)
        self.first = k.ring(cut.stages, first, *beside, consumers=readers, name="first")
        self.second = k.ring(cut.stages, second, consumers=cut.consumers, name="second")


def produce(p: Program, rooms: Rooms) -> None:
    """One thread loads what a tile holds and what streams past it, the last block first."""
    k, cut = p.k, p.cut
    for tensor in (*p.held, *p.streamed, *([p.statistics] if p.sums.of_keys else [])):
        k.prefetch.tensormap(tensor)
    with p.tiles.each() as tile:
        first, end = p.band.blocks(tile.row, cut.rows, cut.block, least=0)
        each = cut.rows * padded(p.depth) * p.dtype.scalar.bytes
        with rooms.loaded.produce(nbytes=each * p.sums.held) as slot:
            for room, tensor in zip(rooms.held, p.held, strict=True):
                for i in range(cut.consumers):
                    k.tma_load(room[i], tensor, (0, tile.row + ROWS * i, tile.head, tile.batch), slot.full)
        with p.passes(tile) as (head, line), k.loop(end - first) as i:
            row = (end - 1 - i) * cut.block
            for ring, tensor in zip((rooms.first, rooms.second), p.streamed, strict=True):
                with ring.produce() as slot:
                    k.tma_load(slot[0], tensor, (0, row, head, tile.batch), slot.full)
                    if len(slot) > 1:
                        k.tma_load(slot[1], p.statistics, (row, 0, line), slot.full)
