"""Pictures of wgmma's operands in shared memory: the fields of a matrix descriptor, and what its offsets lead to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from ptxlab.diag.svg import COLOURS, GREY, Number, box, cell, svg, text
from ptxlab.layout.matrix_descriptor import Major, MatrixDescriptor, element_offsets

FULL = {"address": 0x3FFF0, "leading": 0x3FFF0, "stride": 0x3FFF0, "base_offset": 7, "swizzle": "32B"}
NAMES = {
    "address": "address / 16",
    "leading": "leading / 16",
    "stride": "stride / 16",
    "base_offset": "base",
    "swizzle": "swizzle",
}
EMPTY = MatrixDescriptor(0, 0, 0)


def fields() -> list[tuple[int, int, str]]:
    """The lowest bit, the number of bits and the name of each field, as encoding them one by one shows."""
    out: list[tuple[int, int, str]] = []
    for name, value in FULL.items():
        bits = replace(EMPTY, **{name: value}).encode()  # pyright: ignore[reportArgumentType]
        low = (bits & -bits).bit_length() - 1
        out.append((low, bits.bit_length() - low, name))
    return out


def descriptor_fields() -> str:
    """64 bits, the highest on the left."""
    each, top, left = 13, 44, 30
    found = fields()
    parts = [text(left, 20, "64 bits, the highest on the left; bits without a field are not looked at", size=13)]
    for (low, count, name), colour in zip(found, COLOURS, strict=False):
        x = left + (64 - low - count) * each
        parts += [
            box(x, top, count * each, 30, colour, fill=0.12),
            text(x + count * each / 2, top + 50, NAMES[name], colour, size=12, anchor="middle"),
            text(x + 3, top + 20, str(low + count - 1), colour, size=11),
            text(x + count * each - 3, top + 20, str(low) if count > 2 else "", colour, size=11, anchor="end"),
        ]
    for (low, count, _), (above, _, _) in pairwise(found):
        empty = above - low - count
        if empty:
            parts.append(cell(left + (64 - above) * each, top, empty * each, 30, GREY, fill=0.08))
    said = "; ".join(f"{NAMES[n]}: bits {low} to {low + count - 1}" for low, count, n in found)
    return svg(left + 12 + 64 * each, top + 62, "The fields of a matrix descriptor of wgmma", parts, description=said)


@dataclass(frozen=True)
class Panel:
    """An operand: how it lies, its descriptor, and its extents along M or N and along K."""

    head: str
    major: Major
    descriptor: MatrixDescriptor
    lines: int = 64
    k: int = 16


PANELS = (
    Panel("K-major, no swizzle", "K", MatrixDescriptor(0, 1024, 128)),
    Panel("K-major, 128B", "K", MatrixDescriptor(0, 16, 1024, swizzle="128B"), k=64),
    Panel("MN-major, no swizzle", "MN", MatrixDescriptor(0, 1024, 128)),
    Panel("MN-major, 128B", "MN", MatrixDescriptor(0, 2048, 1024, swizzle="128B"), 128),
)


def operands() -> str:
    """Eight by eight elements of 16 bits to a cell, with the byte at which they begin, before the swizzle."""
    wide, high, top, at = 44, 22, 78, 50
    parts: list[str] = [
        text(at, 20, "A cell: 8 × 8 elements of 16 bits, and the byte where the first of them lies", size=13)
    ]
    told: list[str] = []
    for panel in PANELS:
        where = element_offsets(panel.descriptor, panel.lines, panel.k, 16, panel.major, swizzled=False)[::8, ::8]
        one = panel.descriptor
        parts += [
            text(at, top - 36, panel.head, size=13),
            text(at, top - 20, f"LBO {one.leading}, SBO {one.stride}", size=12),
        ]
        parts += [
            text(at + (j + 0.5) * wide, top - 5, f"k {8 * j}", size=10, anchor="middle") for j in range(where.shape[1])
        ]
        for i, row in enumerate(where.tolist()):
            parts.append(text(at - 4, top + (i + 0.7) * high, str(8 * i), size=10, anchor="end"))
            for j, offset in enumerate(row):
                colour = COLOURS[offset // 1024 % len(COLOURS)]
                x, y = at + j * wide, top + i * high
                parts.append(cell(x, y, wide, high, colour, fill=0.12))
                parts.append(text(x + wide / 2, y + 0.7 * high, str(offset), colour, size=11, anchor="middle"))
        told.append(f"{panel.head}: along k {where[0].tolist()}, along M or N {where[:, 0].tolist()}.")
        at += max(where.shape[1] * wide, 120) + 60
    height: Number = top + max(panel.lines for panel in PANELS) // 8 * high + 12
    title = "Where the parts of an operand of wgmma lie, by its layout; a colour is 1024 bytes"
    return svg(at - 45, height, title, parts, description=" ".join(told))


PICTURES = {"descriptor-fields.svg": descriptor_fields, "descriptor-operands.svg": operands}
