"""What changes of candidates are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ptxlab.isa.enumerate import Candidate
from ptxlab.isa.operands import Addr, Operand, Reg
from ptxlab.isa.types import TYPES

WORD = Reg("%r1", TYPES["b32"])
HALF = Reg("%h1", TYPES["b16"])
LONG = Addr(Reg("%rd5", TYPES["b64"]))

Change = Callable[[Candidate], Iterator[Candidate]]


def at(one: Candidate, i: int, operand: Operand) -> Candidate:
    return replace(one, operands=(*one.operands[:i], operand, *one.operands[i + 1 :]))


def is_word(operand: Operand) -> bool:
    """A register of 32 bits; ptxas takes a predicate for one where it does not look at types."""
    return isinstance(operand, Reg) and (operand.type.bits == 32 or operand.type.kind == "p")
