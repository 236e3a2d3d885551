"""Peeks: questions ahead of time whether a phase is over, where the answer only saves a wait.

CUTLASS' pipelines ask for the next stage's phase before they work on this one, and wait later only if that was too early. Whether
they wait then depends on the schedule. It makes no difference where the answer decides nothing but a branch around a loop that
waits, and both ways come to the same instruction with the same registers. In a launch that is to be certified such a question is
always answered with no; whether it asks for the phase that the loop waits for is looked at while that runs (`order_peeks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ptxlab.abi.record import LaunchRecord
from ptxlab.isa.effects import Branch, Compute, Effect, Hint, Mbarrier
from ptxlab.isa.form import Form
from ptxlab.isa.operands import Label, Reg
from ptxlab.ptx.flow import Graph, graph_of
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import readers, roles, touched
from ptxlab.sim.certify.kept import of_text
from ptxlab.sim.certify.waits import asks, awaited, following, loop_of, results, way

PEEK = "mbarrier.peek"
"""The row of a question that is answered with no."""
_KIND = "peek"
_LONGEST = 16
"""Registers through which an answer passes, at most."""


@dataclass(slots=True)
class _Answer:
    """What becomes of an answer. chain: what passes it on, its register there, and who reads that. waits: what it saves."""

    chain: list[tuple[int, str, int]] = field(default_factory=list[tuple[int, str, int]])
    waits: set[int] = field(default_factory=set[int])


def is_peek(op: Op) -> bool:
    """Whether an instruction is a question that is answered with no."""
    effect = op.inst.form.effect
    return isinstance(effect, Mbarrier) and effect.kind == _KIND


def answering_no(record: LaunchRecord) -> LaunchRecord:
    """A launch whose peeks are answered with no; the same one where it has none."""
    program = _without(record.program)
    return record if program is record.program else replace(record, program=program)


@of_text
def _without(program: Program) -> Program:
    parts = [(one, groups(one)) for one in (program, *program.functions)]
    if not any(found for _, found in parts):
        return program
    first, *functions = [_replaced(one, found) for one, found in parts]
    return replace(first, functions=functions)


def _replaced(program: Program, found: Mapping[int, int]) -> Program:
    ops = list(program.ops)
    for i in found.keys() - awaited(program):
        ops[i] = replace(ops[i], inst=replace(ops[i].inst, form=_form(ops[i].inst.form)))
    return replace(program, ops=ops, graph=None)


@lru_cache(maxsize=16)
def _form(form: Form) -> Form:
    assert isinstance(form.effect, Mbarrier)
    return replace(form, key=PEEK, effect=replace(form.effect, kind=_KIND))


def groups(program: Program) -> dict[int, int]:
    """The peeks of a program, and the questions of the loops that they save, by their indices: each with the number of its group.

    An answer is used only where no other peek of its group has come since: then the latest peek of a group decides.
    """
    waits = awaited(program)
    open_ = [i for i, op in enumerate(program.ops) if _may_be_peek(op) and i not in waits]
    if not open_ or any(_ends(op) for op in program.ops):
        return {}
    graph = graph_of(program)
    answers = {i: found for i in open_ if (found := _answer(graph, program, i, waits)) is not None}
    while True:
        group = _joined(answers)
        bad = {i for i, one in answers.items() if not _latest(graph, one, [j for j in answers if group[j] == group[i]])}
        if not bad:
            return group
        answers = {i: one for i, one in answers.items() if group[i] not in {group[j] for j in bad}}


def _may_be_peek(op: Op) -> bool:
    """Whether an instruction asks for a phase by its parity."""
    return (asks(op) or is_peek(op)) and "parity" in op.inst.operands and isinstance(op.inst.operands["done"], Reg)


def _ends(op: Op) -> bool:
    """Whether an instruction ends the life of an mbarrier: what peeks at it then is not followed."""
    effect = op.inst.form.effect
    return isinstance(effect, Mbarrier) and effect.kind == "inval"


def _joined(answers: dict[int, _Answer]) -> dict[int, int]:
    """The groups: peeks that save a wait in common are in one, and so are these waits."""
    group: dict[int, int] = {}
    for i, one in answers.items():
        members = {i, *one.waits}
        old = {group[m] for m in members if m in group}
        group |= dict.fromkeys((*members, *(m for m, g in group.items() if g in old)), i)
    return group


def _latest(graph: Graph, one: _Answer, peeks: list[int]) -> bool:
    """Whether on no way from where an answer is passed on to who reads it another peek of its group comes."""
    for writer, name, reader in one.chain:
        alive = _alive(graph, writer, name)
        if any(reader in readers(graph, peek, name) for peek in peeks if peek in alive):
            return False
    return True


def _alive(graph: Graph, writer: int, name: str) -> set[int]:
    """The instructions behind a writer of a register in front of which it still holds that value, and which leave it there."""
    found: set[int] = set()
    left = following(graph, writer)
    while left:
        i = left.pop()
        op = graph.ops[i]
        if i in found or (op.guard is None and name in touched(op)[1]):
            continue
        found.add(i)
        left += following(graph, i)
    return found


def _answer(graph: Graph, program: Program, peek: int, waits: frozenset[int]) -> _Answer | None:
    """What becomes of an answer; None where it may decide more than whether a wait is saved."""
    done = program.ops[peek].inst.operands["done"]
    assert isinstance(done, Reg)
    out = _Answer()
    left = [(peek, done.name, 1, 0)]
    seen: set[tuple[int, str, int, int]] = set()
    while left:
        at = left.pop()
        if at in seen:
            continue
        seen.add(at)
        writer, name, yes, no = at
        if len(seen) > _LONGEST:
            return None
        for reader in readers(graph, writer, name):
            out.chain.append((writer, name, reader))
            passed = _passed(program, reader, name, yes, no)
            if passed is None:
                saved = _saved(graph, program, reader, name, (yes, no), waits)
                if saved is None or not _alike(program.ops[peek], program.ops[saved]):
                    return None
                out.waits.add(saved)
            else:
                left += [(reader, *one) for one in passed]
    return out


def _alike(peek: Op, wait: Op) -> bool:
    """Whether a question that is answered with yes orders as much as another one."""
    one, other = peek.inst, wait.inst
    same = (one.effect.order, one.effect.scope) == (other.effect.order, other.effect.scope)
    return same and one.mod("phase") == other.mod("phase")


def _passed(program: Program, reader: int, name: str, yes: int, no: int) -> list[tuple[str, int, int]] | None:
    """Registers that get what an answer says, and their values for yes and for no; None where that is not all that is done."""
    op = program.ops[reader]
    if not _is_quiet(op) or op.guard is not None or "rw" in roles(op.inst.form).values():
        return None
    both = [results(op, {name: value}) for value in (yes, no)]
    writes = touched(op)[1]
    if any(set(writes) != found.keys() for found in both):
        return None
    return [(one, both[0][one], both[1][one]) for one in writes if both[0][one] != both[1][one]]


def _saved(
    graph: Graph, program: Program, branch: int, name: str, values: tuple[int, int], waits: frozenset[int]
) -> int | None:
    """The question of the loop that an answer saves, by a branch around it; None where a reader of the answer is no such branch."""
    op = program.ops[branch]
    target = _target(program, op)
    if target is None or op.guard is None or op.guard.name != name or op.inst.mod("uni") is not None:
        return None
    sides = [target if bool(value) != op.guard_negated else branch + 1 for value in values]
    if sides[0] == sides[1]:
        return None
    meeting = _landing(program, sides[0])
    around = list(_straight(program, sides[1]))
    question = around[-1] if around and around[-1] in waits and meeting not in around else None
    if question is None:
        return None
    around += loop_of(program, question)
    for i in way(program, question, 1):
        if i == meeting:
            break
        around.append(i)
    else:
        return None
    inside = set(around)
    kept = all(readers(graph, i, one) <= inside for i in inside for one in touched(graph.ops[i])[1])
    return question if kept else None


def _target(program: Program, op: Op) -> int | None:
    """Where a branch goes; None for other instructions."""
    effect = op.inst.form.effect
    if not isinstance(effect, Branch) or effect.kind != "branch":
        return None
    target = op.inst.operands.get(effect.to or "")
    return program.labels.get(target.name) if isinstance(target, Label) else None


def _landing(program: Program, at: int) -> int:
    """The first instruction from there on that is no branch which is always taken."""
    for _ in range(_LONGEST):
        op = program.ops[at] if at < len(program.ops) else None
        target = _target(program, op) if op is not None and op.guard is None else None
        if target is None:
            break
        at = target
    return at


def _straight(program: Program, at: int) -> Iterator[int]:
    """The instructions from there on, up to the first one that does more than compute."""
    for _ in range(4 * _LONGEST):
        if at >= len(program.ops):
            return
        yield at
        op = program.ops[at]
        target = _target(program, op)
        if target is not None and op.guard is None:
            at = target
        elif op.guard is None and _is_quiet(op):
            at += 1
        else:
            return


def _is_quiet(op: Op) -> bool:
    effect = op.inst.form.effect
    return type(effect) is Effect or isinstance(effect, (Compute, Hint))
