"""Values that depend on what reads get: terms over the reads of a thread, and what a way through it asks of them.

A thread is run once for each way that its branches can go, and not for each value that it may read: which values those are follows
from where the reads of an execution read from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ptxlab.memory_model.arithmetic import compare, compute
from ptxlab.memory_model.program import Pointer, Step, Value


@dataclass(frozen=True, slots=True)
class Seen:
    """What a read got; `event`: its number."""

    event: int


@dataclass(frozen=True, slots=True)
class Made:
    """What an instruction computes from values of which one at least is not known."""

    op: str
    values: tuple[Term, ...]
    step: Step


Term: TypeAlias = Value | Seen | Made
"""A value, or how it follows from what reads got."""


@dataclass(frozen=True, slots=True)
class Test:
    """What a way through a thread asks: that `a op b` holds, or that it does not."""

    op: str
    a: Term
    b: Term
    step: Step
    holds: bool

    def passed(self, known: Mapping[int, Value]) -> bool | None:
        """Whether it is so; None: that is not known yet."""
        a, b = value_of(self.a, known), value_of(self.b, known)
        return None if a is None or b is None else compare(self.op, a, b, self.step) == self.holds


def computed(op: str, values: Sequence[Term], step: Step) -> Term:
    """The result of an instruction."""
    known = [v for v in values if isinstance(v, int | Pointer)]
    if op == "mov":
        return values[0]
    return compute(op, known, step) if len(known) == len(values) else Made(op, tuple(values), step)


def changed(update: str, old: Term, values: Sequence[Term], step: Step) -> Term:
    """What an atomic operation, other than cas, writes."""
    return values[0] if update == "exch" else computed(update, [old, values[0]], step)


def reads_of(term: Term) -> Iterator[int]:
    """The reads on which a term depends."""
    if isinstance(term, Seen):
        yield term.event
    elif isinstance(term, Made):
        for part in term.values:
            yield from reads_of(part)


def value_of(term: Term, known: Mapping[int, Value]) -> Value | None:
    """What a term comes to; None where a read in it is not known."""
    if isinstance(term, Seen):
        return known.get(term.event)
    if not isinstance(term, Made):
        return term
    values: list[Value] = []
    for part in term.values:
        found = value_of(part, known)
        if found is None:
            return None
        values.append(found)
    return compute(term.op, values, term.step)


def put(term: Term, event: int, value: Value) -> Term:
    """The term, one of its reads replaced by what it got."""
    if isinstance(term, Seen):
        return value if term.event == event else term
    if not isinstance(term, Made):
        return term
    return computed(term.op, [put(part, event, value) for part in term.values], term.step)


def shifted(term: Term, by: int) -> Term:
    """The same over events whose numbers are greater."""
    if isinstance(term, Seen):
        return Seen(term.event + by)
    if not isinstance(term, Made):
        return term
    return Made(term.op, tuple(shifted(part, by) for part in term.values), term.step)
