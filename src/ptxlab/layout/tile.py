"""A wgmma operand tile in shared memory, as TMA boxes write it and matrix descriptors read it.

A tile of (rows along M or N) × (k) is cut into panels along its contiguous dimension. A panel is one swizzle span wide (one
16-byte chunk without swizzle), which is also the widest box that TMA takes with that swizzle; panels follow each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.diag import Diagnostic, user_span
from ptxlab.layout.matrix_descriptor import ISA, LINES, Major, MatrixDescriptor
from ptxlab.layout.swizzles import CHUNK, Swizzle, SwizzleLike, swizzle_atom, swizzle_mode, swizzle_span

STEP_BYTES = 32
"""Bytes along K that one wgmma takes: 16 bf16, 8 tf32, 32 fp8."""
TMA_ALIGNMENT = 128


@dataclass(frozen=True, slots=True)
class OperandTile:
    """Where the elements of an operand tile lie. Make one by `k_major` or `mn_major`.

    Attributes:
        lines: extent along M or N, in elements.
        k: extent along K, in elements.
        element_bits: 8, 16 or 32.
        major: the contiguous dimension: "K" or "MN".
        swizzle: how TMA writes it and wgmma reads it.
    """

    lines: int
    k: int
    element_bits: int
    major: Major
    swizzle: Swizzle

    @property
    def element_bytes(self) -> int:
        return self.element_bits // 8

    @property
    def panel_elements(self) -> int:
        """Elements of a panel along the contiguous dimension: the innermost extent of the TMA box that fills it."""
        return swizzle_span(self.swizzle) // self.element_bytes

    @property
    def panel_rows(self) -> int:
        """Rows of a panel: the other extent of its TMA box."""
        return self.lines if self.major == "K" else self.k

    @property
    def panels(self) -> int:
        """How many panels, and so how many TMA copies, make the tile."""
        return (self.k if self.major == "K" else self.lines) // self.panel_elements

    @property
    def panel_bytes(self) -> int:
        return self.panel_rows * swizzle_span(self.swizzle)

    @property
    def nbytes(self) -> int:
        """Bytes of the tile, which are also what TMA counts on the barrier."""
        return self.lines * self.k * self.element_bytes

    @property
    def alignment(self) -> int:
        """Alignment of the tile in shared memory: what TMA needs, and the swizzle's atom."""
        return max(TMA_ALIGNMENT, swizzle_atom(self.swizzle))

    @property
    def k_steps(self) -> int:
        """wgmma instructions along K."""
        return self.k * self.element_bytes // STEP_BYTES

    def offset(self, line: int = 0, k: int = 0) -> int:
        """Byte offset of element (line, k) from the tile's start, before the swizzle."""
        along, across = (k, line) if self.major == "K" else (line, k)
        panel, rest = divmod(along, self.panel_elements)
        return panel * self.panel_bytes + across * swizzle_span(self.swizzle) + rest * self.element_bytes

    def k_step(self, step: int) -> int:
        """Bytes by which the descriptor's address advances for the wgmma number `step` along K."""
        return self.offset(0, step * STEP_BYTES // self.element_bytes)

    def descriptor(self, address: int = 0, *, line: int = 0, step: int = 0) -> MatrixDescriptor:
        """The descriptor of the part that one wgmma reads.

        Args:
            address: shared-memory address of the tile, a multiple of `alignment`.
            line: first row (of M or N) of the part, e.g. 64 for the second consumer warpgroup.
            step: number of the wgmma along K.

        Raises: Diagnostic PTX2120 for an address that is not aligned, PTX2121 for a part that starts within a group.
        """
        if address % self.alignment:
            raise Diagnostic(
                "PTX2120",
                f"The tile at {address:#x} is not aligned to {self.alignment} bytes.",
                help=f"declare it with align={self.alignment}",
                origin=user_span(),
                isa=ISA,
            )
        unit = LINES if self.major == "K" else self.panel_elements
        if line % unit:
            raise _bad_tile("line", line, unit)
        group = LINES * swizzle_span(self.swizzle)
        leading, stride = CHUNK, group
        if self.swizzle == "none":
            leading, stride = (self.panel_bytes, group) if self.major == "K" else (group, self.panel_bytes)
        elif self.major == "MN":
            leading = self.panel_bytes
        start = address + self.offset(line) + self.k_step(step)
        return MatrixDescriptor(start, leading, stride, 0, self.swizzle)


def k_major(lines: int, k: int, element_bits: int = 16, swizzle: SwizzleLike = "128B") -> OperandTile:
    """A tile that is contiguous along K: A as M × K row-major, B as N × K.

    Args:
        lines: extent along M or N, a multiple of 8.
        k: extent along K; a multiple of the swizzle's span and of what one wgmma takes (32 bytes).
        element_bits: 8, 16 or 32.

    Raises: Diagnostic PTX2121 for extents that no descriptor addresses, PTX2112 for an unknown swizzle.
    """
    return _checked(OperandTile(lines, k, element_bits, "K", swizzle_mode(swizzle)))


def mn_major(lines: int, k: int, element_bits: int = 16, swizzle: SwizzleLike = "128B") -> OperandTile:
    """A tile that is contiguous along M or N: B as K × N row-major, A as K × M. wgmma reads it with its transpose
    immediate set, which exists for 16-bit types only.

    Args:
        lines: extent along M or N, a multiple of the swizzle's span (64 elements for 128B).
        k: extent along K, a multiple of 16.

    Raises: Diagnostic PTX2121 for extents or element sizes that no descriptor addresses, PTX2112 for an unknown swizzle.
    """
    return _checked(OperandTile(lines, k, element_bits, "MN", swizzle_mode(swizzle)))


def _checked(tile: OperandTile) -> OperandTile:
    if tile.element_bits not in (8, 16, 32) or (tile.major == "MN" and tile.element_bits != 16):
        raise Diagnostic(
            "PTX2121",
            f"wgmma reads no {tile.major}-major operand with elements of {tile.element_bits} bits.",
            help="MN-major operands exist for f16 and bf16; K-major ones for 8, 16 and 32 bits",
            origin=user_span(),
            isa=ISA,
        )
    step = STEP_BYTES // tile.element_bytes
    if tile.major == "K":
        units = (LINES, max(step, tile.panel_elements))
    else:
        units = (tile.panel_elements, step)
    for name, value, unit in zip(("lines", "k"), (tile.lines, tile.k), units, strict=True):
        if value <= 0 or value % unit:
            raise _bad_tile(name, value, unit, f" (swizzle {tile.swizzle}, {tile.element_bits}-bit elements)")
    return tile


def _bad_tile(name: str, value: int, unit: int, where: str = "") -> Diagnostic:
    nearest = max(unit, (value + unit // 2) // unit * unit)
    return Diagnostic(
        "PTX2121",
        f"{name} = {value} of a {'tile' if where else 'part of a tile'} is not a multiple of {unit}{where}.",
        help=f"the nearest is {nearest}",
        origin=user_span(),
        isa=ISA,
    )


def align_up(value: int, alignment: int) -> int:
    """The least multiple of `alignment` (positive) that is not below `value`."""
    if alignment <= 0:
        raise Diagnostic(
            "PTX2123", f"An alignment is positive, not {alignment}.", help="use a power of two", origin=user_span()
        )
    return -(-value // alignment) * alignment


def padded_pitch(row_bytes: int, vector: int = CHUNK) -> int:
    """The row pitch from `row_bytes` on that lets 8 threads read `vector` bytes each, one in each of 8 successive rows,
    without a shared-memory bank conflict: an odd number of vectors.

    Raises: Diagnostic PTX2123 unless `vector` is 4, 8 or 16.
    """
    if vector not in (4, 8, 16):
        raise Diagnostic(
            "PTX2123", f"Threads load vectors of 4, 8 or 16 bytes, not {vector}.", help="use 16", origin=user_span()
        )
    count = -(-row_bytes // vector)
    return (count | 1) * vector
