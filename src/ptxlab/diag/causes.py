"""Findings that follow from another one: the cause is told first, and takes them into its `also`."""

from __future__ import annotations

from collections.abc import Iterable

from ptxlab.diag.model import Diagnostic, one_of_each_line
from ptxlab.diag.span import Span

FLOOD = 4
"""As many findings beside the first, and they are told by that alone."""
NAMED = 4
"""Further pairs of instructions that a finding names."""
_OF_FLAGS = ("PTX9201", "PTX9202", "PTX9203")
"""Codes of findings that may be about the accesses to a flag: what the flag does not order follows from them."""
_FOLLOW = {
    # Without the fence a product does not come behind what its warps have waited for.
    "PTX9221": ("PTX9210", "PTX9211", "PTX9215"),
    # What a wait leaves pending is not over behind it.
    "PTX9223": ("PTX9210", "PTX9211", "PTX9215", "PTX9222"),
    # Who polls by a weak load races with the strong store that it waits for.
    "PTX9252": ("PTX9202", "PTX9203"),
    **dict.fromkeys(_OF_FLAGS, ()),
}
"""By the code of a cause, the codes of what may follow from it where both name one instruction."""


def causes_first(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings in their order, but each that follows from another one is in the `also` of that one, which stands in its place."""
    out = list(found)
    for code in _FOLLOW:
        for cause in [d for d in out if d.code == code]:
            follows = [d for d in out if d is not cause and _follows(d, cause)]
            if follows and cause in out:
                first = min(map(out.index, (cause, *follows)))
                gone = {id(d) for d in (cause, *follows)}
                out = (
                    [d for d in out[:first] if id(d) not in gone]
                    + [cause]
                    + [d for d in out[first:] if id(d) not in gone]
                )
                cause.also = (*cause.also, *follows)
                cause.notes = (*cause.notes, _counted(follows))
    return out


def _follows(d: Diagnostic, cause: Diagnostic) -> bool:
    """Whether a finding follows from another one: the instructions of that are at fault, or accesses to a flag that it is about."""
    accesses = d.flag if d.only_flag else ()
    flag = {place for access in accesses if (place := access.span or access.origin) is not None}
    if cause.code in _OF_FLAGS:
        return bool(flag) and flag == _places(cause)
    return d.code in _FOLLOW[cause.code] and not _places(cause).isdisjoint(_places(d) | flag)


def one_of_each_cause(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The first of those that one flag is at fault for, or of a flood with one cause; it has the others in `alike`. All others."""
    alike: dict[object, list[Diagnostic]] = {}
    for d in found:
        alike.setdefault(id(d) if d.cause is None else d.cause, []).append(d)
    out: list[Diagnostic] = []
    for first, *rest in alike.values():
        out.append(first)
        if first.flag or len(rest) >= FLOOD:
            _takes(first, rest)
        else:
            out += rest
    return out


def _takes(first: Diagnostic, rest: list[Diagnostic]) -> None:
    """A finding stands for others."""
    first.alike = tuple(rest)
    if rest:
        named = "; ".join(map(_pair, rest[:NAMED]))
        more = f"; and {len(rest) - NAMED} more" if len(rest) > NAMED else ""
        count = f"{len(rest)} more pair{'s' if len(rest) > 1 else ''} of instructions"
        first.notes = (*first.notes, f"the same is so of {count}: {named}{more}")


def _pair(d: Diagnostic) -> str:
    """The two places of a finding, in short."""
    places = (d.other_origin or d.other, d.origin or d.span)
    return " and ".join(place.shown if place is not None else "?" for place in places)


def as_shown(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings as users see them: each pair of lines and each cause once, and causes before what follows from them."""
    return causes_first(one_of_each_cause(one_of_each_line(found)))


def with_consequences(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings, each followed by what follows from it."""
    return [d for cause in found for d in cause.told()]


def with_alike(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The same, with those that a finding stands for behind it."""
    return [one for d in with_consequences(found) for one in (d, *d.alike)]


def _places(found: Diagnostic) -> set[Span]:
    """The instructions that a finding names: lines of PTX, or of the source where there is no PTX."""
    return {place for place in (found.span or found.origin, found.other or found.other_origin) if place is not None}


def _counted(follows: list[Diagnostic]) -> str:
    codes = [d.code for d in follows]
    counts = [f"{code} ({codes.count(code)})" if codes.count(code) > 1 else code for code in dict.fromkeys(codes)]
    return f"from this follow: {', '.join(counts)}"


__all__ = ["as_shown", "causes_first", "one_of_each_cause", "with_alike", "with_consequences"]
