"""What warps that wait for copies wait for: bytes in flight, beside those that Little's law asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from ptxlab.timing.chip import ChipTable
from ptxlab.timing.lines import place_of

if TYPE_CHECKING:
    from ptxlab.timing.predict import Predicted

GROUP: Final = 4
"""Warps that are told of together: a warpgroup."""
_SAID: Final = 2
"""Waits that are told, the longest first."""
_WORTH: Final = 0.02
"""The share of the replay that a warp has to wait for copies to be told of."""


def copy_waits(found: Predicted, chip: ChipTable) -> tuple[Mapping[str, float], tuple[str, ...]]:
    """Bytes in flight, rate and latency of an SM's copies, and the longest waits for them in words; nothing where none waits."""
    played, share = found.played, found.share
    waits = [one for one in _waits(found) if one[0] > _WORTH * played.cycles]
    if not waits or not played.copied:
        return {}, ()
    far = share.missing * (chip.figures["memory.latency"] - chip.figures["l2.latency"])
    copies = {
        "in flight": played.flying / played.cycles,
        "rate": share.bytes_in,
        "latency": chip.figures["bulk.latency"] + far,
    }
    waits.sort(reverse=True)
    lines = [_told(found, *one) for one in waits[:_SAID]]
    return copies, (*lines, _little(copies))


def _waits(found: Predicted) -> Iterator[tuple[float, int, int]]:
    """Waits for an mbarrier that copies complete: cycles of a warp in one CTA, its warpgroup's first warp, instruction of PTX."""
    ops = _completed_by_copies(found)
    ctas = max(1, len(found.played.ends))
    longest: dict[tuple[int, int], float] = {}
    for (warp, op, cause), cycles in found.played.stalls.items():
        if cause == "mbarrier" and op in ops:
            group = warp // GROUP * GROUP, op
            longest[group] = max(longest.get(group, 0.0), cycles / ctas)
    for (warp, op), cycles in longest.items():
        yield cycles, warp, op


def _completed_by_copies(found: Predicted) -> set[int]:
    """Instructions that wait for phases in which the end of a copy from global memory counts."""
    out: set[int] = set()
    for cluster in found.recorded:
        phases = {p for flight in cluster.flights.values() if flight.kind == "in" for p in flight.completes}
        for warp in (warp for cta in cluster.warps for warp in cta):
            out |= {warp.ops[at] for at, fact in warp.facts.items() if not phases.isdisjoint(fact.passes)}
    return out


def _told(found: Predicted, cycles: float, warp: int, op: int) -> str:
    """A wait in words."""
    group = [w for cluster in found.recorded for cta in cluster.warps for w in cta[warp : warp + GROUP]]
    times = max(sum(1 for at, fact in w.facts.items() if w.ops[at] == op and fact.passes) for w in group)
    often = "once" if times <= 1 else f"each of {times:,} times"
    waits = f"warps {warp}-{warp + GROUP - 1} wait {cycles / max(1, times):,.0f} cycles {often}"
    return f"{waits} for copies at {place_of(found.where[op])}"


def _little(copies: Mapping[str, float]) -> str:
    """Bytes in flight beside those that it takes."""
    wanted = copies["rate"] * copies["latency"]
    rate = f"{copies['rate']:,.0f} bytes a cycle through the {copies['latency']:,.0f} cycles of a copy"
    return f"{copies['in flight'] / 1024:,.1f} KB are in flight on average; {rate} take {wanted / 1024:,.1f} KB (Little's law)"
