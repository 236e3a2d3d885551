"""What is legal in a tensor map and looks wrong: holes, overlaps, waste, traces of another hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.swizzles import CHUNK
from ptxlab.layout.tensormap import TensorMap
from ptxlab.layout.tensormap_shape import shape, unit_bits

SECTOR: Final = 32
"""Bytes that L2 fetches at least."""
LINE: Final = 128
CTA_SHARED: Final = 227 * 1024
"""Shared memory that one CTA can have on sm_90."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that looks wrong.

    Attributes:
        kind: its name, the same in every release.
        message: what is seen.
        help: what to do if it is not meant.
    """

    kind: str
    message: str
    help: str


def doubts(m: TensorMap, data: bytes) -> Iterator[Doubt]:
    """What looks wrong in a map and its 128 bytes; in no way a reason to refuse it."""
    yield from _tensor(m)
    yield from _box(m) if m.window is None else _pixels(m)
    yield from _element_strides(m)
    yield from _shared(m)
    yield from _traffic(m)
    yield from _newer(m)
    yield from _bytes(m, data)


def overlap(m: TensorMap) -> int | None:
    """The first dimension whose neighbours share bytes with what lies within them, strides of 0 left out; None where every
    element is its own."""
    unit = unit_bits(m)
    spans = [(unit, m.dims[0], 0)]
    spans += [(8 * s, d, i) for i, (s, d) in enumerate(zip(m.strides, m.dims[1:], strict=True), 1) if d > 1 and s]
    end = 0  # bits, from the first element to behind the last one of the dimensions so far
    for stride, dim, i in sorted(spans):
        if stride < end:
            return i
        end = (end or unit) + (dim - 1) * stride
    return None


def _tensor(m: TensorMap) -> Iterator[Doubt]:
    if not m.address:
        yield Doubt("null-address", "The tensor starts at address 0.", "give the address of an array")
    for i, (stride, dim) in enumerate(zip(m.strides, m.dims[1:], strict=True), 1):
        if not stride and dim > 1:
            yield Doubt(
                "stride-zero",
                f"Dimension {i} has stride 0: all its {dim} indices are the same elements, and stores to them race.",
                "right for a broadcast that is only read",
            )
    at = overlap(m)
    if at is not None:
        yield Doubt(
            "overlap",
            f"Dimension {at} has stride {m.strides[at - 1]}: its neighbours share bytes with what lies within it.",
            "strides are bytes, not elements; right for windows that slide and are only read",
        )
    row = m.dims[0] * unit_bits(m) // 8
    if row % CHUNK:
        yield Doubt(
            "ragged-row",
            f"A row of the tensor is {row} bytes, not a multiple of {CHUNK}: stores write {CHUNK - row % CHUNK} bytes behind it.",
            "leave nothing in the padding of a row that is stored to",
        )


def _box(m: TensorMap) -> Iterator[Doubt]:
    for i, (extent, dim) in enumerate(zip(m.box, m.dims, strict=True)):
        if extent > dim:
            yield Doubt(
                "box-beyond-tensor",
                f"The box has {extent} elements in dimension {i}, the tensor {dim}: {extent - dim} of them are always fill, and "
                "count in the barrier.",
                f"box[{i}] of {dim} or less, or are the dimensions in another order?",
            )


def _pixels(m: TensorMap) -> Iterator[Doubt]:
    w = m.window
    assert w is not None
    dim = m.dims[0] if m.interleave == "none" else 0
    if dim and w.channels > dim:
        yield Doubt(
            "box-beyond-tensor",
            f"A copy takes {w.channels} channels, the tensor has {dim}: {w.channels - dim} of them are always fill, and count in "
            "the barrier.",
            f"channels={dim} or less, or are the dimensions in another order? C comes first",
        )
    first = 0 if m.interleave != "none" else 1
    spatial = zip(m.dims[first:], w.lower, w.upper, m.element_strides[first:], strict=False)
    places = math.prod(max(0, -(-(d + high - low) // step)) for d, low, high, step in spatial) * m.dims[-1]
    if w.pixels > places:
        yield Doubt(
            "pixels-beyond-images",
            f"A copy takes {w.pixels} pixels, all images together have {places} base pixels.",
            f"pixels={places} or less, or are the corners too narrow?",
        )


def _element_strides(m: TensorMap) -> Iterator[Doubt]:
    for i, step in enumerate(m.element_strides):
        if step == 1:
            continue
        if i == 0 and m.interleave == "none":
            yield Doubt(
                "element-stride-ignored",
                f"Element stride {step} of dimension 0 does nothing without interleave.",
                "give 1",
            )
        elif m.window is None and step > m.box[i]:
            yield Doubt(
                "element-stride-beyond-box",
                f"Element stride {step} of dimension {i} is more than the box's {m.box[i]}: one element is taken, and the "
                "driver's byte count says 0.",
                "give 1, or a larger box",
            )
        elif m.window is None:
            rest = m.box[i] % step
            odd = f"; {m.box[i]} is no multiple of it, so the driver's byte count is short" if rest else ""
            yield Doubt(
                "element-stride-holes",
                f"Element stride {step} of dimension {i}: {-(-m.box[i] // step)} of the box's {m.box[i]} elements are taken{odd}.",
                "expect_tx counts the elements that are taken",
            )


def _shared(m: TensorMap) -> Iterator[Doubt]:
    s, span = shape(m), f.SPAN[m.swizzle]
    if s.pitch > s.row_bytes:
        yield Doubt(
            "narrower-than-swizzle",
            f"A row of {s.row_bytes} bytes in spans of {span}: {s.rows * (s.pitch - s.row_bytes)} of {s.shared_bytes} bytes of "
            "shared memory are not written.",
            f"rows of {span} bytes fill the span, or a narrower swizzle",
        )
    degree = _conflicts(s.pitch) if m.swizzle == "none" and s.rows >= 8 else 1
    if degree > 1:
        yield Doubt(
            "bank-conflicts",
            f"Without a swizzle, rows of {s.row_bytes} bytes have the same 16-byte column of 8 rows on {8 // degree} places: "
            f"ldmatrix reads it in {degree} turns; wgmma wants a swizzle too.",
            f'swizzle="{_fitting(s.row_bytes)}"',
        )
    if s.shared_bytes > CTA_SHARED:
        yield Doubt(
            "does-not-fit",
            f"A box takes {s.shared_bytes} bytes of shared memory; a CTA has {CTA_SHARED} at most.",
            "shrink the box",
        )


def _conflicts(pitch: int) -> int:
    """Rows among 8 neighbours whose first chunk lies on the same banks."""
    places = {row * pitch % LINE // CHUNK for row in range(8)}
    return 8 // len(places)


def _fitting(row_bytes: int) -> str:
    return next((mode for mode in ("32B", "64B", "128B") if row_bytes <= f.SPAN[mode]), "128B") + (
        "" if row_bytes <= LINE else '" with rows of 128 bytes, several boxes a tile, e.g. "128B'
    )


def _traffic(m: TensorMap) -> Iterator[Doubt]:
    row = shape(m).row_bytes if not m.element.gap else 0
    if m.interleave != "none" or not row:
        return
    promoted = int(m.l2_promotion[:-1]) if m.l2_promotion != "none" else 0
    if promoted > row:
        yield Doubt(
            "l2-promotion",
            f"L2 fetches {promoted} bytes at a time, and a row of the box has {row}: what is fetched beyond may be unused.",
            "right where a neighbouring box takes the rest soon",
        )
    loose = [v for v in (m.address, *(s for s, d in zip(m.strides, m.dims[1:], strict=True) if d > 1)) if v % SECTOR]
    if row % SECTOR or loose:
        why = f"rows of {row} bytes" if row % SECTOR else "an address or a stride that is no multiple of 32"
        yield Doubt(
            "half-sectors",
            f"With {why}, sectors of {SECTOR} bytes are read and only half used.",
            "multiples of 32 bytes for address, strides and rows",
        )


def _newer(m: TensorMap) -> Iterator[Doubt]:
    if m.needs != "sm_90":
        what = m.dtype if m.element.group > 1 else f"swizzle {m.swizzle}"
        yield Doubt(
            "sm-100", f"{what} needs sm_100: an H100's driver refuses it.", "for sm_90: u8 elements, swizzle 128B"
        )


def _bytes(m: TensorMap, data: bytes) -> Iterator[Doubt]:
    """Traces of another hand than the driver's: a field was replaced on the device, or bytes were damaged."""
    n = int.from_bytes(data, "little")
    for name, place, wanted in (
        ("byte count", f.BOX_BYTES, m.recorded_bytes),
        ("alignment", f.ALIGNMENT, f.PERIOD[m.swizzle]),
    ):
        found = n >> place.bit & place.mask
        if found != wanted:
            yield Doubt(
                "upper-half",
                f"The {name} in the upper half is {found}; the driver writes {wanted} for these fields.",
                "normal after tensormap.replace, which leaves the upper half alone",
            )
    spare = n & ~known_bits(m)
    if spare:
        many = spare.bit_count()
        low = (spare & -spare).bit_length() - 1
        yield Doubt(
            "unknown-bits",
            f"{many} bit{'s' * (many > 1)} {'are' if many > 1 else 'is'} set where the driver writes 0, the first one bit {low}.",
            "normal where the rank was made smaller by tensormap.replace; else the bytes are damaged",
        )


def known_bits(m: TensorMap) -> int:
    """A mask of the bits in which the driver writes something for maps of this mode and rank."""
    width = f.CORNER_BITS.get(m.rank, 0) * (m.rank - 2)
    places = [
        *(
            f.ADDRESS,
            f.IM2COL,
            f.RANK,
            f.ELEMENT,
            f.INTERLEAVE,
            f.SWIZZLE,
            f.FILL,
            f.TF32,
            f.L2,
            f.ATOMICITY,
            f.BOX_INNER,
        ),
        *(*f.STRIDE_LOW[: m.rank - 1], *f.STRIDE_HIGH[: m.rank - 1], *f.DIM[: m.rank], *f.ELEMENT_STRIDE[: m.rank]),
        *(f.BOX_BYTES, f.ALIGNMENT),
    ]
    if m.window is None:
        places += f.BOX_OUTER[: m.rank - 1]
    else:
        places += [f.PIXELS, f.Field(f.LOWER_CORNER.bit, width), f.Field(f.UPPER_CORNER.bit, width)]
    return sum(p.mask << p.bit for p in places)
