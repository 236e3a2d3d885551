"""What flags order between launches that run side by side: which accesses of one a thread of another one knew to be over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.grids.judged import Judged
from ptxlab.sim.grids.relation import Relation
from ptxlab.sim.order.board import NOTHING, Known, Post
from ptxlab.sim.order.clocks import START, Clock, all_joined
from ptxlab.sim.order.done import Accesses
from ptxlab.sim.order.shadow import OPERATION, Past

_ALL: Final = Clock({}, {}, {})
"""In the place of a clock: the launch was over."""


class Handed:
    """What launches may know of each other.

    Attributes:
        judged: the entries. relation: what streams and events order.
    """

    def __init__(self, judged: Sequence[Judged], relation: Relation) -> None:
        self.judged, self.relation = judged, relation
        self._by_talk = {one.talk: one for one in judged if one.talk is not None}
        self._any = any(talk.own for talk in self._by_talk)
        self._clocks: dict[tuple[int, int, int, bool], tuple[Known, Clock]] = {}

    def ordered(
        self, earlier: Judged, later: Judged, accesses: tuple[Accesses, Accesses], writes: tuple[bool, bool]
    ) -> NDArray[np.bool_]:
        """Which pairs of accesses are in order, the one before the other or the other way round."""
        out = np.zeros(len(accesses[0].agents), bool)
        if not len(out) or not self._any:
            return out
        for one, other, mine, its, wrote in (
            (earlier, later, *accesses, writes[0]),
            (later, earlier, *accesses[::-1], writes[1]),
        ):
            left = np.flatnonzero(~out)
            for known, group in self._by_knowledge(other, its.at(left)):
                out[left[group]] |= self.knew(other, known, one, mine.at(left[group]), writes=wrote, early=False)
        return out

    def knew(
        self, later: Judged, known: Known, earlier: Judged, accesses: Accesses, *, writes: bool, early: bool = True
    ) -> NDArray[np.bool_]:
        """Of accesses of a launch, which were over to a thread of another one that knew these posts. early: before its
        griddepcontrol.wait."""
        clock = self._clock(later, known, earlier, early=early)
        if clock is _ALL:
            return np.ones(len(accesses.agents), bool)
        out = np.zeros(len(accesses.agents), bool)
        if clock is START or earlier.beside is None:
            return out
        operations = accesses.agents & OPERATION != 0
        threads = np.flatnonzero(~operations)
        ctas, places = np.divmod(accesses.agents[threads].astype(np.int64) - 1, earlier.core.threads.each)
        for cta in np.unique(ctas).tolist():
            times = clock.threads.get(cta)
            if times is not None:
                mine = ctas == cta
                out[threads[mine]] = times[places[mine]] >= accesses.times[threads[mine]]
        for at in np.flatnonzero(operations).tolist():
            out[at] = _is_over(earlier, int(accesses.agents[at]), int(accesses.times[at]), clock, writes=writes)
        return out

    # -- inside
    def _by_knowledge(self, one: Judged, accesses: Accesses) -> list[tuple[Known, NDArray[np.int64]]]:
        """Accesses of a launch by what their threads knew of others."""
        talk = one.talk
        if talk is None or not len(accesses.agents):
            return [(NOTHING, np.arange(len(accesses.agents)))]
        who = accesses.agents.astype(np.uint64) << np.uint64(32) | accesses.times
        unique, inverse = np.unique(who, return_inverse=True)
        groups: dict[int, tuple[int, Known]] = {}
        group_of = np.empty(len(unique), np.int64)
        for number, word in enumerate(unique.tolist()):
            cta, thread = one.issuer(word >> 32)
            known = talk.known(cta, thread, word & 0xFFFF_FFFF)
            group_of[number], _ = groups.setdefault(id(known), (len(groups), known))
        of_access = group_of[inverse]
        order = np.argsort(of_access, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(of_access, minlength=len(groups)))[:-1])
        return [(known, part) for (_, known), part in zip(groups.values(), parts, strict=True)]

    def _clock(self, later: Judged, known: Known, earlier: Judged, *, early: bool) -> Clock:
        """What a thread of the later one that knew these posts knew of the earlier one; `_ALL`: that it was over."""
        key = later.place, id(known), earlier.place, early
        if key not in self._clocks:
            made = self._made(later, known, earlier, early=early)
            self._clocks[key] = known, made  # it holds `known`, so that its id stays its own
        return self._clocks[key][1]

    def _made(self, later: Judged, known: Known, earlier: Judged, *, early: bool) -> Clock:
        found: list[Clock] = []
        told = list[tuple[Post, Clock]]() if later.talk is None else list(later.talk.board.clocks(known))
        ahead, seen = [later], {later.place}
        while told or ahead:
            for post, clock in told:
                owner = self._by_talk[post.by]
                if owner is earlier:
                    found.append(clock)
                if owner.place not in seen:
                    seen.add(owner.place)
                    ahead.append(owner)
            told = list[tuple[Post, Clock]]()
            one = ahead.pop() if ahead else None
            for other in self._over_before(one, early=early and one is later) if one is not None else ():
                if other is earlier:
                    return _ALL
                if other.talk is not None and other.place not in seen:
                    seen.add(other.place)
                    ahead.append(other)
                    told += [
                        *other.talk.board.clocks(other.talk.known_in_all()),
                        *((p, p.near) for p in other.talk.own),
                    ]
        return all_joined(found)

    def _over_before(self, one: Judged, *, early: bool) -> list[Judged]:
        """What is over before an entry begins, or behind its griddepcontrol.wait: in front of that flags are seldom used."""
        waits = one.beside is not None and one.beside.has_wait and not early
        waited = self.relation.waited_for(one.place) if waits else frozenset[int]()
        return [o for o in self.judged if o.place in waited or self.relation.is_over(o.place, one.place)]


def _is_over(earlier: Judged, agent: int, time: int, clock: Clock, *, writes: bool) -> bool:
    """Whether an asynchronous operation of a launch is over to whom a clock of it is known."""
    threads = earlier.core.threads
    one = threads.operation(agent)
    if one.copy is not None:
        return threads.copy_over(one, Past(agent, 1, time, 0, writes), clock, -1)
    return clock.is_done(one.cluster, one.number) if writes else clock.has_read(one.cluster, one.number)
