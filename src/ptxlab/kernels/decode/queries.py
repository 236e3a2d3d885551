"""The queries of a warp, in registers as mma takes its left matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.softmax import LANES
from ptxlab.kernels.decode.program import Program
from ptxlab.kernels.decode.schedule import Segment
from ptxlab.kernels.decode.tiling import ROWS

EXPONENT, ONE = 0x7F800000, 1 << 23
"""Where f32 has its exponent, and what raises it by one."""
HIGHEST = 14
"""The exponent that the largest element of a row gets in f16; sums of squares of so large elements are far from infinite in f32."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the lane. `row`: among those that share keys; `query` of the sequence, `head` of the queries: px.s32 all."""

    row: Any
    query: Any
    head: Any


def lines(p: Program, segment: Segment, part: Any) -> list[Line]:
    """The lane's two rows of a part. Rows behind the last one are computed as it is, and not stored."""
    k, t = p.k, p.tiling
    first = segment.strip * t.rows + part * ROWS + k.cvt.s32.u32(k.laneid >> 2)
    most = p.rows * p.group - 1
    found: list[Line] = []
    for row in (first, first + 8):
        inside = k.min.s32(row, most)
        query = inside // p.group
        found.append(Line(row, query, segment.head * p.group + (inside - query * p.group)))
    return found


class Queries:
    """16 rows: for each 16 elements the four registers of the left matrix.

    Where keys are of fp8, elements stand as those of keys do: a lane has four neighbours of a row instead of two and two. bf16 then
    becomes f16: each row is brought to its range by a power of two, with which its scores are multiplied again.

    Attributes:
        steps: registers. powers: for each row of the lane, the power of two; None: there is none.
    """

    def __init__(self, p: Program) -> None:
        k = self.k = p.k
        self.p = p
        self.steps = [[k.reg(px.b32) for _ in range(4)] for _ in range(p.form.depth // ROWS)]
        self.scaled = p.form.narrow and p.form.dtype is px.bf16
        self.powers = [k.reg(px.f32) for _ in range(2)] if self.scaled else None

    def load(self, batch: Any, rows: list[Line]) -> None:
        """Those of a segment."""
        k, narrow = self.k, self.p.form.narrow
        for r, line in enumerate(rows):
            at = self.p.queries.at(k, batch, line.query, line.head).at((k.laneid & 3) * (8 if narrow else 4))
            for i, step in enumerate(self.steps):
                for half, register in enumerate((step[r], step[r + 2])):
                    k.ld.global_.b32(at.at(32 * i + (4 if narrow else 16) * half), d=register)
            if self.powers is not None:
                self._scale(r, self.powers[r])

    def _scale(self, r: int, power: Any) -> None:
        """A row of bf16 becomes f16."""
        k = self.k
        words = [register for step in self.steps for register in (step[r], step[r + 2])]
        largest = k.abs.bf16x2(words[0])
        for word in words[1:]:
            largest = k.max.bf16x2(largest, k.abs.bf16x2(word))
        top = k.max.f32(*self._halves(largest))
        for distance in (1, 2):
            top = k.max.f32(top, k.shfl.sync.bfly.b32(top, distance, 31, LANES))
        exponent = k.max.u32(k.and_.b32(top, EXPONENT), (HIGHEST + 1) * ONE)
        k.mov.b32(k.sub.u32(exponent, HIGHEST * ONE), d=power)
        inverse = k.mov.b32(k.sub.u32((254 + HIGHEST) * ONE, exponent))
        for word in words:
            low, high = (k.mul.rn.f32(x, inverse) for x in self._halves(word))
            k.cvt.rn.f16x2.f32(high, low, d=word)

    def _halves(self, word: Any) -> list[Any]:
        """Both elements of a word, as f32."""
        return [self.k.cvt.f32.bf16(x) for x in self.k.unpack(word, px.b16)]
