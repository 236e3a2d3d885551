"""What native code has noted, taken in order when Python has to judge: arrivals, fences, waits, and what units have told later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.engine.machine.resident import Cta, Warp
from ptxlab.sim.order.accesses import Accesses
from ptxlab.sim.order.core import Core
from ptxlab.sim.order.knowledge import threads_of
from ptxlab.sim.order.native.state import FENCE, GUARD, HOME, KIND, LOST, MEET, Note
from ptxlab.sim.order.operations import Operations
from ptxlab.sim.order.parts import Parts

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op


class Noting(Core):
    """The sanitizer, as far as it takes notes.

    Attributes:
        accesses, operations: who looks at what is noted. parts: what families bring. phases: of each warp, that of the cluster's
            barrier in which it has arrived last.
    """

    accesses: Accesses
    operations: Operations
    parts: Parts
    phases: dict[Warp, int]

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[Cta, list[Any]] = {}

    def op_at(self, pc: int) -> Op:
        """The instruction that a program counter is of."""
        raise NotImplementedError

    def keep(self, cta: Cta, item: Any) -> int:
        """Keep something that Python needs for a note: its number."""
        kept = self._kept.setdefault(cta, [])
        kept.append(item)
        return len(kept) - 1

    def drop_notes(self, cta: Cta) -> None:
        """Nobody wants to know what is noted of a CTA."""
        self.slot_of(cta).log_count = 0
        self._kept.pop(cta, None)

    def take_notes(self, ctas: Sequence[Cta], *, fences: bool) -> None:
        """Take what native code has noted of CTAs, in order. fences: whether anybody may still ask what these let through."""
        noted: list[tuple[tuple[int, ...], Cta, list[Any]]] = []
        for cta in ctas:
            slot = self.slot_of(cta)
            if self.lazy and slot.phases.box_count:
                self.arena.native.unpack(int(slot), 0, LOST)
            if slot.log_count:
                log, kept = Note.array(self.arena.words, int(slot.log), slot.log_count), self._kept.pop(cta, [])
                noted += [(note, cta, kept) for note in log.tolist()]
                slot.log_count = 0
        if not noted:
            return
        if len(ctas) > 1:
            noted.sort(key=lambda one: one[0][2])
        now, self.knowledge.step = self.knowledge.now, 0
        for note, cta, kept in noted:
            self._take(note, cta, kept, fences=fences)
        self.knowledge.now, self.knowledge.step = now, 1

    def _take(self, note: Sequence[int], cta: Cta, kept: Sequence[Any], *, fences: bool) -> None:
        word, lanes, time, pc, *more = note
        self.knowledge.now, team = time, self.knowledge.teams[cta.index]
        if word >> FENCE & 1 or word >> GUARD & 1:
            if fences:
                self.accesses.fences(cta, word & 0xFF, lanes, self.op_at(pc), team)
        elif word >> MEET & 1:
            self.meetings.warp_meets(cta.warps[word & 0xFF], lanes, team)
        elif word >> KIND:
            self._has_happened(cta.warps[word & 0xFF], lanes, pc, word >> KIND, kept, *more)
        else:
            self.meetings.noted_arrival(cta, team, word, lanes, self.op_at(pc))

    def _has_happened(self, warp: Warp, lanes: int, pc: int, kind: int, kept: Sequence[Any], *words: int) -> None:
        """Something that native code has noted: see `NOTE_PRODUCTS` and so on."""
        first, second = words
        second -= second >> 31 << 32  # phase -1 is over where an mbarrier begins
        self.later = False
        try:
            if kind == F.NOTE_PRODUCTS:
                for hook in self.at_waits:
                    hook(warp, pc)
                self.parts.products_waited(self.machine, warp, first)
            elif kind == F.NOTE_PHASE:
                for hook in self.machine.hooks.mbarrier_passed:
                    hook(warp, lanes, Place(warp.cta, first), second, self.op_at(pc))
            elif kind in (F.NOTE_ARRIVAL, F.NOTE_EXPECTED):
                home, offset = first >> HOME, first & (1 << HOME) - 1
                place = Place(warp.cta.cluster.ctas[home - 1] if home else warp.cta, offset)
                arrives = kind == F.NOTE_ARRIVAL
                self._has_arrived(warp, lanes, place, second, self.op_at(pc), arrives=arrives)
            elif kind == F.NOTE_INITS:
                self.knowledge.show_inits(self.knowledge.teams[warp.cta.index], threads_of(warp.index, lanes))
            elif kind == F.NOTE_CLUSTER:
                self.phases[warp] = first
                hooks = self.machine.hooks
                for hook in hooks.cluster_passed if second else hooks.cluster_arrived:
                    hook(warp, lanes, self.op_at(pc))
            elif kind == F.NOTE_ISSUE:
                self.operations.was_issued(kept[first])
            elif kind == F.NOTE_COMPLETE:
                for hook in self.machine.hooks.mbarrier_completed:
                    hook(*kept[first])
            else:
                self.operations.waited(warp, *kept[first])
        finally:
            self.later = self.lazy

    def _has_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op, *, arrives: bool) -> None:
        """Lanes have told an mbarrier what to expect, or have arrived there by an instruction that may have done that before."""
        if "tx_count" in op.inst.operands:
            for expected in self.machine.hooks.mbarrier_expected:
                for lane in lanes_of(lanes):
                    expected(warp, lane, place, phase, 0, op)
        for hook in self.machine.hooks.mbarrier_arrived if arrives else ():
            hook(warp, lanes, place, phase, op)
