"""The online softmax of the rows of scores that a warp has in registers, 16 of each tile.

A lane holds two rows of the accumulator, eight apart, and four lanes share them. Exponents are to base 2: the scale takes care of
that. Sums are those of the lane alone until the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ptxlab as px

LANES = 0xFFFFFFFF


def place_of(register: int) -> tuple[int, int]:
    """Which of the lane's two rows a register of scores belongs to, and how many columns behind the lane's first one it stands."""
    return register // 2 % 2, 8 * (register // 4) + register % 2


class Softmax:
    """The largest score of each row so far, and the sum of exponentials.

    Args:
        scales: by which scores of each row are multiplied, log2(e) included; registers.
    """

    def __init__(self, k: px.Builder, scales: Sequence[Any]) -> None:
        self.k, self.scales = k, scales
        self.top = [k.reg(px.f32) for _ in range(2)]
        self.total = [k.reg(px.f32) for _ in range(2)]

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
            row = [x for i, x in enumerate(scores) if place_of(i)[0] == r]
            best = self._best(row, top)
            down = self._down(r, best, masked=masked)
            shrink = self._power(r, top, down)
            k.mov.f32(best, d=top)
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

    def gather(self) -> None:
        """Sums become those of all four lanes."""
        k = self.k
        for total in self.total:
            for distance in (1, 2):
                k.add.rn.f32(total, k.shfl.sync.bfly.b32(total, distance, 31, LANES), d=total)

    def divisors(self) -> list[Any]:
        """For each row, what results are multiplied by in the end; 0 where no key is visible."""
        k = self.k
        return [k.selp.f32(0.0, k.rcp.approx.ftz.f32(total), total == 0.0) for total in self.total]

    def logarithm(self, r: int) -> Any:
        """The natural logarithm of the sum of exponentials of a row; -inf where no key is visible."""
        k = self.k
        two = k.fma.rn.f32(self.top[r], self.scales[r], k.lg2.approx.ftz.f32(self.total[r]))
        return k.mul.rn.f32(two, math.log(2))
