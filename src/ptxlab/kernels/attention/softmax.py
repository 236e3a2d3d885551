"""The online softmax of the rows of scores that a warp has in registers, 16 of each tile.

A lane holds two rows of the accumulator, eight apart, and four lanes share them. Exponents are to base 2: the scale takes care of
that. Sums are those of the lane alone until the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.scores import row_of

LANES = 0xFFFFFFFF


class Softmax:
    """The largest score of each row so far, and the sum of exponentials; `shift`, with the divisors: the exponent that they lack.

    Args:
        scales: by which scores of each row are multiplied, log2(e) included; registers.
        lift: the exponent of the largest exponential, where small ones would be lost to a type of few bits.
    """

    def __init__(self, k: px.Builder, scales: Sequence[Any], lift: int = 0) -> None:
        self.k, self.scales, self.lift = k, scales, lift
        self.top = [k.reg(px.f32) for _ in range(2)]
        self.total = [k.reg(px.f32) for _ in range(2)]
        self.shift = [k.reg(px.f32) for _ in range(2)]

    def begin(self) -> None:
        """A new tile."""
        for top, total in zip(self.top, self.total, strict=True):
            self.k.mov.f32(-math.inf, d=top)
            self.k.mov.f32(0.0, d=total)

    def update(self, scores: Sequence[Any], *, masked: bool) -> list[Any]:
        """Make exponentials of the scores of a block, in place.

        Args:
            masked: whether all scores of a row so far may be -inf.

        Returns: for each row, what was summed before has to be multiplied by.
        """
        k, shrinks = self.k, list[Any]()
        for r, (top, total) in enumerate(zip(self.top, self.total, strict=True)):
            row = [x for i, x in enumerate(scores) if row_of(i) == r]
            best = self._best(row, top)
            down = self._down(r, best, masked=masked)
            shrink = self._power(r, top, down)
            k.mov.f32(best, d=top)
            down = k.add.rn.f32(down, float(self.lift)) if self.lift else down
            for x in row:
                self._power(r, x, down, d=x)
            k.fma.rn.f32(total, shrink, self._sum(row), d=total)
            shrinks.append(shrink)
        return shrinks

    def merge(self, top: Sequence[Any], total: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Take in what others have found: their largest scores, and their sums, both of all four lanes or both of the lane alone.

        Returns: for each row, what results so far, and those of the others, have to be multiplied by.
        """
        k, factors = self.k, list[tuple[Any, Any]]()
        for r, (mine, sum_) in enumerate(zip(self.top, self.total, strict=True)):
            best = k.max.f32(mine, top[r])
            down = self._down(r, best, masked=True)
            both = self._power(r, mine, down), self._power(r, top[r], down)
            k.mov.f32(best, d=mine)
            k.fma.rn.f32(sum_, both[0], k.mul.rn.f32(total[r], both[1]), d=sum_)
            factors.append(both)
        return factors

    def _down(self, r: int, best: Any, *, masked: bool) -> Any:
        """What exponents of a row are lowered by, as a negative number."""
        k = self.k
        shift = k.mul.rn.f32(best, self.scales[r])
        if masked:
            shift = k.selp.f32(0.0, shift, best == -math.inf)
        return k.neg.f32(shift)

    def _power(self, r: int, score: Any, down: Any, **to: Any) -> Any:
        return self.k.ex2.approx.ftz.f32(self.k.fma.rn.f32(score, self.scales[r], down), **to)

    def _best(self, row: Sequence[Any], top: Any) -> Any:
        """The largest of a row in all four lanes, and of what came before. Two chains: their latencies overlap."""
        k = self.k
        chains = [k.max.f32(top, row[0]), k.mov.f32(row[1])]
        for i, x in enumerate(row[2:]):
            k.max.f32(chains[i % 2], x, d=chains[i % 2])
        best = k.max.f32(*chains)
        for distance in (1, 2):
            best = k.max.f32(best, k.shfl.sync.bfly.b32(best, distance, 31, LANES))
        return best

    def _sum(self, row: Sequence[Any]) -> Any:
        k = self.k
        chains = [k.mov.f32(row[0]), k.mov.f32(row[1])]
        for i, x in enumerate(row[2:]):
            k.add.rn.f32(chains[i % 2], x, d=chains[i % 2])
        return k.add.rn.f32(*chains)

    def complete(self, sink: Any = None) -> list[Any]:
        """`gather`, and then `divisors`."""
        self.gather()
        return self.divisors(sink)

    def gather(self) -> None:
        """Sums become those of all four lanes."""
        k = self.k
        for total in self.total:
            for distance in (1, 2):
                k.add.rn.f32(total, k.shfl.sync.bfly.b32(total, distance, 31, LANES), d=total)

    def divisors(self, sink: Any = None) -> list[Any]:
        """What results are multiplied by in the end.

        Args:
            sink: a logarithm to base 2 that takes part in the sums, a register.

        Returns: for each row, a factor; 0 where no key is visible.
        """
        k, out = self.k, list[Any]()
        for r, (top, total, shift) in enumerate(zip(self.top, self.total, self.shift, strict=True)):
            k.mul.rn.f32(top, self.scales[r], d=shift)
            if self.lift:
                k.add.rn.f32(shift, -float(self.lift), d=shift)
            weight = None if sink is None else self._join(sink, total, shift)
            factor = k.selp.f32(0.0, k.rcp.approx.ftz.f32(total), total == 0.0)
            out.append(factor if weight is None else k.mul.rn.f32(factor, weight))
        return out

    def _join(self, sink: Any, total: Any, shift: Any) -> Any:
        """Add the sink to a sum, relative to the larger of the two. Returns: what has become of the other exponentials."""
        k = self.k
        best = k.max.f32(shift, sink)
        down = k.selp.f32(0.0, k.neg.f32(best), best == -math.inf)
        weight = k.ex2.approx.ftz.f32(k.add.rn.f32(shift, down))
        k.fma.rn.f32(total, weight, k.ex2.approx.ftz.f32(k.add.rn.f32(sink, down)), d=total)
        k.mov.f32(best, d=shift)
        return weight

    def logarithm(self, r: int) -> Any:
        """The natural logarithm of the complete sum of exponentials of a row; -inf where there are none."""
        k = self.k
        two = k.add.rn.f32(self.shift[r], k.lg2.approx.ftz.f32(self.total[r]))
        return k.mul.rn.f32(two, math.log(2))
