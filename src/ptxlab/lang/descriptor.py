"""Shared-memory matrix descriptors of tiles: the constant part is layout's, the address is the tile's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxlab.isa.types import TYPES
from ptxlab.lang.values import Register
from ptxlab.layout.tile import OperandTile

if TYPE_CHECKING:
    from ptxlab.lang.core import Core
    from ptxlab.lang.memory import Tile

ADDRESS_BITS = 14
UNIT = 16
"""Addresses and offsets in a descriptor count units of 16 bytes."""


class Descriptor:
    """The descriptor of a tile; `[i]` is that of the i-th wgmma along K, `at(line)` that of the rows from `line` on.

    Attributes:
        register: the descriptor of the tile's start. steps: wgmma instructions along K.
    """

    __slots__ = ("_k", "_units", "layout", "register")

    def __init__(self, k: Core, register: Register, layout: OperandTile, units: int = 0) -> None:
        self._k, self.register, self.layout, self._units = k, register, layout, units

    @property
    def steps(self) -> int:
        """wgmma instructions that the tile takes along K."""
        return self.layout.k_steps

    def at(self, line: int) -> Descriptor:
        """The part from row `line` of M or N on, e.g. 64 for the second warpgroup; no instruction.

        Raises: Diagnostic PTX2121 where a part cannot start there.
        """
        start = self.layout.descriptor(0, line=line).address
        return Descriptor(self._k, self.register, self.layout, self._units + start // UNIT)

    def __getitem__(self, step: int) -> Any:
        """The descriptor for the wgmma number `step` along K, in a register: one add unless nothing is to be added."""
        units = self._units + self.layout.k_step(step) // UNIT
        if not units:
            return self.register
        return self._k.emit("add.u64", (self.register, units))

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.steps))


def descriptor_of(k: Core, tile: Tile, layout: OperandTile) -> Descriptor:
    """The descriptor of a tile: that of its variable, made once at the kernel's entry, moved to where the tile starts."""
    constant = layout.descriptor(0).encode()
    base = _base(k, tile, constant)
    for index, nbytes in tile.steps:
        base = k.emit("mad.wide.u32", (index, nbytes // UNIT, base))
    return Descriptor(k, base, layout, tile.offset // UNIT)


def _base(k: Core, tile: Tile, constant: int) -> Any:
    cache = tile.variable.descriptors
    found = cache.get(constant)
    if found is None:
        with k.at_entry(k.here()):
            # in a cluster the CTA's rank stands from bit 24 up, where it would land in the leading offset
            units = k.emit("bfe.u32", (tile.variable.base, 4, ADDRESS_BITS))
            wide = k.emit("cvt.u64.u32", (units,))
            name = f"{tile.variable.name}_descriptor"
            found = cache[constant] = k.named_register(name, TYPES["u64"], fixed=True)
            k.set_fixed(found, "or.b64", wide, constant)
    return found
