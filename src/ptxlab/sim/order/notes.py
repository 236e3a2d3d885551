"""What native code has noted, taken in order when Python has to judge: arrivals, fences, waits, and what units have told later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.engine.machine.resident import Cta, Warp
from ptxlab.sim.order.knowledge import threads_of
from ptxlab.sim.order.native.state import FENCE, GUARD, HOME, KIND, LOST, MEET, Note

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.order.sanitizer import Sanitizer


class Notes:
    """The notes of a launch.

    Attributes:
        kept: of each CTA, what Python needs for its notes, by number.
    """

    def __init__(self, core: Sanitizer) -> None:
        self._core = core
        self.kept: dict[Cta, list[Any]] = {}

    def keep(self, cta: Cta, item: Any) -> int:
        """Keep something that Python needs for a note: its number."""
        kept = self.kept.setdefault(cta, [])
        kept.append(item)
        return len(kept) - 1

    def take(self, ctas: Sequence[Cta], *, fences: bool) -> None:
        """Take what native code has noted of CTAs, in order. fences: whether anybody may still ask what these let through."""
        core = self._core
        noted: list[tuple[tuple[int, ...], Cta, list[Any]]] = []
        for cta in ctas:
            slot = core.slot_of(cta)
            if core.lazy and slot.phases.box_count:
                core.arena.native.unpack(int(slot), 0, LOST)
            if slot.log_count:
                log, kept = Note.array(core.arena.words, int(slot.log), slot.log_count), self.kept.pop(cta, [])
                noted += [(note, cta, kept) for note in log.tolist()]
                slot.log_count = 0
        if not noted:
            return
        if len(ctas) > 1:
            noted.sort(key=lambda one: one[0][2])
        now, core.knowledge.step = core.knowledge.now, 0
        for note, cta, kept in noted:
            self._take(note, cta, kept, fences=fences)
        core.knowledge.now, core.knowledge.step = now, 1

    def _take(self, note: Sequence[int], cta: Cta, kept: Sequence[Any], *, fences: bool) -> None:
        core, (word, lanes, time, pc, *more) = self._core, note
        core.knowledge.now, team = time, core.knowledge.teams[cta.index]
        if word >> FENCE & 1 or word >> GUARD & 1:
            if fences:
                core.accesses.fences(cta, word & 0xFF, lanes, core.op_at(pc), team)
        elif word >> MEET & 1:
            core.meetings.warp_meets(cta.warps[word & 0xFF], lanes, team)
        elif word >> KIND:
            self._has_happened(cta.warps[word & 0xFF], lanes, pc, word >> KIND, kept, *more)
        else:
            core.meetings.noted_arrival(cta, team, word, lanes, core.op_at(pc))

    def _has_happened(self, warp: Warp, lanes: int, pc: int, kind: int, kept: Sequence[Any], *words: int) -> None:
        """Something that native code has noted: see `NOTE_PRODUCTS` and so on."""
        core, (first, second) = self._core, words
        second -= second >> 31 << 32  # phase -1 is over where an mbarrier begins
        core.later = False
        try:
            if kind == F.NOTE_PRODUCTS:
                for hook in core.at_waits:
                    hook(warp, pc)
                core.parts.products_waited(core.machine, warp, first)
            elif kind == F.NOTE_PHASE:
                for hook in core.machine.hooks.mbarrier_passed:
                    hook(warp, lanes, Place(warp.cta, first), second, core.op_at(pc))
            elif kind in (F.NOTE_ARRIVAL, F.NOTE_EXPECTED):
                home, offset = first >> HOME, first & (1 << HOME) - 1
                place = Place(warp.cta.cluster.ctas[home - 1] if home else warp.cta, offset)
                arrives = kind == F.NOTE_ARRIVAL
                self._has_arrived(warp, lanes, place, second, core.op_at(pc), arrives=arrives)
            elif kind == F.NOTE_INITS:
                core.knowledge.show_inits(core.knowledge.teams[warp.cta.index], threads_of(warp.index, lanes))
            elif kind == F.NOTE_CLUSTER:
                core.phases[warp] = first
                hooks = core.machine.hooks
                for hook in hooks.cluster_passed if second else hooks.cluster_arrived:
                    hook(warp, lanes, core.op_at(pc))
            elif kind == F.NOTE_ISSUE:
                core.operations.was_issued(kept[first])
            elif kind == F.NOTE_COMPLETE:
                for hook in core.machine.hooks.mbarrier_completed:
                    hook(*kept[first])
            else:
                core.operations.waited(warp, *kept[first])
        finally:
            core.later = core.lazy

    def _has_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op, *, arrives: bool) -> None:
        """Lanes have told an mbarrier what to expect, or have arrived there by an instruction that may have done that before."""
        core = self._core
        if "tx_count" in op.inst.operands:
            for expected in core.machine.hooks.mbarrier_expected:
                for lane in lanes_of(lanes):
                    expected(warp, lane, place, phase, 0, op)
        for hook in core.machine.hooks.mbarrier_arrived if arrives else ():
            hook(warp, lanes, place, phase, op)
