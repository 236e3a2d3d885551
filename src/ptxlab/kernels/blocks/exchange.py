"""Adds the partial sums of the CTAs of a cluster that split K, always in the same order, so that results are the same bits.

Each CTA puts its sums into its shared memory, where the ring was. Then each reads its slice of the columns from all of them,
through the cluster's shared memory, and adds in the order of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.tiling import WARPGROUP, Tiling

VECTOR = 16
"""Bytes that a thread moves at a time: the four results that it has of 8 columns."""


class Exchange:
    """Adds up the sums of the CTAs of a cluster. The consumers call `add`; all other threads of the CTA call `join_barriers`.

    Args:
        tiling: how the product is cut; it has `splits` of 2 or more. ring: its larger tile is where sums are exchanged.
        rank: of the CTA in its cluster, a register.

    Example:
        from ptxlab.kernels.blocks.exchange import Exchange
        from ptxlab.kernels.blocks.finish import Finish
        from ptxlab.kernels.blocks.mainloop import Mainloop, Operand, Operands
        from ptxlab.kernels.blocks.store import DirectStore
        from ptxlab.kernels.blocks.tiling import Tiling

        tiling = Tiling(rows=64, columns=64, consumers=1, splits=2, stages=2)

        @px.kernel(threads=tiling.threads, cluster=2)
        def product(k, a: px.TensorMap, b: px.TensorMap, c: px.Ptr[px.f32]):
            operands = Operands(k, tiling, Operand(a, "K", px.bf16), Operand(b, "K", px.bf16))
            ring = operands.ring()
            finish = Finish(k, tiling, [], arguments=[], extents=(k.mov.u32(64), k.mov.u32(64)), out=px.f32)
            store = DirectStore(k, c, k.mov.u64(256), px.f32, tiling, finish)
            k.init_barriers()
            with k.roles():
                with k.role(warpgroup=0):
                    with k.if_(k.warp == 0), k.elect():
                        operands.fill(ring, 0, 0, k.cluster_ctarank * 64, k.cluster_ctarank * 64 + 64)  # half of K each
                    Exchange.join_barriers(k)
                with k.role(warpgroup=1):
                    main = Mainloop(operands, ring, k.warpgroup - 1)
                    store.begin(k.warpgroup - 1)
                    main.first()
                    main.rest(1)
                    sums = Exchange(k, tiling, ring, k.cluster_ctarank).add(main.results)
                    row, column = k.mov.u32(0), k.cluster_ctarank * tiling.stored_columns
                    store.prefetch_inputs(row, column)
                    store.write(sums[0], row, column)
                    store.end()

        a, b, c = px.empty((64, 128), "bf16"), px.empty((64, 128), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        maps = [px.tensor_map(x, box=(64, 64), swizzle="128B") for x in (a, b)]
        product[2](*maps, c)
        print((c == 256).all())  # True
    """

    BARRIER = 8

    def __init__(self, k: px.Builder, tiling: Tiling, ring: px.Ring, rank: Any) -> None:
        self.k, self.tiling, self.rank = k, tiling, rank
        self.place = max(ring.tiles, key=lambda tile: tile.nbytes)
        self.threads = tiling.consumers * WARPGROUP

    def __repr__(self) -> str:
        return f"<Exchange of {self.tiling}>"

    @staticmethod
    def join_barriers(k: px.Builder) -> None:
        """For warps that take no part: the barriers of the cluster count all threads."""
        k.cluster_sync(aligned=False)
        k.cluster_sync(aligned=False)

    def add(self, results: Sequence[px.Registers]) -> list[list[Any]]:
        """The sums of this CTA's slice of the columns, for each 64 rows."""
        k, t = self.k, self.tiling
        thread = (k.tid.x - WARPGROUP) * VECTOR
        groups = t.columns // 8
        half = groups // t.halves
        word = "f32" if results[0][0].scalar.name == "f32" else "s32"
        add, store = k.add.rn.f32 if word == "f32" else k.add.s32, getattr(k.st.shared.v4, word)
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
