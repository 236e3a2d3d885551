"""What one copy by a tensor map moves: rows, bytes for the barrier, room in shared memory. Of any map, legal or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap import TensorMap
from ptxlab.layout.tensormap_rules import inner_bytes

ALIGNMENT = 128
"""Alignment of a TMA destination or source in shared memory."""


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


def shape(m: TensorMap) -> Shape:
    """The shape of a map's copies. A box takes ⌈extent / element stride⌉ elements a dimension; the element stride of dimension 0
    counts in interleaved maps only. Rows narrower than the swizzle's span have the span as their pitch."""
    row = inner_bytes(m)
    if m.window is not None:
        counts = (m.window.channels, m.window.pixels)
    else:
        steps = m.element_strides if m.interleave != "none" else (1, *m.element_strides[1:])
        counts = tuple(-(-extent // step) for extent, step in zip(m.box, steps, strict=True))
        row = m.element.shared_bytes(counts[0])
    pitch = max(row, f.SPAN[m.swizzle]) if m.swizzle != "none" and m.interleave == "none" else row
    return Shape(counts, row, pitch, math.prod(counts[1:]), max(ALIGNMENT, f.PERIOD[m.swizzle]))
