"""Who arrives at mbarriers, and why a wait there may have been over too early: fewer arrivals are counted than threads arrive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.observer import Observed
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.families.mbarrier.declared import counting_at
from ptxlab.sim.families.mbarrier.unit import Mbarriers
from ptxlab.sim.order.companions.companion import thread_name
from ptxlab.sim.order.findings.findings import TooEarly

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.resident import Warp

_PHASES = 4
"""Phases of which is known who has arrived."""


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
        seen, barrier = self._of[place], self._machine.unit(Mbarriers).live.get(place.cta, {}).get(place.offset)
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
            self._tell(one, place, barrier.count, threads, f"its phase {last} has ended without {without}")
            return True
        return False

    def _tell(self, one: TooEarly, place: Place, count: int, threads: int, lacks: str) -> None:
        name, found = shared_name(self._machine, place.offset), one.found
        known = counting_at(self._machine.record, place.offset, count)
        where = f" ({known.place.shown})" if known is not None else ""
        arrivals = f"{count} arrival{'s' if count > 1 else ''}"
        hook = f"{name} counts {arrivals} a phase{where}, and {threads} threads arrive there: {lacks}"
        found.notes = (*found.notes, hook)
        way = f"`{known.counting(threads)}`{where}" if known is not None else f"count {threads} in mbarrier.init"
        found.help = f"let the phase wait for all threads that arrive: {way}"
