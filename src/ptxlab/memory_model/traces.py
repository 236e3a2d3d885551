"""All ways through each thread of a test, and the values that its reads may get."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Final

from ptxlab.diag import Diagnostic
from ptxlab.memory_model.domain import Written, values
from ptxlab.memory_model.loops import MOST_COUNTED, TURNS
from ptxlab.memory_model.noted import Noted
from ptxlab.memory_model.program import Program, Value
from ptxlab.memory_model.relation import bits
from ptxlab.memory_model.runner import Asked, Domain, Runner
from ptxlab.memory_model.terms import reads_of, value_of
from ptxlab.memory_model.trace import Trace

MOST_TRACES: Final = 5_000
"""Ways through one thread beyond which a test is refused."""


def traces(program: Program, *, hanging: bool = False, pinned: bool = False) -> list[list[Trace]]:
    """All ways through each thread. With `hanging`, also those that end in a wait or a spin.

    pinned: with all values that reads may get, instead of one way for all that lead through the same steps.

    Loops that are counted are turned to their end, unless that makes too many ways: then as often as others.

    Raises: Diagnostic PTX0603 where there are too many.
    """
    try:
        return _traces(program, MOST_COUNTED, hanging=hanging, pinned=pinned)
    except Diagnostic as many:
        if many.code != "PTX0603":
            raise
        return _traces(program, TURNS, hanging=hanging, pinned=pinned)


def _traces(program: Program, most: int, *, hanging: bool, pinned: bool) -> list[list[Trace]]:
    noted = Noted()

    def found(domain: Domain | None) -> list[list[Trace]]:
        return [
            _all(program, i, domain, most, noted, hanging=hanging, pinned=pinned) for i in range(len(program.threads))
        ]

    def domain() -> Domain:
        return values(program, noted.counted, partial(_written, program, most, noted, pinned))

    try:
        ways = found(None)
    except Asked:
        ways = found(domain())
    if not pinned and any(t.end == "cut" for way in ways for t in way):
        ways = _with_values(program, ways, domain(), most, noted, hanging=hanging)
    noted.check_overlaps()
    return ways


def _with_values(
    program: Program, ways: list[list[Trace]], domain: Domain, most: int, noted: Noted, *, hanging: bool
) -> list[list[Trace]]:
    """The same, threads whose loops were cut short run with all values that their reads may get: these may end the loops. Where
    that makes too many ways they stay as they are."""
    out = list(ways)
    for i, way in enumerate(ways):
        if any(t.end == "cut" for t in way):
            try:
                out[i] = _all(program, i, domain, most, noted, hanging=hanging, pinned=True)
            except Diagnostic as many:
                if many.code != "PTX0603":
                    raise
    return out


def _written(program: Program, most: int, noted: Noted, pinned: bool, domain: Domain) -> Iterator[Written]:
    """All writes that threads may do when reads get these values, and on which reads they depend."""
    for index in range(len(program.threads)):
        seen: set[Written] = set()
        for trace in _all(program, index, domain, most, noted, hanging=True, pinned=pinned):
            for i, e in enumerate(trace.events):
                if e.kind == "write" and e.location is not None:
                    on = (trace.events[r] for r in bits(trace.depends[i]))
                    reads = {(r.location, r.value) for r in on if r.location is not None and r.value is not None}
                    if not _may_be(trace, i, domain):
                        continue
                    for value, more in _values(trace, i, domain):
                        seen.add((e.location, value, tuple(sorted(reads | more, key=str))))
        yield from seen


def _may_be(trace: Trace, write: int, domain: Domain) -> bool:
    """Whether each read on which a write depends may get a value that the tests on the way ask of it alone."""
    for read in bits(trace.depends[write]):
        event = trace.events[read]
        held = domain[event.location or ""]
        tests = [t for t in trace.tests if t.reads == {read}]
        if (event.value is not None and event.value not in held) or (
            tests and not any(all(t.passed({read: v}) for t in tests) for v in held)
        ):
            return False
    return True


def _values(trace: Trace, write: int, domain: Domain) -> Iterator[tuple[Value, set[tuple[str, Value]]]]:
    """What a write may write, and what the reads of which it is made get for that. Of the tests on the way those count that are
    about these reads alone."""
    term = trace.terms.get(write, trace.events[write].value)
    if term is None:
        return
    reads = {r: trace.events[r].location or "" for r in reads_of(term)}
    tests = [t for t in trace.tests if t.reads <= set(reads)]
    for choice in product(*(domain[place] for place in reads.values())):
        known = dict(zip(reads, choice, strict=True))
        if all(t.passed(known) for t in tests):
            value = value_of(term, known)
            assert value is not None
            yield value, set(zip(reads.values(), choice, strict=True))


def _all(
    program: Program, index: int, domain: Domain | None, most: int, noted: Noted, *, hanging: bool, pinned: bool
) -> list[Trace]:
    out: list[Trace] = []
    for trace in Runner(program, index, domain, most, noted, hanging=hanging, pinned=pinned).traces():
        out.append(trace)
        if len(out) > MOST_TRACES:
            raise Diagnostic(
                "PTX0603",
                f"{program.threads[index].name} has more than {MOST_TRACES:,} ways through its steps.",
                help="take fewer reads, fewer different values, or fewer turns of its loops",
            )
    return out
