"""What a copy in im2col mode moves: pixels of an image, each a row of channels, one after the other in shared memory.

The pixels are those of a bounding box, which the map's corners place within the image or around it: along each dimension it
reaches from `lower` to `dims + upper`. A copy begins at its coordinates and walks along W by the element stride, at the end of
the box on to the next row from the lower corner, and so on through H, D and N. The offsets of a load shift all pixels; what then
lies outside the image is filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ptxlab.diag import Diagnostic, raise_all, user_span
from ptxlab.layout.tensorbox import Box, BoxRows, Offsets, row_pitch
from ptxlab.layout.tensormap import ISA, Im2col, TensorMap


@dataclass(frozen=True, eq=False)
class Im2colBox(Box):
    """Geometry of an im2col map; made once per map by `im2col_box`. Rows are pixels."""

    @property
    def window(self) -> Im2col:
        """The map's bounding box."""
        assert self.map.window is not None
        return self.map.window

    def at(self, coordinates: Sequence[int], offsets: Sequence[int] = (), *, store: bool = False) -> BoxRows:
        """The pixels from the one at these coordinates on.

        Args:
            coordinates: channel, W (, H (, D)), N of the first pixel, in elements.
            offsets: of a load, one per spatial dimension, innermost first; none for a store.
            store: see `TileBox.at`.

        Raises: Diagnostic PTX2117, see `check`.
        """
        self.check(coordinates, store=store)
        m = self.map
        begin, end = self.inner(coordinates[0], store=store)
        places = self._pixels(tuple(coordinates[1:]))
        shift = np.zeros((m.rank - 1, 1), np.int64)
        shift[: len(offsets), 0] = offsets
        places = places + shift
        extents = np.array(m.dims[1:], np.int64)[:, None]
        inside = np.asarray(((places >= 0) & (places < extents)).all(axis=0))
        strides = np.array(m.strides, np.int64)[:, None]
        start = coordinates[0] * m.element.nbytes
        return BoxRows(np.where(inside, (places * strides).sum(axis=0), 0) + start, inside, begin, end)

    def _pixels(self, first: tuple[int, ...]) -> Offsets:
        """int64 (rank - 1, pixels): where the pixels lie along W, (H, (D,)) N, offsets left out."""
        return _walk(self.map.dims[1:], self.map.element_strides[1:], self.window, first)


@lru_cache(maxsize=4096)
def _walk(dims: tuple[int, ...], steps: tuple[int, ...], window: Im2col, first: tuple[int, ...]) -> Offsets:
    out = np.empty((len(dims), window.pixels), np.int64)
    index = np.arange(window.pixels)
    for d, (low, high) in enumerate(zip(window.lower, window.upper, strict=True)):
        step, end = steps[d], dims[d] + high
        alone = max(1, -(-(end - first[d]) // step))  # pixels up to the first turn
        turn = max(1, -(-(end - low) // step))
        later = index - alone
        out[d] = np.where(later < 0, first[d] + index * step, low + later % turn * step)
        index = np.where(later < 0, 0, 1 + later // turn)
    out[-1] = first[-1] + index * steps[-1]
    out.flags.writeable = False
    return out


@lru_cache(maxsize=1024)
def im2col_box(m: TensorMap) -> Im2colBox:
    """The geometry of an im2col map, cached.

    Raises: Diagnostic PTX2118 for tiled and interleaved maps, PTX2100–PTX2115 for a map that breaks the driver's rules.
    """
    if m.window is None or m.interleave != "none":
        kind = "tiled" if m.window is None else f"interleaved ({m.interleave}) im2col"
        raise Diagnostic("PTX2118", f"Where {kind} maps put pixels is not modelled.", origin=user_span(), isa=ISA)
    raise_all(m.problems())
    row_bytes = m.window.channels * m.element.nbytes
    return Im2colBox(m, m.window.pixels, row_bytes, row_pitch(m, row_bytes))
