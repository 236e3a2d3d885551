"""What a kernel of the backward pass is made of while it is traced, and the thread that loads."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.backward.scores import Scoring
from ptxlab.kernels.attention.backward.tiling import Cut
from ptxlab.kernels.attention.backward.walk import Walk
from ptxlab.kernels.attention.program import Tiles
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
        moves: whether it adds dQ in global memory as well, with tiles of keys, see `fused`.
    """

    of_keys: bool
    slopes: bool
    weights: bool
    moves: bool = False

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
    tiles: Tiles | Walk
    group: Any
    band: Band
    scoring: Scoring

    @contextmanager
    def passes(self, tile: Any) -> Generator[Pass, None, None]:
        """The heads that stream past a tile: those of queries that share its keys, or the one of its keys."""
        if not self.sums.of_keys:
            yield Pass(tile, None, self.group)
            return
        with self.k.loop(self.group) as number:
            yield Pass(tile, number, self.group)

    def blocks(self, tile: Any) -> tuple[Any, Callable[[Any], Any]]:
        """How many blocks stream past a tile, and which one comes after so many others: px.s32."""
        if isinstance(self.tiles, Walk):
            walk = self.tiles
            return tile.count, lambda i: walk.block_at(tile, i)
        first, end = self.band.blocks(tile.row, self.cut.rows, self.cut.block, least=0)
        return end - first, lambda i: end - 1 - i


@dataclass(frozen=True, slots=True)
class Pass:
    """A head that streams past a tile. `number`: among the `group` that share the tile's keys; None where it is one of keys."""

    tile: Any
    number: Any
    group: Any

    @property
    def head(self) -> Any:
        """Its number in its batch, px.u32."""
        return self.tile.head // self.group if self.number is None else self.tile.head * self.group + self.number

    @property
    def line(self) -> Any:
        """Its number among those of queries of all batches, px.u32."""
        return self.tile.line * self.group + self.number


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
        together = [second] if p.sums.moves else []
        self.first = k.ring(cut.stages, first, *beside, *together, consumers=readers, name="first")
        self.second = self.first if together else k.ring(cut.stages, second, consumers=cut.consumers, name="second")


def produce(p: Program, rooms: Rooms) -> None:
    """One thread loads what a tile holds and what streams past it."""
    k, cut = p.k, p.cut
    for tensor in (*p.held, *p.streamed, *([p.statistics] if p.sums.of_keys else [])):
        k.prefetch.tensormap(tensor)
    with p.tiles.each() as tile:
        count, block_at = p.blocks(tile)
        each = cut.rows * padded(p.depth) * p.dtype.scalar.bytes
        with rooms.loaded.produce(nbytes=each * p.sums.held) as slot:
            for room, tensor in zip(rooms.held, p.held, strict=True):
                for i in range(cut.consumers):
                    k.tma_load(room[i], tensor, (0, tile.row + ROWS * i, tile.head, tile.batch), slot.full)
        with p.passes(tile) as passing:
            head = None if p.sums.moves else passing.head
            with k.loop(count) as i:
                row = block_at(i) * cut.block

                def load(slot: px.Slot, number: int, tensor: Any) -> None:
                    at = passing.head if head is None else head
                    k.tma_load(slot[number], tensor, (0, row, at, tile.batch), slot.full)

                with rooms.first.produce() as slot:
                    load(slot, 0, p.streamed[0])
                    if p.sums.of_keys:
                        k.tma_load(slot[1], p.statistics, (row, 0, passing.line), slot.full)
                    if p.sums.moves:
                        load(slot, 2, p.streamed[1])
                if not p.sums.moves:
                    with rooms.second.produce() as slot:
                        load(slot, 0, p.streamed[1])
