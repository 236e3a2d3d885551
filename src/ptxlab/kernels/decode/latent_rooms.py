"""Shared memory of latent attention for decoding."""

from __future__ import annotations

import ptxlab as px
from ptxlab.kernels.attention.tiling import WARPGROUP
from ptxlab.kernels.decode.program import Program, Source
from ptxlab.kernels.decode.tiling import LATENT_DEPTH, LATENT_SLICES, LATENT_VALUES, WARP

HALF = LATENT_VALUES // LATENT_SLICES
WARPS = WARPGROUP // WARP
VECTOR = 4
"""Words that a lane moves at once."""
CHUNK = 16
"""Bytes of them."""


class LatentRooms:
    """Shared memory: queries, rings of both halves of keys, and what the scores' warpgroup hands over.

    Attributes:
        queries: 64 rows. halves: rings, the second one with the elements that are no values, too.
        weights: of a block, for each lane; or at the end the softmax. shrinks: of the lane's two rows. handed: their ring.
        there, last: as in `Rooms`.
    """

    states = None

    def __init__(self, p: Program) -> None:
        k, t, f = p.k, p.tiling, p.form
        self.boxes = t.keys // f.box(t)
        self.queries = k.smem(f.dtype, (t.rows, LATENT_DEPTH), swizzle="128B", name="queries")

        def block(columns: int, name: str) -> px.Tile:
            return k.smem(f.cache, (t.stages, 1, 1, t.keys, columns), swizzle="128B", name=name)

        tiles = [block(HALF, "first"), block(HALF, "second"), block(LATENT_DEPTH - LATENT_VALUES, "rest")]
        self.halves = tuple(
            k.ring(t.stages, *some, producers=self.boxes, name=name)
            for some, name in ((tiles[:1], "first"), (tiles[1:], "second"))
        )
        handed = t.stages // 2
        self.words = t.keys // VECTOR
        self.weights = k.smem(px.b32, (handed, self.words // VECTOR, WARPGROUP * VECTOR), align=CHUNK, name="weights")
        self.shrinks = k.smem(px.f32, (handed, WARPGROUP * 2), align=CHUNK, name="shrinks")
        self.handed = k.ring(handed, producers=WARPS, consumers=LATENT_SLICES * WARPS, name="handed")
        self.there = k.smem(px.u32, (t.stages, self.boxes), name="there") if f.page else None
        self.last = k.smem(px.u32, (LATENT_SLICES * t.parts,), name="last")

    def places(self, k: px.Builder, slot: px.Slot) -> tuple[list[px.Address], px.Address]:
        """Where a lane's weights are handed over, and what its rows shrink by."""
        thread = k.tid.x & (WARPGROUP - 1)
        weights = self.weights.at(thread * CHUNK).at(slot.stage, self.weights.strides[0])
        shrinks = self.shrinks.at(thread * 8).at(slot.stage, self.shrinks.strides[0])
        return [weights.at(i * CHUNK * WARPGROUP) for i in range(self.words // VECTOR)], shrinks

    def sources(self, p: Program) -> list[Source]:
        """What fills the rings."""
        first, second = self.halves
        return [(first, [(p.keys, 0)]), (second, [(p.keys, HALF), (p.keys, LATENT_VALUES)])]
