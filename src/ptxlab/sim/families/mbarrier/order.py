"""What mbarriers order: arrivals and completions release into a phase, and whoever finds that phase over acquires it."""

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
from ptxlab.sim.order.clocks import Clock, joined, knows_of
from ptxlab.sim.order.core import Core
from ptxlab.sim.order.knowledge import Position, Release, Team, threads_of
from ptxlab.sim.order.native.state import MOST_MBARRIERS, Slot
from ptxlab.sim.order.views import NOTHING, View, together

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.order.places import Reached

_END: Final = COMPLETIONS["mbarrier"].scope
"""The scope at which an operation that ends on an mbarrier releases."""


@dataclass(slots=True)
class _State:
    """A live mbarrier: who has initialised it and when, and what each phase publishes.

    number: among those of its CTA whose phases are entered for machine code, if any. before: what those phases published
    that somebody has found over. phases: the same of later ones. Both by who publishes, and the scope.
    """

    agent: int
    time: int
    site: int
    number: int | None
    before: dict[tuple[Position, str], View] = field(default_factory=dict[tuple[Position, str], View])
    phases: dict[int, dict[tuple[Position, str], View]] = field(
        default_factory=dict[int, dict[tuple[Position, str], View]]
    )


@dataclass(frozen=True, slots=True)
class _End:
    """The end of an mbarrier: who has invalidated it, when, and by which instruction."""

    cta: int
    thread: int
    time: int
    op: Op


class Mbarriers:
    """All live mbarriers of a launch, and where mbarriers have ended whose bytes nobody has used since."""

    def __init__(self, core: Core) -> None:
        self._know, self._threads, self._findings = core.knowledge, core.threads, core.findings
        self._core = core
        self._of: dict[Place, _State] = {}
        self._counts: dict[object, int] = {}
        self._offsets: dict[object, set[int]] = {}
        self._ended: dict[object, dict[int, _End]] = {}

    def offsets(self, cta: object) -> Iterable[int]:
        """Where live mbarriers are in the shared memory of a CTA."""
        return self._offsets.get(cta, ())

    def forget(self, cta: Cta) -> None:
        """A CTA has ended."""
        self._findings.unwaited.forget(cta)
        self._offsets.pop(cta, None)
        self._ended.pop(cta, None)
        self._counts.pop(cta, None)
        self._of = {place: state for place, state in self._of.items() if place.cta is not cta}

    def initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A lane makes an mbarrier."""
        self._core.polls.changed()
        slot = self._slot(place.cta)
        slot.mbarriers_begin = min(slot.mbarriers_begin, place.offset)
        slot.mbarriers_end = max(slot.mbarriers_end, place.offset + 8)
        slot.mbarriers[place.offset // 256] |= 1 << place.offset // 8 % 32
        at = self._core.place(warp.cta) if self._core.lazy else self._core.team_of(warp).at
        cta, thread = at.cta, 32 * warp.index + lane
        maker = self._threads.agent(cta, thread)
        self._know.made.setdefault((cta, thread), self._know.now)
        self._offsets.setdefault(place.cta, set()).add(place.offset)
        self._ended.get(place.cta, {}).pop(place.offset, None)
        count = self._counts.get(place.cta, 0)
        self._counts[place.cta] = count + 1
        numbered = count < MOST_MBARRIERS and not slot.phases  # else machine code follows their phases itself
        self._of[place] = _State(maker, self._know.now, self._core.numbers[id(op)], count if numbered else None)
        if self._core.lazy:
            self._core.arena.native.make_mbarrier(self._core.slots[place.cta.slot], place.offset, maker)

    def invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A lane ends an mbarrier's life."""
        self._core.polls.changed()
        cta = self._core.team_of(warp).at.cta
        end = _End(cta, 32 * warp.index + lane, self._know.now, op)
        self._ended.setdefault(place.cta, {})[place.offset] = end
        if self._core.lazy:
            self._core.team(place.cta)
            self._core.arena.native.end_mbarrier(self._core.slots[place.cta.slot], place.offset)
        self._of.pop(place, None)
        self._offsets.get(place.cta, set[int]()).discard(place.offset)

    def use_ended(self, team: Team, threads: Sequence[int], reached: Reached) -> tuple[int, int, Op] | None:
        """Threads access bytes, of each run one: the first that nothing orders behind the end of an mbarrier there.

        Returns: the thread, where the mbarrier was, and what has ended it.
        """
        ended = self._ended.get(reached.region.key)
        if not ended:
            return None
        for offset, end in list(ended.items()):
            hit = (reached.starts < offset + 8) & (reached.starts + reached.nbytes > offset)
            for i in hit.nonzero()[0].tolist():
                thread, cta = threads[i], reached.region.key
                view = team.views[thread].of_shared(cta.index) if isinstance(cta, Cta) else team.views[thread]
                own = (team.at.cta, thread) == (end.cta, end.thread)
                if not own and knows_of(view.clock, end.cta, end.thread) < end.time:
                    del ended[offset]
                    return thread, offset, end.op
        return None

    def arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """Lanes are about to arrive in a phase. A relaxed arrival publishes what an earlier fence of its thread has released."""
        team, threads, state = self._use(warp, lanes, place, op)
        if state is None:
            return
        action = self._core.action(op)
        scope = action.scope or "cta"
        if action.order != "relaxed":
            self._release(state, phase, team.at, scope, self._know.publish(team, threads))
            return
        for t in threads:
            fences = team.fences.get(t)
            for released, view in fences.publishes(team, t).items() if fences is not None else ():
                self._release(state, phase, team.at, narrower(released, scope), view)

    def asked(self, warp: Warp, lanes: int, place: Place, op: Op) -> None:
        """Lanes ask for a phase, and do not hear whether it is over."""
        self._use(warp, lanes, place, op)

    def passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """Lanes have found a phase over: they know what it and the ones before it publish; if relaxed, after a later fence."""
        team, threads, state = self._use(warp, lanes, place, op)
        if place.cta is warp.cta:
            self._findings.unwaited.passed(place, warp.index, phase)
        if state is None:
            return
        action = self._core.action(op)
        relaxed = action.order == "relaxed"
        if state.number is not None and place.cta is warp.cta and not relaxed and lanes == warp.frame.get(F.F_ALIVE):
            known = self._slot(place.cta).rows[warp.index].phases
            known[state.number] = max(known[state.number], phase + 1)
        for number in [n for n in state.phases if n <= phase]:
            for key, view in state.phases.pop(number).items():
                state.before[key] = together(state.before.get(key, NOTHING), view)
        for (at, published), view in state.before.items():
            release = Release(at, published, view)
            if not release.reaches(action.scope or "cta", team.at):
                # Whatever its scope, an arrival follows what its thread has read, and says how far that has got.
                reads = joined(view.of_shared(at.cta).clock, view.freed)
                self._know.learn(team, threads, View(freed=reads))
                self._know.miss(team, threads, "PTX9201", reads)
            elif relaxed:
                for t in threads:
                    team.fences_of(t).phases[place, at, published] = release
            else:
                self._know.learn(team, threads, view)

    def _slot(self, cta: Cta) -> Slot:
        return self._core.arena.slot_at(self._core.slots[cta.slot])

    def number(self, place: Place) -> int | None:
        """The number of an mbarrier among those of its CTA whose phases are entered for machine code; None where it has none."""
        state = self._of.get(place)
        return None if state is None else state.number

    def lacks(self, place: Place) -> int:
        """The bytes that the phase of an mbarrier lacks, where all have arrived; 0 where it lacks none, or arrivals."""
        barrier = self._core.machine.unit(Unit).live[place.cta].get(place.offset)
        return 0 if barrier is None or barrier.pending else max(0, barrier.tx)

    def _use(self, warp: Warp, lanes: int, place: Place, op: Op) -> tuple[Team, list[int], _State | None]:
        """Lanes use an mbarrier: their team, which threads of it they are, and what is known of the mbarrier."""
        self._core.polls.changed()
        team, threads, state = self._core.team_of(warp), threads_of(warp.index, lanes), self._of.get(place)
        self._findings.at = (warp, op)
        if state is not None:
            self._check_initialised(team, threads, place, state)
        return team, threads, state

    def _check_initialised(self, team: Team, threads: Sequence[int], place: Place, state: _State) -> None:
        """Threads use an mbarrier: its initialisation has to come before that."""
        cta, thread = self._threads.thread(state.agent)
        for known_by, members in team.by_view(threads):
            view = known_by.of_shared(place.cta.index)
            known = max(knows_of(view.clock, cta, thread), knows_of(view.inits, cta, thread))
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
        known = knows_of(view.inits, cta, thread)
        through = view.let_through(at.cta, place.cta.index) if asynchronous else view.clock
        known = max(known, knows_of(through, cta, thread))
        if known < state.time:
            ordered = at.cta == cta and knows_of(view.clock, cta, thread) >= state.time
            self._findings.uninitialised(state.agent, state.site, place, started, fence_missing=ordered)

    def _release(self, state: _State, phase: int, at: Position, scope: str, view: View) -> None:
        """An arrival publishes a view."""
        self._publish(state, phase, at, scope, view._replace(drained=joined(view.drained, view.clock)))

    def complete(self, place: Place, phase: int, known: Clock, at: Position) -> None:
        """An operation ends, and counts in a phase: a release of what it did."""
        state = self._of.get(place)
        if state is not None:
            self._publish(state, phase, at, _END, View(known))

    def _publish(self, state: _State, phase: int, at: Position, scope: str, view: View) -> None:
        there = state.phases.setdefault(phase, {})
        there[at, scope] = together(there.get((at, scope), NOTHING), view)
