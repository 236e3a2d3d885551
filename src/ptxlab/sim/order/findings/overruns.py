"""Accesses that run out of the shared array that they count from, into another one: told with the race that they make there."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ptxlab.isa.operands import Addr, Symbol
from ptxlab.ptx.derived import Derived

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.observer import Observed


class Overruns:
    """Knows from which variables instructions work out their addresses."""

    def __init__(self, machine: Observed) -> None:
        self._machine = machine
        self._variables = [v for v in machine.record.program.variables if v.space.startswith("shared")]
        self._bits = {v.name: bit for bit, v in enumerate(self._variables)}

    @cached_property
    def _derived(self) -> Derived:
        return Derived(self._machine.image.ops, self._bit)

    def _bit(self, symbol: Symbol) -> int | None:
        return self._bits.get(symbol.name)

    def past(self, op: Op, offset: int) -> tuple[str, str] | None:
        """How far an offset into shared memory misses the array that an instruction counts from, and what would help; None where it
        does not, or where it counts from several, or from none."""
        found = [operand for operand in op.inst.operands.values() if isinstance(operand, Addr)]
        bases = self._derived.of(found[0]).bases if len(found) == 1 else 0
        if bases.bit_count() != 1:
            return None
        var = self._variables[bases.bit_length() - 1]
        if not var.size or var.offset <= offset < var.offset + var.size:
            return None
        behind, before = offset - var.offset - var.size, var.offset - offset
        miss = (
            f"{before} bytes before it"
            if before > 0
            else f"{behind} bytes behind its end"
            if behind
            else "just behind its end"
        )
        where = f"the {var.size} bytes of `{var.name}` (shared + {var.offset:#x})"
        return f"`{op.inst.opcode}` counts from {where}, and this is {miss}", f"keep the index within {where}"
