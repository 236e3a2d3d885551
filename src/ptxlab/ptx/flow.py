"""The flow of control of a kernel or function: basic blocks, what reaches what, dominators.

Everything here is linear in the program, or nearly so; flow is taken from the rows' effects.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from ptxlab.isa.effects import Branch
from ptxlab.isa.operands import Label
from ptxlab.ptx.program import Op, Program

_ENDS = ("return", "exit", "trap")
_MOST_SEARCHES = 256  # of what can be reached from a set of blocks


def branch_kind(op: Op) -> str | None:
    """branch, call, return, exit or trap; None for what goes on with the next instruction."""
    effect = op.inst.form.effect
    return effect.kind if type(effect) is Branch else None


class Graph:
    """Basic blocks by number: block b holds the ops from `start[b]` up to `start[b + 1]`. Block 0 is the entry."""

    def __init__(self, program: Program) -> None:
        # Not the program itself, which keeps the graph: without a circle both go as soon as nobody needs them.
        self.function = program.function
        self._labels, self._lists = program.labels, program.targets
        self.ops = program.ops
        self.start = _starts(program)
        count = len(self.start) - 1
        self.successors: list[tuple[int, ...]] = [self._leads_to(b) for b in range(count)]
        self.predecessors: list[list[int]] = [[] for _ in range(count)]
        for b, following in enumerate(self.successors):
            for s in following:
                self.predecessors[s].append(b)
        self.order = _postorder(self.successors)[::-1]  # of what the entry reaches
        self.reached = bytearray(count)
        for b in self.order:
            self.reached[b] = 1

    def __len__(self) -> int:
        return len(self.successors)

    def block_of(self, op: int) -> int:
        """The block that holds an op."""
        return bisect_right(self.start, op) - 1

    def span(self, block: int) -> range:
        """The ops of a block."""
        return range(self.start[block], self.start[block + 1])

    def _targets(self, op: Op) -> list[int]:
        labels = self._labels
        out: list[int] = []
        for operand in op.inst.operands.values():
            if isinstance(operand, Label):
                names = self._lists.get(operand.name, (operand.name,))
                out += [self.block_of(labels[n]) for n in names if n in labels]
        return [b for b in out if b < len(self.start) - 1]

    def _leads_to(self, block: int) -> tuple[int, ...]:
        end = self.start[block + 1]
        last = self.ops[end - 1]
        kind = branch_kind(last)
        after = [block + 1] if end < len(self.ops) else []
        if kind is None or kind == "call":
            return tuple(after)
        falls = after if last.guard is not None else []
        if kind in _ENDS:
            return tuple(falls)
        return tuple(dict.fromkeys([*falls, *self._targets(last)]))

    def reachable(self, sources: Iterable[int], *, backward: bool = False) -> bytearray:
        """Which blocks can be reached from the sources in one step or more (or reach them, backward)."""
        steps: Sequence[Sequence[int]] = self.predecessors if backward else self.successors
        seen = bytearray(len(self))
        stack = [s for b in sources for s in steps[b]]
        while stack:
            b = stack.pop()
            if not seen[b]:
                seen[b] = 1
                stack += [s for s in steps[b] if not seen[s]]
        return seen

    def dominators(self) -> Tree:
        """The tree of dominators of what the entry reaches."""
        return Tree(self.order, self.predecessors, len(self))

    def postdominators(self) -> Tree:
        """The tree of postdominators; its root is a block of its own behind all ends, numbered `len(self)`."""
        count = len(self)
        ends = [b for b in range(count) if not self.successors[b]]
        backward = [*map(tuple, self.predecessors), tuple(ends)]
        forward: list[list[int]] = [list(s) or [count] for s in self.successors] + [[]]
        order = _postorder(backward, count)[::-1]
        return Tree(order, forward, count + 1)


def graph_of(program: Program) -> Graph:
    """The graph of a program that is complete: made once, as a first launch has several that ask for it."""
    found = program.graph
    if not isinstance(found, Graph) or found.ops is not program.ops or found.start[-1] != len(program.ops):
        found = program.graph = Graph(program)
    return found


class Reach:
    """Whether one of some ops can come before another. Answers yes where it would cost too much."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.known: dict[tuple[int, ...], bytearray] = {}

    def before(self, first: list[int], i: int) -> bool:
        """Whether some way leads from one of the first ops to op i."""
        graph, block = self.graph, self.graph.block_of(i)
        if any(j < i and graph.block_of(j) == block for j in first):
            return True
        key = tuple(sorted({graph.block_of(j) for j in first}))
        if key not in self.known:
            if len(self.known) >= _MOST_SEARCHES:
                return True
            self.known[key] = graph.reachable(b for b in key if graph.reached[b])
        return bool(self.known[key][block])


class Tree:
    """A dominator tree. `parent[b]` is the block right above b, the root its own; -1 where nothing is known."""

    def __init__(self, order: Sequence[int], predecessors: Sequence[Sequence[int]], count: int) -> None:
        self.parent = [-1] * count
        self._build(order, predecessors)
        self._number(order)

    def _build(self, order: Sequence[int], predecessors: Sequence[Sequence[int]]) -> None:
        parent, rank = self.parent, {b: i for i, b in enumerate(order)}
        if not order:
            return
        parent[order[0]] = order[0]
        changed = True
        while changed:
            changed = False
            for b in order[1:]:
                new = -1
                for p in predecessors[b]:
                    if p not in rank or parent[p] == -1:
                        continue
                    while new not in (-1, p):
                        if rank[p] > rank[new]:
                            p = parent[p]
                        else:
                            new = parent[new]
                    new = p
                if parent[b] != new:
                    parent[b], changed = new, True

    def _number(self, order: Sequence[int]) -> None:
        children: dict[int, list[int]] = {}
        for b in order[1:]:
            children.setdefault(self.parent[b], []).append(b)
        self._first = [-1] * len(self.parent)
        self._last = [-1] * len(self.parent)
        count = 0
        stack = [(order[0], False)] if order else []
        while stack:
            b, done = stack.pop()
            if done:
                self._last[b] = count
                continue
            self._first[b] = count = count + 1
            stack.append((b, True))
            stack += [(c, False) for c in children.get(b, ())]

    def dominates(self, above: int, below: int) -> bool:
        """Whether every way to `below` passes `above`; a block dominates itself."""
        return self._first[above] != -1 and self._first[above] <= self._first[below] <= self._last[above]


def _starts(program: Program) -> list[int]:
    """The first op of every block, and the number of ops."""
    count = len(program.ops)
    cuts = {0, count, *(at for at in program.labels.values() if at < count)}
    cuts.update(i + 1 for i, op in enumerate(program.ops) if branch_kind(op) not in (None, "call"))
    return sorted(cuts)


def _postorder(successors: Sequence[Sequence[int]], root: int = 0) -> list[int]:
    if not successors:
        return []
    seen = bytearray(len(successors))
    seen[root] = 1
    out: list[int] = []
    stack = [(root, iter(successors[root]))]
    while stack:
        b, rest = stack[-1]
        for s in rest:
            if not seen[s]:
                seen[s] = 1
                stack.append((s, iter(successors[s])))
                break
        else:
            out.append(b)
            stack.pop()
    return out
