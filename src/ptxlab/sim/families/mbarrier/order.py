"""What mbarriers hand on: arrivals and completions publish into a phase, and whoever passes that phase acquires it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ptxlab.isa.effects import COMPLETIONS
from ptxlab.isa.order import narrower
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.engine.machine.resident import Cta, Warp
from ptxlab.sim.families.mbarrier.unit import Mbarriers as Unit
from ptxlab.sim.order.clocks import Clock, joined
from ptxlab.sim.order.core import Core
from ptxlab.sim.order.knowledge import Position, Release, Team, threads_of
from ptxlab.sim.order.native.state import MOST_MBARRIERS, Slot
from ptxlab.sim.order.views import NOTHING, View, together

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

_END: Final = COMPLETIONS["mbarrier"].scope
"""The scope at which an operation that ends on an mbarrier releases."""


@dataclass(slots=True)
class _State:
    """A live mbarrier: who has initialised it and when, and what each phase publishes.

    number: among those of its CTA whose phases machine code is told of, if any. before: of all phases that somebody has passed.
    phases: of later ones. Both by who publishes, and the scope.
    """

    agent: int
    time: int
    site: int
    number: int | None
    before: dict[tuple[Position, str], View] = field(default_factory=dict[tuple[Position, str], View])
    phases: dict[int, dict[tuple[Position, str], View]] = field(
        default_factory=dict[int, dict[tuple[Position, str], View]]
    )


class Mbarriers:
    """All live mbarriers of a launch."""

    def __init__(self, core: Core) -> None:
        self._know, self._threads, self._findings = core.knowledge, core.threads, core.findings
        self._core = core
        self._of: dict[Place, _State] = {}
        self._counts: dict[object, int] = {}
        self._offsets: dict[object, set[int]] = {}

    def offsets(self, cta: object) -> Iterable[int]:
        """Where live mbarriers are in the shared memory of a CTA."""
        return self._offsets.get(cta, ())

    def forget(self, cta: Cta) -> None:
        """A CTA has ended."""
        self._findings.unwaited.forget(cta)
        self._offsets.pop(cta, None)
        self._counts.pop(cta, None)
        self._of = {place: state for place, state in self._of.items() if place.cta is not cta}

    def initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A lane makes an mbarrier."""
        self._core.polls.changed()
        slot = self._slot(place.cta)
        slot.mbarriers_begin = min(slot.mbarriers_begin, max(0, place.offset))
        slot.mbarriers_end = max(slot.mbarriers_end, place.offset + 8)
        team = self._core.team_of(warp)
        self._init(team, 32 * warp.index + lane, place, self._core.numbers[id(op)])
        if self._core.lazy:
            maker = self._core.threads.agent(team.at.cta, 32 * warp.index + lane)
            self._core.arena.native.make_mbarrier(self._core.slots[place.cta.slot], place.offset, maker)

    def invalidated(self, place: Place) -> None:
        """An mbarrier's life ends."""
        self._core.polls.changed()
        if self._core.lazy:
            self._core.team(place.cta)
            self._core.arena.native.end_mbarrier(self._core.slots[place.cta.slot], place.offset)
        self._end(place)

    def arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """Lanes are about to arrive in a phase."""
        self._core.polls.changed()
        action, team = self._core.action(op), self._core.team_of(warp)
        self._core.findings.at = (warp, op)
        threads = threads_of(warp.index, lanes)
        self._used(team, threads, place, self._core.numbers[id(op)])
        order = action.order or "release"
        self._arrives(team, threads, place, phase, order, action.scope or "cta")

    def passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """Lanes have found a phase over."""
        self._core.polls.changed()
        action, team = self._core.action(op), self._core.team_of(warp)
        self._core.findings.at = (warp, op)
        threads = threads_of(warp.index, lanes)
        self._used(team, threads, place, self._core.numbers[id(op)])
        if place.cta is warp.cta:
            self._findings.unwaited.passed(place, warp.index, phase)
        relaxed = action.order == "relaxed"
        number = self.number(place) if place.cta is warp.cta and not relaxed else None
        if number is not None and lanes == warp.frame.get(F.F_ALIVE):
            known = self._slot(place.cta).rows[warp.index].phases
            known[number] = max(known[number], phase + 1)
        self._passes(team, threads, place, phase, action.scope or "cta", relaxed=relaxed)

    def _init(self, team: Team, thread: int, place: Place, site: int) -> None:
        """A thread initialises an mbarrier."""
        self._offsets.setdefault(place.cta, set()).add(place.offset)
        count = self._counts.get(place.cta, 0)
        self._counts[place.cta] = count + 1
        told = count < MOST_MBARRIERS and not self._slot(place.cta).phases  # else machine code sees to them itself
        agent = self._threads.agent(team.at.cta, thread)
        self._of[place] = _State(agent, self._know.now, site, count if told else None)

    def _slot(self, cta: Cta) -> Slot:
        return self._core.arena.slot_at(self._core.slots[cta.slot])

    def number(self, place: Place) -> int | None:
        """The number of an mbarrier among those of its CTA whose phases machine code is told of; None where it is not."""
        state = self._of.get(place)
        return None if state is None else state.number

    def _end(self, place: Place) -> None:
        """An mbarrier is none any more."""
        self._of.pop(place, None)
        self._offsets.get(place.cta, set[int]()).discard(place.offset)

    def lacks(self, place: Place) -> int:
        """The bytes that the phase of an mbarrier lacks, where all have arrived; 0 where it lacks none, or arrivals."""
        barrier = self._core.machine.unit(Unit).live[place.cta].get(place.offset)
        return 0 if barrier is None or barrier.pending else max(0, barrier.tx)

    def _used(self, team: Team, threads: Sequence[int], place: Place, site: int) -> None:
        """Threads use an mbarrier: its initialisation has to come before that."""
        state = self._of.get(place)
        if state is None:
            return
        cta, thread = self._threads.thread(state.agent)
        for known_by, members in team.by_view(threads):
            view = known_by.of_shared(place.cta.index)
            known = max(_time(view.clock, cta, thread), _time(view.inits, cta, thread))
            others = [t for t in members if (cta, t) != (team.at.cta, thread)] if known < state.time else ()
            for t in others:
                self._findings.uninitialised(state.agent, state.site, place, self._threads.agent(team.at.cta, t))
                return

    def used_by_operation(self, at: Position, view: View, place: Place, started: int, *, asynchronous: bool) -> None:
        """An operation uses an mbarrier: through the async proxy it needs fence.mbarrier_init, or a proxy fence, too."""
        state = self._of.get(place)
        if state is None:
            return
        cta, thread = self._threads.thread(state.agent)
        view = view.of_shared(place.cta.index)
        known = _time(view.inits, cta, thread)
        through = view.let_through(at.cta, place.cta.index) if asynchronous else view.clock
        known = max(known, _time(through, cta, thread))
        if known < state.time:
            ordered = at.cta == cta and _time(view.clock, cta, thread) >= state.time
            self._findings.uninitialised(state.agent, state.site, place, started, fence_missing=ordered)

    def _arrives(self, team: Team, threads: Sequence[int], place: Place, phase: int, order: str, scope: str) -> None:
        """Threads arrive in a phase: a relaxed arrival publishes what an earlier fence of its thread has released."""
        state = self._of.get(place)
        if state is None:
            return
        if order != "relaxed":
            self._arrived(state, phase, team.at, scope, self._know.publish(team, threads))
            return
        for t in threads:
            fences = team.fences.get(t)
            for released, view in fences.released.items() if fences is not None else ():
                self._arrived(state, phase, team.at, narrower(released, scope), view)

    def _arrived(self, state: _State, phase: int, at: Position, scope: str, view: View) -> None:
        self._publish(state, phase, at, scope, view._replace(drained=joined(view.drained, view.clock)))

    def complete(self, place: Place, phase: int, known: Clock, at: Position) -> None:
        """An operation ends, and counts in a phase: a release of what it did."""
        state = self._of.get(place)
        if state is not None:
            self._publish(state, phase, at, _END, View(known))

    def _publish(self, state: _State, phase: int, at: Position, scope: str, view: View) -> None:
        there = state.phases.setdefault(phase, {})
        there[at, scope] = together(there.get((at, scope), NOTHING), view)

    def _passes(
        self, team: Team, threads: Sequence[int], place: Place, phase: int, scope: str, *, relaxed: bool = False
    ) -> None:
        """Threads have found a phase over: they know what it and the ones before it publish.

        relaxed: behind a later fence that acquires.
        """
        state = self._of.get(place)
        if state is None:
            return
        for number in [n for n in state.phases if n <= phase]:
            for key, view in state.phases.pop(number).items():
                state.before[key] = together(state.before.get(key, NOTHING), view)
        for (at, published), view in state.before.items():
            release = Release(at, published, view)
            if not release.reaches(scope, team.at):
                # Whatever its scope, an arrival comes behind what its thread has read, and tells how far it has come.
                come = joined(view.of_shared(at.cta).clock, view.freed)
                self._know.learn(team, threads, View(freed=come))
                self._know.miss(team, threads, "PTX9201", come)
            elif relaxed:
                for t in threads:
                    team.fences_of(t).phases[place, at, published] = release
            else:
                self._know.learn(team, threads, view)


def _time(clock: Clock, cta: int, thread: int) -> int:
    times = clock.threads.get(cta)
    return 0 if times is None else int(times[thread])


__all__ = ["Mbarriers"]
