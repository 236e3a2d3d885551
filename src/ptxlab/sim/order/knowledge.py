"""What each thread knows of what has happened before, and how it hands that on.

| what | hands on |
|---|---|
| a release, a release fence and a later strong write | what the thread knows, to who acquires the value that it wrote |
| barriers of a CTA, of a warp, of a cluster | what all that arrive know, to all that wait |
| an arrival on an mbarrier | what the thread knows, to who passes that phase |
| the end of an asynchronous operation | that the operation is over, and nothing else of its thread |
| a fence between proxies | what the thread knows to accesses through the other proxy, in its own CTA |

See docs/explanation/memory-model.md for the rules and the sections of the manual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ptxlab.isa.order import ACQUIRING, MEMORIES, OF_CLUSTERS, OF_LAUNCHES, RELEASING
from ptxlab.sim.engine.machine.resident import lane_bits
from ptxlab.sim.order.by_place import ByPlace
from ptxlab.sim.order.clocks import START, Clock, joined, knows_of
from ptxlab.sim.order.native.arena import Words
from ptxlab.sim.order.native.state import Header
from ptxlab.sim.order.places import Reached
from ptxlab.sim.order.reads_from import Chain, Place, ReadsFrom, Seen
from ptxlab.sim.order.views import ANY, NOTHING, Memory, View, nearer, together

_NOW = Header.at("now")


class Position(NamedTuple):
    """Where a thread runs."""

    cta: int
    cluster: int

    def within(self, scope: str | None, other: Position) -> bool:
        """Whether a scope of this thread includes another one."""
        if scope in OF_LAUNCHES:
            return True
        if scope == "cluster":
            return self.cluster == other.cluster
        return self.cta == other.cta

    def meets(self, scope: str | None, other: Position, others: str | None) -> bool:
        """Whether the scopes of both threads include each other: what the memory model asks of a release and an acquire."""
        return self.within(scope, other) and other.within(others, self)


@dataclass(frozen=True, slots=True)
class Release:
    """Something published: by whom, with which scope, and what."""

    at: Position
    scope: str
    view: View

    def reaches(self, scope: str | None, other: Position) -> bool:
        """Whether an acquire of that scope, there, is in its scope and the other way round."""
        return self.at.meets(self.scope, other, scope)


@dataclass(slots=True)
class Written:
    """The last strong write to a location: by whom, its scope, and what it and the atomic operations before it publish.

    missed: what it would publish, too, if the scopes of the chain included both threads. joint: all releases as one, where each
    has the scope of the GPU or the system. chain: those writes, the same as long as each publishes what the one before it does.
    """

    at: Position
    scope: str
    releases: tuple[Release, ...]
    missed: tuple[Release, ...] = ()
    joint: View | None = None
    chain: Chain = field(default_factory=Chain)


@dataclass(slots=True)
class Fences:
    """What a thread's fences wait for, or have prepared.

    due: by scope, what the thread knew at its latest releasing fence, and when that was. released: by scope, what the one
    before has published, or the latest where none is due. given: that as releases, for strong writes, with the view of all if
    each reaches the whole launch; None where it has to be made anew. pending: what strong reads have found, for an acquiring
    fence. own, found: by location, the thread's own latest release there, and what its strong reads have found there. fresh:
    by location, the chain with the write of that release, which a later strong write of the thread publishes, too. phases:
    what its relaxed waits have found in mbarriers, by mbarrier, publisher and scope.
    """

    due: dict[str, tuple[View, int]] = field(default_factory=dict[str, "tuple[View, int]"])
    released: dict[str, View] = field(default_factory=dict[str, View])
    given: tuple[tuple[Release, ...], View | None] | None = ((), NOTHING)
    pending: list[Written] = field(default_factory=list[Written])
    own: dict[object, Release] = field(default_factory=dict[object, Release])
    fresh: dict[object, Chain] = field(default_factory=dict[object, Chain])
    found: dict[object, list[Written]] = field(default_factory=dict[object, list[Written]])
    phases: dict[tuple[object, Position, str], Release] = field(
        default_factory=dict[tuple[object, Position, str], Release]
    )

    def publishes(self, team: Team, thread: int) -> Mapping[str, View]:
        """By scope, what the latest releasing fence of the thread has published."""
        for scope, (view, time) in self.due.items():
            self.released[scope] = _published(team, [thread], view, time)
            self.given = None
        self.due.clear()
        return self.released

    def gives(self, team: Team, thread: int) -> tuple[tuple[Release, ...], View | None]:
        """What every strong write of the thread publishes: see `given`."""
        released = self.publishes(team, thread)
        if self.given is None:
            releases = tuple(Release(team.at, scope, view) for scope, view in released.items())
            self.given = releases, _joint(NOTHING, releases)
        return self.given


class Team:
    """The threads of a CTA.

    Attributes:
        at: the CTA. views: what each thread knows. fences: of the threads that have used fences or flags.
    """

    def __init__(self, at: Position, threads: int) -> None:
        self.at, self.threads = at, threads
        self.views: list[View] = [NOTHING] * threads
        self.fences: dict[int, Fences] = {}

    def by_view(self, threads: Sequence[int]) -> Iterable[tuple[View, Sequence[int]]]:
        """These threads by what they know."""
        if not threads:
            return ()
        views = self.views
        first = views[threads[0]]
        if not [t for t in threads if views[t] is not first]:
            return ((first, threads),)
        found: dict[int, list[int]] = {}
        for t in threads:
            found.setdefault(id(views[t]), []).append(t)
        return [(views[members[0]], members) for members in found.values()]

    def fences_of(self, thread: int) -> Fences:
        """What a thread's fences wait for."""
        found = self.fences.get(thread)
        if found is None:
            found = self.fences[thread] = Fences()
        return found


def _at(clock: Clock, team: Team, threads: Sequence[int], time: int) -> Clock:
    """A clock that also knows these threads up to a time, unless it knows more of them already."""
    if not threads:
        return clock
    times = clock.threads.get(team.at.cta)
    mine = np.zeros(team.threads, np.uint32) if times is None else times.copy()
    if len(threads) == 1:
        mine[threads[0]] = max(int(mine[threads[0]]), time)
    else:
        together = len(threads) == threads[-1] - threads[0] + 1
        where: Any = slice(threads[0], threads[-1] + 1) if together else np.asarray(threads)
        mine[where] = np.maximum(mine[where], time)
    return Clock({**clock.threads, team.at.cta: mine}, clock.done, clock.read)


def _fenced_by_all(team: Team, threads: Sequence[int], view: View) -> View:
    """What these threads know, which is the same: as it is published."""
    fenced = dict(view.fenced)
    for memory, time in view.own.items():
        fenced[memory] = _at(fenced[memory], team, threads, time)
    return view._replace(fenced=fenced, own={})


def _published(team: Team, threads: Sequence[int], view: View, time: int) -> View:
    """What these threads publish, who know the same: that, and what they have done until a time."""
    out = _fenced_by_all(team, threads, view) if view.own else view
    return out._replace(clock=_at(out.clock, team, threads, time))


class Knowledge:
    """What all threads of a launch know.

    Args:
        words: the arena, where the time is. strict: `red` sees what it adds to, as the model has it, though the program cannot
            tell.

    Attributes:
        before_read: called before anybody looks at what has been written to places. releases: called when threads of a CTA have
            something to publish with their strong writes. learns: called when threads of a CTA know more operations to be over,
            with these. step: by how much time goes on when somebody publishes something, 0 for
            what native code has noted: it has counted that itself. in_turn: whether a fence.sc comes behind those that were
            executed before it: another run may have another order. made: of each thread, by its CTA, that has initialised an
            mbarrier, when it did so first.
    """

    def __init__(self, words: Words, *, strict: bool) -> None:
        self._words, self._strict = memoryview(words[: Header.WORDS]), strict  # type: ignore[arg-type]
        self.teams: dict[int, Team] = {}
        self.step = 1
        self.in_turn = True
        self.written: ByPlace[Written] = ByPlace()
        self.reads_from = ReadsFrom()
        self.before_read: Callable[[Sequence[Place]], None] = lambda places: None
        self.releases: Callable[[int, Sequence[int]], None] = lambda cta, threads: None
        self.learns: Callable[[int, Sequence[int], Mapping[int, int]], None] | None = None
        self._sc: dict[tuple[str, Position], View] = {}
        self._learnt: dict[tuple[int, int], tuple[View, View, View]] = {}
        self.made: dict[tuple[int, int], int] = {}

    @property
    def now(self) -> int:
        """The time."""
        return self._words[_NOW]

    @now.setter
    def now(self, time: int) -> None:
        self._words[_NOW] = time

    def start(self, at: Position, threads: int) -> Team:
        """A CTA begins."""
        team = self.teams[at.cta] = Team(at, threads)
        return team

    def end(self, cta: int) -> None:
        """A CTA has ended: nobody asks what its threads know."""
        self.teams.pop(cta, None)
        self.made = {who: time for who, time in self.made.items() if who[0] != cta}

    def forget(self, memory: object) -> None:
        """Shared memory is that of another CTA now."""
        self.written.forget(memory)
        self.reads_from.forget(memory)

    # -- handing on
    def publish(self, team: Team, threads: Sequence[int]) -> View:
        """What these threads know and have done until now. What they do from now on comes later."""
        if len(threads) == 1:
            out = _published(team, threads, team.views[threads[0]], self.now)
            self.now += self.step
            return out
        out = NOTHING
        for view, members in team.by_view(threads):
            out = together(out, _fenced_by_all(team, members, view) if view.own else view)
        clock = _at(out.clock, team, threads, self.now)
        self.now += self.step
        return out._replace(clock=clock)

    def learn(self, team: Team, threads: Sequence[int], what: View) -> None:
        """Threads get to know what somebody has published."""
        views = team.views
        for old, members in team.by_view(threads):
            new = self._with(old, what)
            if new is not old:
                for t in members:
                    views[t] = new
                if self.learns is not None and new.clock.done is not old.clock.done:
                    self.learns(team.at.cta, members, new.clock.done)

    def _with(self, old: View, what: View) -> View:
        """See `together`. Warps that knew the same and learn the same, one after the other, share what they know then."""
        key = (id(old), id(what))
        found = self._learnt.get(key)
        if found is None:
            if len(self._learnt) >= _MOST_LEARNT:
                self._learnt.clear()
            found = self._learnt[key] = (
                old,
                what,
                together(old, what),
            )  # it holds both, so that no other view gets their ids
        return found[2]

    def miss(self, team: Team, threads: Iterable[int], code: str, known: Clock) -> None:
        """Threads would know this if it were not for what the code says."""
        for t in threads:
            view = team.views[t]
            near = nearer(view.near, code, known)
            if near is not view.near:
                team.views[t] = view._replace(near=near)

    # -- fences
    def fence(self, team: Team, threads: Sequence[int], order: str, scope: str, space: str | None = None) -> None:
        """A fence of the generic proxy. `space`: the state space that it is about; None: all."""
        about = None if space is None else team.at.cta if MEMORIES[space] == ("own",) else ANY
        if order in ACQUIRING:
            self._acquire(team, threads, scope, about)
        if order == "sc" and self.in_turn:
            self._sequential(team, threads, scope)
        if order in RELEASING:
            self.releases(team.at.cta, threads)
            for t in threads:
                fences = team.fences_of(t)
                if about is None:
                    fences.due[scope] = team.views[t], self.now
                    continue
                before = fences.publishes(team, t).get(scope, NOTHING)
                view = _published(team, [t], team.views[t], self.now).restricted(about)
                fences.released[scope], fences.given = together(before, view), None
            self.now += self.step

    def _acquire(self, team: Team, threads: Sequence[int], scope: str, about: int | None) -> None:
        """Threads get to know what their relaxed reads and waits have found; those that have found the same, together."""
        found: dict[tuple[int, ...], list[int]] = {}
        for t in threads:
            fences = team.fences.get(t)
            if fences is not None and (fences.pending or fences.phases):
                key = (*map(id, fences.pending), 0, *map(id, fences.phases.values()))
                found.setdefault(key, []).append(t)
        for members in found.values():
            fences = team.fences[members[0]]
            self._take(team, members, fences.pending, scope, about)
            self._take_releases(team, members, fences.phases.values(), scope, about)

    def fenced(self, team: Team, threads: Sequence[int]) -> View:
        """What release fences of these threads have published whose scopes include the cluster."""
        out = NOTHING
        for t in threads:
            found = team.fences.get(t)
            if found is not None:
                views = (found.publishes(team, t).get(scope) for scope in OF_CLUSTERS)
                for view in views:
                    out = out if view is None else together(out, view)
        return out

    def _take(
        self, team: Team, threads: Sequence[int], found: Iterable[Written], scope: str | None, about: int | None = None
    ) -> None:
        for written in found:
            if written.joint is not None and scope in OF_LAUNCHES:
                self.learn(team, threads, written.joint)
                continue
            self._take_releases(team, threads, written.releases, scope, about)

    def _take_releases(
        self,
        team: Team,
        threads: Sequence[int],
        releases: Iterable[Release],
        scope: str | None,
        about: int | None = None,
    ) -> None:
        for release in releases:
            if release.reaches(scope, team.at):
                self.learn(team, threads, release.view if about is None else release.view.restricted(about))
            else:
                self.miss(team, threads, "PTX9201", release.view.clock)

    def _sequential(self, team: Team, threads: Sequence[int], scope: str) -> None:
        """fence.sc synchronizes with the ones before it, in the order in which they are executed."""
        key = (scope, team.at)
        for (other, at), view in tuple(self._sc.items()):
            if Release(at, other, view).reaches(scope, team.at):
                self.learn(team, threads, view)
        # which of the lanes comes first is open: none of them is behind another
        self._sc[key] = together(self._sc.get(key, NOTHING), self.publish(team, threads))

    def join_proxies(
        self, team: Team, threads: Sequence[int], joins: Sequence[tuple[str, str]], space: str | None, half: str | None
    ) -> None:
        """A fence between the generic and the async proxy. `half`: release or acquire of one that has two halves."""
        if ("generic", "async") not in joins:
            return
        spaces = MEMORIES[space]
        if half == "release":
            for t in threads:
                view = self.publish(team, [t])
                team.views[t] = team.views[t]._replace(half=joined(view.half, view.clock))
            return
        made: dict[int, View] = {}
        for t in threads:
            view = team.views[t]
            new = made.get(id(view))
            if new is None:
                new = made[id(view)] = self._let_through(view, [(team.at.cta, one) for one in spaces], half)
            team.views[t] = new
        self.now += self.step

    def _let_through(self, view: View, memories: Sequence[Memory], half: str | None) -> View:
        """What a thread knows behind a proxy fence, or the acquiring half of one."""
        fenced, own = dict(view.fenced), view.own
        for key in memories:
            fenced[key] = joined(fenced.get(key, START), view.half if half == "acquire" else view.clock)
            if half is None:
                own = {**own, key: self.now}
        return view._replace(fenced=fenced, own=own)

    def show_inits(self, team: Team, threads: Sequence[int]) -> None:
        """fence.mbarrier_init: the initialisations of each thread, and those that it knows of, are published."""
        for view, members in team.by_view(threads):
            if any(knows_of(view.clock, cta, thread) >= time for (cta, thread), time in self.made.items()):
                more = view._replace(inits=joined(view.inits, view.clock))
                for t in members:
                    team.views[t] = more
            for t in members:
                if (team.at.cta, t) in self.made:
                    mine = self.publish(team, [t])
                    team.views[t] = team.views[t]._replace(inits=joined(mine.inits, mine.clock))

    # -- flags
    def read(
        self,
        team: Team,
        threads: Sequence[int],
        place: Place,
        order: str,
        scope: str | None,
        *,
        reduction: bool = False,
        instead: Written | None = None,
    ) -> None:
        """Threads read a location; anything but a weak read may find something published: `before_read` is for the caller. instead:
        what they find, where that is not the last."""
        found = self.written.get(place) if instead is None else instead
        if found is None or (reduction and not self._strict):
            return
        reaches = found.at.meets(found.scope, team.at, scope)
        if order == "weak" or not reaches:
            for release in (*found.releases, *found.missed):
                self.miss(team, threads, "PTX9202" if order == "weak" else "PTX9201", release.view.clock)
            return
        for release in found.missed:
            self.miss(team, threads, "PTX9201", release.view.clock)
        first = team.at.cta * team.threads
        if instead is None:
            self.reads_from.note(place, [first + t for t in threads], found.chain, self.now)
        if reduction:  # what they read is no acquire pattern
            return
        acquires = order in ACQUIRING
        if not found.releases and not found.missed and not acquires:
            return  # nor is there anything to know for a later acquire
        alike: dict[tuple[int, ...], tuple[list[int], list[Written]]] = {}
        for t in threads:
            fences = team.fences_of(t)
            there = fences.found.setdefault(place, [])
            _note(there, found)
            _note(fences.pending, found)
            if acquires:
                alike.setdefault(tuple(map(id, there)), ([], there))[0].append(t)
        for members, there in alike.values():
            self._take(team, members, there, scope)

    def write(
        self,
        team: Team,
        thread: int,
        place: Place,
        order: str,
        scope: str | None,
        *,
        chain: bool = False,
        own: tuple[Seen, ...] = (),
    ) -> None:
        """A thread writes a location: `before_read` is for the caller.

        chain: as the second half of an atomic operation, which keeps what it found there. own: a weak write of the thread's own
        that it found.
        """
        if order == "weak" or scope is None:
            self.written.pop(place)
            return
        releases: Sequence[Release] = ()
        missed: tuple[Release, ...] = ()
        before = self.written.get(place) if chain else None
        joint: View | None = NOTHING
        together_with = Chain()
        if before is not None:
            missed = before.missed
            if before.at.meets(before.scope, team.at, scope):
                releases, joint, together_with = before.releases, before.joint, before.chain
            else:
                missed = tuple(_merged([*missed, *before.releases]))
        fences = team.fences_of(thread)
        given, all_given = fences.gives(team, thread)
        if order in RELEASING:
            self.releases(team.at.cta, [thread])
            fences.own[place] = Release(team.at, scope, self.publish(team, [thread]))
        elif place in fences.fresh:
            self._publish_release(team, thread, fences, place)
        if place in fences.own:
            given = (*given, fences.own[place])
            all_given = _joint(all_given, given[-1:])
        if given:
            releases = (*releases, *given)
            joint = None if joint is None or all_given is None else together(joint, all_given)
        if len(releases) > 1:
            releases = _merged(releases)
        for one in own:
            together_with.add(one)
        together_with.new.append(thread + team.at.cta * team.threads)
        if order in RELEASING:
            fences.fresh[place] = together_with
        self.written[place] = Written(team.at, scope, tuple(releases), missed, joint, together_with)

    def _publish_release(self, team: Team, thread: int, fences: Fences, place: object) -> None:
        """A release and a later strong write of its thread are one pattern: who finds the later one comes behind the first, too."""
        me = thread + team.at.cta * team.threads
        written = max((time for time, who in fences.fresh.pop(place).writes if who == me), default=0)
        if written:
            times = np.zeros(team.threads, np.uint32)
            times[thread] = written
            release = fences.own[place]
            view = together(release.view, View(Clock({team.at.cta: times}, {}, {})))
            fences.own[place] = replace(release, view=view)

    def overwrite(self, reached: Reached) -> None:
        """Locations that begin in one of these runs are written weakly: whoever reads them finds nothing published."""
        for place in self.written.within(reached):
            self.written.pop(place)

    def begins_chain(self, place: Place, at: Position, scope: str, own: Seen) -> None:
        """An atomic operation of a thread is about to find a plain store of its own: who finds the one has found the other."""
        before = self.written.get(place)
        if before is None or not before.at.meets(before.scope, at, scope):
            before = self.written[place] = Written(at, scope, (), (), NOTHING)
        before.chain.add(own)

    def relaxed(
        self, place: Place, at: Position, scope: str, threads: Sequence[int], time: int, *, finds: bool
    ) -> None:
        """What `read` and `write` do for lanes of a relaxed atomic operation that had nothing to publish.

        finds: whether they see what was there; then nobody had anything to publish.

        threads: of the launch. time: of then.
        """
        before = self.written.get(place)
        if before is None or not before.at.meets(before.scope, at, scope):
            before = Written(at, scope, (), (), NOTHING)
        elif finds:
            self.reads_from.note(place, threads, before.chain, time)
            self.reads_from.settle()
        made = self.written[place] = replace(before, at=at, scope=scope)
        made.chain.new += threads
        made.chain.stamp(time)

    def updated(self, place: Place, at: Position, scope: str, write: Seen) -> None:
        """An asynchronous operation, issued there, has changed a place atomically: what was published there still is."""
        before = self.written.get(place)
        if before is None or not before.at.meets(before.scope, at, scope):
            before = Written(at, scope, ())
        self.written[place] = replace(before, at=at, scope=scope)
        before.chain.add(write)

    def stamp(self, places: Iterable[Place]) -> None:
        """The strong writes to these places that have just been noted get the time that it is now."""
        for place in set(places):
            found = self.written.get(place)
            if found is not None:
                found.chain.stamp(self.now)


_MOST = 64
_MOST_LEARNT = 32


def _note(found: list[Written], new: Written) -> None:
    """Add what a strong read has found. It stands for earlier writes of its chain, as it publishes what they do."""
    if found and found[-1].chain is new.chain:
        found[-1] = new
        return
    found.append(new)
    if len(found) > _MOST:
        releases = _merged([r for one in found for r in one.releases])
        found[:] = [Written(new.at, new.scope, tuple(releases))]


def _joint(view: View | None, releases: Iterable[Release]) -> View | None:
    """A view and what releases publish as one; None where any does not reach the whole launch."""
    for one in releases:
        view = together(view, one.view) if view is not None and one.scope in OF_LAUNCHES else None
    return view


def _merged(releases: Iterable[Release]) -> list[Release]:
    """Those of one CTA and scope as one."""
    out: dict[tuple[Position, str], Release] = {}
    for one in releases:
        key = (one.at, one.scope)
        mine = out.get(key)
        out[key] = one if mine is None else replace(mine, view=together(mine.view, one.view))
    return list(out.values())


@lru_cache(maxsize=4096)
def threads_of(warp: int, lanes: int) -> list[int]:
    """The threads of a CTA that these lanes of a warp are; shared, so not to be written to."""
    return (np.flatnonzero(lane_bits(lanes)) + 32 * warp).tolist()
