"""CTAs of a cluster that share the sum along K add up what each of them has: always in the same order, so to the same bytes.

Each CTA puts its sums into its shared memory, where the ring was. Then each reads its slice of the columns from all of them,
through the cluster's shared memory, and adds in the order of ranks.
"""

from __future__ import annotations

from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.tiling import WARPGROUP, Tiling

VECTOR = 16
"""Bytes that a thread moves at a time: the four results that it has of 8 columns."""


class Exchange:
    """The consumers' side; `others` is what all other threads of the CTA do meanwhile."""

    BARRIER = 8

    def __init__(self, k: px.Builder, tiling: Tiling, ring: px.Ring, rank: Any) -> None:
        self.k, self.tiling, self.rank = k, tiling, rank
        self.place = max(ring.tiles, key=lambda tile: tile.nbytes)
        self.threads = tiling.consumers * WARPGROUP

    @staticmethod
    def others(k: px.Builder) -> None:
        """The barriers of the cluster count all threads."""
        k.cluster_sync(aligned=False)
        k.cluster_sync(aligned=False)

    def add(self, results: list[px.Registers]) -> list[list[Any]]:
        """The sums of this CTA's slice of the columns, for each 64 rows."""
        k, t = self.k, self.tiling
        thread = (k.tid.x - WARPGROUP) * VECTOR
        groups = t.columns // 8
        half = groups // t.halves
        word = "f32" if results[0][0].scalar.name == "f32" else "s32"
        add, store = getattr(k.add, word), getattr(k.st.shared.v4, word)
        load = getattr(k.ld.shared__cluster.v4, word)
        k.bar.sync(self.BARRIER, self.threads)  # all consumers have read the last stages
        for i, block in enumerate(results):
            for j in range(groups):
                at = self.place.at(thread) + (i * groups + j) * self.threads * VECTOR
                store(at, block[4 * j : 4 * j + 4])
        k.cluster_sync()
        mine = k.min.u32(self.rank, t.slices - 1) * (half // t.slices * self.threads * VECTOR) + thread
        sums: list[list[Any]] = [[None] * (t.summed_columns // 8 * 4) for _ in results]
        mine_of_halves = [h * half + j for h in range(t.halves) for j in range(half // t.slices)]
        for rank in range(t.splits):
            remote = self.place.remote(rank).at(mine)
            for i in range(len(results)):
                for j, group in enumerate(mine_of_halves):
                    got = load(remote + (i * groups + group) * self.threads * VECTOR)
                    for x in range(4):
                        before = sums[i][4 * j + x]
                        sums[i][4 * j + x] = got[x] if before is None else add(before, got[x])
        # Nobody leaves while others read its shared memory. A relaxed arrival would not wait for these reads.
        k.cluster_sync()
        return sums
