"""What one copy by a tensor map moves: rows, bytes for the barrier, room in shared memory. Of any map, legal or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensorbox import TMA_ALIGNMENT, element_unit, row_pitch, taken
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
    """The shape of a map's copies; for interleaved ones a row is one slice."""
    slices = m.interleave != "none"
    counts = taken(m) if m.window is None else (m.window.channels, m.window.pixels)
    row = element_unit(m) if slices else m.element.shared_bytes(counts[0])
    rows = math.prod(counts if slices and m.window is None else counts[1:])
    return Shape(counts, row, row_pitch(m, row), rows, max(TMA_ALIGNMENT, f.PERIOD[m.swizzle]))
