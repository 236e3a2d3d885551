"""Threads that do the same: executions in which they have changed places differ in nothing that is asked.

Of such executions one is enough: the one whose reads, taken in order, read from the earliest events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from ptxlab.memory_model.candidates import Candidate
from ptxlab.memory_model.events import Event, Meetings
from ptxlab.memory_model.program import Place, Program
from ptxlab.memory_model.relation import Relation
from ptxlab.memory_model.terms import Made, Term
from ptxlab.memory_model.trace import Trace

Swap = Sequence[int]
"""For each event of a graph the one that it becomes where two threads change places."""


def swaps(program: Program, candidate: Candidate, met: Meetings, asked: frozenset[str]) -> list[Swap]:
    """All pairs of threads that can change places. asked: threads of which registers are asked for."""
    g = candidate.graph
    if any(e.owner is not None for e in g.events):
        return []
    out: list[Swap] = []
    for i, j in combinations(range(len(program.threads)), 2):
        names = {program.threads[i].name, program.threads[j].name}
        if names & asked or not _alike(program, i, j) or _what(candidate.traces[i]) != _what(candidate.traces[j]):
            continue
        swap = list(range(g.size))
        for k in range(len(candidate.traces[i].events)):
            a, b = candidate.base[i] + k, candidate.base[j] + k
            swap[a], swap[b] = b, a
        if all(_swapped(r, swap) == r for r in (met.orders, met.publishes)):
            out.append(swap)
    return out


def is_least(swap: Swap, order: Sequence[int], source: Mapping[int, int]) -> bool:
    """Whether a choice can be the one of the two that is kept. order: in which reads are taken; source: of those that have one."""
    for read in order:
        mine, other = source.get(read), source.get(swap[read])
        if mine is None or other is None:
            return True
        if mine != swap[other]:
            return mine < swap[other]
    return True


def _alike(program: Program, i: int, j: int) -> bool:
    """Whether two threads run at places that nothing tells apart: in one CTA, or each alone in one."""
    a, b = program.threads[i].place, program.threads[j].place
    if a == b:
        return True
    others = [t.place.own_cta for n, t in enumerate(program.threads) if n not in (i, j)]
    return replace(a, cta=b.cta) == b and a.cluster is None and not {a.own_cta, b.own_cta} & set(others)


def _what(trace: Trace) -> object:
    """What a thread did, but for its name and its place."""
    tests = [(t.op, _shape(t.a), _shape(t.b), t.holds) for t in trace.tests]
    terms = {i: _shape(t) for i, t in trace.terms.items()}
    pairs = [sorted(p) for p in (trace.rmw, trace.issue, trace.done)]
    return [_plain(e) for e in trace.events], tests, terms, pairs, trace.depends, trace.arrivals, trace.end, trace.spun


def _plain(e: Event) -> Event:
    return replace(e, thread=0, place=Place(), text="", span=None)


def _shape(term: Term) -> object:
    """A term without the instruction that made it."""
    return (term.op, *map(_shape, term.values)) if isinstance(term, Made) else term


def _swapped(relation: Relation, swap: Swap) -> Relation:
    return Relation.of(len(swap), ((swap[a], swap[b]) for a, b in relation))
