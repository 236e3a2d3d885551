"""Loops that wait for a phase of an mbarrier, and do nothing else.

`mbarrier.try_wait` may find the phase over or not, as the schedule has it. Where it is asked until it finds it over, and
the answer decides nothing but that, the thread goes on with the same values under every schedule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from ptxlab.isa.effects import Branch, Compute, Effect, Hint, Mbarrier
from ptxlab.isa.operands import Imm, Label, Not, Operand, Reg
from ptxlab.ptx.flow import Graph, graph_of
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import touched

ASKS = ("test_wait", "try_wait")
"""Operations on mbarriers that ask whether a phase is over."""
_LONGEST = 64
"""Instructions of a loop, at most."""
_QUIET = (Compute, Hint)


def asks(op: Op) -> bool:
    """Whether an instruction asks whether a phase is over."""
    effect = op.inst.form.effect
    return isinstance(effect, Mbarrier) and effect.kind in ASKS


def awaited(program: Program) -> frozenset[int]:
    """The questions of loops that only wait, by their index in the program."""
    questions = [i for i, op in enumerate(program.ops) if asks(op)]
    if not questions:
        return frozenset()
    graph = graph_of(program)
    return frozenset(i for i in questions if _only_waits(graph, program, i))


def _only_waits(graph: Graph, program: Program, question: int) -> bool:
    """Whether a question is asked in a loop that only waits."""
    loop = _loop(program, question)
    return loop is not None and _stays_inside(graph, loop, question)


@dataclass(slots=True)
class _Loop:
    """The way from a question, answered with no, back to it.

    Attributes:
        ops: its instructions. decided: branches that the answer decides. known: the registers whose values follow from it.
    """

    ops: set[int] = field(default_factory=set[int])
    decided: set[int] = field(default_factory=set[int])
    known: dict[str, int] = field(default_factory=dict[str, int])


def _answer(op: Op) -> str:
    done = op.inst.operands["done"]
    assert isinstance(done, Reg)
    return done.name


def _stays_inside(graph: Graph, loop: _Loop, question: int) -> bool:
    """Whether a loop asks the same question each time, and nobody else uses the answer, nor what the loop makes of it."""
    ops = graph.ops
    if not _readers(graph, question, _answer(ops[question])) <= loop.ops:
        return False
    written = {name for i in loop.ops for name in touched(ops[i])[1]}
    for i in loop.ops - {question}:
        reads, writes = touched(ops[i])
        if not written & set(reads):
            continue  # the same each time round
        for name in writes:
            users = _readers(graph, i, name)
            if users - loop.ops or question in users:
                return False
    return True


def _readers(graph: Graph, writer: int, name: str) -> set[int]:
    """Who may read what an instruction has written to a register."""
    found: set[int] = set()
    seen: set[int] = set()
    block = graph.block_of(writer)
    ways = [(block, range(writer + 1, graph.start[block + 1]))]
    while ways:
        block, span = ways.pop()
        for i in span:
            op = graph.ops[i]
            reads, writes = touched(op)
            if name in reads:
                found.add(i)
            if name in writes and op.guard is None:
                break
        else:
            following = [b for b in graph.successors[block] if b not in seen]
            seen.update(following)
            ways += [(b, graph.span(b)) for b in following]
    return found


def _loop(program: Program, question: int) -> _Loop | None:
    """The loop of a question; None where the way from a no does not lead straight back to it."""
    op = program.ops[question]
    if op.guard is not None:
        return None
    loop = _Loop({question}, known={_answer(op): 0})
    for i in _way(program, question, loop):
        if i == question:
            return loop
        if i in loop.ops:
            return None
        loop.ops.add(i)
    return None


def _way(program: Program, question: int, loop: _Loop) -> Iterator[int]:
    """The instructions behind a question that was answered with no, as long as they do nothing but compute and branch."""
    at = question + 1
    for _ in range(_LONGEST):
        if at >= len(program.ops):
            return
        yield at
        op = program.ops[at]
        effect = op.inst.form.effect
        if not isinstance(effect, Branch):
            if op.guard is not None or not (type(effect) is Effect or isinstance(effect, _QUIET)):
                return
            for name in touched(op)[1]:
                loop.known.pop(name, None)
            loop.known |= _results(op, loop.known)
            at += 1
            continue
        target = op.inst.operands.get(effect.to or "")
        if effect.kind != "branch" or not isinstance(target, Label) or target.name not in program.labels:
            return
        if op.guard is None:
            at = program.labels[target.name]
        elif op.guard.name in loop.known:
            loop.decided.add(at)
            taken = bool(loop.known[op.guard.name]) != op.guard_negated
            at = program.labels[target.name] if taken else at + 1
        else:
            return


def _results(op: Op, known: Mapping[str, int]) -> dict[str, int]:
    """What an instruction gives, where that follows from known registers and numbers."""
    row, inst = op.inst.form, op.inst
    reference = row.reference
    if reference is None or reference.exact or (reference.when is not None and reference.when.eval(inst) is not True):
        return {}
    args: list[object] = []
    for name in reference.wants:
        if name in row.operands:
            operand = inst.operands.get(name)
            value = None if operand is None else _value(operand, known)
            if operand is not None and value is None:
                return {}
            args.append(value)
        elif name in ("bits", "low", "high", "carry"):
            return {}
        else:
            args.append(inst.mod(name) is not None if name in row.flags else inst.mod(name))
    found: object = reference.function(*args)
    values = cast("tuple[object, ...]", found) if isinstance(found, tuple) else (found,)
    gets = [name for name, spec in row.operands.items() if spec.role == "w"]
    return {
        operand.name: int(value)
        for name, value in zip(gets, values, strict=False)
        if isinstance(operand := inst.operands.get(name), Reg) and isinstance(value, (bool, int))
    }


def _value(operand: Operand, known: Mapping[str, int]) -> int | None:
    """The value of an operand, where it is known."""
    match operand:
        case Reg():
            return known.get(operand.name)
        case Not():
            inner = known.get(operand.reg.name)
            return None if inner is None else int(not inner)
        case Imm():
            return operand.value if isinstance(operand.value, int) and not operand.float_bits else None
        case _:
            return None
