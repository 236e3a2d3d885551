"""The 64-bit descriptor by which wgmma finds an operand in shared memory, and what it makes the tensor core read.

Operands are built of 8 lines of 16-byte chunks. "Lines" are rows along M or N when the operand is K-major, and steps of k when it
is MN-major; a line holds one swizzle span (32, 64 or 128 bytes, or a single chunk without swizzle), and lines follow each other
at that distance. Offsets to further groups:

| operand | swizzle | LBO | SBO |
|---|---|---|---|
| K-major | none | next chunk along K | next 8 rows |
| K-major | 32B, 64B, 128B | not used (1) | next 8 rows |
| MN-major | none | next 8 steps of k | next chunk along M or N |
| MN-major | 32B, 64B, 128B | next span along M or N | next 8 steps of k |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic, user_span
from ptxlab.layout.swizzles import CHUNK, Swizzle, swizzle_mask, swizzle_mode, swizzle_span

Major: TypeAlias = Literal["K", "MN"]
IntArray = NDArray[np.int64]

ISA = "Matrix Descriptor Format"
LINES = 8
"""Lines of a group: what the swizzle pattern repeats after."""

_FIELD_BITS = 14
_LIMIT = 1 << _FIELD_BITS + 4
_MODE_CODE: dict[Swizzle, int] = {"none": 0, "128B": 1, "64B": 2, "32B": 3}
_CODE_MODE: dict[int, Swizzle] = {v: k for k, v in _MODE_CODE.items()}


@dataclass(frozen=True, slots=True)
class MatrixDescriptor:
    """A shared-memory matrix descriptor, its fields in bytes.

    Attributes:
        address: shared-memory address of the operand's first element (multiple of 16, below 2^18).
        leading: LBO in bytes, see the table of this module.
        stride: SBO in bytes.
        base_offset: 0–7; not 0 only where the swizzle pattern does not start at a multiple of its size.
        swizzle: "none", "32B", "64B" or "128B".
    """

    address: int
    leading: int = CHUNK
    stride: int = CHUNK
    base_offset: int = 0
    swizzle: Swizzle = "none"

    def encode(self) -> int:
        """The 64-bit value.

        Raises: Diagnostic PTX2120 where a field is not a multiple of 16 bytes or does not fit. ISA: "Matrix Descriptor Format".
        """
        fields = (("address", self.address), ("leading", self.leading), ("stride", self.stride))
        for name, value in fields:
            if value % CHUNK or not 0 <= value < _LIMIT:
                nearest = min(max(value // CHUNK * CHUNK, 0), _LIMIT - CHUNK)
                raise Diagnostic(
                    "PTX2120",
                    f"{name} = {value:#x} is not a multiple of {CHUNK} from 0 to {_LIMIT - CHUNK:#x}.",
                    help=f"the nearest below is {nearest:#x}",
                    origin=user_span(),
                    isa=ISA,
                )
        if not 0 <= self.base_offset < 8:
            raise Diagnostic(
                "PTX2120",
                f"base_offset = {self.base_offset} lies outside 0 to 7.",
                help="align the tile to its swizzle atom and use 0",
                origin=user_span(),
                isa=ISA,
            )
        out = self.address >> 4 | self.leading >> 4 << 16 | self.stride >> 4 << 32
        return out | self.base_offset << 49 | _MODE_CODE[swizzle_mode(self.swizzle)] << 62

    @classmethod
    def decode(cls, value: int) -> MatrixDescriptor:
        """The descriptor that a 64-bit register holds; bits without a meaning are not looked at."""
        mask = (1 << _FIELD_BITS) - 1
        return cls(
            (value & mask) << 4,
            (value >> 16 & mask) << 4,
            (value >> 32 & mask) << 4,
            value >> 49 & 7,
            _CODE_MODE[value >> 62 & 3],
        )

    def advanced(self, nbytes: int) -> MatrixDescriptor:
        """The same operand `nbytes` further on. Within a swizzle span this is right too, as the hardware swizzles the sum."""
        return replace(self, address=self.address + nbytes)


def element_offsets(
    desc: MatrixDescriptor, lines: int, k: int, element_bits: int, major: Major = "K", *, swizzled: bool = True
) -> IntArray:
    """Shared-memory byte address of every element of an operand, as the tensor core reads it.

    Args:
        desc: the descriptor.
        lines: rows of A (M, 64) or columns of B (N).
        k: extent along K of the instruction (16 for bf16).
        element_bits: 8, 16 or 32.
        major: "K" or "MN": the dimension along which memory is contiguous.
        swizzled: False gives the addresses before the swizzle.

    Returns: int64 array of shape (lines, k).

    Raises: Diagnostic PTX2121 for an extent that does not divide into groups. ISA: "Shared Memory Matrix Layout" of wgmma.

    Swizzles apply to absolute address bits. A base offset shifts the row of the pattern.
    """
    size = element_bits // 8
    mn, kk = np.arange(lines, dtype=np.int64)[:, None], np.arange(k, dtype=np.int64)[None, :]
    span = swizzle_span(desc.swizzle)
    plain = desc.swizzle == "none"
    _divides(lines, LINES if major == "K" else CHUNK // size, "lines")
    _divides(k, CHUNK // size if major == "K" else LINES, "k")
    if major == "K":
        along = kk * size
        # 32 bytes of K never leave the span when swizzled; the 64 of a sparse product leave one of 32
        width = CHUNK if plain else span
        inner = along // width * desc.leading + along % width
        outer = mn // LINES * desc.stride + mn % LINES * span
    else:
        along = mn * size
        inner = along // span * (desc.stride if plain else desc.leading) + along % span
        outer = kk // LINES * (desc.leading if plain else desc.stride) + kk % LINES * span
    address = desc.address + inner + outer
    if not swizzled:
        return address
    return address ^ ((address - (desc.base_offset << 7)) >> 3 & swizzle_mask(desc.swizzle))


def _divides(extent: int, unit: int, name: str) -> None:
    if extent % unit or extent <= 0:
        raise Diagnostic(
            "PTX2121",
            f"{name} = {extent} is not a positive multiple of {unit}.",
            help=f"the nearest is {max(1, round(extent / unit)) * unit}",
            origin=user_span(),
            isa=ISA,
        )
