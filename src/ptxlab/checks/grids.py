"""griddepcontrol.wait that some threads of a CTA execute, where others go on to read as if all had."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.checks.convergence import way_between
from ptxlab.checks.values import differs
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access, AsyncCopy, Barrier, Mbarrier, WarpWide
from ptxlab.ptx.flow import branch_kind
from ptxlab.ptx.grids import WAIT, of_grids
from ptxlab.ptx.program import Op


def check_grid_waits(analysis: Analysis) -> Iterator[Diagnostic]:
    """A wait of some threads, behind which nothing holds back the others before they read global memory.

    It speaks only where the wait can be for nothing else: those threads do nothing more until the others meet them, and no
    instruction from there to the end hands on that they have waited.
    """
    for i, op in enumerate(analysis.program.ops):
        if of_grids(op) != WAIT:
            continue
        found = _guarded(analysis, i) or _branched(analysis, i)
        if found is None:
            continue
        guard, blocks = found
        read = _read_by_all(analysis, blocks)
        if read is not None:
            where = f"in line {read.span.line}" if read.span is not None else "behind it"
            yield at_op(
                op,
                "PTX5070",
                f"only threads for which `{guard}` holds wait for the grids in front: `{read.inst.opcode}` {where}, which all "
                "threads execute, may come too early",
                "let all threads execute griddepcontrol.wait, or put bar.sync behind it",
            )


def _parts(analysis: Analysis, register: str) -> bool:
    """Whether threads of a CTA surely hold different values of a predicate."""
    first = analysis.values.register(register)
    second = analysis.second_warp.register(register) if analysis.second_warp is not None else None
    return differs(first) or (isinstance(first, tuple) and isinstance(second, tuple) and first != second)


def _guarded(analysis: Analysis, i: int) -> tuple[str, list[range]] | None:
    """The guard of a wait that some threads have, and what follows it in its block."""
    op, graph = analysis.program.ops[i], analysis.graph
    if op.guard is None or not _parts(analysis, op.guard.name):
        return None
    return _written(op), [range(i + 1, graph.start[graph.block_of(i) + 1])]


def _branched(analysis: Analysis, i: int) -> tuple[str, list[range]] | None:
    """The branch that parts threads of which some execute a wait and nothing else of note, and what follows where all meet."""
    graph = analysis.graph
    here = graph.block_of(i)
    tree = graph.postdominators()
    branches = [b for b in graph.predecessors[here] if branch_kind(graph.ops[graph.start[b + 1] - 1]) == "branch"]
    if len(graph.predecessors[here]) != 1 or not branches:
        return None
    branch = branches[0]
    op = graph.ops[graph.start[branch + 1] - 1]
    joined = tree.parent[branch]
    if op.guard is None or not _parts(analysis, op.guard.name) or not 0 <= joined < len(graph):
        return None
    ways = [way_between(graph, branch, s, joined) for s in graph.successors[branch]]
    mine = next((way for way in ways if here in way), set[int]())
    others = [b for way in ways if way is not mine for b in way]
    if any(_hands_on(graph.ops[j]) or _touches(graph.ops[j]) for b in mine for j in graph.span(b) if j != i):
        return None
    if any(of_grids(graph.ops[j]) == WAIT for b in others for j in graph.span(b)):
        return None
    jumps = graph.start[here] == graph.start[branch + 1]  # the wait is what the branch jumps over
    return _written(op, negated=jumps), [graph.span(joined)]


def _read_by_all(analysis: Analysis, first: list[range]) -> Op | None:
    """The first load of global memory that all threads execute behind a wait; None where anything may hold them back."""
    graph, tree = analysis.graph, analysis.graph.postdominators()
    if any(_hands_on(graph.ops[i]) for part in first for i in part):
        return None
    start = graph.block_of(first[0].start) if first[0] else graph.block_of(first[0].start - 1)
    seen = graph.reachable([start])
    if any(_hands_on(graph.ops[i]) for b in range(len(graph)) if seen[b] for i in graph.span(b)):
        return None
    ways, block = list(first), tree.parent[start]
    while 0 <= block < len(graph):
        ways.append(graph.span(block))
        block = tree.parent[block]
    return next((graph.ops[i] for way in ways for i in way if _reads(graph.ops[i])), None)


def _hands_on(op: Op) -> bool:
    """Whether an instruction may let threads wait for each other, or is a call, which may."""
    effect = op.inst.form.effect
    return isinstance(effect, Barrier | Mbarrier | WarpWide) or branch_kind(op) == "call" or of_grids(op) == WAIT


def _touches(op: Op) -> bool:
    return isinstance(op.inst.form.effect, Access | AsyncCopy)


def _reads(op: Op) -> bool:
    """Whether all threads load global memory here, without asking whether anybody has got so far."""
    effect = op.inst.form.effect
    if op.guard is not None or not isinstance(effect, Access) or effect.kind != "load":
        return False
    return op.inst.mods.get("space") == "global" and op.inst.effect.order == "weak"


def _written(op: Op, *, negated: bool = False) -> str:
    assert op.guard is not None
    return f"{'!' * (op.guard_negated != negated)}{op.guard.name}"
