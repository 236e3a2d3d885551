"""Values that depend on what reads get: terms over the reads of a thread, and what a way through it asks of them.

A thread is run once for each way that its branches can go, and not for each value that it may read: which values those are follows
from where the reads of an execution read from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ptxlab.diag import Diagnostic
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

    @property
    def reads(self) -> set[int]:
        """The reads that it is about."""
        return {*reads_of(self.a), *reads_of(self.b)}

    def simplified(self) -> Test:
        """The same, of a comparison where it asks for the result of one."""
        made, op = self.a, self.op
        if (
            not isinstance(made, Made)
            or not made.op.startswith("set.")
            or op not in ("eq", "ne")
            or self.b not in (0, 1)
        ):
            return self
        holds = self.holds == ((op == "eq") == (self.b == 1))
        a, b = made.values
        return Test(made.op.removeprefix("set."), a, b, self.step, holds).simplified()

    def equals(self) -> tuple[int, Value] | None:
        """The read and the value that it has to get, where that is what is asked."""
        if (self.op, self.holds) not in (("eq", True), ("ne", False)):
            return None
        a, b = (self.b, self.a) if isinstance(self.b, Seen) else (self.a, self.b)
        return (a.event, b) if isinstance(a, Seen) and isinstance(b, int | Pointer) else None


def possible(tests: Sequence[Test]) -> bool:
    """Whether what is asked of single reads can be so: of each, one value is what all tests ask that compare it with a value."""
    of: dict[int, list[Test]] = {}
    for test in tests:
        sides = (test.a, test.b)
        if len(test.reads) == 1 and not any(isinstance(side, Made) for side in sides):
            of.setdefault(min(test.reads), []).append(test)
    for read, asked in of.items():
        named = {side for t in asked for side in (t.a, t.b) if isinstance(side, int | Pointer)}
        numbers = [v for v in named if isinstance(v, int)]
        tried: set[Value] = {*named, *(v + 1 for v in numbers), *(v - 1 for v in numbers), *([] if numbers else [0])}
        if not any(all(_passes(t, read, value) for t in asked) for value in tried):
            return False
    return True


def _passes(test: Test, read: int, value: Value) -> bool:
    """Whether a test is passed with a value; no order of addresses is."""
    try:
        return test.passed({read: value}) is True
    except Diagnostic:
        return False


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
