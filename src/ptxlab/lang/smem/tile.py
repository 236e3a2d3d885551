"""Tiles of shared memory, which know their type, shape, swizzle and place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ptxlab.diag import Diagnostic, html
from ptxlab.isa.types import ScalarType
from ptxlab.lang.smem.descriptor import Descriptor, descriptor_of
from ptxlab.lang.smem.variable import Location, Variable
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.described import Operand
from ptxlab.lang.trace.unread import Unread, access
from ptxlab.lang.trace.values import Address, Index, Register, whole
from ptxlab.layout.swizzles import CHUNK, Swizzle, swizzle_atom, swizzle_mask, swizzle_span
from ptxlab.layout.swizzles import swizzle as swizzle_offset
from ptxlab.layout.tile import TMA_ALIGNMENT, OperandTile, align_up, k_major, mn_major


@dataclass(frozen=True, slots=True)
class Geometry:
    """What a tile is, wherever it lies; `Tile` says what the attributes mean."""

    dtype: ScalarType
    shape: tuple[int, ...]
    swizzle: Swizzle
    strides: tuple[int, ...]
    grid: tuple[int, int]


class Tile(Unread):
    """A tile of shared memory, or a part of one.

    The last two extents are rows and columns. With a swizzle, columns are cut into panels one swizzle span wide, as TMA's boxes
    and wgmma's descriptors have them; a panel holds all rows, at a pitch of one span.

    Attributes:
        dtype: type of its elements. shape: extents, outermost first; the last one is contiguous.
        swizzle: how TMA writes it and wgmma reads it: "none", "32B", "64B" or "128B".
        strides: bytes from one index to the next, for all dimensions but the last.
        grid: rows and columns of what was declared, which fix where panels lie.
        location: where it starts, and in which variable. geometry: the rest of these together.

    Example:
        tile = k.smem(px.f16, (64, 128), swizzle="128B")
        assert tile.nbytes == tile.footprint == 64 * 128 * 2
        assert tile.panel_columns == 64 and tile.panel_bytes == 64 * 128
        left = tile.part(0, 2, axis=1)  # no instruction
        assert left.shape == (64, 64)
        place = left.address()
        k.st.shared.b32(left.at(k.thread * 4), k.thread)
        k.st.global_.u32(out[k.thread], k.ld.shared.b32(px.Address.of(left.addr + k.thread * 4, 0, "shared")))
        # out[:3]: [0 1 2]
    """

    __slots__ = ("_k", "dtype", "geometry", "grid", "location", "shape", "strides", "swizzle")

    def __init__(self, k: Core, location: Location, geometry: Geometry) -> None:
        self._k, self.location, self.geometry = k, location, geometry
        self.dtype, self.shape = geometry.dtype, geometry.shape
        self.swizzle: Swizzle = geometry.swizzle
        self.strides, self.grid = geometry.strides, geometry.grid

    def __repr__(self) -> str:
        rows, columns = self.grid
        part = f", part of {rows} × {columns}" if len(self.shape) > 1 and self.shape[-2:] != self.grid else ""
        return f"<tile {self.variable.name} .{self.dtype} {self.shape} {self.swizzle}{part}>"

    def _repr_html_(self) -> str:
        """What it is, and of a swizzled tile the 16-byte chunks of a row of the pattern in the order in which they lie."""
        pairs = [
            ("variable", self.variable.name),
            ("type", f".{self.dtype}"),
            ("shape", " × ".join(map(str, self.shape))),
            ("swizzle", self.swizzle),
            ("bytes", f"{self.nbytes:,}"),
            ("bytes in shared memory", f"{self.footprint:,}" if self.footprint != self.nbytes else ""),
            ("panel", f"{self.panel_columns} columns, {self.panel_bytes:,} bytes" if self.swizzle != "none" else ""),
        ]
        shown = html.facts(repr(self)[1:-1], pairs)
        if self.swizzle == "none":
            return shown
        span, atom = swizzle_span(self.swizzle), swizzle_atom(self.swizzle)
        places = range(0, span, CHUNK)
        rows = [
            (at // span, *(swizzle_offset(at + place, self.swizzle) % span // CHUNK for place in places))
            for at in range(0, atom, span)
        ]
        heads = ("row", *(f"chunk {place // CHUNK}" for place in places))
        return shown + html.table(
            heads, rows, "Columns: places of 16 bytes in shared memory. Cells: the chunk of the row there."
        )

    @property
    def variable(self) -> Variable:
        """What it is a part of."""
        return self.location.variable

    @property
    def offset(self) -> int:
        """Constant bytes from the variable's start to its own."""
        return self.location.offset

    @property
    def nbytes(self) -> int:
        """Bytes of its elements, which are what TMA counts."""
        return math.prod(self.shape) * self.dtype.bits // 8

    @property
    def footprint(self) -> int:
        """Bytes that it takes in shared memory; more than `nbytes` where rows are narrower than the swizzle's span."""
        return math.prod(self.shape[:-1]) * row_bytes(self.shape[-1], self.dtype, self.swizzle)

    @property
    def panel_columns(self) -> int:
        """Columns of a panel."""
        return self.grid[1] if self.swizzle == "none" else swizzle_span(self.swizzle) * 8 // self.dtype.bits

    @property
    def panel_bytes(self) -> int:
        """Bytes from one panel to the next."""
        return self.grid[0] * pitch_of(self.grid[1], self.dtype, self.swizzle)

    @property
    def wanted_alignment(self) -> int:
        """The alignment in bytes that tensor copies and the swizzle need."""
        return max(TMA_ALIGNMENT, swizzle_atom(self.swizzle))

    @property
    def starts_at(self) -> int:
        """The alignment of its start in bytes that is known while tracing, a power of two."""
        place = self.location
        known = math.gcd(place.variable.align, place.offset, *(nbytes for _, nbytes in place.steps))
        return known & -known

    def address(self) -> Address:
        """Where it starts."""
        return self.location.address

    @property
    def addr(self) -> Any:
        """Its address as a register."""
        return self.location.address.register()

    def at(self, offset: Index) -> Address:
        """The address `offset` bytes on, as bytes lie: `locate` finds the elements of a tile with a swizzle.

        An int costs no instruction; a register costs one.
        """
        self.variable.counted |= isinstance(offset, Register)
        return self.location.address.at(offset)

    def __getitem__(self, index: Index) -> Tile:
        """Part `index` of the outermost dimension, e.g. a stage. An int costs no instruction; a register costs one."""
        self._within(index, self.shape[0])
        step = self.strides[0] if self.strides else self.dtype.bits // 8
        return self._moved(index, step, self.shape[1:] or (1,), self.strides[1:])

    def __len__(self) -> int:
        """How many parts `[]` takes."""
        return self.shape[0]

    def __iter__(self) -> Iterator[Tile]:
        """The parts that `[]` takes, one after the other."""
        return (self[i] for i in range(self.shape[0]))

    def loaded_by(self) -> str:
        """The call that loads one of its elements."""
        return f"{access('ld', 'shared', self.dtype)}(tile.at(bytes))"

    def stored_by(self) -> str:
        """The call that stores one of its elements."""
        return f"{access('st', 'shared', self.dtype)}(tile.at(bytes), value)"

    def part(self, index: Index, count: int, axis: int = 0) -> Tile:
        """Part `index` of `count` equal ones along a dimension, e.g. the half of each stage that a warpgroup works on.

        An int costs no instruction; a register costs one.

        Raises: Diagnostic PTX2210 where the dimension does not divide, or columns would be cut inside a panel.

        Args:
            index: which part, an int or a register. count: how many. axis: the dimension.

        Example:
            buf = k.smem(px.u32, (4, 32))
            mine = buf.part(k.warp, 4)  # a row for each warp
            k.st.shared.u32(mine.at(k.laneid * 4), k.thread)
            k.st.global_.u32(out[k.thread], k.ld.shared.u32(mine.at(k.laneid * 4)))
            # out[32:35]: [32 33 34]
        """
        axis %= len(self.shape)
        self._within(index, count)
        each, rest = divmod(self.shape[axis], count)
        columns = axis == len(self.shape) - 1
        if rest or (columns and each % self.panel_columns and self.swizzle != "none"):
            raise Diagnostic(
                "PTX2210",
                f"{self!r} cannot be cut into {count} along dimension {axis}",
                help="parts are equal, and columns are cut between swizzle spans",
                origin=self._k.here(),
            )
        if not columns:
            step = each * self.strides[axis]
        elif self.swizzle == "none":
            step = each * self.dtype.bits // 8
        else:
            step = each // self.panel_columns * self.panel_bytes
        return self._moved(index, step, (*self.shape[:axis], each, *self.shape[axis + 1 :]), self.strides)

    def _within(self, index: Index, count: int) -> None:
        if not isinstance(index, Register) and not 0 <= whole(index) < count:
            raise Diagnostic(
                "PTX2210",
                f"{self!r} has no part {index} of {count}",
                help=f"use 0 to {count - 1}",
                origin=self._k.here(),
            )

    def _moved(self, index: Index, step: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tile:
        return Tile(self._k, self.location.moved(index, step), replace(self.geometry, shape=shape, strides=strides))

    def locate(self, row: Index, column: int | Register) -> Address:
        """Where element (row, column) of a tile of rows and columns lies under its swizzle; four or five instructions.

        `column` is a register within the first panel, or an int anywhere.

        Args:
            row: an int or a register. column: an int anywhere, or a register within the first panel; both count elements.

        Returns: the address, with the swizzle applied.

        PTX: shr, and, xor

        Example:
            tile = k.smem(px.f16, (64, 64), swizzle="128B")
            bar = k.mbarrier(1)
            k.init_barriers()
            with k.if_(k.thread == 0):
                bar.arrive_expect_tx(tile.nbytes)
                k.tma_load(tile, tm, (0, 0), bar)
            bar.wait(0)
            v = k.ld.shared.b16(tile.locate(k.thread % 64, 5))
            k.st.global_.f32(y[k.thread], k.cvt.f32.f16(v))
            # y[:2]: [1. 1.]
        """
        k, at = self._k, self.location.address.at
        self.variable.located = True
        self._see_pattern()
        panel = 0
        if not isinstance(column, Register):
            panel, column = divmod(whole(column), self.panel_columns)
        pitch, size, before = self.strides[-1], self.dtype.bits // 8, panel * self.panel_bytes
        # a panel of fewer than 8 rows begins within the pattern, which counts from where the tile starts
        within = before if before % swizzle_atom(self.swizzle) else 0
        inner = column * size if not within else column * size + within  # no instruction for nothing
        linear = k.emit("mad.lo.u32", (row, pitch, inner)) if isinstance(row, Register) else whole(row) * pitch + inner
        if not isinstance(linear, Register):
            return at(swizzle_offset(linear, self.swizzle) + before - within)
        mask = swizzle_mask(self.swizzle)
        if mask:
            flipped = k.emit("and.b32", (k.emit("shr.u32", (linear, 3)), mask))
            linear = k.emit("xor.b32", (linear, flipped))
        return at(linear).at(before - within)

    def _see_pattern(self) -> None:
        """A swizzle depends on the address: the tile must start where its pattern does. Raises: Diagnostic PTX2210."""
        atom = swizzle_atom(self.swizzle)
        if self.starts_at % atom and self.swizzle != "none":
            raise Diagnostic(
                "PTX2210",
                f"{self!r} starts at a multiple of {self.starts_at} bytes, within the pattern of swizzle {self.swizzle}, "
                f"which repeats every {atom}",
                help="take parts of whole patterns: stages, or multiples of 8 rows",
                origin=self._k.here(),
            )

    def remote(self, rank: Any) -> Address:
        """Where the tile of the CTA `rank` of the cluster starts (one instruction, mapa).

        Args:
            rank: of the CTA in its cluster, an int or a register.

        Returns: an address in the cluster's shared memory, for `ld.shared::cluster`, `st.async` and others.

        PTX: mapa

        Example:
            box = k.smem(px.u32, 1)
            with k.if_(k.thread == 0):
                k.st.shared.u32(box.at(0), 7 + k.cluster_ctarank)
            k.cluster_sync()
            v = k.ld.shared__cluster.u32(box.remote(k.cluster_ctarank ^ 1))
            k.st.global_.u32(out[k.cluster_ctarank], v, pred=k.thread == 0)
            k.cluster_sync()
            # out[:2]: [8 7]
        """
        mapped = self._k.emit("mapa.shared::cluster.u32", (self.addr, rank))
        return Address(self._k, mapped.reg, 0, "shared::cluster", self.dtype)

    def operand_tile(self, major: str = "K") -> OperandTile:
        """The declared tile as an operand of wgmma: rows × columns are lines × k ("K") or k × lines ("MN").

        Raises: Diagnostic PTX2121 where no descriptor can address it.
        """
        rows, columns = self.grid
        self._see_pattern()
        if len(self.shape) not in (2, 3):
            raise Diagnostic(
                "PTX2121",
                f"{self!r} is no operand of wgmma: it has {len(self.shape)} dimensions",
                help="give it two, and a third in front for stages",
                origin=self._k.here(),
            )
        if self.swizzle == "none" and columns * self.dtype.bits // 8 != CHUNK:
            raise Diagnostic(
                "PTX2121",
                f"{self!r} has no swizzle, so wgmma wants its rows as columns of 16 bytes",
                help='declare it with swizzle="128B", or with a last extent of 16 bytes',
                origin=self._k.here(),
            )
        if major not in ("K", "MN"):
            raise Diagnostic(
                "PTX2121",
                f"{major!r} is no way to lie: an operand is contiguous along K, or along M or N",
                help='use "K" or "MN"',
                origin=self._k.here(),
            )
        if major == "K":
            return k_major(rows, columns, self.dtype.bits, self.swizzle)
        return mn_major(columns, rows, self.dtype.bits, self.swizzle)

    def descriptor(self, major: str = "K") -> Descriptor:
        """The matrix descriptor by which wgmma reads the tile: one instruction for each register that indexes it, and three
        at the kernel's entry, shared by all parts of what `smem` declared. A tile of three dimensions is stages of one of two:
        `tile.descriptor().stage(i)`.

        Args:
            major: "K" where the last extent runs along K, "MN" where it runs along M or N.

        Raises: Diagnostic PTX2121 where no descriptor can address it.

        Example: see k.accumulator
        """
        stage_bytes = self.strides[0] if len(self.shape) == 3 else 0
        return descriptor_of(self._k, self.location, Operand(self.operand_tile(major), self.dtype), stage_bytes)


def pitch_of(columns: int, dtype: ScalarType, swizzle: Swizzle) -> int:
    """Bytes from one row to the next within a panel."""
    return columns * dtype.bits // 8 if swizzle == "none" else swizzle_span(swizzle)


def row_bytes(columns: int, dtype: ScalarType, swizzle: Swizzle) -> int:
    """Bytes that a row takes in all panels together."""
    row = columns * dtype.bits // 8
    return row if swizzle == "none" else align_up(row, swizzle_span(swizzle))
