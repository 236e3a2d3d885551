"""Declarations of shared memory.

Tiles are static variables while they fit into 48 KB; beyond that all of them lie in one block of dynamic shared memory, in the
order of declaration, each at the alignment that it asked for. A kernel does not see the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.limits import SHARED_PER_CTA, SHARED_STATIC_DEFAULT
from ptxlab.isa.operands import Symbol
from ptxlab.isa.types import TYPES
from ptxlab.lang.smem.tile import Geometry, Tile, pitch_of, row_bytes
from ptxlab.lang.smem.variable import Location, Variable
from ptxlab.lang.trace.core import Core, Item
from ptxlab.lang.trace.names import identifier
from ptxlab.lang.trace.types import scalar_of
from ptxlab.lang.trace.values import Address, whole
from ptxlab.layout.shared_tile import SharedTile
from ptxlab.layout.swizzles import SwizzleLike, swizzle_atom, swizzle_mode
from ptxlab.layout.tile import TMA_ALIGNMENT, align_up
from ptxlab.ptx import tree

DYNAMIC = "dynamic_shared"
"""Name of the block of dynamic shared memory."""


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

        Returns: the tile. Offsets in `tile.at` are bytes, indices in `tile[i]` count the outermost dimension.

        Example:
            buf = k.smem(px.f32, 128)
            k.st.shared.f32(buf.at(k.thread * 4), k.ld.global_.f32(x[k.thread]))
            k.bar.sync(0)
            k.st.global_.f32(y[k.thread], k.ld.shared.f32(buf.at((127 - k.thread) * 4)))
            # y[:3]: [127. 126. 125.]
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
        matrix = rows * row_bytes(columns, scalar, mode)
        variable = self._declare(name or "smem", math.prod(outer) * matrix, wanted, place)
        strides = [matrix * math.prod(outer[i + 1 :]) for i in range(len(outer))]
        if len(extents) > 1:
            strides.append(pitch_of(columns, scalar, mode))
        where = Address(self, variable.base.reg, 0, "shared", scalar)
        geometry = Geometry(scalar, extents, mode, tuple(strides), (rows, columns))
        tile = Tile(self, Location(variable, where), geometry)
        self._tiles.append(tile)
        return tile

    def shared_tiles(self) -> dict[str, SharedTile]:
        """The declared tiles by name, for tools that show shared memory."""
        dynamic = bool(self.shared_dynamic)
        out: dict[str, SharedTile] = {}
        for t in self._tiles:
            variable = t.location.variable
            if t.dtype.bits >= 8:
                out[variable.name] = SharedTile(
                    name=variable.name,
                    dtype=t.dtype.name,
                    bits=t.dtype.bits,
                    shape=t.shape,
                    swizzle=t.swizzle,
                    strides=t.strides,
                    offset=variable.offset if dynamic else None,
                    linear=variable.counted and not variable.located,
                )
        return out

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
