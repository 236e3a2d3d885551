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
from ptxlab.lang.types import scalar_of
from ptxlab.lang.values import Address, Index, Register
from ptxlab.layout.swizzle import CHUNK, Swizzle, SwizzleLike, swizzle_atom, swizzle_mode, swizzle_span
from ptxlab.layout.tile import OperandTile, align_up, k_major, mn_major
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
    """A tile of shared memory.

    Attributes:
        dtype: type of its elements. shape: extents, outermost first; the last one is contiguous.
        swizzle: how TMA writes it and wgmma reads it: "none", "32B", "64B" or "128B".
        nbytes: its elements' bytes, which are what TMA counts.
        variable: what it is a part of. offset, steps: where: constant bytes, and (register, bytes that it counts).
    """

    __slots__ = ("_address", "_k", "dtype", "nbytes", "offset", "shape", "steps", "swizzle", "variable")

    def __init__(
        self,
        k: Core,
        variable: Variable,
        address: Address,
        dtype: ScalarType,
        shape: tuple[int, ...],
        swizzle: Swizzle,
        *,
        offset: int = 0,
        steps: tuple[tuple[Register, int], ...] = (),
    ) -> None:
        self._k, self.variable, self._address = k, variable, address
        self.dtype, self.shape, self.swizzle = dtype, shape, swizzle
        self.nbytes = math.prod(shape) * dtype.bits // 8
        self.offset, self.steps = offset, steps

    @property
    def pitch(self) -> int:
        """Bytes from one row to the next: the swizzle's span where the row is narrower."""
        row = self.shape[-1] * self.dtype.bits // 8
        return row if self.swizzle == "none" else max(row, swizzle_span(self.swizzle))

    @property
    def footprint(self) -> int:
        """Bytes that it takes in shared memory; more than `nbytes` where rows are narrower than the swizzle's span."""
        return math.prod(self.shape[:-1]) * self.pitch

    def __repr__(self) -> str:
        return f"<tile {self.variable.name} .{self.dtype} {self.shape} {self.swizzle}>"

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
        """Sub-tile `index` of the outermost dimension, e.g. a stage. An int costs no instruction; a register costs one."""
        count, rest = self.shape[0], self.shape[1:]
        if not isinstance(index, Register) and not 0 <= int(index) < count:
            raise Diagnostic(
                "PTX2210",
                f"{self!r} has no part {index}: its outermost extent is {count}",
                help=f"use 0 to {count - 1}",
                origin=self._k.here(),
            )
        step = self.footprint // count
        offset, steps = self.offset, self.steps
        if isinstance(index, Register):
            steps = (*steps, (index, step))
        else:
            offset += int(index) * step
        part = self._address.at(index, step)
        return Tile(self._k, self.variable, part, self.dtype, rest or (1,), self.swizzle, offset=offset, steps=steps)

    def view(self, *shape: int) -> Tile:
        """The same memory with other extents, e.g. a tile of 256 rows as two of 128: `tile.view(2, 128, 64)[rank]`.

        Raises: Diagnostic PTX2210 where the number of elements or the width of a row would change.
        """
        if math.prod(shape) != math.prod(self.shape) or shape[-1] != self.shape[-1]:
            raise Diagnostic(
                "PTX2210",
                f"{self!r} cannot be seen as {shape}",
                help="keep the number of elements and the last extent",
                origin=self._k.here(),
            )
        return Tile(
            self._k, self.variable, self._address, self.dtype, shape, self.swizzle, offset=self.offset, steps=self.steps
        )

    def remote(self, rank: Any) -> Address:
        """Where the tile of the CTA `rank` of the cluster starts (one instruction, mapa)."""
        mapped = self._k.emit("mapa.shared::cluster.u32", (self.addr, rank))
        return Address(self._k, mapped.reg, 0, "shared::cluster", self.dtype)

    def operand_tile(self, major: str = "K") -> OperandTile:
        """The tile as an operand of wgmma: its last two extents are lines × k ("K") or k × lines ("MN").

        Raises: Diagnostic PTX2121 where no descriptor can address it.
        """
        if len(self.shape) != 2:
            raise Diagnostic(
                "PTX2121",
                f"{self!r} is no operand of wgmma: it has {len(self.shape)} dimensions",
                help="take one stage of it: tile[stage]",
                origin=self._k.here(),
            )
        first, second = self.shape
        if self.swizzle == "none" and second * self.dtype.bits // 8 != CHUNK:
            raise Diagnostic(
                "PTX2121",
                f"{self!r} has no swizzle, so wgmma wants its rows as columns of 16 bytes",
                help='declare it with swizzle="128B", or with a last extent of 16 bytes',
                origin=self._k.here(),
            )
        if major == "K":
            return k_major(first, second, self.dtype.bits, self.swizzle)
        return mn_major(second, first, self.dtype.bits, self.swizzle)

    def descriptor(self, major: str = "K") -> Descriptor:
        """The matrix descriptor by which wgmma reads the tile: one instruction for each register that indexes it, and three
        at the kernel's entry, shared by all parts of what `smem` declared.

        Args:
            major: "K" where the last extent runs along K, "MN" where it runs along M or N.

        Raises: Diagnostic PTX2121 where no descriptor can address it.
        """
        from ptxlab.lang.descriptor import descriptor_of  # it builds on tiles

        return descriptor_of(self._k, self, self.operand_tile(major))


class SharedMemory(Core):
    """Declarations of shared memory."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.variables: list[Variable] = []

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
        scalar = scalar_of(dtype)
        extents = (shape,) if isinstance(shape, int) else tuple(int(s) for s in shape)
        mode = swizzle_mode(swizzle)
        wanted = align or (scalar.bytes if mode == "none" else max(128, swizzle_atom(mode)))
        if not extents or min(extents) < 1:
            raise Diagnostic("PTX2210", f"a tile cannot have the shape {extents}", help="extents are positive", origin=place)
        if wanted & (wanted - 1) or wanted < 1:
            raise Diagnostic(
                "PTX2210", f"an alignment is a power of two, not {wanted}", help="use 16, 128, 1024 …", origin=place
            )
        row = extents[-1] * scalar.bits // 8
        pitch = row if mode == "none" else max(row, swizzle_span(mode))
        variable = self._declare(name or "smem", math.prod(extents[:-1]) * pitch, wanted, place)
        address = Address(self, variable.base.reg, 0, "shared", scalar)  # type: ignore[arg-type]
        return Tile(self, variable, address, scalar, extents, mode)

    def _declare(self, name: str, nbytes: int, align: int, place: Span) -> Variable:
        base = self.named_register(name, TYPES["u32"], fixed=True)
        variable = Variable(base.reg.name[1:], nbytes, align, base, place)
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
            symbol = Symbol(DYNAMIC, "shared", v.offset, align) if dynamic else Symbol(v.name, "shared", 0, v.align, v.nbytes)
            with self.at_entry(v.place):
                self.set_fixed(v.base, "mov.u32", symbol)
        moves, self.entry = self.entry, kept
        if dynamic:
            return [tree.variable("shared", TYPES["b8"], DYNAMIC, 0, align=align, linkage=".extern")], [], moves
        return [], [tree.variable("shared", TYPES["b8"], v.name, v.nbytes, align=v.align) for v in self.variables], moves
