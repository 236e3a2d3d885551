"""Loops that wait for a phase of an mbarrier, or for what another thread stores, and do nothing else.

`mbarrier.try_wait` may find the phase over or not, as the schedule has it. Where it is asked until it finds it over, and
the answer decides nothing but that, the thread goes on with the same values under every schedule. A flag is the same, as far as
what is stored to it goes (`history`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from ptxlab.isa.action import is_strong
from ptxlab.isa.effects import Branch, Compute, Effect, Fence, Hint, Mbarrier
from ptxlab.isa.operands import Imm, Label, Not, Operand, Reg
from ptxlab.ptx.flow import Graph, graph_of
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import readers, roles, touched
from ptxlab.sim.certify.kept import of_text

ASKS = ("test_wait", "try_wait")
"""Operations on mbarriers that ask whether a phase is over."""
_LONGEST = 64
"""Instructions of a loop, at most."""
_QUIET = (Compute, Hint)


def asks(op: Op) -> bool:
    """Whether an instruction asks whether a phase is over."""
    effect = op.inst.form.effect
    return isinstance(effect, Mbarrier) and effect.kind in ASKS


@of_text
def awaited(program: Program) -> frozenset[int]:
    """The questions of loops that only wait, by their index in the program."""
    questions = [i for i, op in enumerate(program.ops) if asks(op)]
    if not questions:
        return frozenset()
    graph = graph_of(program)
    return frozenset(i for i in questions if _only_waits(graph, program, i))


def _only_waits(graph: Graph, program: Program, question: int) -> bool:
    """Whether a question is asked in a loop that only waits."""
    loop = loop_of(program, question)
    inside = readers(graph, question, _answer(program.ops[question])) <= loop
    return bool(loop) and inside and _stays_inside(graph, loop, question)


def asking(program: Program) -> frozenset[int]:
    """The instructions of loops that only wait for a phase, by their index in the program."""
    return frozenset(j for i in awaited(program) for j in loop_of(program, i))


@of_text
def polls(program: Program) -> frozenset[int]:
    """The strong loads of loops that only wait for what others store, by their index in the program."""
    loads = [i for i, op in enumerate(program.ops) if is_strong(op.inst.form, op.inst) and op.guard is None]
    if not loads:
        return frozenset()
    graph = graph_of(program)
    return frozenset(i for i in loads if _only_polls(graph, i))


def _only_polls(graph: Graph, load: int) -> bool:
    """Whether a load stands in such a loop: it is left by what the load has found, and nothing but that is made of it."""
    names = touched(graph.ops[load])[1]
    loop = _ways_back(graph, load)
    if len(names) != 1 or not loop or not readers(graph, load, names[0]) <= loop:
        return False
    if not _stays_inside(graph, loop, load):
        return False
    guards = {op.guard.name for i in loop if (op := graph.ops[i]).guard is not None}
    return guards <= _follows(graph, loop, load, names[0])


def _follows(graph: Graph, loop: set[int], load: int, name: str) -> set[str]:
    """The registers that follow, in a loop, from what a load has found, and from what is the same each time round."""
    writers: dict[str, list[int]] = {}
    for i in loop - {load}:
        for written in touched(graph.ops[i])[1]:
            writers.setdefault(written, []).append(i)
    reads = {i: touched(graph.ops[i])[0] for i in loop}
    found = {name} | {one for i in loop for one in reads[i] if one not in writers}
    while True:
        more = {one for one, by in writers.items() if one not in found and all(found.issuperset(reads[i]) for i in by)}
        if not more:
            return found
        found |= more


def waiting_loop(program: Program, question: int) -> set[int]:
    """The loop in which a strong load or an atomic operation waits for what a word holds; empty where it does more.

    Once round changes nothing: whatever the loop writes is written again before it is read. The last answer may be used.
    """
    graph = graph_of(program)
    loop = _ways_back(graph, question)
    written = {name for i in loop for name in touched(graph.ops[i])[1]}
    return set() if any(_is_read(graph, question, name) for name in written) else loop


def _is_read(graph: Graph, first: int, name: str) -> bool:
    """Whether an instruction, or one that may follow, reads what a register holds in front of it."""
    seen: set[int] = set()
    left = [first]
    while left:
        i = left.pop()
        if i in seen:
            continue
        seen.add(i)
        op = graph.ops[i]
        reads, writes = touched(op)
        if name in reads or (name in writes and "rw" in roles(op.inst.form).values()):
            return True
        if name in writes and op.guard is None:
            continue
        left += following(graph, i)
    return False


def following(graph: Graph, i: int) -> list[int]:
    """The instructions that may follow one."""
    block = graph.block_of(i)
    return [graph.start[b] for b in graph.successors[block]] if i + 1 == graph.start[block + 1] else [i + 1]


def _ways_back(graph: Graph, question: int) -> set[int]:
    """The instructions on ways from a question back to it that do nothing but compute and branch, and fences."""
    after: dict[int, list[int]] = {}
    left = [question]
    while left and len(after) <= _LONGEST:
        i = left.pop()
        if i in after:
            continue
        op = graph.ops[i]
        effect = op.inst.form.effect
        quiet = type(effect) is Effect or isinstance(effect, (*_QUIET, Branch, Fence)) or i == question
        if not quiet:
            after[i] = []
            continue
        after[i] = following(graph, i)
        left += after[i]
    back = {question}
    grown = True
    while grown:
        more = {i for i, following in after.items() if i not in back and back & set(following)}
        back |= more
        grown = bool(more)
    loops = any(question in after.get(i, ()) for i in back)
    return back if loops and len(after) <= _LONGEST else set()


def _answer(op: Op) -> str:
    done = op.inst.operands["done"]
    assert isinstance(done, Reg)
    return done.name


def _stays_inside(graph: Graph, loop: set[int], question: int) -> bool:
    """Whether a loop asks the same question each time, and nobody else uses what it makes of the answer."""
    ops = graph.ops
    written = {name for i in loop for name in touched(ops[i])[1]}
    for i in loop - {question}:
        reads, writes = touched(ops[i])
        if not written & set(reads):
            continue  # the same each time round
        for name in writes:
            users = readers(graph, i, name)
            if users - loop or question in users:
                return False
    return True


def loop_of(program: Program, question: int) -> set[int]:
    """The way from a question, answered with no, back to it; empty where it does not lead straight back."""
    found = {question}
    for i in way(program, question):
        if i == question:
            return found
        if i in found:
            break
        found.add(i)
    return set()


def way(program: Program, question: int, answer: int = 0) -> Iterator[int]:
    """The instructions behind a question with an answer, of no or of yes, as long as they do nothing but compute and branch."""
    if program.ops[question].guard is not None:
        return
    known, at = {_answer(program.ops[question]): answer}, question + 1
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
                known.pop(name, None)
            known |= results(op, known)
            at += 1
            continue
        target = op.inst.operands.get(effect.to or "")
        if effect.kind != "branch" or not isinstance(target, Label) or target.name not in program.labels:
            return
        if op.guard is None:
            at = program.labels[target.name]
        elif op.guard.name in known:
            taken = bool(known[op.guard.name]) != op.guard_negated
            at = program.labels[target.name] if taken else at + 1
        else:
            return


def evaluated(op: Op, value_of: Callable[[str, Operand], int | None]) -> tuple[object, ...] | None:
    """What an instruction gives by its row's reference, in the order of what it writes; None where that is not known.

    value_of: the value of an operand, by its name; None where it is not known.
    """
    row, inst = op.inst.form, op.inst
    reference = row.reference
    if reference is None or reference.exact or (reference.when is not None and reference.when.eval(inst) is not True):
        return None
    args: list[object] = []
    for name in reference.wants:
        if name in row.operands:
            operand = inst.operands.get(name)
            value = None if operand is None else value_of(name, operand)
            if operand is not None and value is None:
                return None
            args.append(value)
        elif name in ("bits", "low", "high", "carry"):
            return None
        else:
            args.append(inst.mod(name) is not None if name in row.flags else inst.mod(name))
    found: object = reference.function(*args)
    return cast("tuple[object, ...]", found) if isinstance(found, tuple) else (found,)


def results(op: Op, known: Mapping[str, int]) -> dict[str, int]:
    """What an instruction gives, where that follows from known registers and numbers."""
    inst = op.inst
    values = evaluated(op, lambda name, operand: known_value(operand, known))
    gets = [name for name, spec in inst.form.operands.items() if spec.role == "w"]
    return {
        operand.name: int(value)
        for name, value in zip(gets, values or (), strict=False)
        if isinstance(operand := inst.operands.get(name), Reg) and isinstance(value, (bool, int))
    }


def known_value(operand: Operand, known: Mapping[str, int]) -> int | None:
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
