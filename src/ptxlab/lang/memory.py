"""Shared memory: tiles that know their type, shape, swizzle and place.

Tiles are static variables while they fit into 48 KB; beyond that all of them lie in one block of dynamic shared memory, in the
order of declaration, each at the alignment that it asked for. A kernel does not see the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.limits import SHARED_PER_CTA, SHARED_STATIC_DEFAULT
from ptxlab.isa.operands import Symbol
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.core import Core, Item
from ptxlab.lang.names import identifier
from ptxlab.lang.types import scalar_of
from ptxlab.lang.values import Address, Index, Register, whole
from ptxlab.layout.shared_tile import SharedTile
from ptxlab.layout.swizzle import CHUNK, Swizzle, SwizzleLike, swizzle_atom, swizzle_mask, swizzle_mode, swizzle_span
from ptxlab.layout.swizzle import swizzle as swizzle_offset
from ptxlab.layout.tile import TMA_ALIGNMENT, OperandTile, align_up, k_major, mn_major
from ptxlab.ptx import tree

if TYPE_CHECKING:
    from ptxlab.lang.descriptor import Descriptor

DYNAMIC = "dynamic_shared"
"""Name of the block of dynamic shared memory."""


@dataclass(slots=True, eq=False)
class Variable:
    """One shared variable: `nbytes` at a multiple of `align`; `base` holds its address from the kernel's entry on."""

    name: str
    nbytes: int
    align: int
    base: Register
    place: Span
    offset: int = 0
    descriptors: dict[int, Register] = field(default_factory=dict[int, Register])


class Tile:
    """A tile of shared memory, or a part of one.

    The last two extents are rows and columns. With a swizzle, columns are cut into panels one swizzle span wide, as TMA's boxes
    and wgmma's descriptors have them; a panel holds all rows, at a pitch of one span.

    Attributes:
        dtype: type of its elements. shape: extents, outermost first; the last one is contiguous.
        swizzle: how TMA writes it and wgmma reads it: "none", "32B", "64B" or "128B".
        strides: bytes from one index to the next, for all dimensions but the last.
        grid: rows and columns of what was declared, which fix where panels lie.
        variable: what it is a part of. offset, steps: where: constant bytes, and (register, bytes that it counts).
    """

    __slots__ = ("_address", "_k", "dtype", "grid", "offset", "shape", "steps", "strides", "swizzle", "variable")

    def __init__(
        self,
        k: Core,
        variable: Variable,
        address: Address,
        dtype: ScalarType,
        shape: tuple[int, ...],
        swizzle: Swizzle,
        strides: tuple[int, ...],
        grid: tuple[int, int],
        offset: int = 0,
        steps: tuple[tuple[Register, int], ...] = (),
    ) -> None:
        self._k, self.variable, self._address = k, variable, address
        self.dtype, self.shape = dtype, shape
        self.swizzle: Swizzle = swizzle
        self.strides, self.grid, self.offset, self.steps = strides, grid, offset, steps

    def __repr__(self) -> str:
        return f"<tile {self.variable.name} .{self.dtype} {self.shape} {self.swizzle}>"

    @property
    def nbytes(self) -> int:
        """Bytes of its elements, which are what TMA counts."""
        return math.prod(self.shape) * self.dtype.bits // 8

    @property
    def footprint(self) -> int:
        """Bytes that it takes in shared memory; more than `nbytes` where rows are narrower than the swizzle's span."""
        return math.prod(self.shape[:-1]) * _row_bytes(self.shape[-1], self.dtype, self.swizzle)

    @property
    def panel_columns(self) -> int:
        """Columns of a panel."""
        return self.grid[1] if self.swizzle == "none" else swizzle_span(self.swizzle) * 8 // self.dtype.bits

    @property
    def panel_bytes(self) -> int:
        """Bytes from one panel to the next."""
        return self.grid[0] * _pitch(self.grid[1], self.dtype, self.swizzle)

    @property
    def wanted_alignment(self) -> int:
        """What a tensor copy, and the pattern of the swizzle, want its start to be a multiple of, in bytes."""
        return max(TMA_ALIGNMENT, swizzle_atom(self.swizzle))

    @property
    def starts_at(self) -> int:
        """Bytes that its start surely is a multiple of, as far as this is a power of two."""
        known = math.gcd(self.variable.align, self.offset, *(nbytes for _, nbytes in self.steps))
        return known & -known

    def address(self) -> Address:
        """Where it starts."""
        return self._address

    @property
    def addr(self) -> Any:
        """Its address as a register."""
        return self._address.register()

    def at(self, offset: Index) -> Address:
        """The address `offset` bytes on. An int costs no instruction; a register costs one."""
        return self._address.at(offset)

    def __getitem__(self, index: Index) -> Tile:
        """Part `index` of the outermost dimension, e.g. a stage. An int costs no instruction; a register costs one."""
        self._within(index, self.shape[0])
        step = self.strides[0] if self.strides else self.dtype.bits // 8
        return self._moved(index, step, self.shape[1:] or (1,), self.strides[1:])

    def part(self, index: Index, count: int, axis: int = 0) -> Tile:
        """Part `index` of `count` equal ones along a dimension, e.g. the half of each stage that a warpgroup works on.

        An int costs no instruction; a register costs one.

        Raises: Diagnostic PTX2210 where the dimension does not divide, or columns would be cut inside a panel.
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
        offset, steps = self.offset, self.steps
        if isinstance(index, Register):
            steps = (*steps, (index, step))
        else:
            offset += whole(index) * step
        where = self._address.at(index, step)
        return Tile(self._k, self.variable, where, self.dtype, shape, self.swizzle, strides, self.grid, offset, steps)

    def locate(self, row: Index, column: int | Register) -> Address:
        """Where element (row, column) of a tile of rows and columns lies under its swizzle; four or five instructions.

        `column` is a register within the first panel, or an int anywhere.
        """
        k = self._k
        self._see_pattern()
        panel = 0
        if not isinstance(column, Register):
            panel, column = divmod(whole(column), self.panel_columns)
        pitch, size = self.strides[-1], self.dtype.bits // 8
        linear = (
            k.emit("mad.lo.u32", (row, pitch, column * size))
            if isinstance(row, Register)
            else row * pitch + column * size
        )
        if not isinstance(linear, Register):
            return self.at(swizzle_offset(linear, self.swizzle) + panel * self.panel_bytes)
        mask = swizzle_mask(self.swizzle)
        if mask:
            flipped = k.emit("and.b32", (k.emit("shr.u32", (linear, 3)), mask))
            linear = k.emit("xor.b32", (linear, flipped))
        return self.at(linear).at(panel * self.panel_bytes)

    def _see_pattern(self) -> None:
        """Swizzles go by addresses: places are known only from where the pattern begins. Raises: Diagnostic PTX2210."""
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
        """Where the tile of the CTA `rank` of the cluster starts (one instruction, mapa)."""
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
        """
        from ptxlab.lang.descriptor import descriptor_of  # it builds on tiles

        stage_bytes = self.strides[0] if len(self.shape) == 3 else 0
        return descriptor_of(self._k, self, self.operand_tile(major), stage_bytes)


def _pitch(columns: int, dtype: ScalarType, swizzle: Swizzle) -> int:
    """Bytes from one row to the next within a panel."""
    return columns * dtype.bits // 8 if swizzle == "none" else swizzle_span(swizzle)


def _row_bytes(columns: int, dtype: ScalarType, swizzle: Swizzle) -> int:
    """Bytes that a row takes in all panels together."""
    row = columns * dtype.bits // 8
    return row if swizzle == "none" else align_up(row, swizzle_span(swizzle))


class SharedMemory(Core):
    """Declarations of shared memory."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.variables: list[Variable] = []
        self._tiles: list[Tile] = []

    def smem(
        self,
        dtype: Any,
        shape: int | Sequence[int],
        *,
        align: int | None = None,
        swizzle: SwizzleLike = "none",
        name: str | None = None,
    ) -> Tile:
        """Declare shared memory.

        Args:
            dtype: element type, e.g. px.bf16.
            shape: number of elements, or extents, outermost first.
            align: alignment in bytes, a power of two; default: the element's size, with a swizzle what its pattern needs.
            swizzle: how TMA will write it: "none", "32B", "64B" or "128B".
            name: its name in the PTX.

        Raises: Diagnostic PTX2204 when the kernel's shared memory exceeds 227 KB, PTX2210 for a bad extent or alignment.
        """
        place = self.here()
        scalar, mode = scalar_of(dtype), swizzle_mode(swizzle)
        extents = tuple(whole(n) for n in (shape if isinstance(shape, Sequence) else (shape,)))
        wanted = align or (scalar.bytes if mode == "none" else max(TMA_ALIGNMENT, swizzle_atom(mode)))
        if not extents or min(extents) < 1:
            raise Diagnostic(
                "PTX2210", f"a tile cannot have the shape {extents}", help="extents are positive", origin=place
            )
        if wanted & (wanted - 1) or wanted < 1:
            raise Diagnostic(
                "PTX2210", f"an alignment is a power of two, not {wanted}", help="use 16, 128, 1024 …", origin=place
            )
        if mode != "none" and wanted < swizzle_atom(mode):
            raise Diagnostic(
                "PTX2210",
                f"a tile with swizzle {mode} starts at a multiple of {swizzle_atom(mode)} bytes, where the pattern begins, not of "
                f"{wanted}",
                help=f"leave align out, or use align={swizzle_atom(mode)}",
                origin=place,
            )
        outer, rows, columns = (extents[:-2], *(1, *extents)[-2:])
        matrix = rows * _row_bytes(columns, scalar, mode)
        variable = self._declare(name or "smem", math.prod(outer) * matrix, wanted, place)
        strides = [matrix * math.prod(outer[i + 1 :]) for i in range(len(outer))]
        if len(extents) > 1:
            strides.append(_pitch(columns, scalar, mode))
        where = Address(self, variable.base.reg, 0, "shared", scalar)
        tile = Tile(self, variable, where, scalar, extents, mode, tuple(strides), (rows, columns))
        self._tiles.append(tile)
        return tile

    def shared_tiles(self) -> dict[str, SharedTile]:
        """What was declared, by name, for those who look at shared memory from outside."""
        dynamic = bool(self.shared_dynamic)
        return {
            (name := t.variable.name): SharedTile(
                name, t.dtype.name, t.dtype.bits, t.shape, t.swizzle, t.strides, t.variable.offset if dynamic else None
            )
            for t in self._tiles
            if t.dtype.bits >= 8
        }

    def _declare(self, name: str, nbytes: int, align: int, place: Span) -> Variable:
        symbol, i = identifier(name), 1
        while symbol in self.symbols or symbol == DYNAMIC:
            symbol, i = f"{identifier(name)}_{i}", i + 1
        self.symbols.add(symbol)
        base = self.named_register(symbol, TYPES["u32"], fixed=True)
        variable = Variable(symbol, nbytes, align, base, place)
        end = max((v.offset + v.nbytes for v in self.variables), default=0)
        variable.offset = align_up(end, align)
        total = variable.offset + nbytes
        if total > SHARED_PER_CTA:
            raise Diagnostic(
                "PTX2204",
                f"with `{variable.name}` of {nbytes} bytes the kernel has {total} bytes of shared memory, "
                f"{total - SHARED_PER_CTA} more than the {SHARED_PER_CTA} (227 KB) that a CTA can have",
                help="use fewer stages or smaller tiles",
                notes=[f"{v.name}: {v.nbytes} bytes at {v.offset}" for v in (*self.variables, variable)],
                origin=place,
            )
        self.variables.append(variable)
        return variable

    @property
    def shared_bytes(self) -> int:
        """Shared memory declared so far, in bytes."""
        return max((v.offset + v.nbytes for v in self.variables), default=0)

    @property
    def shared_dynamic(self) -> int:
        """Dynamic shared memory in bytes that a launch must give: 0 while static memory suffices."""
        total = self.shared_bytes
        return total if total > SHARED_STATIC_DEFAULT else 0

    def place_variables(self) -> tuple[list[tree.VarDecl], list[tree.VarDecl], list[Item]]:
        """Where every variable lies, once all are known.

        Returns: declarations outside and inside the function, and the instructions that take the addresses.
        """
        dynamic = bool(self.shared_dynamic)
        align = max((v.align for v in self.variables), default=1)
        kept, self.entry = self.entry, []
        for v in self.variables:
            symbol = (
                Symbol(DYNAMIC, "shared", v.offset, align)
                if dynamic
                else Symbol(v.name, "shared", 0, v.align, v.nbytes)
            )
            with self.at_entry(v.place):
                self.set_fixed(v.base, "mov.u32", symbol)
        moves, self.entry = self.entry, kept
        if dynamic:
            return [tree.variable("shared", TYPES["b8"], DYNAMIC, 0, align=align, linkage=".extern")], [], moves
        return (
            [],
            [tree.variable("shared", TYPES["b8"], v.name, v.nbytes, align=v.align) for v in self.variables],
            moves,
        )
