"""Instructions for whole warps where some lanes of a warp surely are elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.checks.values import Values, differs
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Barrier
from ptxlab.ptx.flow import Graph, branch_kind
from ptxlab.ptx.program import Op

_STEPS_PER_BLOCK = 16  # what walking through divergent code may cost, so that it stays linear


def check_convergence(analysis: Analysis) -> Iterator[Diagnostic]:
    """Aligned instructions under a guard, or behind a branch, that differs between the lanes of a warp."""
    ops = analysis.program.ops
    wanted = [i for i, op in enumerate(ops) if op.inst.aligned]
    if not wanted:
        return
    graph, values = analysis.graph, analysis.values
    parted: dict[int, _Parted] | None = None
    for i in wanted:
        op = ops[i]
        if op.guard is not None and differs(values.register(op.guard.name)):
            yield _finding(op, op)
            continue
        if parted is None:
            parted = _parted(graph, values, {graph.block_of(j) for j in wanted})
        found = parted.get(graph.block_of(i))
        if found is not None and not (found.rest_leaves and type(op.inst.form.effect) is Barrier):
            yield _finding(op, found.branch)


def _finding(op: Op, branch: Op) -> Diagnostic:
    place = branch.span
    where = "its guard" if branch is op else f"the branch in line {place.line}" if place else "the branch before it"
    return at_op(
        op,
        "PTX5020",
        f"`{op.inst.opcode}` wants all lanes of the warp, but {where} parts them: `{branch.guard}` differs between lanes",
        "move it to where the lanes are together again, or let whole warps branch",
    )


@dataclass(frozen=True, slots=True)
class _Parted:
    """Why some lanes execute a block without the others. `rest_leaves`: these only leave, and barriers wait for them no more."""

    branch: Op
    rest_leaves: bool


def _parted(graph: Graph, values: Values, wanted: set[int]) -> dict[int, _Parted]:
    """The blocks that only some lanes of a warp execute at a time; `wanted`: those that must not be."""
    out: dict[int, _Parted] = {}
    tree = None
    left = _STEPS_PER_BLOCK * len(graph) + 1000
    for b in graph.order:
        op = graph.ops[graph.start[b + 1] - 1]
        if op.guard is None or branch_kind(op) != "branch" or len(graph.successors[b]) < 2:
            continue
        if not differs(values.register(op.guard.name)):
            continue
        tree = tree or graph.postdominators()
        joined = tree.parent[b]
        if joined == -1 or left < 0 or any(s != joined and _leaves(graph, s) for s in graph.successors[b]):
            continue
        ways = [way_between(graph, b, s, joined) for s in graph.successors[b]]
        left -= sum(map(len, ways))
        # what all ways reach, ptxas has all lanes reach together: compilers copy a condition of the whole warp into each way
        shared = ways[0].intersection(*ways[1:])
        busy = [not wanted.isdisjoint(way - shared) for way in ways]
        for way, itself in zip(ways, busy, strict=True):
            alone = _Parted(op, joined == len(graph) and sum(busy) - itself == 0)
            for one in way - shared:
                out.setdefault(one, alone)
    return out


def _leaves(graph: Graph, b: int) -> bool:
    """Whether a block does nothing but leave: lanes that have left are waited for no more."""
    return all(branch_kind(graph.ops[i]) in ("return", "exit", "trap") for i in graph.span(b))


def way_between(graph: Graph, branch: int, first: int, joined: int) -> set[int]:
    """The blocks from a successor of a branch to where all its ways meet again, without that one and the branch's own."""
    seen: set[int] = set()
    stack = [first]
    while stack:
        b = stack.pop()
        if b not in seen and b not in (joined, branch):
            seen.add(b)
            stack += graph.successors[b]
    return seen
