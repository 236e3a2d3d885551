"""The fast decider: builds executions read by read, and leaves a choice as soon as an axiom forbids all that can follow.

All axioms but one are monotone: more reads-from, more coherence or more Fence-SC order never makes a forbidden execution allowed.
So the search orders no writes that nothing orders: the least coherence order that the axioms demand allows whatever a greater one
does. And since reads decide causality, each location's coherence order is looked for by itself; what reads force of it is known
while they are chosen (`places`), and so are the values that follow. A choice is left, too, where all its ends are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from ptxlab.diag import Diagnostic
from ptxlab.memory_model.candidates import Candidate, sources
from ptxlab.memory_model.events import INIT, Execution, Graph, Meetings, derived
from ptxlab.memory_model.model import (
    acquire_pattern,
    atomicity,
    base_causality,
    causality,
    causality_axiom,
    communication,
    from_reads,
    morally_strong,
    overlap,
    program_order,
    release_pattern,
    same_address,
    sc_per_location,
    unsynchronized,
)
from ptxlab.memory_model.places import Places, joined
from ptxlab.memory_model.program import Value
from ptxlab.memory_model.relation import Relation, bits
from ptxlab.memory_model.symmetry import Swap, is_least
from ptxlab.memory_model.terms import value_of

_OF_COHERENCE = {getattr(made, "__wrapped__", made) for made in (from_reads, communication)}


@dataclass(frozen=True, slots=True)
class Found:
    """An allowed execution, and what locations may hold at its end."""

    execution: Execution
    memory: Mapping[str, Value]


Ends: TypeAlias = Callable[[str], Iterable[Value] | None]
"""What a location may hold at the end, as far as is known; None: anything."""
Over: TypeAlias = Callable[[Mapping[int, Value], Ends, bool], bool]
"""Whether nothing new can come of a choice, by what reads got so far, and whether it can have races that others do not have."""


class Budget:
    """How much a decision may still try. In a graph of n events, a choice costs n², and 2 n where only what it forces is looked at.

    `why`: what makes the test large, in words.
    """

    def __init__(self, left: int, why: str = "") -> None:
        self.left = left
        self.why = why

    def spend(self, events: int) -> None:
        """Try a choice in a graph of so many events. Raises: Diagnostic PTX0603 where nothing is left."""
        self._take(events * events)

    def look(self, events: int) -> None:
        """Look at what a choice forces in a graph of so many events. Raises: as `spend`."""
        self._take(2 * events)

    def _take(self, units: int) -> None:
        self.left -= units
        if self.left < 0:
            raise Diagnostic(
                "PTX0603",
                f"The test is too large to be decided: {self.why}.",
                help="take fewer threads, accesses or values, or ask for fewer registers",
            )


def allowed(
    candidate: Candidate,
    met: Meetings,
    observed: Sequence[str],
    budget: Budget,
    over: Over | None = None,
    same: Sequence[Swap] = (),
) -> Iterator[Found]:
    """The allowed executions of a candidate: at least one for each way in which reads and Fence-SC order can go, and for each end
    that the observed locations can have.

    over: says what need not be looked at. same: threads that may change places; of executions that differ in that one is enough.
    """
    assignments = _Assignments(candidate, met, budget, over, same)
    for reads in assignments.found():
        fresh = assignments.fresh
        known = {i: e.value for i, e in enumerate(reads.graph.events) if e.value is not None}
        for fences in _fence_orders(reads):
            if over is not None and over(known, lambda place, g=reads.graph: _written(g, place), fresh):
                break
            for found in _coherent(fences, observed):
                assignments.fresh = False
                yield found


def _written(g: Graph, place: str) -> list[Value]:
    """All values of writes to a location."""
    return [e.value for e in g.events if e.kind == "write" and e.location == place and e.value is not None]


# --- reads -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Chosen:
    """Reads that have a source. depends: no-thin-air's relation, transitive. known: values of reads and writes."""

    pairs: list[tuple[int, int]]
    places: Places
    depends: list[int]
    known: dict[int, Value]


class _Assignments:
    """All ways to say where reads read from, but for those that are already forbidden.

    fresh: whether no execution was found yet in which those reads that decide races read from where they do.
    """

    def __init__(
        self, candidate: Candidate, met: Meetings, budget: Budget, over: Over | None, same: Sequence[Swap]
    ) -> None:
        self.candidate, self.met, self.budget, self.over, self.same = candidate, met, budget, over, same
        self.graph = graph = candidate.graph
        self.none = Relation.empty(graph.size)
        self.choices = {r: _plausible(graph, r, w) for r, w in sources(graph, candidate.terms).items()}
        decide = _decide_races(graph)
        self.order = sorted(self.choices, key=lambda r: (not decide >> r & 1, len(self.choices[r])))
        self.deciding = sum(decide >> r & 1 for r in self.order)
        self.fresh = True
        self.exclusive, self.strong = _exclusive(graph), morally_strong(graph)
        self.early = _orders_by_reads(graph) and sum(len(self.choices[r]) > 1 for r in self.order) > 2

    def found(self) -> Iterator[Execution]:
        begun = Execution(self.graph, self.none, self.none, self.none, self.met)
        demanded = _demanded(begun)
        start = _Chosen(
            [],
            Places.of(self.graph, causality(begun), demanded),
            list(self.graph.depends.closure().rows),
            {i: e.value for i, e in enumerate(self.graph.events) if e.value is not None},
        )
        if demanded.reflexive() is None and start.places.settle() and self._propagated(start):
            yield from self._go(0, start)

    def _go(self, at: int, chosen: _Chosen) -> Iterator[Execution]:
        self.budget.look(self.graph.size)
        if at <= self.deciding:
            self.fresh = True
        if self.over is not None and self.over(chosen.known, lambda place: self._ends(chosen, place), self.fresh):
            return
        if at == len(self.order):
            self.budget.spend(self.graph.size)
            x = self._execution(chosen)
            yield Execution(valued(self.graph, chosen.known), x.reads_from, x.coherence, x.fence_order, x.met, x.memo)
            return
        if at == self.deciding or (self.early and at and len(self.choices[self.order[at - 1]]) > 1):
            self.budget.spend(self.graph.size)
            if not _hopeful(self._execution(chosen)):
                return
        read = self.order[at]
        for write in self.choices[read]:
            following = self._chosen(chosen, read, write)
            if following is not None:
                yield from self._go(at + 1, following)

    def _chosen(self, chosen: _Chosen, read: int, write: int) -> _Chosen | None:
        """The same with one more read; None: that is forbidden."""
        for w, r in chosen.pairs:
            if w == write and (r, read) in self.exclusive and self._sure(w, r) and self._sure(w, read):
                return None
        depends = joined(chosen.depends, write, read)
        if depends is None:
            return None
        made = _Chosen([*chosen.pairs, (write, read)], chosen.places.copy(), depends, dict(chosen.known))
        if not made.places.read(read, write) or not self._propagated(made):
            return None
        return made if all(is_least(swap, self.order, made.places.source) for swap in self.same) else None

    def _sure(self, write: int, read: int) -> bool:
        """Whether a read from a write puts that before whatever the reader writes."""
        return self.graph.events[write].agent == INIT or (write, read) in self.strong

    def _propagated(self, chosen: _Chosen) -> bool:
        """Work out the values that follow; false: a thread does not go this way with them."""
        return propagated(self.candidate, chosen.pairs, chosen.known)

    def _ends(self, chosen: _Chosen, place: str) -> list[Value] | None:
        events = self.graph.events
        writes = sum(1 << i for i, e in enumerate(events) if e.kind == "write" and e.location == place)
        found = [chosen.known.get(w) for w in chosen.places.last(writes)]
        return None if None in found else [v for v in found if v is not None]

    def _execution(self, chosen: _Chosen) -> Execution:
        return Execution(self.graph, Relation.of(self.graph.size, chosen.pairs), self.none, self.none, self.met)


def propagated(candidate: Candidate, pairs: Iterable[tuple[int, int]], known: dict[int, Value]) -> bool:
    """Enter what follows from the sources of reads; false: a thread does not go this way with that."""
    changed = True
    while changed:
        changed = False
        for write, read in pairs:
            if write in known and known.get(read) != known[write]:
                if read in known:
                    return False
                known[read], changed = known[write], True
        for write, term in candidate.terms.items():
            if write not in known:
                value = value_of(term, known)
                if value is not None:
                    known[write], changed = value, True
    return all(test.passed(known) is not False for test in candidate.tests)


def valued(graph: Graph, known: Mapping[int, Value]) -> Graph:
    """The same, its events with their values."""
    events = tuple(
        replace(e, value=known[i]) if e.value is None and i in known else e for i, e in enumerate(graph.events)
    )
    return replace(graph, events=events)


def assigned(candidate: Candidate, most: int) -> Iterator[tuple[Graph, Relation]]:
    """Ways to say where reads read from, allowed or not, with the values that follow: not those without a reason. most: choices
    that are looked at."""
    graph = candidate.graph
    found = list(sources(graph, candidate.terms).items())
    known = {i: e.value for i, e in enumerate(graph.events) if e.value is not None}
    stack = [(list[tuple[int, int]](), list(graph.depends.closure().rows), known)]
    while stack and most:
        most -= 1
        pairs, depends, known = stack.pop()
        if not propagated(candidate, pairs, known):
            continue
        if len(pairs) == len(found):
            yield valued(graph, known), Relation.of(graph.size, pairs)
            continue
        read, writes = found[len(pairs)]
        for write in reversed(writes):
            more = joined(depends, write, read)
            if more is not None:
                stack.append(([*pairs, (write, read)], more, dict(known)))


def _decide_races(graph: Graph) -> int:
    """The reads on whose sources it depends what is ordered, and so which races there are: those of locations by which something
    may be acquired, or where there may be races. Beside fence.sc it may depend on all."""
    acquiring = {graph.events[r].location for r, row in enumerate(acquire_pattern(graph).rows) if row}
    places = acquiring | {graph.events[a].location for a, _ in unsynchronized(graph)}
    every = any(e.kind == "fence" and e.order == "sc" for e in graph.events)
    return graph.those(lambda e: e.kind == "read" and (every or e.location in places))


def _orders_by_reads(graph: Graph) -> bool:
    """Whether reads decide what else is ordered: where something is released and acquired."""
    return bool(release_pattern(graph)) and bool(acquire_pattern(graph))


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
    if not x.fence_order and not _hopeful(x):
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
    known = Places.of(g, causality(x), demanded)
    if demanded.reflexive() is not None or not all(known.read(r, w) for w, r in x.reads_from):
        return
    places = sorted({e.location for e in g.events if e.kind == "write" and e.location is not None})
    options: list[list[tuple[Relation, Mapping[str, Value]]]] = []
    for place in places:
        writes = g.those(lambda e, place=place: e.kind == "write" and e.location == place)
        found = _orders(x, known, writes)
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


def _orders(x: Execution, places: Places, writes: int) -> Iterator[Relation]:
    """The least coherence orders of one location's writes that contain what is known and obey all axioms."""
    pair = places.undecided(writes)
    if pair is not None:
        for a, b in (pair, pair[::-1]):
            one = places.copy()
            if one.order(a, b):
                yield from _orders(x, one, writes)
        return
    order = Relation(places.co).among(writes, writes)
    trial = _with_coherence(x, order)
    if causality_axiom(trial) is None and atomicity(trial) is None and sc_per_location(trial) is None:
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
