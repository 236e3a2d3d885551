"""Whether a loop that waits goes round once more: asked without running it.

A thread asks a word by a strong load, or by an atomic operation such as the compare-and-swap of a lock, and asks again unless it
likes the answer. As long as it does not, nothing has happened: the thread is where it was, and memory holds what it held. So it
need not be run for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import dataclass

from ptxlab.isa.effects import Access, Branch, Compute, Effect, Fence, Hint
from ptxlab.isa.operands import Label, Not, Operand, Reg
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import touched
from ptxlab.sim.certify.waits import evaluated, known_value, waiting_loop

_QUIET = (Compute, Hint, Fence)
_INTEGERS = "bus"
MOST_STEPS = 256
"""Instructions from a question to the next one, at most."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop that only waits: its program, its question there, and the registers that are read in it."""

    program: Program
    question: int
    inside: frozenset[int]
    registers: tuple[Reg, ...]


def loops(programs: Iterable[Program]) -> dict[int, Loop]:
    """The loops that only wait for a word, by the identity of the instruction that asks."""
    found: dict[int, Loop] = {}
    for program in programs:
        for i, op in enumerate(program.ops):
            if _asks(op):
                inside = waiting_loop(program, i)
                if inside:
                    found[id(op)] = Loop(program, i, frozenset(inside), _registers(program, inside))
    return found


def _asks(op: Op) -> bool:
    effect = op.inst.form.effect
    strong = isinstance(effect, Access) and any(t.order != "weak" and t.reads for t in op.inst.effect.touches)
    return strong and op.guard is None and len(touched(op)[1]) == 1


def _registers(program: Program, inside: Iterable[int]) -> tuple[Reg, ...]:
    found: dict[str, Reg] = {}
    for i in inside:
        op = program.ops[i]
        for operand in (*op.inst.operands.values(), op.guard):
            one = operand.reg if isinstance(operand, Not) else operand
            if isinstance(one, Reg):
                found[one.name] = one
    return tuple(found.values())


def asks_again(loop: Loop, lane: Callable[[Reg], int], value: int) -> bool | None:
    """Whether a thread that has found a value asks again.

    lane: what its registers hold, as bits. Returns: None where that cannot be told.
    """
    program, (answer,) = loop.program, touched(loop.program.ops[loop.question])[1]
    known: MutableMapping[str, int] = {reg.name: lane(reg) for reg in loop.registers}
    known[answer] = value
    at = loop.question + 1
    for _ in range(MOST_STEPS):
        if at == loop.question:
            return True
        if at not in loop.inside:
            return False
        op = program.ops[at]
        effect = op.inst.form.effect
        executes = op.guard is None or (bool(known[op.guard.name]) != op.guard_negated)
        if isinstance(effect, Branch):
            target = op.inst.operands.get(effect.to or "")
            if effect.kind != "branch" or not isinstance(target, Label) or target.name not in program.labels:
                return None
            at = program.labels[target.name] if executes else at + 1
            continue
        if executes and not (type(effect) is Effect or isinstance(effect, _QUIET)):
            return None
        if executes:
            results = _results(op, known)
            if results is None:
                return None
            known |= results
        at += 1
    return None


def _results(op: Op, known: MutableMapping[str, int]) -> dict[str, int] | None:
    """What an instruction gives, as bits; None where that is not known."""
    row, inst = op.inst.form, op.inst
    gets = [name for name, spec in row.operands.items() if spec.role == "w" and name in inst.operands]
    if not gets:
        return {}
    values = evaluated(op, lambda name, operand: _value(op, name, operand, known))
    if values is None:
        return None
    out: dict[str, int] = {}
    for name, value in zip(gets, values, strict=False):
        operand = inst.operands[name]
        if isinstance(operand, Reg):
            if not isinstance(value, int):
                return None
            out[operand.name] = int(value) & ((1 << operand.type.bits) - 1)
    return out


def _value(op: Op, name: str, operand: Operand, known: MutableMapping[str, int]) -> int | None:
    """The value of an operand as its type has it, where it is known."""
    type_ = op.inst.type_of(name)
    bits = known_value(operand, known)
    if bits is None or type_ is None or not isinstance(operand, Reg):
        return bits
    if type_.kind == "f":
        return None
    bits &= (1 << type_.bits) - 1
    return bits - (1 << type_.bits) if type_.kind == "s" and bits >> (type_.bits - 1) else bits
