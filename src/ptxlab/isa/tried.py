"""An instruction that breaks its rows, and changes of it that take away what ptxas overlooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ptxlab.isa.operands import Operand
from ptxlab.isa.targets import Release, Target


@dataclass(frozen=True, slots=True)
class Tried:
    """An instruction. `release`: of ptxas, the newest where it is left out."""

    opcode: str
    operands: tuple[Operand, ...]
    release: Release | None = None
    target: Target | None = None

    def at(self, i: int, operand: Operand) -> Tried:
        """It with another operand."""
        return replace(self, operands=(*self.operands[:i], operand, *self.operands[i + 1 :]))


Change = Callable[[Tried], Iterator[Tried]]
