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
from ptxlab.layout.tensorbox import Box, BoxRows, Offsets, coordinates_fault, element_unit, row_pitch
from ptxlab.layout.tensormap import ISA, Im2col, TensorMap
from ptxlab.layout.tensormap_fields import CORNER_BITS


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
            coordinates: channel, W (, H (, D)), N of the first pixel, in elements; W (, H (, D)), slice, N in an interleaved map.
            offsets: of a load, one per spatial dimension, innermost first; none for a store. They have as many
                bits as a corner; of three, what does not fit runs over into the next one.
            store: see `TileBox.at`.

        Raises: Diagnostic PTX2117, see `check`.
        """
        self.check(coordinates, store=store)
        self._check_start(coordinates)
        if store:
            self._check_inside()
        m = self.map
        channel = m.rank - 2 if self.interleaved else 0

        def walked(values: Sequence[int]) -> tuple[int, ...]:
            return tuple(v for d, v in enumerate(values) if d != channel)

        dims, strides = walked(m.dims), walked((self.unit, *m.strides))
        places = _walk(dims, walked(m.element_strides), self.window, walked(coordinates))
        shift = np.zeros((len(dims), 1), np.int64)
        shift[: len(offsets), 0] = _packed(offsets, CORNER_BITS[m.rank])
        places = places + shift
        inside = np.asarray(((places >= 0) & (places < np.array(dims)[:, None])).all(axis=0))
        begin, end = self.inner(coordinates[0], store=store)
        if self.interleaved:
            inside &= 0 <= coordinates[channel] < m.dims[channel]
            begin, end = 0, self.row_bytes
        start = coordinates[channel] * (self.unit, *m.strides)[channel]
        return BoxRows(np.where(inside, np.array(strides) @ places, 0) + start, inside, begin, end)

    def _check_start(self, coordinates: Sequence[int]) -> None:
        first = 0 if self.interleaved else 1
        for d, (low, high) in enumerate(zip(self.window.lower, self.window.upper, strict=True), first):
            end = self.map.dims[d] + high
            if not low <= coordinates[d] < end:
                raise coordinates_fault(
                    f"Coordinate {coordinates[d]} of dimension {d} lies outside the bounding box, which reaches from {low} to "
                    f"{end - 1}; the hardware faults.",
                    "start within the bounding box: offsets move pixels out of it, coordinates do not",
                )

    def _check_inside(self) -> None:
        """What a store demands of the map."""
        w = self.window
        if min(w.lower) < 0 or max(w.upper) > 0:
            raise coordinates_fault(
                f"A store through a map whose bounding box, with corners {w.lower} and {w.upper}, reaches out of the tensor; "
                "the hardware faults.",
                "store through a map with lower corners from 0 up and upper corners from 0 down",
            )


def _packed(offsets: Sequence[int], width: int) -> list[int]:
    """The offsets as the copy engine gets them, in fields of one number: two are cut off, three are added up."""
    field = (1 << width) - 1
    number = sum((o if len(offsets) == 3 else o & field) << width * i for i, o in enumerate(offsets))
    return [number >> width * i & field for i in range(len(offsets))]


@lru_cache(maxsize=4096)
def _walk(dims: tuple[int, ...], steps: tuple[int, ...], window: Im2col, first: tuple[int, ...]) -> Offsets:
    """int64 (dimensions, pixels): where the pixels lie along W, (H, (D,)) N, offsets left out."""
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
    """The geometry of an im2col map, cached. A pixel of an interleaved one is a slice of channels.

    Raises: Diagnostic PTX2118 for tiled maps, PTX2100–PTX2115 for a map that breaks the driver's rules.
    """
    if m.window is None:
        raise Diagnostic("PTX2118", "A tiled map has no pixels.", help="use tile_box", origin=user_span(), isa=ISA)
    raise_all(m.problems())
    row_bytes = m.window.channels * m.element.nbytes if m.interleave == "none" else element_unit(m)
    return Im2colBox(m, m.window.pixels, row_bytes, row_pitch(m, row_bytes))
