"""Shapes of instructions: opcode, kinds and types of operands, immediates. All that rows say of an instruction they say of
its shape, so that a shape that was bound once need not be bound again."""

from __future__ import annotations

from collections.abc import Sequence

from ptxlab.isa.operands import OPAQUE, Addr, Imm, Label, Not, Operand, Pair, Params, Reg, Sreg, Symbol, Vec

Shape = tuple[str, ...]


def shape(opcode: str, operands: Sequence[Operand]) -> Shape | None:
    """The shape of an instruction; None for operands that are too rare to be worth it."""
    out = [opcode]
    for operand in operands:
        word = _word(operand)
        if word is None:
            return None
        out.append(word)
    return tuple(out)


def _word(operand: Operand) -> str | None:
    """What a row asks of an operand. Words of different kinds begin differently, except that an immediate is as written."""
    if isinstance(operand, Reg):
        return operand.type.name
    if isinstance(operand, Imm):
        return operand.text
    if isinstance(operand, Addr):
        return _address(operand)
    if isinstance(operand, Vec):
        types = [o.type.name for o in operand.items if isinstance(o, Reg)]
        plain = len(types) == len(operand.items) > 1 and not operand.written  # not everywhere a name will do
        return "{" + ",".join(types) if plain else None
    if isinstance(operand, Label):
        return "@"
    if isinstance(operand, Sreg):
        return operand.name
    if isinstance(operand, Symbol):
        if operand.space in OPAQUE:
            return None
        return ("[]." if operand.indexed else "+." if operand.offset or operand.written else ".") + operand.space
    if isinstance(operand, Not):
        return "!" + operand.reg.type.name
    if isinstance(operand, Params):
        words = [_word(o) if isinstance(o, Reg | Symbol) else None for o in operand.items]
        return None if None in words else "(" + ",".join(words)  # type: ignore[arg-type]
    if isinstance(operand, Pair) and isinstance(operand.first, Reg) and isinstance(operand.second, Reg):
        return f"{operand.first.type.name}|{operand.second.type.name}"
    return None


def _address(operand: Addr) -> str | None:
    base = operand.base
    if operand.coords is not None or operand.unified:
        return None
    if isinstance(base, Reg):
        return ("[+" if operand.offset else "[") + base.type.name  # handles take no offset
    return "[." + base.space if isinstance(base, Symbol) and base.space not in OPAQUE else None


def flat(operands: Sequence[Operand]) -> list[Operand]:
    """The operands, the two of a pair apart: as many as the names that a row gives them."""
    out: list[Operand] = []
    for operand in operands:
        if isinstance(operand, Pair):
            out += (operand.first, operand.second)
        else:
            out.append(operand)
    return out
