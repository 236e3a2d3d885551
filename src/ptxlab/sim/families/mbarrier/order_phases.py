"""PTX9231, PTX9232, PTX9236: phases of mbarriers that run over, mbarriers that end while in use, bytes that nobody expects.

Whoever waits for a phase has to see its end before the next phase can end: a parity distinguishes two phases and no more. So the
end of phase n + 1, which is everything that arrives in it, has to happen after each wait that has found phase n over. It does where
the waiting thread arrives in phase n + 1 itself, or lets those go on who do. Lanes of a warp that wait by one instruction go on
together. A wgmma is over only when all warps of its group have executed it, and a `cp.async` only when its warp has.

And `Counts`: why a wait may have ended too early, because an mbarrier counts fewer arrivals than threads arrive.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.families.mbarrier.declared import count_help, counting_at
from ptxlab.sim.families.mbarrier.unit import Barrier
from ptxlab.sim.families.mbarrier.unit import Mbarriers as Unit
from ptxlab.sim.order.clocks import Clock
from ptxlab.sim.order.companions.companion import Companion, knows, thread_name
from ptxlab.sim.order.findings.findings import TooEarly
from ptxlab.sim.order.knowledge import threads_of
from ptxlab.sim.order.views import NOTHING, View, together

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.observer import Observed
    from ptxlab.sim.engine.machine.operation import Operation
    from ptxlab.sim.engine.machine.resident import Cluster, Warp
    from ptxlab.sim.order.sanitizer import Sanitizer

_PHASES = 4
"""Phases of which is known who has arrived."""
_JOINT = 64
"""How many of its latest wgmma and copies a warp is remembered by."""
_COPIES = ("cp.async-group", "bulk-group", "mbarrier")
"""How copies complete."""


@dataclass(slots=True)
class _Seen:
    """Of an mbarrier: by phase which lanes of which warps have arrived; by warp the latest phase that it has found over."""

    arrived: dict[int, dict[Warp, int]] = field(default_factory=dict[int, "dict[Warp, int]"])
    over: dict[Warp, int] = field(default_factory=dict["Warp", int])


class Counts:
    """Explains findings by the count of an mbarrier, where a thread arrives in a phase after the one that the other has waited for.

    Args:
        waiting: findings that are to be explained; those that are get a note and a help, and are taken out.
    """

    def __init__(self, machine: Observed, waiting: list[TooEarly]) -> None:
        self._machine, self._waiting = machine, waiting
        self._of: dict[Place, _Seen] = {}

    def arrives(self, place: Place, phase: int, warp: Warp, lanes: int) -> None:
        """Lanes arrive in a phase."""
        arrived = self._of.setdefault(place, _Seen()).arrived
        warps = arrived.setdefault(phase, {})
        warps[warp] = warps.get(warp, 0) | lanes
        if len(arrived) > _PHASES:
            del arrived[min(arrived)]
        if self._waiting:
            self._look(warp, place)

    def passes(self, place: Place, phase: int, warp: Warp) -> None:
        """A warp finds a phase over."""
        self._of.setdefault(place, _Seen()).over[warp] = phase

    def _look(self, warp: Warp, place: Place) -> None:
        for one in list(self._waiting):
            if one.fresh:
                self._explain(one, self._of)
                one.fresh = False
            elif one.late == (warp.cta.index, 32 * warp.index + one.late[1] % 32):
                self._explain(one, (place,))

    def end(self, places: Iterable[Place]) -> None:
        """These mbarriers are no more."""
        for one in list(self._waiting):
            self._explain(one, self._of)
        for place in places:
            self._of.pop(place, None)

    def _explain(self, one: TooEarly, places: Iterable[Place]) -> None:
        for place in places:
            if one in self._waiting and self._lags(one, place):
                self._waiting[:] = [other for other in self._waiting if other.found is not one.found]

    def _lags(self, one: TooEarly, place: Place) -> bool:
        """Whether the phase that was waited for has ended without the other thread, which arrives later."""
        seen, barrier = self._of[place], self._machine.unit(Unit).live.get(place.cta, {}).get(place.offset)
        warps = {(w.cta.index, w.index): w for phase in seen.arrived.values() for w in phase}
        reader = warps.get((one.late[0], one.late[1] // 32))
        last = next((n for w, n in seen.over.items() if (w.cta.index, w.index) == (one.by[0], one.by[1] // 32)), -1)
        if barrier is None or reader is None or last not in seen.arrived:
            return False
        lane = 1 << one.late[1] % 32
        of = {phase: warps.get(reader, 0) for phase, warps in seen.arrived.items()}
        alone = any(lanes & lane for lanes in of.values())
        if alone:  # else another lane of its warp arrives for it
            of = {phase: lanes & lane for phase, lanes in of.items()}
        together: dict[Warp, int] = {}
        for phase in seen.arrived.values():
            for warp, lanes in phase.items():
                together[warp] = together.get(warp, 0) | lanes
        threads = sum(lanes.bit_count() for lanes in together.values())
        late = not of[last] and any(lanes for phase, lanes in of.items() if phase > last)
        if late and threads > barrier.count:
            thread = thread_name(self._machine, reader.cta, one.late[1])
            without = thread if alone else f"warp {reader.index} of {cta_name(reader.cta)}"
            self._extend(one, place, barrier.count, threads, f"its phase {last} has ended without {without}")
            return True
        return False

    def _extend(self, one: TooEarly, place: Place, count: int, threads: int, lacks: str) -> None:
        name, found = shared_name(self._machine, place.offset), one.found
        known = counting_at(self._machine.record, place.offset, count)
        where = f" ({known.place.shown})" if known is not None else ""
        arrivals = f"{count} arrival{'s' if count > 1 else ''}"
        note = f"{name} counts {arrivals} a phase{where}, and {threads} threads arrive there: {lacks}"
        found.notes = (*found.notes, note)
        found.help = count_help(known, threads)


@dataclass(frozen=True, slots=True)
class _Use:
    """A use of an mbarrier by lanes of a warp: when, and by which instruction."""

    warp: Warp
    lanes: int
    time: int
    op: Op


@dataclass(slots=True)
class _State:
    """A live mbarrier.

    arrived: by phase, what those who arrived in it knew, and one of them. passes: by phase, the latest wait of each warp that has
    found it over. uses: the latest use by each warp. last: the latest phase that each warp has found over. checked: phases
    whose ends have been checked. barrier: the unit's. copy: the latest operation that has completed bytes.
    """

    arrived: dict[int, tuple[View, Op]] = field(default_factory=dict[int, "tuple[View, Op]"])
    passes: dict[int, dict[Warp, _Use]] = field(default_factory=dict[int, "dict[Warp, _Use]"])
    uses: dict[Warp, _Use] = field(default_factory=dict["Warp", _Use])
    last: dict[Warp, int] = field(default_factory=dict["Warp", int])
    checked: int = -1
    barrier: Barrier | None = None
    copy: Op | None = None


class Phases(Companion):
    """Follows the phases of all mbarriers."""

    def __init__(self, core: Sanitizer) -> None:
        super().__init__(core)
        self._of: dict[Place, _State] = {}
        self._joint: dict[Warp, deque[tuple[int, Operation]]] = {}

    @cached_property
    def _counts(self) -> Counts:
        return Counts(self.machine, self.core.findings.too_early)

    def _state(self, place: Place) -> _State:
        found = self._of.get(place)
        return self._of.setdefault(place, _State()) if found is None else found

    # -- what happens
    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self._of[place] = _State(barrier=self.machine.unit(Unit).live[place.cta].get(place.offset))

    def issued(self, operation: Operation) -> None:
        if len(operation.warps) > 1 and self.core.copies.products:
            return
        completion = self.core.action(operation.op).completion
        copied = completion is not None and completion.mechanism in _COPIES
        if len(operation.warps) > 1 or copied:
            for warp in operation.warps:
                self._joint.setdefault(warp, deque(maxlen=_JOINT)).append((self.core.knowledge.now, operation))

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        if not self.core.later:
            self._arrived(warp, lanes, place, phase, op)
            self._counts.arrives(place, phase, warp, lanes)

    def mbarrier_expected(self, warp: Warp, lane: int, place: Place, phase: int, nbytes: int, op: Op) -> None:
        if not self.core.later:
            self._arrived(warp, 1 << lane, place, phase, op)

    def _arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        team, now = self.core.team(warp.cta), self.core.knowledge.now
        view = self.core.knowledge.publish(team, threads_of(warp.index, lanes))
        self._release(place, phase, view, op)
        self._use(place, warp, lanes, op, now + 1)  # who finds the phase over knows what happened before the arrival

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        if self.core.later:
            return
        if operation.writes:
            self._state(place).copy = operation.op
        view = self.core.operations.knows_at_issue(operation)
        if view is not None:
            self._release(place, phase, view, operation.op)

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        if self.core.later:
            return
        state = self._state(place)
        self._ended(place, state, phase)
        use = self._use(place, warp, lanes, op, self.core.knowledge.now)
        state.passes.setdefault(phase, {})[warp] = use
        state.last[warp] = phase
        self._counts.passes(place, phase, warp)

    def _use(self, place: Place, warp: Warp, lanes: int, op: Op, time: int) -> _Use:
        use = self._state(place).uses[warp] = _Use(warp, lanes, time, op)
        return use

    def _release(self, place: Place, phase: int, view: View, op: Op) -> None:
        """Add to what is known of those who arrive in a phase."""
        state = self._state(place)
        self._ended(place, state, phase - 1)
        before = state.arrived.get(phase, (NOTHING, op))[0]
        state.arrived[phase] = (together(before, view), op)

    # -- phases that run over
    def _ended(self, place: Place, state: _State, phase: int) -> None:
        """All phases up to this one are over."""
        for n in range(state.checked + 1, phase + 1):
            self._ends(place, state, n)
        state.checked = max(state.checked, phase)

    def _ends(self, place: Place, state: _State, phase: int) -> None:
        arrived = state.arrived.pop(phase, None)
        before = state.passes.pop(phase - 1, {})
        if arrived is None:
            return
        known, op = arrived[0].of_shared(place.cta.index).passed(), arrived[1]
        for use in before.values():
            threads = threads_of(use.warp.index, use.lanes)
            if not knows(known, use.warp.cta.index, threads, use.time) and not self._has_joined(use, known):
                self._overrun(place, phase, use, op)

    def _has_joined(self, use: _Use, known: Clock) -> bool:
        """Whether a wgmma that the warp has joined since is known to be over, or a copy that it has issued: then it has gone on."""
        if self.core.copies.products:
            cta = use.warp.cta.index
            waits = self.core.operations.joined(use.warp, use.time)
            if any(knows(known, cta, threads_of(member, 0xFFFF_FFFF), end) for member, end in waits):
                return True
        return any(
            time >= use.time and self.core.operations.is_over(one, known) for time, one in self._joint.get(use.warp, ())
        )

    def _overrun(self, place: Place, phase: int, use: _Use, op: Op) -> None:
        name = shared_name(self.machine, place.offset)
        found = "before its first phase counts as over" if phase == 0 else f"phase {phase - 1} is over"
        message = (
            f"`{use.op.inst.opcode}` finds that {found} at the mbarrier {name}, and phase {phase} can end before it looks: "
            "then it waits for the phase after that, by the same parity"
        )
        notes = [f"{self.who(use.warp, use.lanes)}: `{use.op.text}`", f"what can end phase {phase}: `{op.text}`"]
        self.report("PTX9231", message, use.op, notes)

    def cluster_retired(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            for warp in cta.warps:
                self._joint.pop(warp, None)
        ended = [p for p in self._of if p.cta.cluster is cluster]
        self._counts.end(ended)
        for place in ended:
            state = self._of.pop(place)
            if state.barrier is not None and state.barrier.tx < 0 and state.copy is not None:
                self._unexpected(place, state.barrier, state.copy)

    def _unexpected(self, place: Place, barrier: Barrier, op: Op) -> None:
        name, cta = shared_name(self.machine, place.offset), cta_name(place.cta)
        message = (
            f"`{op.inst.opcode}` has brought {-barrier.tx} bytes to the mbarrier {name} of {cta} that nobody expects: "
            f"its phase {barrier.phase} does not end"
        )
        self.report("PTX9236", message, op, [f"the copy: `{op.text}`"])

    # -- mbarriers that end
    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        state = self._of.pop(place, None)
        if state is None:
            return
        view = self.core.team(warp.cta).views[32 * warp.index + lane].of_shared(place.cta.index)
        for use in state.uses.values():
            threads = threads_of(use.warp.index, use.lanes)
            if use.warp is not warp and not knows(view.clock, use.warp.cta.index, threads, use.time):
                name = shared_name(self.machine, place.offset)
                message = f"`{op.inst.opcode}` ends the mbarrier {name}, and nothing orders that behind `{use.op.inst.opcode}`"
                notes = [
                    f"{self.who(warp, 1 << lane)}: `{op.text}`",
                    f"{self.who(use.warp, use.lanes)}: `{use.op.text}`",
                ]
                self.report("PTX9232", message, op, notes, use.op)
                return

    # -- launches that stop
    def tally(self, report: object) -> None:
        """Whoever still waits when the launch ends waits for ever: maybe for a parity that is past."""
        if not self._of:
            return
        self._counts.end(())
        for cta, barriers in self.machine.unit(Unit).live.items():
            for offset, barrier in barriers.items():
                place = Place(cta, offset)
                for warp, lanes in barrier.waiters:
                    last = self._state(place).last.get(warp, -1)
                    if barrier.phase - last > 1:
                        self._missed(place, warp, lanes, last, barrier.phase)

    def _missed(self, place: Place, warp: Warp, lanes: int, last: int, phase: int) -> None:
        pc = next((g.pc for groups in self.machine.parked.values() for g in groups if g.warp is warp), None)
        if pc is None:
            return
        op, name = self.machine.image.op_at(pc), shared_name(self.machine, place.offset)
        before = f"has found phase {last} over" if last >= 0 else "has not found any phase over"
        message = (
            f"`{op.inst.opcode}` waits for the end of phase {phase} of the mbarrier {name} by its parity, but the warp {before}: "
            f"phase {phase - 1} is over, too, and it has not looked"
        )
        self.report("PTX9231", message, op, [f"{self.who(warp, lanes)}: `{op.text}`"])
