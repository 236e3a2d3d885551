"""Asynchronous operations that are never committed, and groups that nothing waits for."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import AsyncCopy, AsyncMma, Group, Mbarrier
from ptxlab.ptx.flow import Graph, branch_kind
from ptxlab.ptx.program import Op

_WORDS = {"cp.async-group": "cp.async", "bulk-group": "cp.async.bulk", "wgmma-group": "wgmma"}
_GROUPS = tuple(_WORDS)
_READ_LATER = "bulk-group"  # whose copies read shared memory, which is gone when the kernel ends
_MOST_BLOCKS = 256  # with waits in them, so that the search stays linear
_BY_ARRIVAL = "cp.async-group"  # the one kind of copy that an mbarrier can take over


def check_groups(analysis: Analysis) -> Iterator[Diagnostic]:
    """Copies and products that no commit follows, and commits that no wait follows, on any way through the kernel."""
    events = [(i, op.inst.form.effect) for i, op in enumerate(analysis.program.ops)]
    issued = {g: [i for i, e in events if isinstance(e, AsyncCopy | AsyncMma) and e.completion == g] for g in _GROUPS}
    if not any(issued.values()):
        return
    calls = [i for i, op in enumerate(analysis.program.ops) if branch_kind(op) == "call"]
    for group, at in issued.items():
        if not at:
            continue
        commits = [i for i, e in events if isinstance(e, Group) and (e.kind, e.group) == ("commit", group)]
        waits = [i for i, e in events if isinstance(e, Group) and (e.kind, e.group) == ("wait", group)]
        taken = [
            i for i, e in events if isinstance(e, Mbarrier) and e.kind == "cp.async.arrive" and group == _BY_ARRIVAL
        ]
        whole = [i for i in waits if not analysis.program.ops[i].inst.operands]
        yield from _uncommitted(analysis, group, at, [*commits, *taken, *whole, *calls])
        yield from _unwaited(analysis, group, at, commits, [*waits, *taken, *calls])


def _uncommitted(analysis: Analysis, group: str, at: list[int], ends: list[int]) -> Iterator[Diagnostic]:
    word = _WORDS[group]
    left = not_followed(analysis.graph, at, ends)
    if left:
        yield at_op(
            analysis.program.ops[left[0]],
            "PTX5012",
            f"nothing commits what `{_short(analysis.program.ops[left[0]])}` starts, so that no wait is for it",
            f"add {word}.commit_group behind it" if group != "wgmma-group" else "add wgmma.commit_group.sync.aligned",
            notes=_more(left),
        )


def _unwaited(
    analysis: Analysis, group: str, at: list[int], commits: list[int], waits: list[int]
) -> Iterator[Diagnostic]:
    graph = analysis.graph
    full = _followed_by(graph, at, commits)  # a commit that no copy comes before makes an empty group
    left = not_followed(graph, full, waits)
    if left:
        op = analysis.program.ops[left[0]]
        yield at_op(
            op,
            "PTX5013",
            f"nothing waits for the group that `{op.inst.opcode}` makes: the kernel may end before it is done",
            f"add {_WORDS[group]}.wait_group" + (".sync.aligned 0" if group == "wgmma-group" else " 0"),
            notes=_more(left),
        )
    elif group == _READ_LATER and (skipped := _skipped(graph, full, waits)):
        op = analysis.program.ops[skipped[0]]
        yield at_op(
            op,
            "PTX5013",
            f"the kernel can end without a wait for the group that `{op.inst.opcode}` makes: one way to its end passes none",
            f"add {_WORDS[group]}.wait_group 0 behind the loop, in front of the kernel's end",
            notes=_more(skipped),
        )


def _skipped(graph: Graph, commits: list[int], waits: list[int]) -> list[int]:
    """Commits from which a way to the end passes no wait, as when a loop's last pass skips it.

    A wait that neither comes behind the commit on every way to it, nor in front of the commit on every way to that, often has
    the commit's own condition (`if (leader) commit; … if (leader) wait;`). Nothing is said where there is one.
    """
    where = {graph.block_of(i) for i in waits}
    if len(where) > _MOST_BLOCKS:
        return []
    free = _reaches_end(graph, where)
    last = {graph.block_of(i): i for i in sorted(waits)}
    tree = graph.dominators()
    alone: dict[int, bool] = {}
    out: list[int] = []
    for i in commits:
        b = graph.block_of(i)
        if not graph.reached[b] or last.get(b, -1) > i:
            continue
        if b not in alone:
            leaves = _ends(graph, b) or any(free[s] for s in graph.successors[b])
            alone[b] = leaves and all(tree.dominates(b, w) or tree.dominates(w, b) for w in where if graph.reached[w])
        if alone[b]:
            out.append(i)
    return out


def _reaches_end(graph: Graph, without: set[int]) -> bytearray:
    """The blocks from whose start a way leads to the kernel's end that enters none of these blocks."""
    free = bytearray(len(graph))
    stack = [b for b in range(len(graph)) if b not in without and _ends(graph, b)]
    while stack:
        b = stack.pop()
        if not free[b]:
            free[b] = 1
            stack += [p for p in graph.predecessors[b] if p not in without and not free[p]]
    return free


def _ends(graph: Graph, block: int) -> bool:
    return branch_kind(graph.ops[graph.start[block + 1] - 1]) in ("return", "exit")


def _short(op: Op) -> str:
    return op.inst.opcode


def _more(left: list[int]) -> tuple[str, ...]:
    rest = len(left) - 1
    return (f"and at {rest} more place{'s' if rest > 1 else ''}",) if rest else ()


def not_followed(graph: Graph, first: list[int], second: list[int]) -> list[int]:
    """Those of the first ops, among what is reached, behind which none of the second can come."""
    last: dict[int, int] = {}
    for i in second:
        b = graph.block_of(i)
        last[b] = max(i, last.get(b, -1))
    leading = graph.reachable(last, backward=True)
    out: list[int] = []
    for i in first:
        b = graph.block_of(i)
        if graph.reached[b] and not leading[b] and last.get(b, -1) < i:
            out.append(i)
    return out


def _followed_by(graph: Graph, first: list[int], second: list[int]) -> list[int]:
    """Those of the second ops that one of the first can come before."""
    earliest: dict[int, int] = {}
    for i in reversed(first):
        earliest[graph.block_of(i)] = i
    behind = graph.reachable(earliest)
    return [i for i in second if behind[b := graph.block_of(i)] or earliest.get(b, i) < i]
