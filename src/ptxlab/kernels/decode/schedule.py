"""Which blocks of keys a CTA takes.

All blocks of all sequences and heads stand in one line: sequence by sequence, head by head, from the first visible key on. Each CTA
takes an equal piece of it, so that all are busy to the end whatever the lengths are. A head that lies in several pieces is computed
by several CTAs (`combine`). Where the pieces end depends on the lengths and the number of CTAs alone.

Every warp follows the line by itself: lengths stand in global memory, and no warp has to wait for another one.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ptxlab.kernels.attention.softmax import LANES
from ptxlab.kernels.decode.program import Program
from ptxlab.kernels.decode.tiling import WARP

TOGETHER = 4
"""Lengths that a lane reads at a time."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Blocks of a head of keys that a CTA takes one after the other. All but `place` are px.s32.

    Attributes:
        batch: the sequence. head: of keys. strip: which rows of its queries, in so many as a CTA has. length: keys of the sequence.
        first, stop: blocks, counted from the sequence's first key. begin: the head's first block, counted in the line of all.
    """

    batch: Any
    head: Any
    strip: Any
    length: Any
    first: Any
    stop: Any
    begin: Any


class Schedule:
    """The CTA's piece, as one warp follows it. All numbers are px.s32.

    Args:
        strips: CTAs' worth of rows of queries that a head of keys has.
    """

    def __init__(self, p: Program) -> None:
        k = self.k = p.k
        self.p = p
        self.strips = (p.rows * p.group + (p.tiling.rows - 1)) // p.tiling.rows
        self.lines = p.heads * self.strips
        self.lane = k.cvt.s32.u32(k.laneid)
        self._divide(self._total())
        self._find()

    # --- pieces ----------------------------------------------------------------------------------------------------------------
    def _blocks(self, length: Any) -> tuple[Any, Any]:
        """The first visible block of a sequence, and how many there are: one at least."""
        t = self.p.tiling
        first, end = self.p.band(length).blocks(self.k.mov.s32(0), self.p.rows, t.keys)
        return first, end - first

    def _counts(self, base: Any) -> list[Any]:
        """Blocks of a head in the lane's four of 128 sequences; 0 where there is none. All loads are in flight together."""
        k, p = self.k, self.p
        batches = [base + self.lane * TOGETHER + i for i in range(TOGETHER)]
        lengths = [p.length(batch, pred=batch < p.batches) for batch in batches]
        found = [self._blocks(length)[1] for length in lengths]
        return [k.selp.s32(count, 0, batch < p.batches) for count, batch in zip(found, batches, strict=True)]

    def _total(self) -> Any:
        """Blocks of all sequences. All lanes count."""
        k = self.k
        mine = k.mov.s32(0)
        with k.loop(self.p.batches, step=TOGETHER * WARP) as base:
            for count in self._counts(base):
                mine += count
        return k.redux.sync.add.s32(mine, LANES) * self.lines

    def _divide(self, total: Any) -> None:
        """The piece of this CTA, from `at` to `end`."""
        k = self.k
        ctas = k.cvt.s32.u32(k.nctaid.x)
        self.ctas = k.max.s32(k.min.s32(total // self.p.tiling.least, ctas), 1)
        self.each = total // self.ctas
        self.longer = total - self.each * self.ctas
        cta = k.cvt.s32.u32(k.ctaid.x)
        self.at = k.mov.s32(k.min.s32(self._begin(cta), total))
        self.end = k.min.s32(self._begin(cta + 1), total)

    def _begin(self, cta: Any) -> Any:
        """Where the piece of a CTA begins: the first ones have a block more."""
        return cta * self.each + self.k.min.s32(cta, self.longer)

    def takers(self, segment: Segment) -> tuple[Any, Any]:
        """The CTAs that take a head's first and last block. Asked for where a segment ends: before, they would take registers."""
        return self._taker(segment.begin), self._taker(segment.begin + (self.count - 1))

    def _taker(self, block: Any) -> Any:
        """The CTA that takes a block of the line."""
        k = self.k
        long = self.each + 1
        behind = block - self.longer * long
        return k.selp.s32(block // long, self.longer + behind // self.each, behind < 0)

    # --- sequences -------------------------------------------------------------------------------------------------------------
    def _find(self) -> None:
        """The sequence in which the piece begins: of 128 at a time the lane that has it by running sums, then one of its four."""
        k, p = self.k, self.p
        self.batch, self.base, going = k.mov.s32(0), k.mov.s32(0), k.mov.s32(1)
        self.length, self.first, self.count = (k.mov.s32(0) for _ in range(3))
        with k.while_(lambda: (going == 1) & (self.batch < p.batches)):
            blocks = [count * self.lines for count in self._counts(self.batch)]
            sums = self._running(sum(blocks[1:], blocks[0]))
            lane = k.cvt.s32.u32(k.popc.b32(k.vote.sync.ballot.b32(self.base + sums <= self.at, LANES)))
            before = self._of_lane(sums, k.max.s32(lane - 1, 0))
            self.base += k.selp.s32(0, before, lane == 0)
            self.batch += lane * TOGETHER
            k.mov.s32(k.selp.s32(1, 0, lane == WARP), d=going)
            passes = going == 0
            for count in blocks[:-1]:
                mine = self._of_lane(count, lane)
                passes = passes & (self.base + mine <= self.at)
                self.base += k.selp.s32(mine, 0, passes)
                self.batch += k.selp.s32(1, 0, passes)
        self._enter()

    def _of_lane(self, number: Any, lane: Any) -> Any:
        """Another lane's number."""
        return self.k.mov.s32(self.k.shfl.sync.idx.b32(number, lane, 31, LANES))

    def _running(self, numbers: Any) -> Any:
        """The sum of this lane's number and those of the lanes before it."""
        k = self.k
        total = k.mov.s32(numbers)
        for distance in (1, 2, 4, 8, 16):
            other = k.mov.s32(k.shfl.sync.up.b32(total, distance, 0, LANES))
            total += k.selp.s32(other, 0, self.lane >= distance)
        return total

    def _enter(self) -> None:
        """Where the sequence's blocks are."""
        k, p = self.k, self.p
        found = p.length(self.batch, pred=self.batch < p.batches)
        first, count = self._blocks(found)
        for value, register in ((found, self.length), (first, self.first), (count, self.count)):
            k.mov.s32(value, d=register)

    @contextmanager
    def segments(self) -> Generator[Segment, None, None]:
        """Loop over what this CTA takes."""
        k = self.k
        with k.while_(lambda: self.at < self.end):
            with k.if_(self.at >= self.base + self.count * self.lines):
                self.base += self.count * self.lines
                self.batch += 1
                self._enter()
            within = self.at - self.base
            line = within // self.count
            before = within - line * self.count
            stop = k.min.s32(self.count, before + (self.end - self.at))
            head = line // self.strips
            yield Segment(
                self.batch,
                head,
                line - head * self.strips,
                self.length,
                first=self.first + before,
                stop=self.first + stop,
                begin=self.at - before,
            )
            self.at += stop - before
