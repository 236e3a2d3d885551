"""Accesses of entries that may overlap, to the same bytes: those that nothing orders are findings of the later one.

What a grid does behind griddepcontrol.wait comes behind all that the grids in front have done, so what it does in front of that is
enough to look at. Of entries of different streams all is compared. What flags have handed on between two accesses orders them: see
`handed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import gcd

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.order import OF_LAUNCHES
from ptxlab.sim.grids.handed import Handed
from ptxlab.sim.grids.judged import Judged
from ptxlab.sim.order.beside import Early
from ptxlab.sim.order.done import Accesses, Done
from ptxlab.sim.order.shadow import Kind

Numbers = NDArray[np.int64]
_MOST = 32
"""Pairs of instructions of two launches that are told."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two accesses: by whom, and how."""

    agent: int
    kind: Kind
    writes: bool
    asynchronous: bool = False


@dataclass(frozen=True, slots=True)
class Clash:
    """Two accesses that nothing orders.

    Attributes:
        place: the address of a byte of both. earlier, later: the entries, by their places in the list. first, second: what they do.
        waited: for an access in front of griddepcontrol.wait, the threads of its CTA that execute that; None between streams.
    """

    place: int
    earlier: int
    later: int
    first: Side
    second: Side
    waited: frozenset[int] | None


def clashes(handed: Handed) -> Iterator[Clash]:
    """Pairs of accesses that nothing orders, one for each pair of instructions of two entries."""
    relation, by_place = handed.relation, {one.place: one for one in handed.judged}
    for later in handed.judged:
        beside = relation.beside(later.place) if later.comes_early else ()
        waited = relation.waited_for(later.place)
        for place, earlier in reversed(by_place.items()):  # the nearest first
            if place >= later.place:
                continue
            if place in beside:
                yield from _before_the_wait(earlier, later, handed)
            elif place not in waited and not relation.is_over(place, later.place):
                yield from _between_streams(earlier, later, handed)


def broken(handed: Handed, chain: Callable[[int], Iterable[int]]) -> Iterator[Clash]:
    """Pairs of accesses that griddepcontrol.wait orders as far as chips are known, and not by the manual's words."""
    by_place = {one.place: one for one in handed.judged}
    for later in handed.judged:
        for place in chain(later.place):
            if place in by_place:
                yield from _between_streams(by_place[place], later, handed)


# -- two entries
def _between_streams(earlier: Judged, later: Judged, handed: Handed) -> Iterator[Clash]:
    for i, j, begin, end in _common(earlier, later):
        one, other = earlier.done(i, begin, end), later.done(j, begin, end)
        granule = gcd(one.granule, other.granule, begin - one.begin, begin - other.begin) or 1
        places = _reached(one, other, begin, end, granule)
        for at, first, second in _met(earlier, later, (one.at(places), other.at(places)), handed):
            yield Clash(int(places[at]), earlier.place, later.place, first, second, None)
    if later.beside is not None:
        yield from _of_records(earlier, later, later.beside.maps, handed)
    if earlier.beside is not None:
        for clash in _of_records(later, earlier, earlier.beside.maps, handed):
            yield replace(clash, earlier=earlier.place, later=later.place, first=clash.second, second=clash.first)


def _before_the_wait(earlier: Judged, later: Judged, handed: Handed) -> Iterator[Clash]:
    beside = later.beside
    if beside is None:
        return
    if not beside.has_wait:  # it never waits
        for clash in _between_streams(earlier, later, handed):
            yield replace(clash, waited=frozenset())
        return
    if not beside.early:
        return
    for clash in _of_records(earlier, later, later.early, handed):
        yield replace(clash, waited=_waiting(later, clash.second.agent))
    if earlier.beside is not None:
        for clash in _maps_changed(earlier, later):
            yield clash


def _maps_changed(earlier: Judged, later: Judged) -> Iterator[Clash]:
    """Tensor maps that the earlier one reads, and the later one changes in front of its wait."""
    assert earlier.beside is not None
    assert later.beside is not None
    for record in later.early:
        for read in earlier.beside.maps if record.writes else ():
            first, last = int(read.starts[0]), int(read.starts[0] + read.nbytes[0])
            met = np.flatnonzero((record.starts < last) & (record.starts + record.nbytes > first))
            if len(met):
                agent, place = int(record.agents[met[0]]), int(record.starts[met[0]])
                one = Side(int(read.agents[0]), read.kind, writes=False, asynchronous=True)
                other = Side(agent, record.kind, writes=True, asynchronous=record.asynchronous)
                yield Clash(place, earlier.place, later.place, one, other, _waiting(later, agent))


def _waiting(later: Judged, agent: int) -> frozenset[int]:
    """The threads of the CTA of an access that execute griddepcontrol.wait."""
    assert later.beside is not None
    cta, _ = later.core.threads.thread(agent)
    return frozenset(later.beside.waits.get(cta, ()))


def _of_records(earlier: Judged, later: Judged, records: Sequence[Early], handed: Handed) -> Iterator[Clash]:
    """Accesses of the later one that are written down, beside all that the earlier one has done."""
    far = earlier.is_far(later)
    told = set[tuple[int, int]]()
    for i, (begin, end) in enumerate(earlier.arrays):
        for record in records:
            starts, ends = record.starts, record.starts + record.nbytes
            near = np.flatnonzero((starts < end) & (ends > begin))
            if not len(near):
                continue
            what = earlier.done(i, max(begin, int(starts[near].min())), min(end, int(ends[near].max())))
            first = (np.maximum(starts[near], begin) - what.begin) // what.granule
            count = (np.minimum(ends[near], end) - 1 - what.begin) // what.granule - first + 1
            runs = np.repeat(np.arange(len(near)), count)
            numbers = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
            places = what.begin + numbers * what.granule
            writes, reads = what.at(places)
            for there, wrote in ((writes, True), (reads, False)):
                if not (wrote or record.writes):
                    continue
                both = np.flatnonzero(there.agents != 0)
                both = both[~handed.knew(later, record.known, earlier, there.at(both), writes=wrote)]
                for at in _one_of_each(both, there.infos):
                    side = Side(int(there.agents[at]), Kind.of(int(there.infos[at])), wrote)
                    key = side.kind.site, record.kind.site
                    if key in told or _may_meet(side.kind, record.kind, far=far):
                        continue
                    told.add(key)
                    agent = int(record.agents[near[runs[at]]])
                    place = max(int(places[at]), int(starts[near[runs[at]]]))
                    mine = Side(agent, record.kind, record.writes, record.asynchronous)
                    yield Clash(place, earlier.place, later.place, side, mine, None)


def _common(earlier: Judged, later: Judged) -> Iterator[tuple[int, int, int, int]]:
    """Arrays of both that overlap: their places among those of each, and where they do."""
    for i, (begin, end) in enumerate(earlier.arrays):
        for j, (other, last) in enumerate(later.arrays):
            if max(begin, other) < min(end, last):
                yield i, j, max(begin, other), min(end, last)


def _reached(one: Done, other: Done, begin: int, end: int, granule: int) -> Numbers:
    """The addresses that both have accessed: few of a large array that devices share."""
    places = one.reached(begin, end, granule)
    writes, reads = other.at(places)
    return places[(writes.agents | reads.agents) != 0]


def _met(
    earlier: Judged, later: Judged, parts: tuple[tuple[Accesses, Accesses], ...], handed: Handed
) -> Iterator[tuple[int, Side, Side]]:
    """Where one of them writes, and nothing orders the two. parts: at the same places, the writes and the reads of each."""
    told = set[tuple[int, int]]()
    (written, read), (written2, read2) = parts
    far = earlier.is_far(later)
    for first, second, writes, writes2 in (
        (written, written2, True, True),
        (written, read2, True, False),
        (read, written2, False, True),
    ):
        both = np.flatnonzero((first.agents != 0) & (second.agents != 0))
        both = both[~handed.ordered(earlier, later, (first.at(both), second.at(both)), (writes, writes2))]
        for at in _one_of_each(both, first.infos, second.infos):
            sides = (
                Side(int(first.agents[at]), Kind.of(int(first.infos[at])), writes),
                Side(int(second.agents[at]), Kind.of(int(second.infos[at])), writes2),
            )
            key = sides[0].kind.site, sides[1].kind.site
            if key not in told and not _may_meet(sides[0].kind, sides[1].kind, far=far):
                told.add(key)
                yield at, *sides


def _one_of_each(places: Numbers, *infos: NDArray[np.uint32]) -> list[int]:
    """Of these places the first of each kind of access."""
    if not len(places):
        return []
    rows = np.stack([info[places] for info in infos], axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    return places[np.sort(first)][:_MOST].tolist()


@cache
def _may_meet(one: Kind, other: Kind, *, far: bool) -> bool:
    """Whether two accesses may come in any order: both are strong, and their scopes include each other. far: of two devices."""
    scopes = ("sys",) if far else OF_LAUNCHES
    return one.strong and other.strong and one.scope in scopes and other.scope in scopes
