"""Findings that follow from another one: the cause is told first, and takes them into its `also`."""

from __future__ import annotations

from collections.abc import Iterable

from ptxlab.diag.model import Diagnostic
from ptxlab.diag.span import Span

_FOLLOW = {
    # Without the fence a product does not come behind what its warps have waited for.
    "PTX9221": ("PTX9210", "PTX9211", "PTX9215"),
    # What a wait leaves pending is not over behind it.
    "PTX9223": ("PTX9210", "PTX9211", "PTX9215", "PTX9222"),
    # Who polls by a weak load races with the strong store that it waits for.
    "PTX9252": ("PTX9202", "PTX9203"),
}
"""By the code of a cause, the codes of what may follow from it where both name one instruction."""


def causes_first(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings in their order, but each that follows from another one is in the `also` of that one, which stands in its place."""
    out = list(found)
    for cause in [d for d in out if d.code in _FOLLOW]:
        codes, places = _FOLLOW[cause.code], _places(cause)
        follows = [d for d in out if d.code in codes and not places.isdisjoint(_places(d))]
        if follows:
            first = min(map(out.index, (cause, *follows)))
            gone = {id(d) for d in (cause, *follows)}
            out = [d for d in out[:first] if id(d) not in gone] + [cause] + [d for d in out[first:] if id(d) not in gone]
            cause.also = (*cause.also, *follows)
            cause.notes = (*cause.notes, _counted(follows))
    return out


def with_consequences(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings, each followed by what follows from it."""
    return [d for cause in found for d in (cause, *cause.also)]


def _places(found: Diagnostic) -> set[Span]:
    """The instructions that a finding names: lines of PTX, or of the source where there is no PTX."""
    return {place for place in (found.span or found.origin, found.other or found.other_origin) if place is not None}


def _counted(follows: list[Diagnostic]) -> str:
    codes = [d.code for d in follows]
    counts = [f"{code} ({codes.count(code)})" if codes.count(code) > 1 else code for code in dict.fromkeys(codes)]
    return f"from this follow: {', '.join(counts)}"


__all__ = ["causes_first", "with_consequences"]
