"""tensormap.replace on the 128 bytes of a map: which bits each field changes, and how a value becomes bits.

Values that do not fit are cut off; nothing else is checked, and what depends on a field (the byte count and the alignment in the
upper half) stays as it was.
"""

from __future__ import annotations

from typing import Final

from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES, REPLACE_TYPES, Field

_NUMBERS: Final = (*REPLACE_TYPES, "16u4_align8b", "16u4_align16b", "16u6_align16b")
"""Element types by the manual's numbers; the packed ones came with sm_100."""
_FULL: Final = (1 << 8 * f.NBYTES) - 1


def replaced(data: bytes, field: str, value: int, ordinal: int = 0) -> bytes:
    """The 128 bytes after `tensormap.replace.tile.<field>`.

    Args:
        data: the map before.
        field: of tensormap.replace, in the manual's words, e.g. "global_address" or "box_dim".
        value: the new value as the instruction has it: the rank less one, extents and element strides from 1, strides in bytes,
            the manual's numbers for the rest. Bits that the field has no room for are lost.
        ordinal: the dimension, 0–4, of box_dim, global_dim and element_stride; of global_stride, 0 for dimension 1.

    ISA: "tensormap.replace".
    """
    n = int.from_bytes(data, "little")
    for place, bits in _changes(field, value, ordinal):
        n = (n & ~(place.mask << place.bit) & _FULL) | (bits & place.mask) << place.bit
    return n.to_bytes(f.NBYTES, "little")


def _changes(field: str, value: int, ordinal: int) -> list[tuple[Field, int]]:
    """The fields that change, in the order of writing, and their new bits."""
    if field == "global_address":
        return [(f.ADDRESS, value)]
    if field == "rank":
        return [(f.RANK, value)]
    if field == "box_dim":
        return [((f.BOX_INNER, *f.BOX_OUTER)[ordinal], value - 1)]
    if field == "global_dim":
        return [(f.DIM[ordinal], value - 1)]
    if field == "element_stride":
        return [(f.ELEMENT_STRIDE[ordinal], value - 1)]
    if field == "global_stride":
        return _stride(value, ordinal)
    if field == "elemtype":
        return _element(value)
    if field == "interleave_layout":
        return [(f.INTERLEAVE, value)]
    if field == "swizzle_mode":
        return [(f.SWIZZLE, value), (f.SWIZZLE_HIGH, value >> f.SWIZZLE.width)]
    return [(f.ATOMICITY if field == "swizzle_atomicity" else f.FILL, value)]


def _stride(value: int, ordinal: int) -> list[tuple[Field, int]]:
    """A map has four strides. A fifth would begin behind the fourth, where the upper bits of all of them lie: they are lost."""
    low, high = f.STRIDE_LOW[0], f.STRIDE_HIGH[0]
    return [
        (Field(low.bit + low.width * ordinal, low.width), value >> 4),
        (Field(high.bit + high.width * ordinal, high.width), value >> 36),
    ]


def _element(value: int) -> list[tuple[Field, int]]:
    """The tf32 types set their bit; no type clears it."""
    found = ELEMENT_TYPES[_NUMBERS[value]]
    return [(f.TF32, 1), (f.ELEMENT, found.code)] if found.tf32 else [(f.ELEMENT, found.code)]
