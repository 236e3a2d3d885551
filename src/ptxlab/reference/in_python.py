"""An instance of a row as a kernel in Python writes it: the call, with the names of the row's operands."""

from __future__ import annotations

from ptxlab.isa.bind import bind
from ptxlab.isa.calls import operands_of
from ptxlab.isa.enumerate import Candidate
from ptxlab.isa.form import Form
from ptxlab.isa.match import attribute_of, split_opcode
from ptxlab.isa.operands import Imm, Operand, Vec

COORDINATES = "xyzwv"
"""What the coordinates of a tensor are called, the innermost first."""
_MOST = 4
"""Elements of a vector that are written one by one."""
_RELEASES = "two releases of ptxas take it, and later ones do not"
_ELSEWHERE = {
    "call": "a kernel in Python calls functions of Python; functions of PTX are called from PTX",
    "brx.idx": "its targets are a directive of PTX; a kernel in Python has k.if_",
    "vmad.difference": "a call has no minus in front of an operand",
    "sub.pairs": _RELEASES,
    "neg.pairs": _RELEASES,
}
"""Forms that no kernel in Python writes, by their keys or the first words of these, and why."""


def only_in_ptx(candidate: Candidate) -> str | None:
    """Why a kernel in Python does not write an instruction; None where it does."""
    if any(str(operand).startswith("%bb") or "{%bb" in str(operand) for operand in candidate.operands):
        return "a kernel in Python has no registers of 8 bits"
    key = candidate.form.key
    return _ELSEWHERE.get(key) or _ELSEWHERE.get(key.partition(".")[0])


def in_python(candidate: Candidate) -> str:
    """The call: `d = k.fma.rn.f32(a, b, c)`. What may be left out is given by name, and so is a result that is not wanted, or
    that tells the form from another one."""
    form, operands = candidate.form, bind(candidate.opcode, candidate.operands).operands
    told = form.key.endswith(".report")
    results: list[str] = []
    given: list[str] = []
    named: list[str] = []
    for name, _, _, result, optional in operands_of(form):
        operand = operands.get(name)
        if operand is None:
            continue
        if str(operand) == "_":
            named.append(f'{name}="_"')
        elif result and told:
            named.append(f"{name}={name}")
        elif result:
            results.append(name)
            named += [f"{name}=True"] if optional else []
        elif optional:
            named.append(f"{name}={_written(name, operand)}")
        else:
            given.append(_coordinates(operand) if name in coordinates_of(form) else _written(name, operand))
    call = f"{'.'.join(['k', *map(attribute_of, split_opcode(candidate.opcode))])}({', '.join([*given, *named])})"
    return f"{', '.join(results)} = {call}" if results else call


def coordinates_of(form: Form) -> set[str]:
    """Operands that are coordinates of a tensor."""
    return {place.names[-1] for place in form.places if place.kind == "tensor"}


def _coordinates(operand: Operand) -> str:
    count = len(operand.items) if isinstance(operand, Vec) else 1
    return f"({', '.join(COORDINATES[:count])}{',' * (count == 1)})"


def _written(name: str, operand: Operand) -> str:
    if isinstance(operand, Imm):
        return str(operand.value)
    if isinstance(operand, Vec) and len(operand.items) <= _MOST:
        return f"[{', '.join(f'{name}{i}' for i in range(len(operand.items)))}]"
    return name


__all__ = ["coordinates_of", "in_python", "only_in_ptx"]
