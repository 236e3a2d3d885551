"""Instructions for whole warps where some lanes of a warp surely are elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.check.analysis import Analysis, at_op
from ptxlab.check.values import Values, differs
from ptxlab.diag import Diagnostic
from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import Barrier
from ptxlab.ptx.flow import Graph, branch_kind
from ptxlab.ptx.program import Op

_STEPS_PER_BLOCK = 16  # what walking through divergent code may cost, so that it stays linear


def aligned(inst: Instance) -> bool:
    """Whether all threads of the warp must execute it together: it says so, or is a barrier that has no other kind."""
    told = inst.form.aligned
    if told or (told is None and inst.chosen("aligned")):
        return True
    effect = inst.form.effect
    if type(effect) is not Barrier or effect.scope != "cta":
        return False
    return told is False


def check_convergence(analysis: Analysis) -> Iterator[Diagnostic]:
    """Aligned instructions under a guard, or behind a branch, that differs between the lanes of a warp."""
    ops = analysis.program.ops
    wanted = [i for i, op in enumerate(ops) if aligned(op.inst)]
    if not wanted:
        return
    graph, values = analysis.graph, analysis.values
    parted: dict[int, Op] | None = None
    for i in wanted:
        op = ops[i]
        if op.guard is not None and differs(values.register(op.guard.name)):
            yield _finding(op, op)
            continue
        if parted is None:
            parted = _parted(graph, values)
        branch = parted.get(graph.block_of(i))
        if branch is not None:
            yield _finding(op, branch)


def _finding(op: Op, branch: Op) -> Diagnostic:
    place = branch.span
    where = "its guard" if branch is op else f"the branch in line {place.line}" if place else "the branch before it"
    return at_op(
        op,
        "PTX5020",
        f"`{op.inst.opcode}` wants all lanes of the warp, but {where} parts them: `{branch.guard}` differs between lanes",
        "move it to where the lanes are together again, or let whole warps branch",
    )


def _parted(graph: Graph, values: Values) -> dict[int, Op]:
    """The blocks that only some lanes of a warp execute at a time, each with a branch that parts them."""
    out: dict[int, Op] = {}
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
        for one in _between(graph, b, joined):
            left -= 1
            out.setdefault(one, op)
    return out


def _leaves(graph: Graph, b: int) -> bool:
    """Whether a block does nothing but leave: lanes that have left are waited for no more."""
    return all(branch_kind(graph.ops[i]) in ("return", "exit", "trap") for i in graph.span(b))


def _between(graph: Graph, branch: int, joined: int) -> set[int]:
    """The blocks from a branch to where its ways meet again, without either."""
    seen: set[int] = set()
    stack = list(graph.successors[branch])
    while stack:
        b = stack.pop()
        if b not in seen and b not in (joined, branch):
            seen.add(b)
            stack += graph.successors[b]
    return seen
