"""The observer that is told of what a launch does, and finds accesses that nothing orders.

Ordinary instructions tell of themselves by a prologue (engine/handlers/notify.py), barriers of the CTA where warps arrive,
asynchronous units by their hooks. Machine code (native/) sees to accesses that are surely in order, and notes who comes to
barriers; the rest comes to Python, in the order in which the launch runs.
"""

from __future__ import annotations

import bisect
import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ptxlab.isa.action import Action
from ptxlab.isa.effects import AsyncCopy, Mbarrier, WarpWide
from ptxlab.isa.order import ACQUIRING, RELEASING
from ptxlab.sim.certify.history import History
from ptxlab.sim.certify.judge import FreeOrder, judged
from ptxlab.sim.certify.waits import polls
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import shared_address
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.compiled.native import functions
from ptxlab.sim.engine.machine.faults import name_of, shared_name
from ptxlab.sim.engine.machine.observer import Observed, Turn
from ptxlab.sim.engine.machine.operation import Operation, Place, Stage
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Slot, Warp
from ptxlab.sim.engine.machine.special import shared_bytes
from ptxlab.sim.order.accesses import Accesses
from ptxlab.sim.order.checks import Checks, Clash
from ptxlab.sim.order.clocks import START, Clock
from ptxlab.sim.order.core import Unflagged
from ptxlab.sim.order.deferred import Deferred
from ptxlab.sim.order.earlier import Earlier
from ptxlab.sim.order.findings.findings import Findings
from ptxlab.sim.order.findings.flags import How
from ptxlab.sim.order.knowledge import Knowledge, Position, Team
from ptxlab.sim.order.native.arena import PHASES_SLOTS, Arena
from ptxlab.sim.order.native.state import (
    HOME,
    LANES,
    OF_CLUSTERS,
    RELEASED,
    ROWS,
    UPDATED,
)
from ptxlab.sim.order.native.state import Slot as SlotRecord
from ptxlab.sim.order.notes import Noting
from ptxlab.sim.order.operations import Operations
from ptxlab.sim.order.parts import parts
from ptxlab.sim.order.places import Regions
from ptxlab.sim.order.polls import Polls
from ptxlab.sim.order.reads_from import Place as ReadPlace
from ptxlab.sim.order.shadow import Lines, Region
from ptxlab.sim.order.sites import Sites, sites_of
from ptxlab.sim.order.threads import Threads

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.decoded.decode import Image
    from ptxlab.sim.report.report import Report

_NOTED = (
    "waited",
    "mbarrier_passed",
    "mbarrier_arrived",
    "mbarrier_expected",
    "mbarrier_completed",
    "cluster_arrived",
    "cluster_passed",
)
"""Hooks that may be called later."""
_NOTIFY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
_FLUSH = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Sanitizer(Noting):
    """Finds accesses that nothing orders; `report.findings` has them."""

    def __init__(self) -> None:
        super().__init__()
        self._failure: BaseException | None = None

    # -- the launch
    def attach(self, machine: Observed) -> None:
        self.machine, image, record = machine, machine.image, machine.record
        self._early = frozenset[int]()
        if self.beside is not None:
            self._early = self.beside.attach(self, image)
        self._follows, self._several = self._may_follow(), record.ctas_per_cluster > 1
        slots = machine.residency.count * record.ctas_per_cluster
        warps = -(-record.threads // LANES) * record.ctas_per_cluster
        phases = self._alone() and slots <= PHASES_SLOTS and (not self._several or warps <= ROWS)
        self._sites = sites = self._sites_in(image, phases=phases)
        self.numbers, self.points = sites.numbers, sites.points
        self._warps: dict[int, Warp] = {}
        self.copies = sites.copies
        buffers = [b for b in record.buffers if b.nbytes]
        self.later = self.lazy = sites.phases
        self.arena = arena = Arena(
            [(b.address, b.nbytes) for b in buffers],
            sites.granule,
            places=sites.places,
            sites=sites.rows,
            slots=slots,
            shared=shared_bytes(record),
            threads=record.threads,
            copies=bool(self.copies.all - self.copies.products),
            waits=len(self.copies.waits),
            products=bool(self.copies.products),
            private=sites.private and not self._several,
            phases=self.lazy,
            barriers=sites.meets,
            clusters=self._several,
            shared_granule=sites.shared_granule,
        )
        arena.header.restricts, arena.header.unflagged = sites.restricts, not self.flags
        arena.header.released = OF_CLUSTERS * self._several
        if self._talks():
            arena.header.released |= (
                RELEASED | UPDATED
            )  # a relaxed atomic operation may hand on what a fence stands before
        self.slots: dict[Slot, int] = {}
        self.regions = Regions(
            [
                Lines(arena, "global", b.address, b.nbytes, self._global_name(b.address), key=b.address, first=first)
                for b, first in zip(buffers, arena.lines, strict=True)
            ],
            record.multicasts,
        )
        self.threads = Threads(-(-record.threads // 32) * 32, self._cluster_of, arena)
        self.knowledge = Knowledge(arena.words, strict=self.strict)
        self._ctas: dict[int, Cta] = {}
        self.deferred = Deferred(arena, self.knowledge, self.regions, self.threads, kind=self._relaxed)
        self.knowledge.before_read, self.knowledge.releases = self._before_read, self._releases
        self.knowledge.learns = self.beside.learns if self.beside is not None and self.beside.talks else None
        self.findings = Findings(machine, self.threads, strict=self.strict)
        self.deferred.told, flags = self._has_added, self.findings.flags
        flags.known_of, flags.catch_up = self.known_of, self.deferred.flush_few
        self.textures, self.changes_maps = sites.textures, sites.maps
        self.checks = Checks(
            self.threads,
            self.knowledge,
            self._clashes,
            self.findings.unwritten,
            textures=self.textures,
            strict=self.strict,
        )
        self.checks.updates = self.findings.updates = sites.updates
        self.checks.lost = self.findings.lost
        self.polls, self.earlier = Polls(), Earlier(sites.compared, self.threads.each)
        if machine.options.certify:
            self._certifies(image)
        self.findings.early = self.earlier.behind
        self.parts = parts()
        self.mbarriers = self.parts.mbarriers(self)
        self._clusters: dict[int, int] = {}
        self._begun: dict[Cta, int] = {}
        self.phases = {}
        self._kept.clear()
        self.meetings = self.parts.meetings(self)
        self.accesses = Accesses(self, self.meetings)
        self.operations = Operations(self, self.accesses)
        self._put_prologues()

    def _certifies(self, image: Image) -> None:
        """Ask what another schedule may do otherwise, and rest on nothing that happens to come first in this run."""
        self.knowledge.in_turn = False
        self.earlier.history = History(self.earlier.answers)
        self.checks.free = FreeOrder(image.ops, self.findings.who, self._polled(), self.earlier.history)

    def _polled(self) -> frozenset[int]:
        """The loads of loops that only wait for what others store, whose value is compared alone, by their number."""
        program = self.machine.record.program
        found = (self.numbers.get(id(one.ops[i])) for one in (program, *program.functions) for i in polls(one))
        return frozenset(site for site in found if site is not None and site in self.earlier.loads)

    def _clashes(self, clash: Clash) -> bool:
        if not self.flags:
            raise Unflagged
        return self.findings.clash(clash)

    def _may_follow(self) -> bool:
        """Whether machine code may follow copies and waits."""
        options, ops = self.machine.options, self.machine.image.ops
        early = any(_by_lanes(ops[i]) for i in self._early)
        return options.schedule == "eager" and not options.trace and not early and not self._talks()

    def _talks(self) -> bool:
        """Whether threads may hand on to other launches what they know, or get to know of others."""
        return self.beside is not None and self.beside.talks

    def _sites_in(self, image: Image, *, phases: bool) -> Sites:
        """The instructions that this is told of, and how. phases: whether machine code may follow mbarriers."""
        certify = self.machine.options.certify
        how = {"strict": self.strict, "certify": certify, "flags": self.flags}
        return sites_of(image, copies=self._follows, phases=phases, early=self._early, **how)

    def _put_prologues(self) -> None:
        machine = self.machine
        machine.overlay.put(Layer.SANITIZE, self._sites.prologues)
        self._notify, self._flush = _NOTIFY(self._instruction), _FLUSH(self._noted)
        env = machine.env
        env.set64(F.E_NOTIFY, ctypes.cast(self._notify, ctypes.c_void_p).value or 0)
        for at, entry in self._sites.entries.items():
            env.set64(at, self.arena.native.address(entry))
        env.set64(F.E_BEGIN, self.arena.native.address("begin"))
        if self.copies.products:
            env.set64(F.E_JUDGE_PRODUCT, self.arena.native.address("product"))
        if self._sites.meets:
            env.set64(F.E_ARRIVE, functions().arrive_notifying)
        noting = not self._several and self._alone() and not self.copies.products and self._sites.waits
        self._noting = self.lazy or noting
        if self._noting:
            env.set64(F.E_NOTE, self.arena.native.address("note"))
            env.set64(F.E_WAITS, 1)
            env.set64(F.E_ARRIVALS, int(self.lazy))

    def _alone(self) -> bool:
        """Whether warps may wait without Python, which hears of it later: nobody else does, and nothing is left under way."""
        machine = self.machine
        hooks = [hook for name in _NOTED for hook in getattr(machine.hooks, name)]
        hears = {hook.__self__ for hook in hooks}
        ours = all(getattr(one, "core", one) is self for one in hears)
        return ours and self._follows

    def _cluster_of(self, cta: int) -> int:
        return self._clusters.get(cta, cta)

    def _global_name(self, base: int) -> Callable[[int], str]:
        def name(offset: int) -> str:
            return name_of(self.machine, base + offset)

        return name

    def _shared_name(self, offset: int) -> str:
        return shared_name(self.machine, offset)

    def _relaxed(self, site: int) -> tuple[str, bool]:
        """The scope of an atomic operation, by the number of the instruction, and whether its threads see what it finds."""
        op = self.machine.image.ops[site]
        return self.action(op).touches[0].scope or "", self.strict or not self.is_unread(op)

    def _has_added(self, place: ReadPlace, site: int, scope: str, threads: Sequence[int], time: int) -> None:
        """Machine code has seen to a relaxed atomic operation of threads of a CTA, some time ago."""
        flags, how = self.findings.flags, How(site, "relaxed", scope, adds=True)
        finds = not self.is_unread(self.machine.image.ops[site])
        for who in threads:
            if finds:
                flags.finds(place, flags.step(who, how, time, None))
            flags.stores(place, flags.step(who, how, time, None))

    def known_of(self, who: int) -> Clock:
        """What a thread knows now, as far as that can be asked for while something is judged."""
        cta, thread = divmod(who, self.threads.each)
        if cta not in self._ctas:
            return START
        team = self.knowledge.teams[cta] if self.lazy else self.team(self._ctas[cta])
        return team.views[thread].clock

    def _before_read(self, places: Sequence[ReadPlace]) -> None:
        """Somebody looks at what has been written to places: what nobody has heard of yet is made known."""
        self.operations.show_updates()
        if self.deferred.waits():
            for place in places:
                self.deferred.flush(place)

    def _releases(self, cta: int, threads: Sequence[int]) -> None:
        """Threads of a CTA have something to publish: machine code does not judge their relaxed operations any more."""
        self.arena.header.released |= RELEASED
        slot = self.slot_of(self._ctas[cta])
        for warp in {thread // LANES for thread in threads}:
            slot.released |= 1 << warp

    def tally(self, report: Report) -> None:
        self._raise()
        for cta in tuple(self._begun) if self.lazy else ():
            self.team(cta)
        self.operations.end()
        self.findings.end()
        report.unwatched, header = self.arena.unwatched(), self.arena.header
        if not self.flags and (header.doubtful or header.lost):
            raise Unflagged
        if isinstance(self.checks.free, FreeOrder):
            report.certificate = judged(self.machine, self.checks.free, report.unwatched, strict=self.strict)

    def left(self) -> None:
        self.arena.give_back()

    def cta_started(self, cta: Cta) -> None:
        if self.copies.products and not self.machine.env.get64(F.E_PRODUCTS):
            self.copies = replace(self.copies, products=frozenset())  # somebody else has to hear of each
            self._is_not_lazy()
        slot = self.slots.get(cta.slot)
        if slot is None:
            slot = self.slots[cta.slot] = self.arena.slot()
            block = cta.block
            block.set64(F.C_ARENA, self.arena.address)
            if self._sites.meets:
                block.set64(F.C_NOTE, self.arena.native.address("arrive"))
            block.set64(F.C_FLUSH, ctypes.cast(self._flush, ctypes.c_void_p).value or 0)
            block.set(F.C_SLOT, slot)
        record = self.arena.slot_at(slot)
        record.shared_first = shared_address(cta.rank, 0)
        record.cluster = cta.cluster.index
        if self._talks():
            record.log_most = (
                1  # Python takes each note at once: when a thread has got to know of others' posts is remembered
            )
        self.arena.native.begin(slot, cta.index)
        if cta is cta.cluster.ctas[-1] and len(cta.cluster.ctas) > 1:
            self.arena.in_cluster([self.slots[one.slot] for one in cta.cluster.ctas])
        cells = int(record.cells)
        self.regions.shared[cta] = Region(
            self.arena, "shared", 0, len(cta.shared), self._shared_name, key=cta, first=cells, slot=slot
        )
        self._begins(cta)
        for warp in cta.warps:
            self._warps[warp.frame.address] = warp

    def _is_not_lazy(self) -> None:
        """Python sees to all that concerns mbarriers."""
        self.later = self.lazy = False
        self.machine.env.set64(F.E_ARRIVALS, 0)

    def _begins(self, cta: Cta) -> None:
        self.polls.changed()
        self._clusters[cta.index] = cta.cluster.index
        self._begun[cta] = cta.index
        self._ctas[cta.index] = cta
        self.knowledge.start(Position(cta.index, cta.cluster.index), self.threads.each)

    def _ends(self, cta: Cta) -> None:
        index = self._begun.pop(cta)
        self.knowledge.end(index)
        self.deferred.forget(index, cta)
        self.knowledge.forget(cta)
        self.earlier.forget(cta)
        del self._ctas[index]
        self.mbarriers.forget(cta)
        self.meetings.forget(cta)

    def cluster_retired(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            if self._talks():
                self.team(cta)  # what its threads have got to know of other launches is asked for when all are over
            if self.lazy:
                self._drops(cta)
        self.operations.forget(cluster)
        for cta in cluster.ctas:
            if self._sites.copies.all:
                self.arena.native.close_copies(self.slots[cta.slot])
            self._ends(cta)
            self.regions.shared.pop(cta, None)
        self.meetings.forget_cluster(cluster)

    def turned(self, cta: Cta, turn: Turn) -> None:
        self._raise()
        # the launch may be about to be stopped, or waits have been noted and the CTA ends: what has been noted is looked at before
        if not self.lazy and (turn is not Turn.RAN or self._noting):
            self.team(cta, fences=cta.block.get(F.C_ALIVE) != 0)

    def slice_begins(self) -> None:
        self._raise()

    def _raise(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    # -- what native code tells
    def _instruction(self, frame: int, pc: int, mask: int) -> None:
        if self._failure is None:
            try:
                warp = self._warps[frame]
                op = self.op_at(pc)
                if isinstance(op.inst.form.effect, AsyncCopy):
                    self.operations.copies(warp, mask, op)
                elif isinstance(op.inst.form.effect, WarpWide):
                    for hook in self.at_masks:
                        hook(warp, mask, op)
                else:
                    self.accesses.executes(warp, mask, op)
            except BaseException as e:  # native code cannot pass it on: the next hook does
                self._failure = e

    def _noted(self, frame: int) -> None:
        """Native code has no room for more arrivals, or some of a CTA's threads have met."""
        if self._failure is None:
            try:
                self.team(self._warps[frame].cta)
            except BaseException as e:
                self._failure = e

    def slot_of(self, cta: Cta) -> SlotRecord:
        return self.arena.slot_at(self.slots[cta.slot])

    def team(self, cta: Cta, *, fences: bool = True) -> Team:
        """What native code has noted of a CTA: which one it is (they follow one another), and who has come to its barriers.

        fences: whether anybody may still ask what its fences have let through.
        """
        slot = self.slot_of(cta)
        index = slot.cta
        if index != self._begun[cta]:  # not cta.index: where the CTA runs alone, that one may be up to date already
            self._ends(cta)
            cta.index = cta.cluster.index = index
            x, y, _ = self.machine.record.grid
            cta.coordinates = cta.cluster.coordinates = index % x, index // x % y, index // (x * y)
            self._begins(cta)
        self.take_notes(cta.cluster.ctas if self.lazy else (cta,), fences=fences)
        return self.knowledge.teams[cta.index]

    def note(self, warp: Warp, lanes: int, op: Op, kind: int, first: int, second: int = 0) -> None:
        """Note what native code would, had the instruction run there."""
        slot, pc = self.slots[warp.cta.slot], self.points[self.numbers[id(op)]]
        words = (warp.index, lanes, pc, first, second & 0xFFFF_FFFF)
        if self.arena.native.note(slot, kind, *words):
            self.team(warp.cta)

    def place(self, cta: Cta) -> Position:
        """Where a CTA's threads run."""
        if self.slot_of(cta).cta != self._begun[cta]:
            return self.team(cta).at
        return self.knowledge.teams[cta.index].at

    def _drops(self, cta: Cta) -> None:
        """A CTA has ended: what is noted of it has been in order, unless its mbarriers have got bytes that nobody expected.

        Who has arrived at them may explain a finding.
        """
        lacking = cta.slot.mbarriers.view(np.int32).reshape(-1, F.MBARRIER_BYTES // 4)[:, F.M_BYTES // 4]
        if self.findings.too_early or any(lacking[offset // 8] < 0 for offset in self.mbarriers.offsets(cta)):
            self.team(cta)
        self.drop_notes(cta)

    def op_at(self, pc: int) -> Op:
        """The instruction that a program counter is of."""
        return self.machine.image.ops[bisect.bisect_left(self._sites.points, pc)]

    def clusters(self) -> Iterable[Cluster]:
        """The clusters that have memory in the shadow."""
        return {id(cta.cluster): cta.cluster for cta in self.regions.shared}.values()

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        self._raise()
        if self._noting and not self.lazy and self.slot_of(warp.cta).log_count:
            self.team(warp.cta)
        op = self._sites.in_python.get(pc)
        if op is not None:
            self.accesses.executes(warp, mask, op)

    def action(self, op: Op) -> Action:
        """What an instruction does."""
        return self._sites.actions[id(op)]

    def is_unread(self, op: Op) -> bool:
        """Whether an instruction is an atomic operation of which nobody reads what it has found."""
        return id(op) in self._sites.unread

    def team_of(self, warp: Warp) -> Team:
        """The same of a warp that runs."""
        team = self.team(warp.cta)
        self.meetings.runs(warp)
        return team

    def has_met(self, warp: Warp) -> bool:
        """Whether a warp knows, as machine code does, that all CTAs of its cluster have started."""
        return self.slot_of(warp.cta).passed[warp.index] != 0

    def may_exit(self, cta: Cta) -> bool:
        """Whether some thread of a CTA surely knows of all accesses to its shared memory from outside."""
        return bool(self.arena.native.may_exit(self.slots[cta.slot]))

    def arrival_phase(self, warp: Warp) -> int:
        """The phase of the cluster's barrier in which a warp is about to arrive, or has, where that is only told now."""
        return self.phases[warp] if self.lazy else self.meetings.phase_of(warp.cta.cluster)

    def phase_of(self, warp: Warp) -> int:
        """The phase of the cluster's barrier in which a warp has arrived last."""
        return self.phases.get(warp, -1)

    # -- what units tell
    def grid_waits(self, warp: Warp, lanes: int, *, again: bool) -> None:
        if self.beside is not None:
            self.beside.waited(warp, lanes)

    def grid_triggers(self, warp: Warp, lanes: int, *, again: bool) -> None:
        if self.beside is not None:
            self.beside.lets_begin(warp, lanes)

    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        if self.later or not self.lazy:
            phase = self.phases[warp] = self.meetings.phase_of(warp.cta.cluster)
            if self.later:
                self.note(warp, lanes, op, F.NOTE_CLUSTER, phase)
            if self._several:
                releases = self.action(op).order in RELEASING
                self.arena.native.arrives_in_cluster(self.slots[warp.cta.slot], warp.index, lanes, phase, releases)
            if self.later:
                return
        self.meetings.cluster_arrived(warp, lanes, self.phases[warp], op)

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        phase = self.phases.get(warp, -1)
        if self.later or not self.lazy:
            if self.later:
                self.note(warp, lanes, op, F.NOTE_CLUSTER, phase, 1)
            if self._several:
                acquires = self.action(op).order in ACQUIRING
                self.arena.native.passes_in_cluster(self.slots[warp.cta.slot], warp.index, lanes, phase, acquires)
            if self.later:
                return
        self.meetings.cluster_passed(warp, lanes, phase, op)

    @property
    def hears_copies(self) -> bool:
        return not self.copies.all

    @property
    def hears_products(self) -> bool:
        return not self.copies.products

    def issued(self, operation: Operation) -> None:
        if self.beside is not None:
            self.beside.issues(operation)
        if self.numbers[id(operation.op)] in self.copies.products:
            self.operations.product(operation)
            return
        if self.hears_copies or self.numbers[id(operation.op)] not in self.copies.all:
            self.operations.issued(operation)

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        if self.later and operations:
            self.operations.waits_later(warp, operations, stage)
            return
        self.operations.waited(warp, operations, stage)

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.mbarriers.initialised(warp, lane, place, op)

    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.mbarriers.invalidated(warp, lane, place, op)

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        if self.later:
            self._note_at(place, warp, lanes, op, F.NOTE_ARRIVAL, phase)
        else:
            self.mbarriers.arrived(warp, lanes, place, phase, op)

    def mbarrier_expected(self, warp: Warp, lane: int, place: Place, phase: int, nbytes: int, op: Op) -> None:
        effect = op.inst.form.effect
        arrives = isinstance(effect, Mbarrier) and effect.kind.startswith("arrive")
        if self.later and not arrives:  # else it is noted with the arrival
            self._note_at(place, warp, 1 << lane, op, F.NOTE_EXPECTED, phase)

    def _note_at(self, place: Place, warp: Warp, lanes: int, op: Op, kind: int, phase: int) -> None:
        home = 0 if place.cta is warp.cta else place.cta.rank + 1
        self.note(warp, lanes, op, kind, place.offset | home << HOME, phase)

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        if self.later:
            self.note(warp, lanes, op, F.NOTE_PHASE, place.offset, phase)
        else:
            self.mbarriers.passed(warp, lanes, place, phase, op)

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        if self.later:
            self.operations.counts_later(operation, place, phase)
        else:
            self.operations.mbarrier_completed(operation, place, phase)


def _by_lanes(op: Op) -> bool:
    """Whether an instruction is a cp.async."""
    effect = op.inst.form.effect
    return isinstance(effect, AsyncCopy) and effect.completion == "cp.async-group"
