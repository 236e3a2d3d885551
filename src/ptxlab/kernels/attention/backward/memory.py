"""Memory that the kernels of the backward pass share: statistics of queries, and where one kernel computes all gradients, sums of
dQ and how many tiles have added to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ptxlab import ArrayView
from ptxlab.kernels.attention.backward.tiling import Tiling
from ptxlab.kernels.attention.tiling import padded

ALIGNMENT = 32
"""Numbers: where a part begins; lines of statistics begin at multiples of 4, as TMA wants it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """How the memory is laid out, numbers of 4 bytes.

    Attributes:
        lines: heads of queries of all batches; rows: queries of one. depth: elements of a head that sums are for.
        block: queries whose sums are added together; 0 where there are no sums.
    """

    lines: int
    rows: int
    depth: int
    block: int

    @classmethod
    def of(cls, shape: Sequence[int], t: Tiling) -> Memory:
        """What queries of batches × heads × rows × depth need."""
        batches, heads, rows, depth = shape
        return cls(batches * heads, rows, padded(depth), t.fused.block if t.fused else 0)

    @property
    def blocks(self) -> int:
        """Blocks of a line."""
        return -(-self.rows // self.block) if self.block else 0

    @property
    def parts(self) -> list[int]:
        """Numbers of the statistics, of the counters and of the sums."""
        found = (2 * self.lines * _up(self.rows, 4), self.lines * self.blocks)
        sums = self.lines * self.blocks * self.block * self.depth
        return [*(_up(x, ALIGNMENT) for x in found), sums]

    @property
    def numbers(self) -> int:
        """Of all parts."""
        return sum(self.parts)

    def statistics(self, room: ArrayView) -> ArrayView:
        """Lines × 2 × queries, see `statistics`."""
        pitch = 4 * _up(self.rows, 4)
        return replace(room, shape=(self.lines, 2, self.rows), strides=(2 * pitch, pitch, 4))

    def counters(self, room: ArrayView) -> ArrayView:
        """Of each block of each line how many tiles have added to it, u32."""
        shape = (self.lines, self.blocks)
        return replace(self._part(room, 1, shape), dtype="uint32")

    def sums(self, room: ArrayView) -> ArrayView:
        """The sums of each block of each line."""
        return self._part(room, 2, (self.lines, self.blocks, self.block * self.depth))

    def _part(self, room: ArrayView, number: int, shape: tuple[int, ...]) -> ArrayView:
        strides = tuple(4 * math.prod(shape[i + 1 :]) for i in range(len(shape)))
        return replace(room, address=room.address + 4 * sum(self.parts[:number]), shape=shape, strides=strides)


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
