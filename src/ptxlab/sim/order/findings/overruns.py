"""Accesses that run out of the shared array that they count from, into another one: told with the race that they make there."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ptxlab.isa.effects import Compute
from ptxlab.isa.operands import Addr, Operand, Reg, Symbol
from ptxlab.ptx.flow import graph_of
from ptxlab.ptx.uses import Uses

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op, Program

_MOST_STEPS = 100
"""Instructions that an address is followed through."""


class Overruns:
    """Knows from which variable instructions work out their addresses."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def _uses(self) -> Uses:
        return Uses(graph_of(self._program))

    def past(self, op: Op, offset: int) -> tuple[str, str] | None:
        """How far an offset into shared memory misses the array that an instruction counts from, and what would help; None where it
        does not, or that is not known."""
        found = [operand for operand in op.inst.operands.values() if isinstance(operand, Addr)]
        name = self._base(found[0].base) if len(found) == 1 else None
        var = self._program.variable(name) if name is not None else None
        if var is None or not var.space.startswith("shared") or not var.size:
            return None
        if var.offset <= offset < var.offset + var.size:
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

    def _base(self, operand: Operand | None) -> str | None:
        """The one variable whose address goes into an operand; None where there is none, or several, or memory says it."""
        found, left, seen = set[str](), [operand], set[str]()
        while left and len(seen) < _MOST_STEPS:
            match left.pop():
                case Symbol(name=name):
                    found.add(name)
                case Reg(name=name) if name not in seen:
                    seen.add(name)
                    only = self._uses.only.get(name, -1)
                    inst = self._program.ops[only].inst if only >= 0 else None
                    if inst is not None and isinstance(inst.form.effect, Compute):
                        left += [one for key, one in inst.operands.items() if key != "d"]
                case _:
                    pass
        return found.pop() if len(found) == 1 else None
