"""Accesses of entries that may overlap, to the same bytes: those that nothing orders are findings of the later one.

What a grid does behind griddepcontrol.wait comes behind all that the grids in front have done, so what it does in front of that is
enough to look at. Of entries of different streams all is compared. Words by which one may have handed on to the other what it has
done (`Beside.released`), or what was over before it, are taken to order what comes behind them: see `Handing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import gcd

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.copying import HostCopy
from ptxlab.isa.order import OF_LAUNCHES
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.grids.node import Node
from ptxlab.sim.grids.relation import Relation
from ptxlab.sim.order.beside import Beside, Early
from ptxlab.sim.order.done import Done, done, of_copy
from ptxlab.sim.order.sanitizer import Sanitizer
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


class Judged:
    """An entry that has run, for those who compare it.

    Attributes:
        node, place: what it is. machine, core, beside: of a launch.
    """

    def __init__(self, node: Node, place: int, machine: Machine | None, beside: Beside | None) -> None:
        self.node, self.place, self.machine, self.beside = node, place, machine, beside
        self._known: dict[tuple[int, int, int], Done] = {}

    @cached_property
    def core(self) -> Sanitizer:
        """The sanitizer of a launch."""
        assert self.beside is not None
        core = self.beside.core
        assert isinstance(core, Sanitizer)
        return core

    @cached_property
    def arrays(self) -> list[tuple[int, int]]:
        """Where its arrays begin and end, in the order of its arguments: findings then come in one order wherever arrays lie."""
        if isinstance(self.node.work, HostCopy):
            return [view.extent for view in (self.node.work.to, self.node.work.source)]
        inner = self.node.work.workspace
        given = {b.address: number for number, b in enumerate(self.node.work.buffers)}
        regions = sorted(self.core.regions.buffers, key=lambda r: given.get(r.base, len(given)))
        return [(r.base, r.base + r.nbytes) for r in regions if not inner or r.base != inner]

    def done(self, which: int, begin: int, end: int) -> Done:
        """What it has done to a part of an array, by its place among `arrays`, or to more of it."""
        key = which, begin, end
        if key not in self._known:
            if isinstance(self.node.work, HostCopy):
                view = (self.node.work.to, self.node.work.source)[which]
                self._known[key] = of_copy(view, writes=which == 0)
            else:
                base = self.arrays[which][0]
                region = next(r for r in self.core.regions.buffers if r.base == base)
                self._known[key] = done(region, begin, end)
        return self._known[key]

    @property
    def comes_early(self) -> bool:
        """Whether it may have done anything that does not come behind its griddepcontrol.wait."""
        return self.beside is not None and (bool(self.beside.early) or not self.beside.has_wait)

    @cached_property
    def early(self) -> list[Early]:
        """What it does in front of griddepcontrol.wait."""
        return [] if self.beside is None else self.beside.in_short()

    def is_far(self, other: Judged) -> bool:
        """Whether the two are launches on different devices, between which the scope .gpu does not reach."""
        mine, its = self.node.work, other.node.work
        return not isinstance(mine, HostCopy) and not isinstance(its, HostCopy) and mine.ordinal != its.ordinal

    def released_to(self, other: Judged) -> set[int]:
        """Words by which it may have handed on what it has done."""
        if self.beside is None:
            return set()
        far = self.is_far(other)
        return (self.beside.system[0] if far else self.beside.released) | self._changed[far]

    def acquired_from(self, other: Judged) -> set[int]:
        """Words by which it may have got to know what others have done."""
        if self.beside is None:
            return set()
        far = self.is_far(other)
        return {*(self.beside.system[1] if far else self.beside.acquired), *self._changed[far]}

    @cached_property
    def talks(self) -> bool:
        """Whether it may have handed on anything to others, or have got anything."""
        return self.beside is not None and bool(self.beside.released or self.beside.acquired or self._changed[0])

    def hands_on(self, other: Judged) -> bool:
        """Whether it may have handed on something to another one."""
        return not self.released_to(other).isdisjoint(other.acquired_from(self))

    @cached_property
    def _changed(self) -> tuple[set[int], set[int]]:
        """Words that a launch with fences has changed atomically, as machine code may have seen to, and those by the scope .sys."""
        assert self.beside is not None
        near, far = set[int](), set[int]()
        for which, (begin, end) in enumerate(self.arrays if self.beside.fences else ()):
            found = self.done(which, begin, end)
            strong = np.flatnonzero(Kind.is_strong(found.write_infos) & (found.writers != 0))
            words = found.begin + strong * found.granule
            near.update(words.tolist())
            infos = found.write_infos[strong]
            wide = [info for info in np.unique(infos).tolist() if Kind.of(info).scope == "sys"]
            far.update(words[np.isin(infos, wide)].tolist() if "sys" in self.beside.fences else ())
        return near, far


class Handing:
    """Which entries may know of which others by flags: of those who handed on something to them, or to others who did, and of all
    that was over before these.

    Attributes:
        judged: the entries. relation: what streams and events order.
    """

    def __init__(self, judged: Sequence[Judged], relation: Relation) -> None:
        self.judged, self.relation = judged, relation
        self._talkers = [one for one in judged if one.talks]
        self._behind: dict[int, list[Judged]] = {}

    def behind(self, one: Judged) -> list[Judged]:
        """The launches that talk to others and may know of an entry, itself among them."""
        found = self._behind.get(one.place)
        if found is None:
            found = self._behind[one.place] = [t for t in self._talkers if t is one or self._over(one, t)]
            for known in found:  # it grows meanwhile
                found += [t for t in self._talkers if t not in found and (self._over(known, t) or known.hands_on(t))]
        return found

    def handed(self, one: Judged, other: Judged) -> bool:
        """Whether an entry may know of another one."""
        return any(t is other or self._over(t, other) for t in self.behind(one))

    def _over(self, earlier: Judged, later: Judged) -> bool:
        return self.relation.is_over(earlier.place, later.place)


def clashes(handing: Handing) -> Iterator[Clash]:
    """Pairs of accesses that nothing orders, one for each pair of instructions of two entries."""
    relation, by_place = handing.relation, {one.place: one for one in handing.judged}
    for later in handing.judged:
        beside = relation.beside(later.place) if later.comes_early else ()
        waited = relation.waited_for(later.place)
        for place, earlier in reversed(by_place.items()):  # the nearest first
            if place >= later.place:
                continue
            if place in beside:
                yield from _before_the_wait(earlier, later, handing)
            elif place not in waited and not relation.is_over(place, later.place):
                yield from _between_streams(earlier, later, handing)


def broken(handing: Handing, chain: Callable[[int], Iterable[int]]) -> Iterator[Clash]:
    """Pairs of accesses that griddepcontrol.wait orders as far as chips are known, and not by the manual's words."""
    by_place = {one.place: one for one in handing.judged}
    for later in handing.judged:
        for place in chain(later.place):
            if place in by_place:
                yield from _between_streams(by_place[place], later, handing)


# -- two entries
def _between_streams(earlier: Judged, later: Judged, handing: Handing) -> Iterator[Clash]:
    if handing.handed(earlier, later) or handing.handed(later, earlier):
        return
    for i, j, begin, end in _common(earlier, later):
        one, other = earlier.done(i, begin, end), later.done(j, begin, end)
        granule = gcd(one.granule, other.granule, begin - one.begin, begin - other.begin) or 1
        end -= (end - begin) % granule
        parts = one.part(begin, end, granule), other.part(begin, end, granule)
        found = _met(*parts, far=earlier.is_far(later))
        for place, first, second in found:
            yield Clash(place, earlier.place, later.place, first, second, None)
    if later.beside is not None:
        yield from _of_records(earlier, later, later.beside.maps, handing)
    if earlier.beside is not None:
        for clash in _of_records(later, earlier, earlier.beside.maps, handing):
            yield replace(clash, earlier=earlier.place, later=later.place, first=clash.second, second=clash.first)


def _before_the_wait(earlier: Judged, later: Judged, handing: Handing) -> Iterator[Clash]:
    beside = later.beside
    if beside is None:
        return
    if not beside.has_wait:  # it never waits
        for clash in _between_streams(earlier, later, handing):
            yield replace(clash, waited=frozenset())
        return
    if not beside.early or handing.handed(later, earlier):
        return
    for clash in _of_records(earlier, later, later.early, handing):
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


def _of_records(earlier: Judged, later: Judged, records: Sequence[Early], handing: Handing) -> Iterator[Clash]:
    """Accesses of the later one that are written down, beside all that the earlier one has done."""
    words = set[int]().union(*(one.released_to(later) for one in handing.behind(earlier)))
    handed, far = _bits(later, words), earlier.is_far(later)
    told = set[tuple[int, int]]()
    for i, (begin, end) in enumerate(earlier.arrays):
        for record in records:
            starts, ends = record.starts, record.starts + record.nbytes
            near = np.flatnonzero((starts < end) & (ends > begin))
            if not len(near) or record.flags & handed:
                continue
            what = earlier.done(i, max(begin, int(starts[near].min())), min(end, int(ends[near].max())))
            first = (np.maximum(starts[near], begin) - what.begin) // what.granule
            count = (np.minimum(ends[near], end) - 1 - what.begin) // what.granule - first + 1
            runs = np.repeat(np.arange(len(near)), count)
            places = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
            inside = places < len(what.writers)
            runs, places = runs[inside], places[inside]
            there = what.at(places)
            for agents, infos, wrote in (
                (there.writers, there.write_infos, True),
                (there.readers, there.read_infos, False),
            ):
                if not (wrote or record.writes):
                    continue
                for at in _one_of_each(np.flatnonzero(agents != 0), infos):
                    side = Side(int(agents[at]), Kind.of(int(infos[at])), wrote)
                    key = side.kind.site, record.kind.site
                    if key in told or _may_meet(side.kind, record.kind, far=far):
                        continue
                    told.add(key)
                    agent = int(record.agents[near[runs[at]]])
                    place = max(what.begin + int(places[at]) * what.granule, int(starts[near[runs[at]]]))
                    mine = Side(agent, record.kind, record.writes, record.asynchronous)
                    yield Clash(place, earlier.place, later.place, side, mine, None)


def _bits(later: Judged, words: set[int]) -> int:
    """The bits of `Early.flags` that stand for these words."""
    assert later.beside is not None
    return sum({1 << number for word, number in later.beside.acquired.items() if word in words})


def _common(earlier: Judged, later: Judged) -> Iterator[tuple[int, int, int, int]]:
    """Arrays of both that overlap: their places among those of each, and where they do."""
    for i, (begin, end) in enumerate(earlier.arrays):
        for j, (other, last) in enumerate(later.arrays):
            if max(begin, other) < min(end, last):
                yield i, j, max(begin, other), min(end, last)


def _met(one: Done, other: Done, *, far: bool) -> Iterator[tuple[int, Side, Side]]:
    """Where both have been, and one of them writes."""
    told = set[tuple[int, int]]()
    ways = (
        ((one.writers, one.write_infos, True), (other.writers, other.write_infos, True)),
        ((one.writers, one.write_infos, True), (other.readers, other.read_infos, False)),
        ((one.readers, one.read_infos, False), (other.writers, other.write_infos, True)),
    )
    for (agents, infos, writes), (agents2, infos2, writes2) in ways:
        both = np.flatnonzero((agents != 0) & (agents2 != 0))
        for at in _one_of_each(both, infos, infos2):
            first = Side(int(agents[at]), Kind.of(int(infos[at])), writes)
            second = Side(int(agents2[at]), Kind.of(int(infos2[at])), writes2)
            key = first.kind.site, second.kind.site
            if key not in told and not _may_meet(first.kind, second.kind, far=far):
                told.add(key)
                yield one.begin + at * one.granule, first, second


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
