"""What a copy in the modes im2col::w and im2col::w::128 moves: pixels of one row of an image, and halo pixels behind them.

The bounding box has one pixel along H and D, where the coordinates place it, and along W it reaches from `lower` to
`dims + upper`. A copy walks along W by the element stride, and at the end of the box goes on with the next image. Behind the map's
pixels (im2col::w), or behind every 32 of 128 (im2col::w::128), come the halo's: those next to the last one along W, in the box or
not. The offset shifts the box and all pixels along W; what then lies outside the image is filled.

Not verified on hardware: they came with sm_100.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ptxlab.diag import Diagnostic, raise_all, user_span
from ptxlab.layout.tensorbox import Box, BoxRows, Offsets, coordinates_fault, row_pitch
from ptxlab.layout.tensormap import ISA, Im2col, TensorMap

PIXELS_128, GROUP_128 = 128, 32
"""Pixels of a copy in mode im2col::w::128, whatever the map says, and after how many of them a halo follows."""
HALO_BITS = 16


@dataclass(frozen=True, eq=False)
class WideBox(Box):
    """Geometry of an im2col map whose pixels are taken along W alone; made once per map and halo by `wide_box`. Rows are pixels.

    Attributes:
        pixels: without the halo. group: after how many of them a halo follows.
        halo: pixels of one.
    """

    pixels: int
    group: int
    halo: int

    @property
    def window(self) -> Im2col:
        """The map's bounding box; of its corners only W's count."""
        assert self.map.window is not None
        return self.map.window

    def at(self, coordinates: Sequence[int], offset: int = 0) -> BoxRows:
        """The pixels from the one at these coordinates on.

        Args:
            coordinates: channel, W (, H (, D)), N of the first pixel, in elements. W may lie before the bounding box.
            offset: added to W and to both corners of the box.

        Raises: Diagnostic PTX2117, see `check`, and for a start behind the box.
        """
        self.check(coordinates)
        m, first = self.map, coordinates[1:]
        low, end = self.window.lower[0], m.dims[1] + self.window.upper[0]
        if first[0] >= end:
            raise coordinates_fault(
                f"Coordinate {first[0]} of dimension 1 lies behind the bounding box, which ends with {end - 1}.",
                "start within the bounding box or on its left",
            )
        w, n = _along(
            first[0], low=low, end=end, step=m.element_strides[1], pixels=self.pixels, group=self.group, halo=self.halo
        )
        places = np.empty((m.rank - 1, self.rows), np.int64)
        places[0], places[1:-1], places[-1] = (
            w + offset,
            np.array(first[1:-1])[:, None],
            first[-1] + n * m.element_strides[-1],
        )
        inside = np.asarray(((places >= 0) & (places < np.array(m.dims[1:])[:, None])).all(axis=0))
        begin, last = self.inner(coordinates[0], store=False)
        strides = np.array(m.strides, np.int64)
        return BoxRows(np.where(inside, strides @ places, 0) + coordinates[0] * self.unit, inside, begin, last)


@lru_cache(maxsize=1024)
def _along(first: int, low: int, end: int, step: int, pixels: int, group: int, halo: int) -> tuple[Offsets, Offsets]:
    """W, and how many images further on, of every pixel, halos included."""
    index = np.arange(pixels)
    alone, turn = max(1, -(-(end - first) // step)), max(1, -(-(end - low) // step))
    later = index - alone
    w = np.where(later < 0, first + index * step, low + later % turn * step).reshape(-1, group)
    n = np.where(later < 0, 0, 1 + later // turn).reshape(-1, group)
    beside = w[:, -1:] + np.arange(1, halo + 1) * step
    return np.hstack([w, beside]).ravel(), np.hstack([n, np.repeat(n[:, -1:], halo, axis=1)]).ravel()


@lru_cache(maxsize=1024)
def wide_box(m: TensorMap, halo: int, *, fixed: bool = False) -> WideBox:
    """The geometry of an im2col map for copies along W alone, cached.

    Args:
        m: the map, as `TensorMap.im2col_wide` makes it.
        halo: pixels of the halo, 0 to 2^16 - 1.
        fixed: of mode im2col::w::128.

    Raises: Diagnostic PTX2118 for tiled and interleaved maps, PTX2100–PTX2115 for a map that breaks the driver's rules.
    """
    if m.window is None or m.interleave != "none":
        kind = "A tiled" if m.window is None else "An interleaved"
        raise Diagnostic(
            "PTX2118",
            f"{kind} map has no pixels to be taken along W alone.",
            help="make the map with TensorMap.im2col_wide, without interleave",
            origin=user_span(),
            isa=ISA,
        )
    raise_all(m.problems())
    pixels = PIXELS_128 if fixed else m.window.pixels
    group = GROUP_128 if fixed else pixels
    row_bytes = m.window.channels * m.element.nbytes
    return WideBox(
        m,
        rows=pixels + pixels // group * halo,
        row_bytes=row_bytes,
        pitch=row_pitch(m, row_bytes),
        pixels=pixels,
        group=group,
        halo=halo,
    )
