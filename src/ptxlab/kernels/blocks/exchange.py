"""Adds the partial sums of CTAs that split K, always in the same order, so that results are the same bits.

Within a cluster, each CTA puts its sums into its shared memory, where the ring was. Then each reads its slice of the columns from
all of them, through the cluster's shared memory, and adds in the order of ranks (`Exchange`).

Clusters that share a tile write their sums to memory, and count. The last one to come adds all of them in the order of their
numbers (`Partials`).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
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


class Partials:
    """Adds up the sums of the CTAs or clusters that share a tile (`Tiling.shares`), through memory. The consumers call `last`.

    Args:
        tiling: how the product is cut; it has `shares` of 2 or more.
        sums: memory for f32, `partial_sums(tiling)` for each tile. counters: `tiling.slices` words for each tile, zero at first;
            they are zero again when the grid has ended.

    Example:
        from ptxlab.kernels.blocks.exchange import Partials, partial_sums
        from ptxlab.kernels.blocks.tiling import Tiling

        tiling = Tiling(rows=64, columns=8, consumers=1, swapped=True, shares=3)

        @px.kernel(threads=256)
        def total(k, sums: px.Ptr[px.f32], counters: px.Ptr[px.u32], y: px.Ptr[px.f32]):
            partials = Partials(k, tiling, sums, counters)
            with k.if_(k.tid.x >= 128):
                mine = [k.mov.f32(i) for i in range(4)]
                with partials.last([mine], 0, k.ctaid.x) as (added,):
                    k.st.global_.f32(y[k.tid.x - 128], added[3])

        sums, counters, y = px.empty((partial_sums(tiling),)), px.empty((1,), "u32"), px.empty((128,))
        counters[:] = 0
        total[3](sums, counters, y)
        print(y[127], counters[0])  # 9.0 0
    """

    BARRIER = Exchange.BARRIER
    IN_FLIGHT = 64
    """Sums that a thread reads before it adds them."""

    def __init__(self, k: px.Builder, tiling: Tiling, sums: Any, counters: Any) -> None:
        self.k, self.tiling, self.sums, self.counters = k, tiling, sums, counters
        self.threads = tiling.consumers * WARPGROUP
        self.before = k.smem(px.u32, (1,), name="shares_before")

    def __repr__(self) -> str:
        return f"<Partials of {self.tiling}>"

    @contextmanager
    def last(self, sums: Sequence[Sequence[Any]], slot: Any, share: Any) -> Generator[list[list[Any]], None, None]:
        """The block is executed by the last CTA to come, with the sums of all.

        Args:
            sums: of this CTA, for each 64 rows. slot: the number of the tile, or of its slice: a register, or an int.
            share: this CTA's part of the sum, a register.

        Example: see Partials
        """
        k, count = self.k, self.tiling.shares
        word = "f32" if sums[0][0].scalar.name == "f32" else "s32"
        groups = sum(len(block) for block in sums) // 4
        thread = k.tid.x - WARPGROUP
        step = groups * self.threads * VECTOR
        first = k.mad.wide.u32(thread, VECTOR, k.mad.lo.u64(k.cvt.u64.u32(k.mov.u32(slot)), count * step, self.sums))
        mine = px.Address.of(k.mad.wide.u32(share, step, first), space="global")
        values = [x for block in sums for x in block]
        for j in range(groups):
            getattr(k.st.global_.v4, word)(mine + j * self.threads * VECTOR, values[4 * j : 4 * j + 4])
        k.bar.sync(self.BARRIER, self.threads)
        with k.if_(thread == 0):  # releases what the barrier has ordered before it, and acquires what others released
            counter = px.Address.of(k.mad.wide.u32(k.mov.u32(slot), 4, self.counters), space="global")
            k.st.shared.u32(self.before[0], k.atom.acq_rel.gpu.global_.inc.u32(counter, count - 1))
        k.bar.sync(self.BARRIER, self.threads)
        with k.if_(k.ld.shared.u32(self.before[0]) == count - 1):
            yield self._added(px.Address.of(first, space="global"), [len(block) for block in sums], word)

    def _added(self, first: px.Address, lengths: Sequence[int], word: str) -> list[list[Any]]:
        """The sums of all shares, added in their order."""
        k, groups = self.k, sum(lengths) // 4
        add, load = k.add.rn.f32 if word == "f32" else k.add.s32, getattr(k.ld.global_.v4, word)
        total: list[Any] = []
        together = max(1, self.IN_FLIGHT // (4 * groups))
        for start in range(0, self.tiling.shares, together):
            shares = range(start, min(start + together, self.tiling.shares))
            at = [first + (share * groups + j) * self.threads * VECTOR for share in shares for j in range(groups)]
            read = [x for place in at for x in load(place)]
            for i in range(0, len(read), 4 * groups):
                some = read[i : i + 4 * groups]
                total = [add(x, y) for x, y in zip(total, some, strict=True)] if total else some
        found: list[list[Any]] = []
        for length in lengths:
            found.append(total[:length])
            total = total[length:]
        return found


def partial_sums(tiling: Tiling) -> int:
    """Numbers of f32 that the shares of one tile write.

    Args:
        tiling: how the product is cut.

    Example: see Partials
    """
    return tiling.shares * tiling.rows * tiling.columns
