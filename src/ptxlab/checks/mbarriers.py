"""mbarriers that are used before anything initialises them, or that nobody waits for, and waits whose result is not read."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.checks.barrier_names import barrier_name, barrier_operand, barrier_place
from ptxlab.checks.values import Values
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access, AsyncCopy, Barrier, Mbarrier
from ptxlab.ptx.flow import Graph, Reach, branch_kind
from ptxlab.ptx.program import Op
from ptxlab.ptx.uses import touched

_WAITS = ("test_wait", "try_wait")

# (op, the barrier's offset in the CTA's shared memory or None, what is done to it)
_Act = tuple[int, int | None, str]


def check_mbarriers(analysis: Analysis) -> Iterator[Diagnostic]:
    """Uses that no initialisation can come before, arrivals at barriers without a wait, and waits that may end too early.

    Barriers are told apart by their addresses in shared memory; where an address is not known, nothing is said.
    """
    ops = analysis.program.ops
    acts = list(_acts(analysis))
    yield from _unread(analysis, acts)
    if not acts or any(branch_kind(op) == "call" for op in ops):
        return
    inits = [a for a in acts if a[2] == "init"]
    if all(at is not None for _, at, _ in inits):
        yield from _uninitialised(analysis, acts, inits)
    waits = [a for a in acts if a[2] in _WAITS]
    if all(at is not None for _, at, _ in waits):
        yield from _unwaited(analysis, acts, {at for _, at, _ in waits})


def _may_wait_for_others(op: Op) -> bool:
    """Whether a thread may learn here that another one has got somewhere: barriers, waits, and loads of what others write."""
    effect = op.inst.form.effect
    if type(effect) is Mbarrier:
        return effect.kind in _WAITS
    return type(effect) is Barrier or (type(effect) is Access and effect.kind in ("load", "atomic"))


def _kind(op: Op) -> str | None:
    effect = op.inst.form.effect
    if type(effect) is Mbarrier:
        return effect.kind
    return "copy" if type(effect) is AsyncCopy and effect.completion == "mbarrier" else None


def _acts(analysis: Analysis) -> Iterator[_Act]:
    shared: dict[str, int] | None = None
    for i, op in enumerate(analysis.program.ops):
        kind = _kind(op)
        if kind is None:
            continue
        if shared is None:
            shared = {v.name: v.offset for v in analysis.program.variables if v.space == "shared"}
        yield i, _offset(op, analysis.constants, shared), kind


def _offset(op: Op, values: Values, shared: dict[str, int]) -> int | None:
    """Where in the CTA's shared memory the barrier of an instruction lies."""
    place = barrier_place(op, values)
    return shared[place[0]] + place[1] if place is not None and place[0] in shared else None


def _uninitialised(analysis: Analysis, acts: list[_Act], inits: list[_Act]) -> Iterator[Diagnostic]:
    graph = analysis.graph
    by_place: dict[int, list[int]] = {}
    for i, at, _ in inits:
        if at is not None:
            by_place.setdefault(at, []).append(i)
    search = Reach(graph)
    meetings = [i for i, op in enumerate(analysis.program.ops) if _may_wait_for_others(op)]
    said: set[int] = set()
    for i, at, kind in acts:
        if kind == "init" or at is None or at in said or not graph.reached[graph.block_of(i)]:
            continue
        made = by_place.get(at, [])
        # Where warps go their own ways, another one may initialise it before this one gets here.
        if search.before(made, i) or (made and search.before(meetings, i)):
            continue
        said.add(at)
        op = analysis.program.ops[i]
        yield at_op(
            op,
            "PTX5030",
            f"`{op.inst.opcode}` uses the mbarrier at {_name(analysis, op)}, which nothing "
            + ("initialises before" if made else "initialises"),
            "initialise it in one thread: mbarrier.init.shared.b64 [bar], count; then fence and synchronise the CTA",
            isa="mbarrier.init",
        )


def _unwaited(analysis: Analysis, acts: list[_Act], waited: set[int | None]) -> Iterator[Diagnostic]:
    said: set[int] = set()
    for i, at, kind in acts:
        if at is None or at in waited or at in said or kind in ("init", "inval"):
            continue
        said.add(at)
        op = analysis.program.ops[i]
        yield at_op(
            op,
            "PTX5031",
            f"`{op.inst.opcode}` uses the mbarrier at {_name(analysis, op)}, on which nothing ever waits",
            "wait before what it guards is used: mbarrier.try_wait.parity in a loop",
            isa="mbarrier.try_wait",
        )


def _unread(analysis: Analysis, acts: list[_Act]) -> Iterator[Diagnostic]:
    graph = analysis.graph
    for i, _, kind in acts:
        if kind not in _WAITS or not graph.reached[graph.block_of(i)] or _is_read(graph, i):
            continue
        op = analysis.program.ops[i]
        why = "after its time limit" if kind == "try_wait" else "at once"
        yield at_op(
            op,
            "PTX5033",
            f"nothing reads the result of `{op.inst.opcode}`, which {why} is false though the phase is not over",
            "repeat it until its result is true: branch back to it while the predicate is false",
        )


def _is_read(graph: Graph, i: int) -> bool:
    """Whether something may read what an instruction writes."""
    names = set(touched(graph.ops[i])[1])
    seen: set[int] = set()
    ways = [range(i + 1, graph.span(graph.block_of(i)).stop)]
    while ways:
        way = ways.pop()
        for j in way:
            reads, writes = touched(graph.ops[j])
            if not names.isdisjoint(reads):
                return True
            if names.issubset(writes) and graph.ops[j].guard is None:
                break
        else:
            for b in graph.successors[graph.block_of(way.stop - 1)]:
                if b not in seen:
                    seen.add(b)
                    ways.append(graph.span(b))
    return False


def _name(analysis: Analysis, op: Op) -> str:
    """The mbarrier of an instruction, by its name or as the instruction has it."""
    place = barrier_place(op, analysis.constants)
    return (place and barrier_name(analysis, *place)) or f"`{barrier_operand(op)}`"
