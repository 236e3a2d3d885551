"""The observer that is told of what a launch does, and finds accesses that nothing orders.

Ordinary instructions tell of themselves by a prologue (semantics/told.py), barriers of the CTA where warps arrive, asynchronous
units by their hooks. Machine code (native/) sees to accesses that are surely in order, and notes who comes to barriers; the rest
comes to Python, in the order in which the launch runs.
"""

from __future__ import annotations

import bisect
import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ptxlab.isa.action import Action
from ptxlab.isa.effects import AsyncCopy
from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.address import shared_address
from ptxlab.sim.compiled.layers import Layer
from ptxlab.sim.compiled.native import functions
from ptxlab.sim.machine.faults import name_of, shared_name
from ptxlab.sim.machine.observer import Observed, Turn
from ptxlab.sim.machine.operation import Operation, Place, Stage
from ptxlab.sim.machine.resident import Cluster, Cta, Slot, Warp
from ptxlab.sim.machine.special import shared_bytes
from ptxlab.sim.sanitizer.accesses import Accesses
from ptxlab.sim.sanitizer.checks import Checks, Threads
from ptxlab.sim.sanitizer.core import Core
from ptxlab.sim.sanitizer.deferred import Deferred
from ptxlab.sim.sanitizer.findings import Findings
from ptxlab.sim.sanitizer.knowledge import Knowledge, Position, Team
from ptxlab.sim.sanitizer.mbarriers import Mbarriers
from ptxlab.sim.sanitizer.meetings import Meetings
from ptxlab.sim.sanitizer.native import arena as A
from ptxlab.sim.sanitizer.native.arena import Arena
from ptxlab.sim.sanitizer.native.code import native
from ptxlab.sim.sanitizer.operations import Operations
from ptxlab.sim.sanitizer.places import Regions
from ptxlab.sim.sanitizer.polls import Polls
from ptxlab.sim.sanitizer.shadow import Lines, Region
from ptxlab.sim.sanitizer.sites import sites_of
from ptxlab.sim.units.wgmma import TensorCores

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.report.report import Report

_TOLD = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
_FLUSH = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Sanitizer(Core):
    """Finds accesses that nothing orders; `report.findings` has them."""

    def __init__(self) -> None:
        super().__init__()
        self._failure: BaseException | None = None

    # -- the launch
    def attach(self, machine: Observed) -> None:
        self.machine, image, record = machine, machine.image, machine.record
        self._follows = machine.options.schedule == "eager" and not machine.options.trace
        self._sites = sites = sites_of(image, strict=self.strict, copies=self._follows)
        self.numbers = sites.numbers
        self._warps: dict[int, Warp] = {}
        self.copies = sites.copies
        buffers = [b for b in record.buffers if b.nbytes]
        self.arena = arena = Arena(
            [(b.address, b.nbytes) for b in buffers],
            sites.granule,
            places=sites.places,
            sites=sites.rows,
            slots=machine.residency.count * record.ctas_per_cluster,
            shared=shared_bytes(record),
            threads=record.threads,
            copies=bool(self.copies.all),
            waits=len(self.copies.waits),
            products=bool(self.copies.products),
            private=sites.private and record.ctas_per_cluster == 1,
            shared_granule=sites.shared_granule,
        )
        arena.words[A.H_RELEASED] = A.OF_CLUSTERS * (record.ctas_per_cluster > 1)
        self.slots: dict[Slot, int] = {}
        self.regions = Regions(
            [
                Lines(arena, "global", b.address, b.nbytes, self._global_name(b.address), key=b.address, first=first)
                for b, first in zip(buffers, arena.lines, strict=True)
            ]
        )
        self.threads = Threads(-(-record.threads // 32) * 32, self._cluster_of, arena)
        self.knowledge = Knowledge(arena.words, strict=self.strict)
        self._ctas: dict[int, Cta] = {}
        self.deferred = Deferred(arena, self.knowledge, self.regions, self.threads, kind=self._relaxed)
        self.knowledge.bring, self.knowledge.releases = self.deferred.bring, self._releases
        self.findings = Findings(machine, self.threads, strict=self.strict)
        self.textures = sites.textures
        self.checks = Checks(
            self.threads,
            self.knowledge,
            self.findings.clash,
            self.findings.unwritten,
            textures=self.textures,
            strict=self.strict,
        )
        self.polls = Polls()
        self.mbarriers = Mbarriers(self.knowledge, self.threads, self.findings)
        self._clusters: dict[int, int] = {}
        self._begun: dict[Cta, int] = {}
        self.meetings = Meetings(self)
        self.accesses = Accesses(self, self.meetings)
        self.operations = Operations(self, self.accesses)
        self._put_prologues()

    def _put_prologues(self) -> None:
        machine = self.machine
        machine.overlay.put(Layer.SANITIZE, self._sites.prologues)
        self._told, self._flush = _TOLD(self._instruction), _FLUSH(self._noted)
        env = machine.env
        env.set64(F.E_TOLD, ctypes.cast(self._told, ctypes.c_void_p).value or 0)
        env.set64(F.E_JUDGE, native().access)
        env.set64(F.E_BEGIN, native().begin_at)
        env.set64(F.E_SAME, native().same)
        env.set64(F.E_EQUAL, native().equal_stores)
        env.set64(F.E_COPY, native().copy)
        env.set64(F.E_COMMIT, native().commit)
        env.set64(F.E_WAIT, native().wait)
        if self.copies.products:
            env.set64(F.E_JUDGE_PRODUCT, native().product)
        env.set64(F.E_PRODUCT_WAIT, native().waits)
        env.set64(F.E_FENCE, native().fence)
        env.set64(F.E_GUARD, native().guard)
        env.set64(F.E_ARRIVE, functions().arrive_told)
        self._noting = self._takes_notes()
        if self._noting:
            env.set64(F.E_NOTE, native().note)
            env.set64(F.E_WAITS, 1)

    def _takes_notes(self) -> bool:
        """Whether warps may wait without Python, which hears of it later: nobody else does, and nothing is left under way.

        Notes are taken by CTA. So an mbarrier has to be a matter of one CTA alone.
        """
        machine = self.machine
        hooks = (*machine.told.waited, *machine.told.mbarrier_passed)
        hears = {told.__self__ for told in hooks}  # type: ignore[attr-defined]
        alone = machine.record.ctas_per_cluster == 1
        ours = all(getattr(one, "core", one) is self for one in hears)
        return alone and ours and self._follows and not self.copies.products

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
        return self.action(op).touches[0].scope or "", self.strict or "d" in op.inst.form.operands

    def _releases(self, cta: int) -> None:
        """A thread of a CTA has something to publish: machine code does not judge its relaxed operations any more."""
        words = self.arena.words
        words[A.H_RELEASED] |= A.RELEASED
        words[self.slots[self._ctas[cta].slot] + A.S_RELEASED] = 1

    def tally(self, report: Report) -> None:
        self._raise()
        self.operations.end()
        self.findings.end()
        report.unwatched = self.arena.unwatched()

    def cta_started(self, cta: Cta) -> None:
        if self.copies.products and not self.machine.env.get64(F.E_PRODUCTS):
            self.copies = replace(self.copies, products=frozenset())  # somebody else has to hear of each
        slot = self.slots.get(cta.slot)
        if slot is None:
            slot = self.slots[cta.slot] = self.arena.slot()
            block = cta.block
            block.set64(F.C_ARENA, self.arena.address)
            block.set64(F.C_NOTE, native().arrive)
            block.set64(F.C_FLUSH, ctypes.cast(self._flush, ctypes.c_void_p).value or 0)
            block.set(F.C_SLOT, slot)
        self.arena.words[slot + A.S_SHARED_FIRST] = shared_address(cta.rank, 0)
        native().begin(self.arena.address, slot, cta.index)
        cells = self.arena.get(slot + A.S_CELLS)
        self.regions.shared[cta] = Region(
            self.arena, "shared", 0, len(cta.shared), self._shared_name, key=cta, first=cells, slot=slot
        )
        self._begins(cta)
        for warp in cta.warps:
            self._warps[warp.frame.address] = warp

    def _begins(self, cta: Cta) -> None:
        self.polls.changed()
        self._clusters[cta.index] = cta.cluster.index
        self._begun[cta] = cta.index
        self._ctas[cta.index] = cta
        self.knowledge.start(Position(cta.index, cta.cluster.index), self.threads.each)

    def _ends(self, cta: Cta) -> None:
        index = self._begun.pop(cta)
        self.knowledge.end(index)
        self.deferred.forget(index)
        self.knowledge.forget(cta)
        del self._ctas[index]
        self.mbarriers.forget(cta)
        self.meetings.forget(cta)

    def cluster_retired(self, cluster: Cluster) -> None:
        self.operations.forget(cluster)
        for cta in cluster.ctas:
            native().close_copies(self.arena.address, self.slots[cta.slot])
            self._ends(cta)
            self.regions.shared.pop(cta, None)
        self.meetings.forget_cluster(cluster)

    def turned(self, cta: Cta, turn: Turn) -> None:
        self._raise()
        # the launch may be about to be stopped, or waits have been noted and the CTA ends: what has been noted is looked at before
        if turn is not Turn.RAN or self._noting:
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
                op = self._op_at(pc)
                if isinstance(op.inst.form.effect, AsyncCopy):
                    self.operations.copies(warp, mask, op)
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

    def team(self, cta: Cta, *, fences: bool = True) -> Team:
        """What native code has noted of a CTA: which one it is (they follow one another), and who has come to its barriers.

        fences: whether anybody may still ask what its fences have let through.
        """
        words, slot = self.arena.words, self.slots[cta.slot]
        index, noted = int(words[slot + A.S_INDEX]), int(words[slot + A.S_LOG_COUNT])
        if index != self._begun[cta]:  # not cta.index: where the CTA runs alone, that one may be up to date already
            self._ends(cta)
            cta.index = cta.cluster.index = index
            x, y, _ = self.machine.record.grid
            cta.coordinates = cta.cluster.coordinates = index % x, index // x % y, index // (x * y)
            self._begins(cta)
        team = self.knowledge.teams[cta.index]
        if noted:
            words[slot + A.S_LOG_COUNT] = 0
            now = self.knowledge.now
            log: list[int] = words[slot + A.S_LOG :][: A.LOG_WORDS * noted].tolist()
            word: int
            for word, lanes, time, pc, *more in zip(*[iter(log)] * A.LOG_WORDS, strict=True):
                self.knowledge.now = time
                if word >> A.G_FENCE & 1 or word >> A.G_GUARD & 1:
                    if fences:
                        self.accesses.fences(cta, word & 0xFF, lanes, self._op_at(pc), team)
                elif word >> A.G_KIND:
                    self._has_waited(cta.warps[word & 0xFF], lanes, pc, word >> A.G_KIND, *more)
                else:
                    self.meetings.came(cta, team, word, lanes, self._op_at(pc))
            self.knowledge.now = now
        return team

    def _has_waited(self, warp: Warp, lanes: int, pc: int, kind: int, first: int, second: int) -> None:
        """A wait that native code has noted: see `NOTE_PRODUCTS` and so on."""
        if kind == F.NOTE_PRODUCTS:
            for told in self.at_waits:
                told(warp, pc)
            self.machine.unit(TensorCores).has_waited(warp, first)
        else:
            op, second = self._op_at(pc), second - (second >> 31 << 32)  # phase -1 is over where an mbarrier begins
            for told in self.machine.told.mbarrier_passed:
                told(warp, lanes, Place(warp.cta, first), second, op)

    def _op_at(self, pc: int) -> Op:
        return self.machine.image.ops[bisect.bisect_left(self._sites.points, pc)]

    def clusters(self) -> Iterable[Cluster]:
        """The clusters that have memory in the shadow."""
        return {id(cta.cluster): cta.cluster for cta in self.regions.shared}.values()

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        self._raise()
        if self._noting and self.arena.words[self.slots[warp.cta.slot] + A.S_LOG_COUNT]:
            self.team(warp.cta)
        op = self._sites.in_python.get(pc)
        if op is not None:
            self.accesses.executes(warp, mask, op)

    def action(self, op: Op) -> Action:
        """What an instruction does."""
        return self._sites.actions[id(op)]

    def team_of(self, warp: Warp) -> Team:
        """The same of a warp that runs."""
        team = self.team(warp.cta)
        self.meetings.runs(warp)
        return team

    # -- what units tell
    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        self.meetings.cluster_arrived(warp, lanes, op)

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        self.meetings.cluster_passed(warp, lanes, op)

    @property
    def hears_copies(self) -> bool:
        return not self.copies.all

    @property
    def hears_products(self) -> bool:
        return not self.copies.products

    def issued(self, operation: Operation) -> None:
        if self.numbers[id(operation.op)] in self.copies.products:
            self.operations.product(operation)
            return
        if self.hears_copies or self.numbers[id(operation.op)] not in self.copies.all:
            self.operations.issued(operation)

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        self.operations.waited(warp, operations, stage)

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.operations.mbarrier_initialised(warp, lane, place, op)

    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.operations.mbarrier_invalidated(place)

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        self.operations.mbarrier_arrived(warp, lanes, place, phase, op)

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        self.operations.mbarrier_passed(warp, lanes, place, phase, op)

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        self.operations.mbarrier_completed(operation, place, phase)


__all__ = ["Sanitizer"]
