"""What matrix products on Hopper's tensor cores have in common: the ring of stages, the consumers' loop, the order of tiles.

A CTA has three warpgroups. One thread of warpgroup 0 loads tiles of A and B into a ring of stages; warpgroups 1 and 2 multiply
64 rows each of a 128 × 256 tile of C. `gemm` says why, and what each choice is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import ptxlab as px
from ptxlab.kernels.gemm_store import COLUMNS, ROWS, WARPGROUP, Store

CONSUMERS = 2
STAGES = 4
TILE_M, TILE_N, TILE_K = CONSUMERS * ROWS, COLUMNS, 64
NARROW = 64
"""Columns of the narrow tiles with which a product may end."""
THREADS = (1 + CONSUMERS) * WARPGROUP
PRODUCER_REGISTERS, CONSUMER_REGISTERS = 40, 232


def parts(extent: Any, size: int) -> Any:
    """Number of parts of `size`, a power of two, that cover an extent: by a shift, which ptxas does not make of a division."""
    return (extent + (size - 1)) >> (size.bit_length() - 1)


@dataclass(frozen=True, slots=True)
class Operands:
    """What a kernel multiplies, as far as shared memory shows it.

    Attributes:
        b_major: "K" where B's tiles lie as N × K, "MN" for K × N.
        types: of the elements of A and B, of 16 bits, or of 8 where B lies as N × K.
    """

    k: px.Builder
    b_major: str
    types: tuple[type[px.Register], type[px.Register]] = (px.bf16, px.bf16)

    @property
    def step(self) -> int:
        """Steps along K of a stage: a span of the 128B swizzle."""
        return TILE_K * 2 // self.types[0].scalar.bytes

    def ring(self) -> px.Ring:
        """The stages."""
        k = self.k
        a = k.smem(self.types[0], (STAGES, TILE_M, self.step), swizzle="128B", name="a_tiles")
        b_shape = (TILE_N, self.step) if self.b_major == "K" else (self.step, TILE_N)
        b = k.smem(self.types[1], (STAGES, *b_shape), swizzle="128B", name="b_tiles")
        return k.ring(STAGES, a, b, consumers=CONSUMERS)


def load_b(operands: Operands, tile: px.Tile, map: Any, at: Any, column: Any, full: px.Mbarrier) -> None:
    """Load a stage of B, from step `at` along K and from column `column` on."""
    operands.k.tma_load(tile, map, (at, column) if operands.b_major == "K" else (column, at), full)


def narrow_b(operands: Operands, tile: px.Tile) -> px.Tile:
    """What a stage holds of B where a tile has at most NARROW columns: what one copy brings."""
    return tile if operands.b_major == "K" else tile.part(0, TILE_N // NARROW, axis=1)


def corner(k: px.Builder, index: Any, rows: Any, columns: Any, group: int) -> tuple[Any, Any]:
    """Row and column of a tile among `rows` × `columns` of them, by its number.

    Tiles are numbered in groups of `group` rows and column by column within a group, so that those in work at one time share rows
    of A and columns of B, which stay in the L2 cache.
    """
    above = index // (columns * group)
    within = index - above * (columns * group)
    first = above * group
    height = k.min.u32(rows - first, group)  # the last group may be lower
    column = within // height
    return first + within - column * height, column


class TileSchedule:
    """The CTA's tiles: c, 2n − 1 − c, 2n + c … for CTA c of n. All roles count them alike, each for itself."""

    def __init__(self, k: px.Builder) -> None:
        self.k = k
        self.tile, self.step = k.reg(px.u32), k.reg(px.u32)
        self.round = k.nctaid.x * 2
        k.mov.u32(k.ctaid.x, d=self.tile)
        k.sub.u32(self.round - 1, k.ctaid.x * 2, d=self.step)

    def advance(self) -> None:
        """To the next tile: two steps, forwards and backwards, make a round."""
        self.tile += self.step
        self.k.sub.u32(self.round, self.step, d=self.step)


class Stages:
    """The consumers' side of the ring: each stage is multiplied, and given back one stage later.

    Attributes:
        acc: the warpgroup's 64 × 256 results. results: those of tiles of each width; in registers of their own, or else ptxas
            finds too few of them for wgmma to overlap (its warning C7511).
    """

    def __init__(self, operands: Operands, ring: px.Ring, member: Any) -> None:
        k = self.k = operands.k
        self.ring, self.operands = ring, operands
        self.more = [1, 1, 0, int(operands.b_major == "MN")] if operands.types[0].scalar.bytes == 2 else [1, 1]
        self.acc = k.accumulator(ROWS, TILE_N)
        self.results = {TILE_N: self.acc}
        a, b = ring.tiles
        self.a = a.part(member, CONSUMERS, axis=1).descriptor()
        self.b = b.descriptor(operands.b_major)
        self.arrives = (k.tid.x & (WARPGROUP - 1)) == 0
        self.previous = k.reg(px.u32)

    def also(self, columns: int) -> None:
        """There are tiles of so many columns too."""
        self.results[columns] = self.k.accumulator(ROWS, columns)

    def multiply(self, *, first: bool, columns: int = TILE_N) -> None:
        """Issue the wgmma of the next stage; unless it is a tile's first, wait for those of the one before and give it back."""
        k = self.k
        with self.ring.consume(release=None) as slot:
            a, b = self.a.stage(slot.stage), self.b.stage(slot.stage)
            wgmma = getattr(k.wgmma.mma_async.sync.aligned, f"m64n{columns}k{self.operands.step // 4}").f32
            for kind in self.operands.types:
                wgmma = getattr(wgmma, kind.scalar.name)
            k.wgmma.fence.sync.aligned()
            for i in range(a.steps):
                adds = not (first and i == 0)  # the first one overwrites the registers
                wgmma(self.results[columns], a[i], b[i], adds, *self.more)
            k.wgmma.commit_group.sync.aligned()
            if not first:
                k.wgmma.wait_group.sync.aligned(1)
                self._give_back()
            k.mov.u32(slot.stage, d=self.previous)

    def rest(self, steps: Any, columns: int = TILE_N) -> None:
        """All stages of a tile but the first, of `steps` in all; then the results are complete."""
        k = self.k
        with k.loop(steps, start=1):
            self.multiply(first=False, columns=columns)
        k.wgmma.wait_group.sync.aligned(0)
        self._give_back()

    def _give_back(self) -> None:
        """The previous stage may be loaded again, as far as this warpgroup is concerned."""
        self.ring.empty[self.previous].arrive(pred=self.arrives)


class Tile(Protocol):
    """A tile of C."""

    def corner(self) -> tuple[Any, Any]:
        """Its first row and its first column in C: registers."""
        ...


def consume(
    operands: Operands,
    ring: px.Ring,
    store: Store,
    tiles: Callable[[], AbstractContextManager[Tile]],
    steps: Callable[[], Any],
) -> None:
    """A warpgroup multiplies its 64 rows of each tile. `tiles` loops over them, `steps` computes the stages that one takes."""
    k = operands.k
    member = k.warpgroup - 1
    stages = Stages(operands, ring, member)
    store.begin(member)
    count = steps()
    with tiles() as tile:
        stages.multiply(first=True)
        row, column = tile.corner()  # its divisions hide behind the tensor cores here
        stages.rest(count)
        store.write(stages.acc, k.mad.lo.u32(member, ROWS, row), column)
    store.end()
