"""The slow decider, obviously right: every way in which reads, coherence order and Fence-SC order can go, against every axiom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from ptxlab.memory_model.candidates import Candidate, sources
from ptxlab.memory_model.events import INIT, Execution, Graph, Meetings
from ptxlab.memory_model.model import morally_strong, violation
from ptxlab.memory_model.program import Value
from ptxlab.memory_model.relation import Relation
from ptxlab.memory_model.search import Budget, Found, Over
from ptxlab.memory_model.symmetry import Swap


def allowed(
    candidate: Candidate,
    met: Meetings,
    observed: Sequence[str],
    budget: Budget,
    over: Over | None = None,
    same: Sequence[Swap] = (),
) -> Iterator[Found]:
    """All allowed executions of a candidate whose reads have values, each with each end that its observed locations can have."""
    del over, same
    for x in executions(candidate.graph, met):
        budget.spend(candidate.graph.size)
        if violation(x) is None:
            yield from (Found(x, memory) for memory in _ends(x, observed))


def executions(graph: Graph, met: Meetings) -> Iterator[Execution]:
    """All executions of a graph, allowed or not."""
    found = sources(graph, {})
    coherence, fences = list(_coherences(graph)), list(fence_orders(graph))
    for choice in product(*found.values()):
        reads_from = Relation.of(graph.size, zip(choice, found, strict=True))
        for order in coherence:
            for fence_order in fences:
                yield Execution(graph, reads_from, order, fence_order, met)


def _coherences(graph: Graph) -> Iterator[Relation]:
    """All partial orders of the writes to each location, the first write before the others."""
    of_each: list[list[tuple[tuple[int, int], ...]]] = []
    for place in sorted({e.location for e in graph.events if e.kind == "write" and e.location is not None}):
        writes = [i for i, e in enumerate(graph.events) if e.kind == "write" and e.location == place]
        first = [w for w in writes if graph.events[w].agent == INIT]
        later = [w for w in writes if graph.events[w].agent != INIT]
        begun = tuple((a, b) for a in first for b in later)
        of_each.append([begun + order for order in partial_orders(later)])
    for choice in product(*of_each):
        yield Relation.of(graph.size, (pair for pairs in choice for pair in pairs))


def partial_orders(members: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """All strict partial orders of these: for each pair one way, the other, or neither, as far as that is transitive."""
    pairs = list(combinations(members, 2))
    for ways in product((None, False, True), repeat=len(pairs)):
        order = {(b, a) if way else (a, b) for (a, b), way in zip(pairs, ways, strict=True) if way is not None}
        if all((a, d) in order for a, b in order for c, d in order if b == c):
            yield tuple(sorted(order))


def fence_orders(graph: Graph) -> Iterator[Relation]:
    """All ways to order the fence.sc that are morally strong."""
    fences = graph.those(lambda e: e.kind == "fence" and e.order == "sc")
    pairs = [(a, b) for a, b in morally_strong(graph).among(fences, fences) if a < b]
    for ways in product((False, True), repeat=len(pairs)):
        order = Relation.of(graph.size, ((b, a) if way else (a, b) for (a, b), way in zip(pairs, ways, strict=True)))
        if order.acyclic():
            yield order


def _ends(x: Execution, observed: Sequence[str]) -> Iterator[dict[str, Value]]:
    last: list[list[Value]] = []
    for place in observed:
        values = {
            e.value
            for i, e in enumerate(x.graph.events)
            if e.kind == "write" and e.location == place and not x.coherence.rows[i] and e.value is not None
        }
        last.append(sorted(values, key=str))
    for choice in product(*last):
        yield dict(zip(observed, choice, strict=True))
