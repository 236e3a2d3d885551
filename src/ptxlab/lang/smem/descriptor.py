"""Shared-memory matrix descriptors of tiles: the constant part is layout's, the address is the tile's.

A descriptor is kept as its low word, which holds the address and is what arithmetic moves; the high word is a constant. The
address cannot carry out of its field: 14 bits of 16 bytes are 256 KB, more than a CTA has.
"""

from __future__ import annotations

from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.isa.types import TYPES
from ptxlab.lang.smem.variable import Location, Variable
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.described import Operand
from ptxlab.lang.trace.values import Index, Register, whole
from ptxlab.layout.tile import OperandTile

UNIT = 16
"""Addresses and offsets in a descriptor count units of 16 bytes."""
WITHIN_CTA = 0x3FFFF
"""Within a cluster a shared address carries the CTA's rank above these bits; in a descriptor it would land in another field."""


class Descriptor:
    """The descriptor of a tile; `[i]` is that of the i-th wgmma along K, `at(line)` that of the rows from `line` on, and
    `stage(i)` that of stage i where the tile is several. Of the dense B of a sparse product the i-th instruction takes `[2 * i]`.

    Attributes:
        low, high: the words of the descriptor of the tile's start: a register and a constant.
        operand: what it describes. steps: wgmma instructions along K.
        stage_bytes: from one stage to the next; 0 where there is one.

    Example:
        stages = k.smem(px.f16, (2, 128, 64), swizzle="128B")
        both = stages.descriptor()
        assert both.steps == 4 and both.stage_bytes == 128 * 64 * 2
        assert both.layout is both.operand.layout
        second = both.stage(1).at(64)  # stage 1, rows 64 on
        low, high = k.unpack(second[0], px.b32)
        k.st.global_.u32(out[k.thread], high)
    """

    __slots__ = ("_k", "_units", "high", "low", "operand", "stage_bytes")
    as_operand = "take that of a step along K: descriptor[i]"

    def __init__(
        self, k: Core, low: Register, high: int, operand: Operand, units: int = 0, stage_bytes: int = 0
    ) -> None:
        self._k, self.low, self.high, self.operand = k, low, high, operand
        self._units, self.stage_bytes = units, stage_bytes

    def __repr__(self) -> str:
        return f"<Descriptor of {self.steps} steps along K, low word {self.low!r}, high word {self.high:#x}>"

    @property
    def layout(self) -> OperandTile:
        """How its elements lie."""
        return self.operand.layout

    @property
    def steps(self) -> int:
        """wgmma instructions that the tile takes along K."""
        return self.layout.k_steps

    def stage(self, index: Index) -> Descriptor:
        """That of stage `index`. An int costs no instruction; a register costs one.

        Raises: Diagnostic PTX2121 where the tile has no stages.
        """
        units = self.stage_bytes // UNIT
        if not units:
            raise Diagnostic(
                "PTX2121",
                "this descriptor's tile has no stages",
                help="declare it with the shape (stages, …), and make the descriptor of all of it",
                origin=self._k.here(),
            )
        if isinstance(index, Register):
            low = self._k.emit("mad.lo.u32", (index, units, self.low))
            return Descriptor(self._k, low, self.high, self.operand, self._units)
        return Descriptor(self._k, self.low, self.high, self.operand, self._units + int(index) * units)

    def at(self, line: int) -> Descriptor:
        """The part from row `line` of M or N on, e.g. 64 for the second warpgroup; no instruction.

        Raises: Diagnostic PTX2121 where a part cannot start there.
        """
        start = self.layout.descriptor(0, line=line).address
        return Descriptor(self._k, self.low, self.high, self.operand, self._units + start // UNIT, self.stage_bytes)

    def __getitem__(self, step: int) -> Any:
        """The descriptor for the wgmma number `step` along K, in a register: two instructions, one where nothing is added."""
        if not 0 <= whole(step) < self.steps:
            raise Diagnostic(
                "PTX2121",
                f"the tile has {self.steps} steps along K, and none is number {step}",
                help=f"use 0 to {self.steps - 1}, or iterate over the descriptor",
                origin=self._k.here(),
            )
        units = self._units + self.layout.k_step(step) // UNIT
        low = self._k.emit("add.u32", (self.low, units)) if units else self.low
        made = self._k.emit("mov.b64", ((low, self.high),))
        self._k.described[made.reg.name] = self.operand
        return made

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.steps))


def descriptor_of(k: Core, where: Location, operand: Operand, stage_bytes: int = 0) -> Descriptor:
    """The descriptor of an operand: that of its variable, made once at the kernel's entry, moved to where the operand starts."""
    constant = operand.layout.descriptor(0).encode()
    low = _low_word(k, where.variable, constant & 0xFFFFFFFF)
    for index, nbytes in where.steps:
        low = k.emit("mad.lo.u32", (index, nbytes // UNIT, low))
    return Descriptor(k, low, constant >> 32, operand, where.offset // UNIT, stage_bytes)


def _low_word(k: Core, variable: Variable, constant: int) -> Any:
    cache = variable.descriptors
    found = cache.get(constant)
    if found is None:
        with k.at_entry(k.here()):
            offset = k.emit("and.b32", (variable.base, WITHIN_CTA))
            units = k.emit("shr.u32", (offset, 4))
            name = f"{variable.name}_descriptor"
            found = cache[constant] = k.named_register(name, TYPES["u32"], fixed=True)
            k.set_fixed(found, "or.b32", units, constant)
    return found
