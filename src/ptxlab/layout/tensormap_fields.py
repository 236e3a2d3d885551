"""The words of a tensor map, the values behind them, and the places of its fields in the 128 bytes.

The places were learned from recorded calls of the CUDA driver (13.0) on an H100; `tests/conformance/h100` holds the record.
A field is (first bit, width) in the map taken as one little-endian number of 1024 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from ptxlab.isa import limits
from ptxlab.isa.types import TYPES
from ptxlab.layout.swizzles import SWIZZLES, swizzle_atom, swizzle_span


class Field(NamedTuple):
    """A field of the map: its lowest bit and its width."""

    bit: int
    width: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type of a tensor map.

    Attributes:
        name: the manual's word in lower case.
        code: its value in the `ELEMENT` field.
        bits: size of an element in global memory.
        is_float: whether out-of-bounds elements can be NaN.
        tf32: whether the `TF32` bit is set beside the code.
        group: elements that the manual counts as one packed value of sm_100; 1 elsewhere.
        gap: bytes of shared memory behind each group that hold nothing.
    """

    name: str
    code: int
    bits: int
    is_float: bool
    tf32: bool = False
    group: int = 1
    gap: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes of an element; 0 for elements of less."""
        return self.bits // 8

    def shared_bytes(self, elements: int) -> int:
        """Bytes that so many elements take in shared memory, the gaps of packed ones included."""
        return elements * self.bits // 8 + elements // self.group * self.gap


ELEMENT_TYPES: Final[dict[str, ElementType]] = {
    t.name: t
    for t in (
        ElementType("u8", 0, 8, False),
        ElementType("u16", 1, 16, False),
        ElementType("u32", 2, 32, False),
        ElementType("s32", 3, 32, False),
        ElementType("u64", 4, 64, False),
        ElementType("s64", 5, 64, False),
        ElementType("f16", 6, 16, True),
        ElementType("f32", 7, 32, True),
        ElementType("f64", 9, 64, True),
        ElementType("bf16", 10, 16, True),
        ElementType("f32_ftz", 8, 32, True),
        ElementType("tf32", 7, 32, True, tf32=True),
        ElementType("tf32_ftz", 8, 32, True, tf32=True),
        ElementType("16u4_align8b", 11, 4, False, group=16),
        ElementType("16u4_align16b", 12, 4, False, group=16, gap=8),
        ElementType("16u6_align16b", 13, 6, False, group=16, gap=4),
    )
}
"""In the order of the driver's enumeration. The codes of the packed types, which an H100's driver refuses, are those that ptxas
13.1 writes for tensormap.replace on sm_100a."""

REPLACE_TYPES: Final = (
    "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32_ftz", "f64", "bf16", "tf32", "tf32_ftz",
)  # fmt: skip
"""Element types by the numbers that tensormap.replace takes for them."""


def element_fits(word: str, type_: str) -> bool:
    """Whether a map of elements `word` moves those of a PTX type. Maps have no word for untyped bits, bytes with a sign and
    float8: there any element of the size does."""
    unnamed = TYPES.get(type_) if type_ not in ELEMENT_TYPES else None
    return word == type_ or (unnamed is not None and unnamed.bits == ELEMENT_TYPES[word].bits)


def element_word(type_: str) -> str:
    """The element type of maps that moves a PTX type: itself, or for types that maps have no word for the integer of their size."""
    found = TYPES.get(type_)
    return type_ if type_ in ELEMENT_TYPES or found is None or found.bits not in (8, 16, 32, 64) else f"u{found.bits}"


INTERLEAVES: Final = ("none", "16B", "32B")
L2_PROMOTIONS: Final = ("none", "64B", "128B", "256B")
OOB_FILLS: Final = ("zero", "nan")
NEWER_SWIZZLES: Final = ("128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B")
"""Swizzles of sm_100, which the driver refuses on an H100: spans of 128 bytes whose `ATOMICITY` is 1, 2, 3."""
ALL_SWIZZLES: Final = (*SWIZZLES, *NEWER_SWIZZLES)
"""In the order of the driver's enumeration."""
SPAN: Final = {**{s: swizzle_span(s) for s in SWIZZLES}, **dict.fromkeys(NEWER_SWIZZLES, 128)}
"""Bytes of a row that a swizzle permutes."""
PERIOD: Final = {**{s: swizzle_atom(s) for s in SWIZZLES}, **dict(zip(NEWER_SWIZZLES, (512, 512, 256), strict=True))}
"""Bytes after which a swizzle's pattern repeats, which the driver records as the box's alignment (on an H100, where it could be
asked: the newer ones follow the same thought)."""

MAX_ADDRESS: Final = 1 << 57
MAX_RANK: Final = 5
MAX_DIM: Final = 1 << 32
MAX_STRIDE: Final = limits.TENSOR_MAP_STRIDE
MAX_BOX: Final = limits.TENSOR_MAP_BOX
MAX_ELEMENT_STRIDE: Final = limits.TENSOR_MAP_ELEMENT_STRIDE
MAX_PIXELS: Final = 1024
MAX_BOX_BYTES: Final = 228 * 1024
CORNER_BITS: Final = {3: 16, 4: 8, 5: 5}
"""Width of one signed corner coordinate of an im2col map, by rank."""

NBYTES: Final = 128
ADDRESS: Final = Field(0, 64)
IM2COL: Final = Field(64, 1)
RANK: Final = Field(68, 3)
ELEMENT: Final = Field(71, 4)
INTERLEAVE: Final = Field(75, 2)
SWIZZLE: Final = Field(77, 2)
FILL: Final = Field(79, 1)
TF32: Final = Field(80, 1)
L2: Final = Field(81, 2)
ATOMICITY: Final = Field(83, 2)
"""What a swizzle keeps together (sm_100): its place is what ptxas 13.1 writes for tensormap.replace."""
SWIZZLE_HIGH: Final = Field(86, 1)
"""The third bit of the swizzle mode, 1 for spans of 96 bytes (sm_103a); tensormap.replace clears it."""
STRIDE_LOW: Final = tuple(Field(96 + 32 * i, 32) for i in range(4))
STRIDE_HIGH: Final = tuple(Field(224 + 4 * i, 4) for i in range(4))
DIM: Final = tuple(Field(256 + 32 * i, 32) for i in range(5))
ELEMENT_STRIDE: Final = tuple(Field(416 + 3 * i, 3) for i in range(5))
BOX_INNER: Final = Field(440, 8)
BOX_OUTER: Final = tuple(Field(448 + 8 * i, 8) for i in range(4))
LOWER_CORNER: Final = Field(448, 16)
UPPER_CORNER: Final = Field(464, 16)
PIXELS: Final = Field(480, 10)
# The upper half: derived by the driver from what stands above.
BOX_BYTES: Final = Field(512, 64)
ALIGNMENT: Final = Field(576, 32)
