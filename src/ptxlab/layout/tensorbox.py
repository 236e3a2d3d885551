"""What one TMA copy moves: the rows of a box in global memory and the places of their 16-byte chunks in shared memory.

A row is the box's extent along the innermost dimension: contiguous on both sides, a whole number of 16-byte chunks. Rows follow
each other with dimension 1 running fastest. In shared memory their pitch is the row's length, or the swizzle span where that is
wider (seen on an H100: the bytes between are not touched, and the barrier counts the box's bytes only).

Interleaved maps have the dimensions W, (H, (D,)) C, N, with slices of 16 or 32 bytes of channels for elements: W counts slices,
and a copy takes one slice of C, whatever the box says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic, raise_all, user_span
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.swizzles import CHUNK, swizzle, swizzle_atom, swizzle_mode
from ptxlab.layout.tensormap import ISA, TensorMap

Offsets = NDArray[np.int64]

TMA_ALIGNMENT = 128
"""Alignment of a TMA destination or source in shared memory."""
NAN_PATTERN = b"\xf7\x7f" * (CHUNK // 2)
"""What an H100 writes for elements out of bounds with the fill "nan", for elements of 2, 4 and 8 bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class BoxRows:
    """The rows of a box at given coordinates.

    Attributes:
        offsets: byte offset of each row's first element from the tensor's address (negative where the box begins before it).
        inside: which rows lie within the tensor along dimensions 1 … rank − 1; None if all do.
        begin, end: the bytes [begin, end) of every row that lie within the tensor along dimension 0; begin is a multiple
            of 16. Empty (begin = end) where the row lies outside altogether.
    """

    offsets: Offsets
    inside: NDArray[np.bool_] | None
    begin: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class BoxChunks:
    """The 16-byte chunks of a box; arrays of shape (rows, chunks of a row).

    Attributes:
        global_offset: byte offset from the tensor's address.
        shared_offset: byte offset from the shared-memory address of the box, swizzled.
        valid: bytes of the chunk that lie within the tensor, 0–16, from its beginning.
    """

    global_offset: Offsets
    shared_offset: Offsets
    valid: Offsets


@dataclass(frozen=True, eq=False)
class Box:
    """What a copy through a map moves: rows of 16-byte chunks.

    Attributes:
        map: the tensor map.
        rows: how many there are.
        row_bytes: bytes of a row.
        pitch: bytes from row to row in shared memory.
    """

    map: TensorMap
    rows: int
    row_bytes: int
    pitch: int

    @property
    def interleaved(self) -> bool:
        """Whether the elements are slices of channels."""
        return self.map.interleave != "none"

    @property
    def unit(self) -> int:
        """Bytes from element to element along dimension 0."""
        return element_unit(self.map)

    @property
    def nbytes(self) -> int:
        """Bytes that a load adds to the barrier's transaction count (the expect_tx), whatever lies out of bounds."""
        return self.rows * self.row_bytes

    @property
    def footprint(self) -> int:
        """Bytes of shared memory that the box takes, its pitch and swizzle included."""
        return self.rows * self.pitch

    @property
    def alignment(self) -> int:
        """Alignment in shared memory with which the layout is the textbook one: 128 bytes, or the swizzle's atom."""
        return max(TMA_ALIGNMENT, swizzle_atom(swizzle_mode(self.map.swizzle)))

    @property
    def fill(self) -> bytes:
        """The 16 bytes that a load writes for a chunk out of bounds."""
        return NAN_PATTERN if self.map.oob_fill == "nan" else bytes(CHUNK)

    def shared_chunks(self, base: int = 0) -> Offsets:
        """Byte offset from `base` of each chunk in shared memory, swizzled by absolute address; int64 (rows, chunks of a row).

        Args:
            base: shared-memory address of the box, a multiple of 128. The result is shared and read-only.

        Raises: Diagnostic PTX2117 for another base.
        """
        if base % TMA_ALIGNMENT:
            raise coordinates_fault(
                f"Shared-memory address {base:#x} of a TMA copy is not a multiple of {TMA_ALIGNMENT}.",
                f"declare the buffer with align={self.alignment}",
            )
        return _shared_chunks(self.rows, self.row_bytes, self.pitch, self.map.swizzle, base % 1024)

    def check(self, coordinates: Sequence[int], *, store: bool = False) -> None:
        """Raise what the hardware would fault on: PTX2117 for coordinates of another rank, for an inner coordinate that is not
        a multiple of 16 bytes, and for a store (or reduction) with a negative coordinate."""
        m = self.map
        if len(coordinates) != m.rank:
            raise coordinates_fault(
                f"{len(coordinates)} coordinates for a tensor map of {m.rank} dimensions.",
                f"give {m.rank}, innermost dimension first",
            )
        size = self.unit
        if coordinates[0] * size % CHUNK:
            unit = CHUNK // size
            low = coordinates[0] // unit * unit
            raise coordinates_fault(
                f"The inner coordinate {coordinates[0]} × {size} B is not a multiple of {CHUNK} bytes; the hardware faults.",
                f"use {low} or {low + unit}",
            )
        if store and any(c < 0 for c in coordinates):
            raise coordinates_fault(
                f"A store to coordinates {tuple(coordinates)}: negative ones fault.", "stores begin inside the tensor"
            )

    def inner(self, coordinate: int, *, store: bool = False) -> tuple[int, int]:
        """The bytes [begin, end) of a row from this inner coordinate on that lie within the tensor; for a store, whole chunks."""
        size = self.unit
        begin = min(max(0, -coordinate * size), self.row_bytes)
        end = max(begin, min(self.row_bytes, (self.map.dims[0] - coordinate) * size))
        return begin, min(self.row_bytes, -(-end // CHUNK) * CHUNK) if store else end


@dataclass(frozen=True, eq=False)
class TileBox(Box):
    """Geometry of a tiled map's box; made once per map by `tile_box`.

    Attributes:
        counts: elements that a copy takes per dimension, innermost first. With an element stride s, ⌈extent / s⌉; the element
            stride of dimension 0 is not used without interleave.
        steps: int64 (rank, rows): index of each row along each dimension, relative to the box's coordinates (0 for dimension 0
            without interleave; with it every slice is a row).
        relative: int64 (rows,): byte offset of each row from the first one in global memory.
    """

    counts: tuple[int, ...]
    steps: Offsets
    relative: Offsets

    def at(self, coordinates: Sequence[int], *, store: bool = False) -> BoxRows:
        """The rows of the box whose first element has these coordinates (elements, innermost first).

        Args:
            store: with True, `end` is rounded up to 16 bytes, as stores and reductions write whole chunks and so overwrite
                the padding of a row.

        Raises: Diagnostic PTX2117, see `check`.
        """
        self.check(coordinates, store=store)
        m = self.map
        start = coordinates[0] * self.unit + sum(c * s for c, s in zip(coordinates[1:], m.strides, strict=True))
        start = (start + (1 << 63)) % (1 << 64) - (1 << 63)  # addresses wrap around like the hardware's
        begin, end = (0, self.row_bytes) if self.interleaved else self.inner(coordinates[0], store=store)
        inside: NDArray[np.bool_] | None = None
        for d in range(0 if self.interleaved else 1, m.rank):
            c, last = coordinates[d], coordinates[d] + (self.counts[d] - 1) * m.element_strides[d]
            if c >= 0 and last < m.dims[d]:
                continue
            index = self.steps[d] + c
            within = (index >= 0) & (index < m.dims[d])
            inside = within if inside is None else inside & within
        return BoxRows(self.relative + start, inside, begin, end)


def element_unit(m: TensorMap) -> int:
    """Bytes from element to element along dimension 0: the element's size, or a slice of an interleaved map."""
    return m.element.nbytes if m.interleave == "none" else int(m.interleave.removesuffix("B"))


def taken(m: TensorMap) -> tuple[int, ...]:
    """Elements that a copy by a tiled map takes per dimension: ⌈extent / element stride⌉. The element stride of dimension 0 counts
    in interleaved maps only, and of those a copy takes one slice of channels."""
    counts = [-(-b // s) for b, s in zip(m.box, m.element_strides, strict=True)]
    if m.interleave == "none":
        counts[0] = m.box[0]
    else:
        counts[-2:-1] = [1]
    return tuple(counts)


def row_pitch(m: TensorMap, row_bytes: int) -> int:
    """Bytes from row to row in shared memory."""
    if m.interleave != "none":
        return row_bytes
    return max(row_bytes, f.SPAN[m.swizzle]) if m.swizzle != "none" else row_bytes


@lru_cache(maxsize=1024)
def tile_box(m: TensorMap) -> TileBox:
    """The box geometry of a tiled map, cached.

    Raises: Diagnostic PTX2118 for im2col maps (see `im2col_box`), PTX2100–PTX2112 for a map that breaks the driver's rules.
    """
    if m.window is not None:
        raise Diagnostic(
            "PTX2118",
            "An im2col map has pixels for a box.",
            help="use im2col_box, or a tiled map",
            origin=user_span(),
            isa=ISA,
        )
    raise_all(m.problems())
    counts = taken(m)
    if m.interleave == "none":
        row_bytes, walked = counts[0] * m.element.nbytes, range(1, m.rank)
    else:  # every slice is a row, since a stride along W may part them
        row_bytes, walked = element_unit(m), range(m.rank)
    shape = [counts[d] for d in reversed(walked)]  # outermost first, so that the innermost of them runs fastest
    rows = math.prod(shape)
    index = np.indices(shape, dtype=np.int64).reshape(len(shape), rows)[::-1]
    steps = np.zeros((m.rank, rows), np.int64)
    relative = np.zeros(rows, np.int64)
    for d, along in zip(walked, index, strict=True):
        steps[d] = along * m.element_strides[d]
        relative += steps[d] * (element_unit(m), *m.strides)[d]
    steps.flags.writeable = relative.flags.writeable = False
    return TileBox(
        m, rows=rows, row_bytes=row_bytes, pitch=row_pitch(m, row_bytes), counts=counts, steps=steps, relative=relative
    )


@lru_cache(maxsize=1024)
def _shared_chunks(rows: int, row_bytes: int, pitch: int, mode: str, phase: int) -> Offsets:
    plain = np.arange(rows, dtype=np.int64)[:, None] * pitch + np.arange(0, row_bytes, CHUNK, dtype=np.int64)
    out = np.asarray(swizzle(plain + phase, swizzle_mode(mode)), np.int64) - phase
    out.flags.writeable = False
    return out


def box_elements(m: TensorMap, coordinates: Sequence[int], shared_base: int = 0, *, store: bool = False) -> BoxChunks:
    """Every 16-byte chunk that a copy at these coordinates moves: where it lies on both sides and how much of it is real.

    Args:
        m: a tiled map without interleave.
        coordinates: of the box's first element, innermost dimension first; may lie outside the tensor for loads.
        shared_base: shared-memory address of the box, a multiple of 128.
        store: shared memory is the source, see `TileBox.at`.

    Raises: Diagnostic PTX2117, PTX2118.
    """
    box = tile_box(m)
    rows = box.at(coordinates, store=store)
    chunk = np.arange(0, box.row_bytes, CHUNK, dtype=np.int64)
    valid = np.where(chunk >= rows.begin, np.clip(rows.end - chunk, 0, CHUNK), 0)
    full = np.broadcast_to(valid, (box.rows, chunk.size)).copy()
    if rows.inside is not None:
        full[~rows.inside] = 0
    return BoxChunks(rows.offsets[:, None] + chunk, box.shared_chunks(shared_base), full)


def coordinates_fault(message: str, help: str) -> Diagnostic:
    """What coordinates or addresses of a copy do that the hardware faults on."""
    return Diagnostic("PTX2117", message, help=help, origin=user_span(), isa=ISA)
