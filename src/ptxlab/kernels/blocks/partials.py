"""Adds the sums of CTAs or clusters that share a tile, through memory, always in the same order, so that results are the same bits.

Each writes its sums and counts. The last one to come adds all of them in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.exchange import VECTOR, Exchange
from ptxlab.kernels.blocks.tiling import WARPGROUP, Tiling


class Partials:
    """Adds up the sums of the CTAs or clusters that share a tile (`Tiling.shares`), through memory. The consumers call `last`.

    Args:
        tiling: how the product is cut; it has `shares` of 2 or more.
        sums: memory for f32, `partial_sums(tiling)` for each tile. counters: `tiling.slices` words for each tile, zero at first;
            they are zero again when the grid has ended.
    """

    BARRIER = Exchange.BARRIER
    IN_FLIGHT = 64
    """Sums that a thread reads before it adds them."""

    def __init__(self, k: px.Builder, tiling: Tiling, sums: Any, counters: Any) -> None:
        self.k, self.tiling, self.sums, self.counters = k, tiling, sums, counters
        self.threads = tiling.consumers * WARPGROUP
        self.before = k.smem(px.u32, (1,), name="shares_before")

    @contextmanager
    def last(self, sums: Sequence[Sequence[Any]], slot: Any, share: Any) -> Generator[list[list[Any]], None, None]:
        """The block is executed by the last CTA to come, with the sums of all.

        Args:
            sums: of this CTA, for each 64 rows. slot: the number of the tile, or of its slice: a register, or an int.
            share: this CTA's part of the sum, a register.
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
    """
    return tiling.shares * tiling.rows * tiling.columns
