"""What gather4 and scatter4 move: four rows of a matrix that need not be neighbours.

Not verified on hardware: they came with sm_100.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ptxlab.diag import Diagnostic, raise_all, user_span
from ptxlab.layout.tensorbox import Box, BoxRows, row_pitch
from ptxlab.layout.tensormap import ISA, TensorMap

ROWS = 4


@dataclass(frozen=True, eq=False)
class GatherBox(Box):
    """Four rows, each as wide as the map's box; made once per map by `gather_box`."""

    def at(self, coordinates: Sequence[int], *, store: bool = False) -> BoxRows:
        """The rows.

        Args:
            coordinates: the column of all rows, in elements, and the four rows.
            store: see `TileBox.at`.

        Raises: Diagnostic PTX2117, see `check`.
        """
        column, *rows = coordinates
        for row in rows:
            self.check((column, row), store=store)
        m, index = self.map, np.array(rows, np.int64)
        inside = (index >= 0) & (index < m.dims[1])
        begin, end = self.inner(column, store=store)
        return BoxRows(np.where(inside, index * m.strides[0], 0) + column * self.unit, inside, begin, end)


@lru_cache(maxsize=1024)
def gather_box(m: TensorMap) -> GatherBox:
    """The geometry of four rows, cached.

    Raises: Diagnostic PTX2118 for a map that is not tiled, not of two dimensions, interleaved, or whose box has several rows;
    PTX2100–PTX2112 for a map that breaks the driver's rules.
    """
    if m.window is not None or m.rank != 2 or m.interleave != "none" or m.box[1] != 1:
        raise Diagnostic(
            "PTX2118",
            "Rows are gathered and scattered through tiled maps of two dimensions whose box is one row.",
            help="make the map with box=(columns, 1)",
            origin=user_span(),
            isa=ISA,
        )
    raise_all(m.problems())
    row_bytes = m.box[0] * m.element.nbytes
    return GatherBox(m, ROWS, row_bytes, row_pitch(m, row_bytes))
