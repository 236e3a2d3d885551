"""The ring of stages, the thread that fills it, and what a consumer warpgroup multiplies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.tiling import ROWS, TILE_K, WARPGROUP, Tiling


@dataclass(frozen=True, slots=True)
class Operand:
    """A matrix that is multiplied: its map, and whether its rows run along K ("K") or across it ("MN")."""

    map: Any
    major: str

    def tile(self, k: px.Builder, dtype: type[px.Register], stages: int, lines: int, name: str) -> px.Tile:
        """Its part of the ring: `lines` along M or N."""
        shape = (lines, TILE_K) if self.major == "K" else (TILE_K, lines)
        return k.smem(dtype, (stages, *shape), swizzle="128B", name=name)

    def load(self, k: px.Builder, tile: px.Tile, at: Any, line: Any, full: px.Mbarrier) -> None:
        """A stage of it, from step `at` along K and from `line` on."""
        k.tma_load(tile, self.map, (at, line) if self.major == "K" else (line, at), full)


@dataclass(frozen=True, slots=True)
class Operands:
    """What is multiplied, as wgmma sees it: `left` has the rows of a tile, `right` its columns."""

    k: px.Builder
    tiling: Tiling
    dtype: type[px.Register]
    left: Operand
    right: Operand

    def ring(self) -> px.Ring:
        """The stages in shared memory."""
        k, t = self.k, self.tiling
        left = self.left.tile(k, self.dtype, t.stages, t.rows, "left_tiles")
        right = self.right.tile(k, self.dtype, t.stages, t.columns, "right_tiles")
        return k.ring(t.stages, left, right, consumers=t.consumers)

    def prefetch(self) -> None:
        """The maps, before they are needed."""
        for operand in (self.left, self.right):
            self.k.prefetch.tensormap(operand.map)

    def fill(self, ring: px.Ring, row: Any, column: Any, start: Any, stop: Any) -> None:
        """Load the stages of a tile: steps `start` to `stop` along K. One thread executes it."""
        k = self.k
        with k.loop(stop, start=start, step=TILE_K) as at, ring.produce() as slot:
            self.left.load(k, slot[0], at, row, slot.full)
            self.right.load(k, slot[1], at, column, slot.full)


class Mainloop:
    """The consumers' side of the ring: each stage is multiplied, and given back one stage later.

    Attributes:
        results: one accumulator for each 64 rows that the warpgroup has.
    """

    def __init__(self, operands: Operands, ring: px.Ring, member: Any) -> None:
        k = self.k = operands.k
        self.operands, self.ring, self.tiling = operands, ring, operands.tiling
        t = self.tiling
        self.results = [k.accumulator(ROWS, t.columns) for _ in range(t.blocks)]
        left, right = ring.tiles
        part = left.part(member, t.consumers, axis=1 if operands.left.major == "K" else 2) if t.consumers > 1 else left
        described = part.descriptor(operands.left.major)
        self.left = [described.at(ROWS * i) if i else described for i in range(t.blocks)]
        self.right = right.descriptor(operands.right.major)
        self.tells = (k.tid.x & (WARPGROUP - 1)) == 0
        self.previous = k.reg(px.u32)
        name = operands.dtype.scalar.name
        self.wgmma = getattr(getattr(getattr(k.wgmma.mma_async.sync.aligned, f"m64n{t.columns}k16").f32, name), name)

    def first(self) -> None:
        """Begin a tile: issue the products of its first stage."""
        self._multiply(first=True)

    def rest(self, steps: Any) -> None:
        """All stages of a tile but the first, of `steps` in all; then the results are complete."""
        k = self.k
        with k.loop(steps, start=1):
            self._multiply(first=False)
        k.wgmma.wait_group.sync.aligned(0)
        self._give_back()

    def _multiply(self, *, first: bool) -> None:
        k, majors = self.k, (self.operands.left.major, self.operands.right.major)
        across = [int(major == "MN") for major in majors]
        with self.ring.consume(release=None) as slot:
            left, right = [d.stage(slot.stage) for d in self.left], self.right.stage(slot.stage)
            k.wgmma.fence.sync.aligned()
            for i in range(right.steps):
                b = right[i]
                for block, a in zip(self.results, left, strict=True):
                    self.wgmma(block, a[i], b, not (first and i == 0), 1, 1, *across)
            k.wgmma.commit_group.sync.aligned()
            if not first:
                k.wgmma.wait_group.sync.aligned(1)
                self._give_back()
            k.mov.u32(slot.stage, d=self.previous)

    def _give_back(self) -> None:
        self.ring.empty[self.previous].arrive(pred=self.tells)
