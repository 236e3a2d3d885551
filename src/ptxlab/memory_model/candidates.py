"""Candidate executions: one trace of each thread put together to a graph, and the writes that each read could have seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from ptxlab.diag import Diagnostic
from ptxlab.memory_model.events import INIT, Event, Graph
from ptxlab.memory_model.meetings import Met
from ptxlab.memory_model.program import Place, Program, Value
from ptxlab.memory_model.relation import Relation
from ptxlab.memory_model.terms import Term, Test, shifted, value_of
from ptxlab.memory_model.trace import Trace

MOST_COMBINATIONS: Final = 100_000
"""Ways to combine what the threads do beyond which a test is refused."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What all threads did.

    Attributes:
        traces: one of each thread. base: the number of the first event of each.
        terms: how the values of writes follow from what reads got, where they do. tests: what the threads' ways ask of that.
    """

    graph: Graph
    traces: tuple[Trace, ...]
    base: tuple[int, ...]
    terms: Mapping[int, Term]
    tests: tuple[Test, ...]

    @property
    def met(self) -> list[Met]:
        """The arrivals at barriers."""
        out: list[Met] = []
        for trace, base in zip(self.traces, self.base, strict=True):
            for i, a in enumerate(trace.arrivals):
                forever = a.event in trace.spun or (trace.end == "waits" and i == len(trace.arrivals) - 1)
                out.append(Met(base + a.event, self.graph.events[base + a.event], a, forever))
        return out

    def registers(self, program: Program, known: Mapping[int, Value]) -> dict[tuple[str, str], Value | None]:
        """What the registers hold at the end, by what reads got; None: that is not known yet."""
        return {
            (thread.name, name): value_of(shifted(term, base), known)
            for thread, trace, base in zip(program.threads, self.traces, self.base, strict=True)
            for name, (term, _) in trace.registers.items()
        }


class Candidates:
    """All candidates of a program."""

    def __init__(self, program: Program, ways: Sequence[Sequence[Trace]]) -> None:
        self.program, self.ways = program, ways
        self._memos: dict[object, dict[Any, Any]] = {}
        self._shapes: dict[object, int] = {}
        self._shape_of: dict[int, int] = {}
        self.first = [
            Event(
                kind="write", agent=INIT, thread=INIT, place=Place(-1, -1), location=v.location, address=v.location, space=v.space,
                value=0 if v.init is None else v.init, text=f"{v.location} = {0 if v.init is None else v.init}",
            )
            for v in program.variables.values() if v.location == v.name
        ]  # fmt: skip

    def __iter__(self) -> Iterator[Candidate]:
        """Those in which every read finds a write of its value."""
        total = 1
        for ways in self.ways:
            total *= len(ways)
        if total > MOST_COMBINATIONS:
            counts = ", ".join(f"{t.name} {len(w):,}" for t, w in zip(self.program.threads, self.ways, strict=True))
            raise Diagnostic(
                "PTX0603",
                f"The threads' ways through their steps ({counts}) combine to {total:,} candidates.",
                help=f"at most {MOST_COMBINATIONS:,} are decided: take fewer threads, reads or values",
            )
        there = {(e.location, e.value) for e in self.first}
        wanted = {read for ways in self.ways for t in ways for read in _reads(t)}
        offers = [[(_reads(t), _writes(t, wanted)) for t in ways] for ways in self.ways]
        for choice in product(*(range(len(w)) for w in self.ways)):
            written = set(there)
            for ways, i in zip(offers, choice, strict=True):
                written |= ways[i][1]
            if all(ways[i][0] <= written for ways, i in zip(offers, choice, strict=True)):
                yield self._made(tuple(ways[i] for ways, i in zip(self.ways, choice, strict=True)))

    def _made(self, traces: tuple[Trace, ...]) -> Candidate:
        events = list(self.first)
        base: list[int] = []
        agents: list[str] = []
        pairs: dict[str, list[tuple[int, int]]] = {"rmw": [], "issue": [], "done": [], "depends": []}
        for trace in traces:
            start = len(events)
            base.append(start)
            events += [replace(e, agent=e.agent + len(agents)) for e in trace.events]
            agents += trace.agents
            for name in ("rmw", "issue", "done"):
                pairs[name] += [(start + i, start + j) for i, j in getattr(trace, name)]
            for j, mask in enumerate(trace.depends):
                pairs["depends"] += [(start + i, start + j) for i in range(j) if mask >> i & 1]
        size = len(events)
        order = Relation.of(
            size,
            ((i, j) for i in range(size) for j in range(i + 1, size) if events[i].agent == events[j].agent != INIT),
        )
        made = {name: Relation.of(size, found) for name, found in pairs.items()}
        said: dict[str, Any] = dict(made)
        graph = Graph(tuple(events), order=order, agents=tuple(agents), **said)
        graph.memo = self._memos.setdefault(tuple(self._shape(t) for t in traces), {})
        terms = {
            start + i: shifted(t, start) for x, start in zip(traces, base, strict=True) for i, t in x.terms.items()
        }
        tests = tuple(
            replace(t, a=shifted(t.a, start), b=shifted(t.b, start))
            for x, start in zip(traces, base, strict=True)
            for t in x.tests
        )
        return Candidate(graph, traces, tuple(base), terms, tests)

    def _shape(self, trace: Trace) -> int:
        """What of a trace decides the relations of its graph: all but values."""
        found = self._shape_of.get(id(trace))
        if found is None:
            shape = (tuple(replace(e, value=None) for e in trace.events), len(trace.agents))
            found = self._shape_of[id(trace)] = self._shapes.setdefault(shape, len(self._shapes))
        return found


def _reads(trace: Trace) -> set[tuple[object, object]]:
    return {(e.location, e.value) for e in trace.events if e.kind == "read" and e.value is not None}


def _writes(trace: Trace, wanted: set[tuple[object, object]]) -> set[tuple[object, object]]:
    """What a trace writes. Where that follows from what it reads, anything that is wanted there."""
    places = {trace.events[i].location for i in trace.terms}
    found = {(e.location, e.value) for e in trace.events if e.kind == "write"}
    return found | {(place, value) for place, value in wanted if place in places}


def sources(graph: Graph, terms: Mapping[int, Term]) -> dict[int, list[int]]:
    """For each read the writes to its location that have its value, or may have it: those with terms, and all that have a value
    where the read's is open."""
    writes: dict[object, list[int]] = {}
    for i, e in enumerate(graph.events):
        if e.kind == "write" and (e.value is not None or i in terms):
            writes.setdefault(e.location, []).append(i)
    return {
        i: [w for w in writes.get(e.location, ()) if e.value is None or w in terms or graph.events[w].value == e.value]
        for i, e in enumerate(graph.events)
        if e.kind == "read"
    }
