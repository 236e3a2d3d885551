"""Which registers of a thread are still read later: the others say nothing about where a loop stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from ptxlab.memory_model.program import Branch, Register, Step

_WRITTEN = "register"


def live_registers(steps: Sequence[Step], at_end: frozenset[str]) -> list[frozenset[str]]:
    """For each step the registers that are read before they are written again, from there on; `at_end` counts as read."""
    live = [frozenset[str]()] * len(steps) + [at_end]
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(steps))):
            after = frozenset[str]().union(*(live[j] for j in _next(steps, i)))
            new = (after - _writes(steps[i])) | frozenset(_reads(steps[i]))
            changed |= new != live[i]
            live[i] = new
    return live


def _next(steps: Sequence[Step], i: int) -> Iterator[int]:
    step = steps[i]
    if isinstance(step, Branch):
        yield step.target
        if step.op is None:
            return
    yield i + 1


def _writes(step: Step) -> frozenset[str]:
    found = getattr(step, _WRITTEN, None)
    return frozenset({found.name}) if isinstance(found, Register) else frozenset()


def _reads(step: Step) -> Iterator[str]:
    for f in fields(step):
        if f.name != _WRITTEN:
            yield from _named(getattr(step, f.name))


def _named(value: object) -> Iterator[str]:
    if isinstance(value, Register):
        yield value.name
    elif isinstance(value, tuple):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _named(item)  # pyright: ignore[reportUnknownArgumentType]
