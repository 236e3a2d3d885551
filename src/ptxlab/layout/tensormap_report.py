"""What a tensor map says, in words: each field, what it can address, what a copy moves, and what looks wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap import TensorMap
from ptxlab.layout.tensormap_doubts import Doubt, doubts, overlap
from ptxlab.layout.tensormap_fields import Field
from ptxlab.layout.tensormap_rules import alignment
from ptxlab.layout.tensormap_shape import Shape, shape, unit_bits


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of the map.

    Attributes:
        name: as the methods of `TensorMap` call it.
        words: what it says.
        bits: its places, as (first bit, width), lowest first.
        raw: what stands there, as numbers in the same order.
    """

    name: str
    words: str
    bits: tuple[Field, ...]
    raw: tuple[int, ...]

    @property
    def where(self) -> str:
        """Its places for people, e.g. `64`, `68–70`, `96–127, 224–227`."""
        return ", ".join(_range(field) for field in self.bits)


@dataclass(frozen=True, slots=True)
class Report:
    """A tensor map, explained.

    Attributes:
        map: the map.
        data: its bytes.
        entries: its fields, in the order of the manual's arguments.
        reach: what it can address, in sentences.
        shape: what one copy moves.
        broken: rules that the map breaks; a driver would refuse it.
        doubts: what is legal and looks wrong.
    """

    map: TensorMap
    data: bytes
    entries: tuple[Entry, ...]
    reach: tuple[str, ...]
    shape: Shape
    broken: tuple[Diagnostic, ...]
    doubts: tuple[Doubt, ...]

    def json(self) -> dict[str, Any]:
        """All of it for machines."""
        m, s = self.map, self.shape
        window = m.window
        return {
            "bytes": self.data.hex(),
            "mode": mode(m),
            "dtype": m.dtype,
            "rank": m.rank,
            "address": m.address,
            "dims": list(m.dims),
            "strides": list(m.strides),
            "element_strides": list(m.element_strides),
            "interleave": m.interleave,
            "swizzle": m.swizzle,
            "l2_promotion": m.l2_promotion,
            "oob_fill": m.oob_fill,
            **({"box": list(m.box)} if window is None else {}),
            **(
                {}
                if window is None
                else {
                    "lower": list(window.lower),
                    "upper": list(window.upper),
                    "channels": window.channels,
                    "pixels": window.pixels,
                }
            ),
            "transaction_bytes": s.transaction_bytes,
            "shared_bytes": s.shared_bytes,
            "row_bytes": s.row_bytes,
            "row_pitch": s.pitch,
            "rows": s.rows,
            "alignment": s.alignment,
            "target": m.needs,
            "unverified": list(m.unverified),
            "fields": [{"name": e.name, "words": e.words, "bits": e.where, "raw": list(e.raw)} for e in self.entries],
            "reach": list(self.reach),
            "broken": [{"code": d.code, "message": d.message, "help": d.help} for d in self.broken],
            "suspicious": [{"kind": d.kind, "message": d.message, "help": d.help} for d in self.doubts],
        }


def mode(m: TensorMap) -> str:
    """ "tiled" or "im2col"; a map of cuTensorMapEncodeIm2colWide cannot be told from the latter."""
    return "tiled" if m.window is None else "im2col"


def report(m: TensorMap, data: bytes | None = None) -> Report:
    """Explain a map.

    Args:
        m: the map, legal or not.
        data: the 128 bytes that it was decoded from; default what it encodes to.

    Raises: Diagnostic PTX21xx where no bytes are given and the map is illegal.
    """
    raw = m.encode(m.needs) if data is None else bytes(data)
    broken = tuple(m.problems(m.needs))
    return Report(
        m,
        data=raw,
        entries=tuple(entries(m, raw)),
        reach=reach(m),
        shape=shape(m),
        broken=broken,
        doubts=tuple(doubts(m, raw)),
    )


def differences(a: bytes, b: bytes) -> list[tuple[str, str, str]]:
    """The fields in which two maps differ: name, the first one's words, the second one's.

    Raises: Diagnostic PTX2116 where one of them is no map.
    """
    first, second = ({e.name: e for e in entries(TensorMap.decode(data), data)} for data in (a, b))
    out: list[tuple[str, str, str]] = []
    covered = 0
    for name in dict.fromkeys([*first, *second]):
        one, two = first.get(name), second.get(name)
        for e in (one, two):
            covered |= sum(field.mask << field.bit for field in e.bits) if e else 0
        if one is None or two is None or one.raw != two.raw or one.words != two.words:
            out.append((name, one.words if one else "–", two.words if two else "–"))
    rest = (int.from_bytes(a, "little") ^ int.from_bytes(b, "little")) & ~covered
    if rest:
        which = ", ".join(bit_ranges(rest))
        out.append((f"bits {which}", _bits_of(a, rest), _bits_of(b, rest)))
    return out


def _bits_of(data: bytes, mask: int) -> str:
    found = int.from_bytes(data, "little") & mask
    return "0" if not found else f"set: {', '.join(bit_ranges(found))}"


def bit_ranges(mask: int) -> list[str]:
    """The set bits of a number as ranges, e.g. ["65–67", "90"]."""
    out: list[str] = []
    while mask:
        low = (mask & -mask).bit_length() - 1
        width = (~(mask >> low) & (mask >> low) + 1).bit_length() - 1
        out.append(_range(Field(low, width)))
        mask &= ~((1 << width) - 1 << low)
    return out


def _range(field: Field) -> str:
    return f"{field.bit}" if field.width == 1 else f"{field.bit}–{field.bit + field.width - 1}"


def entries(m: TensorMap, data: bytes) -> list[Entry]:
    """The fields of a map in words, with their places and what stands there."""
    n = int.from_bytes(data, "little")

    def entry(name: str, words: str, *fields: Field) -> Entry:
        return Entry(name, words, fields, tuple(n >> p.bit & p.mask for p in fields))

    out = [
        entry("mode", mode(m), f.IM2COL),
        entry("dtype", _dtype(m), f.ELEMENT, f.TF32),
        entry("rank", f"{m.rank} dimension{'s' * (m.rank > 1)}", f.RANK),
        entry("address", f"{m.address:#x}, a multiple of {_power(m.address)}", f.ADDRESS),
    ]
    out += [entry(f"dims[{i}]", f"{dim} elements", f.DIM[i]) for i, dim in enumerate(m.dims)]
    out += [
        entry(f"strides[{i}]", f"{stride} bytes (dimension {i + 1})", f.STRIDE_LOW[i], f.STRIDE_HIGH[i])
        for i, stride in enumerate(m.strides)
    ]
    out += _box_entries(m, entry)
    out += [entry(f"element_strides[{i}]", _step(m, i), f.ELEMENT_STRIDE[i]) for i in range(m.rank)]
    out += [
        entry("interleave", m.interleave, f.INTERLEAVE),
        entry("swizzle", _swizzle(m), f.SWIZZLE, f.ATOMICITY, f.SWIZZLE_HIGH),
        entry("l2_promotion", m.l2_promotion, f.L2),
        entry("oob_fill", m.oob_fill, f.FILL),
        entry("byte count", f"{n >> f.BOX_BYTES.bit & f.BOX_BYTES.mask} bytes, as the host wrote it", f.BOX_BYTES),
        entry("alignment", f"{n >> f.ALIGNMENT.bit & f.ALIGNMENT.mask} bytes, as the host wrote it", f.ALIGNMENT),
    ]
    return out


def _box_entries(m: TensorMap, entry: Any) -> list[Entry]:
    w = m.window
    if w is None:
        places = (f.BOX_INNER, *f.BOX_OUTER)
        return [entry(f"box[{i}]", f"{extent} elements", places[i]) for i, extent in enumerate(m.box)]
    width = f.CORNER_BITS[m.rank]
    out: list[Entry] = []
    for name, corner, place in (("lower", w.lower, f.LOWER_CORNER), ("upper", w.upper, f.UPPER_CORNER)):
        out += [
            entry(f"{name}[{i}]", f"{offset:+d} in {'WHD'[i]}", Field(place.bit + i * width, width))
            for i, offset in enumerate(corner)
        ]
    out += [
        entry("channels", f"{w.channels} elements of C", f.BOX_INNER),
        entry("pixels", f"{w.pixels} pixels", f.PIXELS),
    ]
    return out


def _dtype(m: TensorMap) -> str:
    t = m.element
    if t.group > 1:
        gap = f", {t.gap} bytes of gap behind each {t.group} in shared memory" if t.gap else ", without gaps"
        return f"{m.dtype}: {t.bits}-bit elements{gap}"
    size = f"{t.nbytes} byte{'s' * (t.nbytes > 1)} an element"
    return f"{m.dtype}, {size}" + ("; loads round to tf32" if t.tf32 else "")


def _step(m: TensorMap, i: int) -> str:
    step = m.element_strides[i]
    if step == 1:
        return "every element"
    ignored = "; ignored in dimension 0" if i == 0 and m.interleave == "none" else ""
    return f"every {step}{'nd' if step == 2 else 'rd' if step == 3 else 'th'} element{ignored}"


def _swizzle(m: TensorMap) -> str:
    if m.swizzle == "none":
        return "none"
    return f"{m.swizzle}: within spans of {f.SPAN[m.swizzle]} bytes, repeating every {f.PERIOD[m.swizzle]}"


def _power(value: int) -> str:
    return str(value & -value) if value else "every power of two"


def reach(m: TensorMap) -> tuple[str, ...]:
    """What a map can address, in sentences."""
    bits, what = unit_bits(m), "elements" if m.interleave == "none" else f"slices of {m.interleave}"
    total = math.prod(m.dims) * bits // 8
    last = (m.dims[0] * bits + 7) // 8 + sum((d - 1) * s for d, s in zip(m.dims[1:], m.strides, strict=True))
    out = [
        f"{' × '.join(map(str, m.dims))} {what} (innermost first), {total} bytes of data",
        f"bytes {m.address:#x} to {m.address + last - 1:#x}: a span of {last} bytes",
    ]
    if last > total and overlap(m) is None:
        out.append(f"{last - total} bytes of the span lie between rows and belong to no element")
    out.append(f"address and strides are multiples of {alignment(m)}, as its modes demand" if _aligned(m) else
               f"address and strides must be multiples of {alignment(m)}, and are not")  # fmt: skip
    if m.window is None:
        box = [*m.box[:-2], 1, m.box[-1]] if m.interleave != "none" and m.rank > 1 else m.box
        tiles = [-(-d // b) for d, b in zip(m.dims, box, strict=True)]
        ragged = [str(i) for i, (d, b) in enumerate(zip(m.dims, box, strict=True)) if d % b]
        edge = (
            f"; the last one of dimension {', '.join(ragged)} lies partly outside"
            if ragged
            else ", none of them ragged"
        )
        out.append(f"{' × '.join(map(str, tiles))} = {math.prod(tiles)} boxes cover it{edge}")
    else:
        out.append(_pixels(m))
    return tuple(out)


def _aligned(m: TensorMap) -> bool:
    return not any(v % alignment(m) for v in (m.address, *m.strides))


def _pixels(m: TensorMap) -> str:
    w = m.window
    assert w is not None
    first = 0 if m.interleave != "none" else 1
    spatial = list(zip(m.dims[first:], w.lower, w.upper, strict=False))
    places = [
        max(0, -(-(d + high - low) // s)) for (d, low, high), s in zip(spatial, m.element_strides[first:], strict=False)
    ]
    ranges = [f"{'WHD'[i]} from {low} to {d - 1 + high}" for i, (d, low, high) in enumerate(spatial)]
    return f"base pixels {', '.join(ranges)}: {' × '.join(map(str, places))} of them an image at these strides"
