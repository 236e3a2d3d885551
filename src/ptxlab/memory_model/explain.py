"""Why an execution is allowed or forbidden, as steps from event to event that a reader can follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ptxlab.memory_model.events import INIT, Event, Execution
from ptxlab.memory_model.model import (
    Violation,
    base_causality,
    causality,
    from_reads,
    observation,
    overlap,
    program_order,
    proxy_preserved,
    synchronizes,
)
from ptxlab.memory_model.relation import Relation, bits

SECTIONS: Final = {
    "coherence": "8.10.1",
    "fence-sc": "8.10.2",
    "atomicity": "8.10.3",
    "no-thin-air": "8.10.4",
    "sc-per-location": "8.10.5",
    "causality": "8.10.6",
}
"""Where the manual states each axiom."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A pair of a relation."""

    relation: str
    source: int
    target: int


def label(x: Execution, number: int) -> str:
    """The letter of an event; the first writes are named by what they write."""
    e = x.graph.events[number]
    if e.agent == INIT:
        return f"init {e.location}"
    counted = number - sum(o.agent == INIT for o in x.graph.events)
    return letter(counted)


def letter(number: int) -> str:
    """a, b, … z, a1, b1 …"""
    again, rest = divmod(number, 26)
    return chr(ord("a") + rest) + (str(again) if again else "")


def described(x: Execution, number: int) -> str:
    """What an event is: its instruction, or which part of an asynchronous operation, with the value that it reads or writes."""
    e = x.graph.events[number]
    if e.agent == INIT:
        return f"{e.text}, at the start"
    text = part(e) if "." in x.graph.agents[e.agent] else e.text
    match e.kind:
        case "read" if e.value is not None and text == e.text:
            return f"{text}  [reads {e.location} = {e.value}]"
        case "write" if e.value is not None and text == e.text:
            return f"{text}  [{e.location} = {e.value}]"
        case _:
            return text


def part(e: Event) -> str:
    """A part of an asynchronous operation, in words."""
    match e.kind:
        case "read":
            return f"reads {e.location} = {e.value}, {e.proxy} proxy"
        case "write":
            return f"writes {e.location} = {e.value}, {e.proxy} proxy"
        case "fence":
            return "implicit proxy fence: " + ", ".join(f"{a} to {b}" for a, b in e.joins)
        case _:
            return f"completes on {e.location}"


def cycle(x: Execution, found: Violation) -> list[Arrow]:
    """A forbidden cycle, its causality order taken apart."""
    out: list[Arrow] = []
    for relation, a, b in found.steps:
        out += _expanded(x, relation, a, b)
    return out


def _expanded(x: Execution, relation: str, a: int, b: int) -> list[Arrow]:
    if relation == "causality" and (a, b) not in proxy_preserved(x):
        seen = bits(observation(x).rows[a] & (~proxy_preserved(x)).rows[b])
        middle = next(seen, None)
        if middle is not None:
            return [Arrow("observed by", a, middle), *_path(x, middle, b)]
        return [Arrow("at the start", a, b)] if x.graph.events[a].agent == INIT else [Arrow(relation, a, b)]
    if relation in ("causality", "base causality"):
        return _path(x, a, b)
    return [Arrow(relation, a, b)]


def _path(x: Execution, a: int, b: int) -> list[Arrow]:
    """The shortest way from one event to another in base causality order, over its proxy fences where there are some."""
    steps = _steps(x)
    fences = [
        i
        for i, e in enumerate(x.graph.events)
        if e.joins and (a, i) in base_causality(x) and (i, b) in base_causality(x)
    ]
    needed = (
        x.graph.events[a].proxy != x.graph.events[b].proxy or x.graph.events[a].address != x.graph.events[b].address
    )
    stops = [a, *(fences[:1] if needed else []), b]
    out: list[Arrow] = []
    for here, there in pairwise(stops):
        path = steps.path(here, there) or [here, there]
        out += [Arrow(_step(x, p, q), p, q) for p, q in pairwise(path)]
    return out


def _steps(x: Execution) -> Relation:
    return program_order(x.graph) | synchronizes(x) | x.graph.done | x.graph.issue


def _step(x: Execution, a: int, b: int) -> str:
    named = (
        ("program order", program_order(x.graph)),
        ("Fence-SC", x.fence_order),
        ("barrier", x.meets),
        ("synchronizes", synchronizes(x)),
        ("waits for", x.graph.done),
        ("issues", x.graph.issue),
    )
    return next((name for name, relation in named if (a, b) in relation), "base causality")


def communications(x: Execution) -> list[Arrow]:
    """What a witness is made of: where reads read from, the order of writes, and who synchronizes with whom."""
    g = x.graph
    first = g.those(lambda e: e.agent == INIT)
    out = [Arrow("reads-from", a, b) for a, b in x.reads_from]
    out += [Arrow("coherence", a, b) for a, b in _cover(x.coherence) if not first >> a & 1]
    out += [
        Arrow("from-reads", a, b)
        for a, b in from_reads(x)
        if not any((a, c) in from_reads(x) and (c, b) in x.coherence for c in range(g.size))
    ]
    return out + [Arrow(_step(x, a, b), a, b) for a, b in (synchronizes(x) | g.done) - program_order(g)]


def _cover(order: Relation) -> Relation:
    """A transitive relation without the pairs that follow from others."""
    return order - (order >> order)


def missing(x: Execution) -> Iterator[str]:
    """For each read that missed a write to its location: why the model lets it."""
    g = x.graph
    for r, e in enumerate(g.events):
        source = next(bits((~x.reads_from).rows[r]), None) if e.kind == "read" else None
        if source is None:
            continue
        for w in bits(overlap(g).rows[r]):
            if w == source or g.events[w].kind != "write" or g.events[w].agent == INIT:
                continue
            if (w, source) in x.coherence or (r, w) in causality(x) or (w, r) in causality(x):
                continue
            yield _why(x, w, r)


def _why(x: Execution, w: int, r: int) -> str:
    g = x.graph
    a, b = g.events[w], g.events[r]
    names = f"{label(x, w)} before {label(x, r)}"
    if (w, r) not in base_causality(x):
        return f"nothing orders {names}: no synchronization leads from one to the other"
    if a.proxy != b.proxy:
        return f"no proxy fence orders {names}: {label(x, w)} is in the {a.proxy} proxy, {label(x, r)} in the {b.proxy} proxy"
    if a.address != b.address:
        return f"no fence.proxy.alias orders {names}: they use different virtual addresses"
    return f"no proxy fence orders {names}: the {a.proxy} proxies of different CTAs are not the same"
