"""PTX9238: mbarriers that count fewer arrivals than threads arrive in each phase, in runs too short to show it by a race.

A count that is too small ends each phase early; what comes behind counts in the next one, and at the end a phase is left in which a
few have arrived. That alone may be right. So a launch with such a phase runs again, and each thread's arrivals are counted: if
all have arrived as often as phases have ended, and are more than are counted, no way of dealing out arrivals is right. Phases that
are meant for different threads do not look so: these arrive in some phases only, and behind a wait for the one before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Mbarrier
from ptxlab.isa.operands import Imm
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.families.mbarrier.declared import count_help, counting_at
from ptxlab.sim.families.mbarrier.unit import Barrier
from ptxlab.sim.families.mbarrier.unit import Mbarriers as Unit
from ptxlab.sim.order.companions.companion import thread_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.operation import Operation, Place
    from ptxlab.sim.engine.machine.resident import Cluster, Warp
    from ptxlab.sim.order.companions.rerun import Rerun


def counts_several(ops: Iterable[Op]) -> bool:
    """Whether any of these operations on mbarriers makes one of more than one arrival."""
    inits = (op for op in ops if isinstance(op.inst.form.effect, Mbarrier) and op.inst.form.effect.kind == "init")
    counts = [op.inst.operands["count"] for op in inits]
    return any(not isinstance(count, Imm) or count.value != 1 for count in counts)


class Leftovers(Observer):
    """Looks whether phases are left in which some have arrived.

    Attributes:
        some: whether there are any.
    """

    def __init__(self) -> None:
        self.some = False
        self._of: list[Barrier] = []

    @property
    def hears_copies(self) -> bool:
        return False  # it only hears of mbarriers that are made, which is told anyway

    @property
    def hears_products(self) -> bool:
        return False

    def attach(self, machine: Observed) -> None:
        self._machine = machine

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self._of.append(self._machine.unit(Unit).live[place.cta][place.offset])

    def cluster_retired(self, cluster: Cluster) -> None:
        mine = [b for b in self._of if b.place.cta.cluster is cluster]
        self.some = self.some or any(b.phase and 0 < b.pending < b.count for b in mine)
        self._of = [b for b in self._of if b.place.cta.cluster is not cluster]

    def again(self, rerun: Rerun) -> list[Diagnostic]:
        """What is found in another run."""
        arrivals = Arrivals()
        rerun.stop(arrivals)
        return arrivals.found


@dataclass(slots=True)
class _State:
    """A live mbarrier: arrivals by phase, phases that a wait has found over, and an arrival that has come in spite of that.

    early: an arrival by a thread that was missing in the phase before, which nobody had yet found over. others: whether
    anything but threads, one arrival each, has arrived.
    """

    barrier: Barrier
    arrived: dict[int, Counter[tuple[Warp, int]]] = field(default_factory=dict[int, "Counter[tuple[Warp, int]]"])
    passed: int = -1
    early: tuple[Op, Warp, int, int] | None = None
    others: bool = False


class Arrivals(Observer):
    """Counts who arrives.

    Attributes:
        found: mbarriers with a count that is too small.
    """

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._of: dict[Place, _State] = {}

    def attach(self, machine: Observed) -> None:
        self._machine = machine

    def printed(self, text: str, cta: object) -> bool:
        return True

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self._of[place] = _State(self._machine.unit(Unit).live[place.cta][place.offset])

    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self._of.pop(place, None)

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        state = self._of.get(place)
        if state is not None and not operation.writes:
            state.others = True

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        state = self._of.get(place)
        if state is None:
            return
        effect = op.inst.form.effect
        count = op.inst.operands.get("count")
        if (
            not isinstance(effect, Mbarrier)
            or "drop" in effect.kind
            or (count is not None and getattr(count, "value", 0) != 1)
        ):
            state.others = True
        before = state.arrived.get(phase - 1, Counter[tuple["Warp", int]]())
        for lane in lanes_of(lanes):
            state.arrived.setdefault(phase, Counter())[warp, lane] += 1
            if phase and state.passed < phase - 1 and not before[warp, lane] and state.early is None:
                state.early = (op, warp, lane, phase - 1)

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        state = self._of.get(place)
        if state is not None:
            state.passed = max(state.passed, phase)

    def cluster_retired(self, cluster: Cluster) -> None:
        for place in [p for p in self._of if p.cta.cluster is cluster]:
            self._judge(place, self._of.pop(place))

    def _judge(self, place: Place, state: _State) -> None:
        barrier, each = state.barrier, Counter[tuple["Warp", int]]()
        for one in state.arrived.values():
            each.update(one)
        left = barrier.count - barrier.pending
        if state.others or state.early is None or not left or len(each) <= barrier.count:
            return
        if set(each.values()) == {barrier.phase} and sum(each.values()) == barrier.phase * barrier.count + left:
            self._report(place, barrier.count, len(each), *state.early)

    def _report(self, place: Place, count: int, threads: int, op: Op, warp: Warp, lane: int, phase: int) -> None:
        if any(d.span == op.span and d.origin == op.origin for d in self.found):
            return
        name, known = shared_name(self._machine, place.offset), counting_at(self._machine.record, place.offset, count)
        where = "" if known is None else f" ({known.place.shown})"
        who = thread_name(self._machine, warp.cta, 32 * warp.index + lane)
        found = Diagnostic(
            "PTX9238",
            f"{name} counts {count} arrival{'s' * (count > 1)} a phase{where}, and {threads} threads arrive there, each as often: "
            f"its phase {phase} has ended without {who}",
            span=op.span,
            origin=op.origin,
            notes=(f"{who}: `{op.text}`",),
            help=count_help(known, threads),
        )
        self.found.append(found)
