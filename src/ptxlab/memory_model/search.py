"""The fast decider: builds executions read by read, and leaves a choice as soon as an axiom forbids all that can follow.

All axioms but one are monotone: more reads-from, more coherence or more Fence-SC order never makes a forbidden execution allowed.
So the search orders no writes that nothing orders: the least coherence order that the axioms demand allows whatever a greater one
does. And since reads decide causality, each location's coherence order is looked for by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ptxlab.diag import Diagnostic
from ptxlab.memory_model.candidates import sources
from ptxlab.memory_model.events import INIT, Execution, Graph, Meetings, derived
from ptxlab.memory_model.model import (
    atomicity,
    base_causality,
    causality,
    causality_axiom,
    communication,
    from_reads,
    morally_strong,
    no_thin_air,
    overlap,
    program_order,
    same_address,
    sc_per_location,
)
from ptxlab.memory_model.program import Value
from ptxlab.memory_model.relation import Relation, bits

_OF_COHERENCE = {getattr(made, "__wrapped__", made) for made in (from_reads, communication)}


@dataclass(frozen=True, slots=True)
class Found:
    """An allowed execution, and what locations may hold at its end."""

    execution: Execution
    memory: Mapping[str, Value]


class Budget:
    """How much a decision may still try: a choice in a graph of n events costs n². `why`: what makes the test large, in words."""

    def __init__(self, left: int, why: str = "") -> None:
        self.left = left
        self.why = why

    def spend(self, events: int) -> None:
        """Try a choice in a graph of so many events. Raises: Diagnostic PTX0603 where nothing is left."""
        self.left -= events * events
        if self.left < 0:
            raise Diagnostic(
                "PTX0603",
                f"The test is too large to be decided: {self.why}.",
                help="take fewer threads, accesses or values, or ask for fewer registers",
            )


def allowed(graph: Graph, met: Meetings, observed: Sequence[str], budget: Budget) -> Iterator[Found]:
    """The allowed executions of a graph: at least one for each way in which reads and Fence-SC order can go, and for each end
    that the observed locations can have."""
    for reads in _assignments(graph, met, budget):
        for fences in _fence_orders(reads):
            yield from _coherent(fences, observed)


# --- reads -----------------------------------------------------------------------------------------------------------


def _assignments(graph: Graph, met: Meetings, budget: Budget) -> Iterator[Execution]:
    """All ways to say where reads read from, but for those that are already forbidden."""
    choices = {r: _plausible(graph, r, w) for r, w in sources(graph).items()}
    order = sorted(choices, key=lambda r: len(choices[r]))
    none = Relation.empty(graph.size)
    exclusive, strong = _exclusive(graph), morally_strong(graph)
    early = sum(len(choices[r]) > 1 for r in order) > 2

    def go(at: int, pairs: list[tuple[int, int]]) -> Iterator[Execution]:
        whole = at == len(order)
        if whole or (early and at and len(choices[order[at - 1]]) > 1):
            budget.spend(graph.size)
            x = Execution(graph, Relation.of(graph.size, pairs), none, none, met)
            if no_thin_air(x) is not None or not _hopeful(x):
                return
            if whole:
                yield x
                return
        read = order[at]
        for write in choices[read]:
            if not any(w == write and (r, read) in exclusive and sure(w, r) and sure(w, read) for w, r in pairs):
                yield from go(at + 1, [*pairs, (write, read)])

    def sure(write: int, read: int) -> bool:
        """Whether a read from a write puts that before whatever the reader writes."""
        return graph.events[write].agent == INIT or (write, read) in strong

    yield from go(0, [])


def _plausible(graph: Graph, read: int, writes: Sequence[int]) -> list[int]:
    """Writes that a read can have seen: none that its own thread does later, or that it has overwritten before."""
    near = program_order(graph) & same_address(graph)
    mine = [w for w in bits((~near).rows[read]) if graph.events[w].kind == "write" and _alike(graph, w, read)]
    last = max(mine, default=None)
    return [
        w
        for w in writes
        if not ((read, w) in near and _alike(graph, read, w))
        and (last is None or w == last or not ((w, last) in near and _alike(graph, w, last)))
        and (last is None or graph.events[w].agent != INIT)
    ]


@derived
def _exclusive(graph: Graph) -> Relation:
    """The reads of two atomic operations that cannot both read from a write which is morally strong with them, or the first: the
    write of one would come between the halves of the other (8.10.3)."""
    strong = morally_strong(graph)
    written = dict(graph.rmw)
    return Relation.of(
        graph.size,
        (
            (a, b)
            for a, c in written.items()
            for b, d in written.items()
            if a != b and (a, d) in strong and (b, c) in strong and (c, d) in strong
        ),
    )


def _alike(graph: Graph, a: int, b: int) -> bool:
    return graph.events[a].proxy == graph.events[b].proxy


def _hopeful(x: Execution) -> bool:
    """Whether the writes that have to be in coherence order, as far as is known, contradict no read."""
    return causality_axiom(_with_coherence(x, _demanded(x))) is None


# --- Fence-SC order --------------------------------------------------------------------------------------------------


def _fence_orders(x: Execution) -> Iterator[Execution]:
    g = x.graph
    fences = g.those(lambda e: e.kind == "fence" and e.order == "sc")
    related = morally_strong(g).among(fences, fences)
    if not related:
        yield x
        return
    order = x.fence_order
    while True:
        base = base_causality(x)
        forced = (base & related) | order
        if forced == order:
            break
        order = forced
        x = Execution(g, x.reads_from, x.coherence, order, x.met)
    if (order >> base).reflexive() is not None:
        return
    if x.fence_order and not _hopeful(x):
        return
    for a, b in related - (order | ~order):
        for pair in ((a, b), (b, a)):
            chosen = order | Relation.of(g.size, [pair])
            yield from _fence_orders(Execution(g, x.reads_from, x.coherence, chosen, x.met))
        return
    yield x


# --- coherence order -------------------------------------------------------------------------------------------------


def _demanded(x: Execution) -> Relation:
    """The coherence order that causality order demands (8.10.1)."""
    writes = x.graph.those(lambda e: e.kind == "write")
    return (causality(x) & overlap(x.graph)).among(writes, writes).closure()


def _with_coherence(x: Execution, coherence: Relation) -> Execution:
    """The same with another coherence order; what does not depend on it is kept."""
    memo = {k: v for k, v in x.memo.items() if k not in _OF_COHERENCE}
    return Execution(x.graph, x.reads_from, coherence, x.fence_order, x.met, memo)


def _coherent(x: Execution, observed: Sequence[str]) -> Iterator[Found]:
    g = x.graph
    demanded = _demanded(x)
    places = sorted({e.location for e in g.events if e.kind == "write" and e.location is not None})
    options: list[list[tuple[Relation, Mapping[str, Value]]]] = []
    for place in places:
        writes = g.those(lambda e, place=place: e.kind == "write" and e.location == place)
        found = _orders(x, demanded.among(writes, writes), writes)
        if place in observed:
            options.append(_ends(g, place, writes, found))
        else:
            first = next(found, None)
            options.append([] if first is None else [(first, {})])
        if not options[-1]:
            return
    for choice in product(*options):
        coherence = Relation.empty(g.size)
        memory: dict[str, Value] = {}
        for relation, ends in choice:
            coherence |= relation
            memory |= ends
        yield Found(_with_coherence(x, coherence), memory)


def _orders(x: Execution, order: Relation, writes: int) -> Iterator[Relation]:
    """The least coherence orders of one location's writes that contain `order` and obey all axioms."""
    trial = _with_coherence(x, order)
    if order.reflexive() is not None:
        return
    if causality_axiom(trial) is not None or atomicity(trial) is not None or sc_per_location(trial) is not None:
        return
    for a, b in morally_strong(x.graph).among(writes, writes) - (order | ~order):
        for pair in ((a, b), (b, a)):
            yield from _orders(x, (order | Relation.of(x.graph.size, [pair])).closure(), writes)
        return
    yield order


def _ends(g: Graph, place: str, writes: int, found: Iterator[Relation]) -> list[tuple[Relation, Mapping[str, Value]]]:
    """What a location can hold in the end: the value of a write that no other comes after. One order for each value."""
    out: dict[Value, tuple[Relation, Mapping[str, Value]]] = {}
    for order in found:
        for w in bits(writes):
            value = g.events[w].value
            if not order.rows[w] and value is not None:
                out.setdefault(value, (order, {place: value}))
    return list(out.values())
