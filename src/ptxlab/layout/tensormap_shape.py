"""What one copy by a tensor map moves: rows, bytes for the barrier, room in shared memory. Of any map, legal or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensorbox import TMA_ALIGNMENT, element_unit, row_pitch
from ptxlab.layout.tensormap import TensorMap


@dataclass(frozen=True, slots=True)
class Shape:
    """What one copy moves.

    Attributes:
        counts: elements (pixels and channels for im2col) that are taken, innermost first.
        row_bytes: bytes of the innermost extent in shared memory.
        pitch: bytes from row to row there.
        rows: how many.
        alignment: of the buffer in shared memory, so that the swizzle's pattern begins with it.
    """

    counts: tuple[int, ...]
    row_bytes: int
    pitch: int
    rows: int
    alignment: int

    @property
    def transaction_bytes(self) -> int:
        """What a load adds to the barrier's transaction count (expect_tx), whatever lies out of bounds."""
        return self.rows * self.row_bytes

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory from the first row to behind the last one's pitch."""
        return self.rows * self.pitch


def unit_bits(m: TensorMap) -> int:
    """Bits from index to index along dimension 0 in global memory: an element, or a slice of an interleaved map."""
    return m.element.bits if m.interleave == "none" else 8 * element_unit(m)


def shape(m: TensorMap) -> Shape:
    """The shape of a map's copies. A box takes ⌈extent / element stride⌉ elements a dimension, the element stride of dimension 0
    left out, and of an interleaved map one slice of channels."""
    if m.window is not None:
        counts = (m.window.channels, m.window.pixels)
        row = m.element.shared_bytes(counts[0]) if m.interleave == "none" else element_unit(m)
    else:
        taken = [m.box[0], *(-(-e // s) for e, s in zip(m.box[1:], m.element_strides[1:], strict=True))]
        if m.interleave != "none" and m.rank > 1:
            taken[-2] = 1
        counts = tuple(taken)
        row = m.element.shared_bytes(counts[0]) if m.interleave == "none" else counts[0] * element_unit(m)
    return Shape(counts, row, row_pitch(m, row), math.prod(counts[1:]), max(TMA_ALIGNMENT, f.PERIOD[m.swizzle]))
