"""Instructions without a row, as members of a program: what is known of them is which registers they name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import Opaque
from ptxlab.isa.form import Form
from ptxlab.isa.operands import Addr, Minus, Not, Operand, Pair, Params, Part, Raw, Reg, Vec
from ptxlab.isa.specs import Spec
from ptxlab.isa.targets import Need

_REGISTERS: Final = "registers"
FORM: Final = Form(
    name="",
    key="opaque",
    syntax="",
    slots=(),
    places=(),
    # It may write every register that it names, and nobody is told that it reads one which nothing has written.
    operands={_REGISTERS: Spec(frozenset(("vec",)), "w")},
    mods={},
    rules=(),
    needs=Need(),
    needs_when=(),
    isa="",
    effect=Opaque(),
    doc="An instruction whose forms ptxlab does not know.",
    unsimulated="ptxlab does not know its forms",
)
"""The row of all that have none. It is in no table."""


def opaque(opcode: str, operands: Iterable[Operand]) -> Instance:
    """An instruction that ptxlab has no row for."""
    named = dict.fromkeys(r for o in operands for r in registers(o))
    return Instance(FORM, opcode, {}, {_REGISTERS: Vec(tuple(named))})


def registers(operand: Operand) -> list[Reg]:
    """The registers that an operand names, whatever it is."""
    match operand:
        case Reg():
            return [operand]
        case Not() | Part() | Minus():
            return [operand.reg]
        case Vec() | Params():
            return [r for item in operand.items for r in registers(item)]
        case Pair():
            return registers(operand.first) + registers(operand.second)
        case Addr():
            base = [operand.base] if isinstance(operand.base, Reg) else []
            return base + (registers(operand.coords) if operand.coords is not None else [])
        case Raw():
            return list(operand.registers)
        case _:
            return []
