"""The observer that is told of what a launch does, and finds accesses that nothing orders.

Ordinary instructions tell of themselves by a prologue (semantics/told.py), barriers of the CTA where warps arrive, asynchronous
units by their hooks. Machine code (native/) sees to accesses that are surely in order, and notes who comes to barriers; the rest
comes to Python, in the order in which the launch runs.
"""

from __future__ import annotations

import bisect
import ctypes
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.action import Action, Touch
from ptxlab.isa.effects import Access, Barrier, Effect, Fence, Group
from ptxlab.isa.extents import Run
from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.address import shared_address
from ptxlab.sim.compiled.emit import Handler
from ptxlab.sim.compiled.layers import Layer
from ptxlab.sim.compiled.native import functions
from ptxlab.sim.machine.faults import name_of, shared_name
from ptxlab.sim.machine.observer import Observed, Observer, Turn
from ptxlab.sim.machine.operation import Footprint, Operation, Place, Stage
from ptxlab.sim.machine.resident import Cluster, Cta, Slot, Warp
from ptxlab.sim.machine.special import shared_bytes
from ptxlab.sim.machine.trap import TrapContext
from ptxlab.sim.machine.words import lanes_of
from ptxlab.sim.sanitizer.checks import Checks, Eye, Started, Threads, seen_by
from ptxlab.sim.sanitizer.clocks import START, Clock, over, sources_read
from ptxlab.sim.sanitizer.findings import Findings
from ptxlab.sim.sanitizer.knowledge import NOTHING, Knowledge, Position, Seen, Team, View, threads_of, together
from ptxlab.sim.sanitizer.mbarriers import Mbarriers
from ptxlab.sim.sanitizer.native import arena as A
from ptxlab.sim.sanitizer.native.arena import Arena
from ptxlab.sim.sanitizer.native.code import native
from ptxlab.sim.sanitizer.places import SHADOWED, Reached, Regions
from ptxlab.sim.sanitizer.polls import Polls
from ptxlab.sim.sanitizer.shadow import OPERATION, W_AGENT, W_INFO, W_TIME, Kind, Lines, Region
from ptxlab.sim.sanitizer.sites import Sites, has_textures, kind_of
from ptxlab.sim.units.cluster import ClusterBarriers
from ptxlab.sim.units.mbarrier import Mbarriers as Units

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

_TOLD = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
_FLUSH = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_PARTS = 32
"""Numbers that an operation of a warp takes: one for each lane."""


class ComesTo(Protocol):
    """Is told that a warp has come to a barrier of its CTA, whether it waits there, and whether it was the last."""

    def __call__(self, warp: Warp, number: int, op: Op | None, *, waits: bool, over: bool) -> None: ...


@dataclass(slots=True)
class Meeting:
    """A barrier that threads are coming to: what those who have come know, and who waits."""

    view: View = NOTHING
    waiting: list[tuple[Team, list[int]]] = field(default_factory=list[tuple[Team, list[int]]])
    warps: set[Warp] = field(default_factory=set[Warp])
    came: int = 0


@dataclass(slots=True)
class Issued:
    """An operation under way: its numbers for clocks, from the first on: for each lane, for each CTA that it writes to, or one.

    copies: of an arrival behind copies, what stands for those in clocks.
    """

    operation: Operation
    cluster: int
    first: int
    by_lane: bool
    view: View
    started: int
    tiles: tuple[Cta, ...]
    waited: bool = False
    copies: int = 0

    def bits(self, lanes: int) -> int:
        """What stands for it in clocks, where these lanes are concerned."""
        return (lanes if self.by_lane else (1 << max(1, len(self.tiles))) - 1) << self.first

    def bits_at(self, lanes: int, cta: Cta) -> int:
        """The same where it is over as far as an mbarrier of this CTA tells: of a multicast, its own tile."""
        return 1 << self.first + self.tiles.index(cta) if cta in self.tiles else self.bits(lanes)


class Sanitizer(Observer):
    """Finds accesses that nothing orders; `report.findings` has them.

    Attributes:
        remote: who is told of ordinary accesses to shared memory of another CTA. at_barriers: who is told of warps that come to
            barriers of their CTA.
        strict: ask for a proxy fence between a read and a later asynchronous write also behind an mbarrier, and for the scope of
            the cluster in waits for what another CTA multicasts, as the model's words do and common kernels do not; let nobody but
            its own thread know what comes before an asynchronous write; and let `red` come after what it adds to.
    """

    strict: ClassVar[bool] = False

    def __init__(self) -> None:
        self._failure: BaseException | None = None
        self.remote: list[Callable[[Warp, int, Cta, Op], None]] = []
        self.at_barriers: list[ComesTo] = []

    # -- the launch
    def attach(self, machine: Observed) -> None:
        self.machine, image, record = machine, machine.image, machine.record
        self._pcs = image.points
        self._numbers = {id(op): i for i, op in enumerate(image.ops)}
        self._actions: dict[int, Action] = {}
        self._warps: dict[int, Warp] = {}
        buffers = [b for b in record.buffers if b.nbytes]
        self.arena = arena = Arena(
            [(b.address, b.nbytes) for b in buffers],
            self._granule(image.ops),
            places=self._pcs[-1] // 8 + 1,
            sites=len(image.ops),
            slots=machine.residency.count * record.ctas_per_cluster,
            shared=shared_bytes(record),
            threads=record.threads,
        )
        self._slots: dict[Slot, int] = {}
        self.regions = Regions(
            [
                Lines(arena, "global", b.address, b.nbytes, self._global_name(b.address), key=b.address, first=first)
                for b, first in zip(buffers, arena.lines, strict=True)
            ]
        )
        self.threads = Threads(-(-record.threads // 32) * 32, self._cluster_of)
        self.knowledge = Knowledge(arena.words, strict=self.strict)
        self.findings = Findings(machine, self.threads, strict=self.strict)
        self.checks = Checks(
            self.threads,
            self.findings.clash,
            self.findings.unwritten,
            textures=has_textures(image.ops),
            strict=self.strict,
        )
        self.polls = Polls()
        self.mbarriers = Mbarriers(self.knowledge, self.threads, self.findings)
        self._clusters: dict[int, int] = {}
        self._meetings: dict[tuple[Cta, int], Meeting] = {}
        self._warp_meetings: dict[tuple[Warp, int], Meeting] = {}
        self._cluster_meetings: dict[Cluster, dict[int, View]] = {}
        self._cluster_phases: dict[Warp, int] = {}
        self._waits_at: dict[Warp, tuple[Cta, int]] = {}
        self._issued: dict[int, Issued] = {}
        self._counts: dict[int, int] = {}
        self._copies: dict[tuple[Warp, int], int] = {}
        self._fenced_for_wgmma: dict[Warp, View] = {}
        self._put_prologues()

    def _put_prologues(self) -> None:
        image, machine = self.machine.image, self.machine
        sites = Sites(self.arena, image.ops, strict=self.strict)
        wanted: dict[Handler, list[int]] = {}
        for number, (pc, op, handler) in enumerate(zip(self._pcs, image.ops, image.handlers, strict=True)):
            if not handler.traps and _concerns(op):
                wanted.setdefault(sites.prologue(number, pc, op, handler), []).append(pc)
        machine.overlay.put(Layer.SANITIZE, wanted)
        self._told, self._flush = _TOLD(self._instruction), _FLUSH(self._noted)
        env = machine.env
        env.set64(F.E_TOLD, ctypes.cast(self._told, ctypes.c_void_p).value or 0)
        env.set64(F.E_JUDGE, native().access)
        env.set64(F.E_BEGIN, native().begin_at)
        env.set64(F.E_ARRIVE, functions().arrive_told)

    def _granule(self, ops: Sequence[Op]) -> int:
        """The shortest access of the program."""
        sizes = [4]
        for op in ops:
            if isinstance(op.inst.form.effect, Access):
                sizes += [
                    t.extent.bytes for t in op.inst.effect.touches if isinstance(t.extent, Run) and t.extent.bytes
                ]
        return min(sizes)

    def _cluster_of(self, cta: int) -> int:
        return self._clusters.get(cta, cta)

    def _global_name(self, base: int) -> Callable[[int], str]:
        def name(offset: int) -> str:
            return name_of(self.machine, base + offset)

        return name

    def _shared_name(self, offset: int) -> str:
        return shared_name(self.machine, offset)

    def tally(self, report: object) -> None:
        self._raise()
        self.findings.end()

    def cta_started(self, cta: Cta) -> None:
        slot = self._slots.get(cta.slot)
        if slot is None:
            slot = self._slots[cta.slot] = self.arena.slot()
            block = cta.block
            block.set64(F.C_ARENA, self.arena.address)
            block.set64(F.C_NOTE, native().arrive)
            block.set64(F.C_FLUSH, ctypes.cast(self._flush, ctypes.c_void_p).value or 0)
            block.set(F.C_SLOT, slot)
        self.arena.words[slot + A.S_SHARED_FIRST] = shared_address(cta.rank, 0)
        native().begin(self.arena.address, slot, cta.index)
        cells = self.arena.get(slot + A.S_CELLS)
        self.regions.shared[cta] = Region(
            self.arena, "shared", 0, len(cta.shared), self._shared_name, key=cta, first=cells
        )
        self._begins(cta)
        for warp in cta.warps:
            self._warps[warp.frame.address] = warp

    def _begins(self, cta: Cta) -> None:
        self.polls.changed()
        self._clusters[cta.index] = cta.cluster.index
        self.knowledge.start(Position(cta.index, cta.cluster.index), self.threads.each)

    def _ends(self, cta: Cta) -> None:
        self.knowledge.end(cta.index)
        self.mbarriers.forget(cta)
        for warp in cta.warps:
            self._waits_at.pop(warp, None)
        for key in [key for key in self._meetings if key[0] is cta]:
            del self._meetings[key]

    def cluster_retired(self, cluster: Cluster) -> None:
        for number in [n for n, one in self._issued.items() if one.operation.cluster is cluster]:
            issued = self._issued.pop(number)
            if not issued.waited and self._awaitable(issued.operation.op):
                self.findings.never_waited(issued.operation.op, issued.started)
        for cta in cluster.ctas:
            self._ends(cta)
            self.regions.shared.pop(cta, None)
        self._cluster_meetings.pop(cluster, None)

    def turned(self, cta: Cta, turn: Turn) -> None:
        self._raise()
        if turn is not Turn.RAN:  # the launch may be about to be stopped: what has been noted is looked at before
            self.team(cta)

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
                self._executes(warp, mask, self._op_at(pc))
            except BaseException as e:  # native code cannot pass it on: the next hook does
                self._failure = e

    def _noted(self, frame: int) -> None:
        """Native code has no room for more arrivals, or some of a CTA's threads have met."""
        if self._failure is None:
            try:
                self.team(self._warps[frame].cta)
            except BaseException as e:
                self._failure = e

    def team(self, cta: Cta) -> Team:
        """What native code has noted of a CTA: which one it is (they follow one another), and who has come to its barriers."""
        words, slot = self.arena.words, self._slots[cta.slot]
        index, noted = int(words[slot + A.S_INDEX]), int(words[slot + A.S_LOG_COUNT])
        if index != cta.index:
            self._ends(cta)
            cta.index = cta.cluster.index = index
            x, y, _ = self.machine.record.grid
            cta.coordinates = cta.cluster.coordinates = index % x, index // x % y, index // (x * y)
            self._begins(cta)
        team = self.knowledge.teams[cta.index]
        if noted:
            words[slot + A.S_LOG_COUNT] = 0
            now, log = self.knowledge.now, words[slot + A.S_LOG :][: A.LOG_WORDS * noted].tolist()
            for word, alive, time, pc in zip(*[iter(log)] * A.LOG_WORDS, strict=True):
                self.knowledge.now = time
                self._came(cta, team, word, alive, self._op_at(pc))
            self.knowledge.now = now
        return team

    def _came(self, cta: Cta, team: Team, word: int, alive: int, op: Op) -> None:
        """An arrival that native code has noted."""
        number = word >> A.G_NUMBER & 0xFF
        if word >> A.G_FULL & 1:  # all threads of the CTA have met
            self._meetings.pop((cta, number), None)
            everybody = range(self.machine.record.threads)
            view = self.knowledge.publish(team, everybody)
            for warp in cta.warps:
                self._waits_at.pop(warp, None)
                for told in self.at_barriers:
                    told(warp, number, op, waits=True, over=warp is cta.warps[-1])
            self.knowledge.learn(team, everybody, view)
        else:
            waits, over = (bool(word >> bit & 1) for bit in (A.G_WAITS, A.G_OVER))
            self._comes(cta.warps[word & 0xFF], alive, team, number, op, waits=waits, over=over)

    def _op_at(self, pc: int) -> Op:
        return self.machine.image.ops[bisect.bisect_left(self._pcs, pc)]

    def clusters(self) -> Iterable[Cluster]:
        """The clusters that have memory in the shadow."""
        return {id(cta.cluster): cta.cluster for cta in self.regions.shared}.values()

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        self._raise()
        op = self.machine.image.op_at(pc)
        if pc not in self.machine.image.flights and pc not in self.machine.image.caches and _concerns(op):
            self._executes(warp, mask, op)

    def _awaitable(self, op: Op) -> bool:
        """Whether the thread that starts such an operation is to wait for it, by a group."""
        end = self._action(op).completion
        return end is not None and end.mechanism.endswith("-group")

    # -- instructions
    def _action(self, op: Op) -> Action:
        found = self._actions.get(id(op))
        if found is None:
            found = self._actions[id(op)] = op.inst.effect
        return found

    def _team(self, warp: Warp) -> Team:
        team = self.team(warp.cta)
        self._runs(warp)
        return team

    def _runs(self, warp: Warp) -> None:
        """A warp that has waited at a barrier runs again: others have exited, and that was the end of the barrier."""
        meeting = self._waits_at.pop(warp, None)
        if meeting is not None:
            self._meet(meeting)

    def _executes(self, warp: Warp, mask: int, op: Op) -> None:
        action = self._action(op)
        effect = action.effect
        team = self._team(warp)
        if isinstance(effect, Access):
            if not self.polls.repeats(warp, mask, op, self.knowledge.now, self._exchanges):
                self._accesses(warp, mask, op, action, team)
            return
        self.polls.changed()
        if isinstance(effect, Fence):
            self._fences(warp, mask, action, effect, team)
        elif isinstance(effect, Barrier):
            self._meets_in_warp(warp, mask, op, team)
        elif isinstance(effect, Group):
            self._fenced_for_wgmma[warp] = self.knowledge.publish(team, threads_of(warp.index, mask))

    def _fences(self, warp: Warp, mask: int, action: Action, effect: Fence, team: Team) -> None:
        threads = threads_of(warp.index, mask)
        if action.only == "mbarrier.init":
            self.knowledge.show_inits(team, threads)
        elif action.joins:
            half = action.order if action.order in ("acquire", "release") else None
            self.knowledge.join_proxies(team, threads, action.joins, action.space, half)
        else:
            self.knowledge.fence(team, threads, action.order, action.scope)

    def _accesses(self, warp: Warp, mask: int, op: Op, action: Action, team: Team) -> None:
        ctx = TrapContext(self.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        site, wrote, vain = self._numbers[id(op)], False, list[Reached]()
        for touch in action.touches:
            if touch.space not in SHADOWED or touch.proxy == "constant":
                continue
            kind = kind_of(site, op, touch)
            for reached in self.regions.reached(ctx, touch):
                if touch.update == "cas" and len(reached.lanes) == 1 and not self._exchanges(ctx, reached):
                    touch = replace(touch, writes=False)  # it finds another value, and writes nothing
                    vain.append(reached)
                wrote = wrote or touch.writes
                self._reach(warp, team, reached, touch, kind, op)
        if wrote:
            self.polls.changed()
        else:
            self.polls.note(ctx, vain, self.knowledge.now)

    def _exchanges(self, ctx: TrapContext, reached: Reached) -> bool:
        """Whether a compare-and-swap of one thread finds what it compares with."""
        lane, start, nbytes = int(reached.lanes[0]), int(reached.starts[0]), int(reached.nbytes[0])
        cta = reached.region.key
        if isinstance(cta, Cta):
            there = cta.shared[start : start + nbytes]
        else:
            there = self.machine.global_view(reached.region.base + start, nbytes)
        return bool(np.array_equal(there, ctx.read_bytes("b")[lane][:nbytes]))

    def _reach(self, warp: Warp, team: Team, reached: Reached, touch: Touch, kind: Kind, op: Op) -> None:
        threads = (reached.lanes + 32 * warp.index).tolist()
        before: list[View] = [team.views[t] for t in threads] if kind.strong else []
        if kind.strong and touch.writes:
            self.knowledge.now += 1  # what the instruction writes is told from what its threads wrote before
        if kind.strong:
            starts = reached.starts.tolist()
            for thread, start in zip(threads, starts, strict=True):
                self._flag(team, thread, reached.region, start, touch, op)
            self.knowledge.stamp((reached.region.key, start) for start in starts)
        elif self.knowledge.written:
            for thread, start in zip(threads, reached.starts.tolist(), strict=True):
                place = (reached.region.key, start)
                if touch.writes:
                    self.knowledge.write(team, thread, place, "weak", None)
                else:
                    self.knowledge.read(team, thread, place, "weak", None)
        there = reached.region.key
        if isinstance(there, Cta) and there is not warp.cta:
            for told in self.remote:
                told(warp, sum(1 << lane for lane in set(reached.lanes.tolist())), there, op)
        agents = np.array([self.threads.agent(team.at.cta, t) for t in threads], np.uint32)
        eyes = seen_by(threads, team.views, team.at)
        if before:  # what a read finds comes before what follows it, not before itself
            eyes = [
                e if e.view.seen is v.seen else replace(e, view=e.view._replace(seen=v.seen))
                for e, v in zip(eyes, before, strict=True)
            ]
        self.findings.at, self.findings.reached = (warp, op), reached
        if touch.writes and not kind.update and len(threads) > 1:
            self._same_bytes(warp, reached, op, kind)
        self._mbarriers_there(reached, agents, kind, writes=touch.writes)
        self.checks.access(reached, agents, eyes, self.knowledge.now, kind, reads=touch.reads, writes=touch.writes)
        if touch.order in ("acquire", "acq_rel") and touch.update is not None and not self.strict:
            self.checks.locks(reached, agents, [Eye(team.at, v) for v in before], kind)
        if kind.strong and touch.writes:
            self.knowledge.now += 1

    def _flag(self, team: Team, thread: int, region: Region, start: int, touch: Touch, op: Op) -> None:
        """A strong access: it may find what somebody has published, or publish."""
        know, place = self.knowledge, (region.key, start)
        own: frozenset[Seen] = frozenset()
        if touch.reads:
            own = self._weakly_written(team, thread, region, start)
            know.read(
                team,
                thread,
                place,
                touch.order,
                touch.scope,
                reduction=touch.writes and "d" not in op.inst.form.operands,
            )
        if touch.writes:
            know.write(team, thread, place, touch.order, touch.scope, chain=touch.reads, own=own)

    def _mbarriers_there(self, reached: Reached, agents: NDArray[np.uint32], kind: Kind, *, writes: bool) -> None:
        """Accesses to bytes of live mbarriers."""
        live = self.mbarriers.offsets(reached.region.key)
        for offset in live:
            hit = (reached.starts < offset + 8) & (reached.starts + reached.nbytes > offset)
            if hit.any():
                agent = int(agents[int(np.flatnonzero(hit)[0])])
                self.findings.of_mbarrier(reached.region, offset // reached.region.granule, agent, kind, writes=writes)

    def _weakly_written(self, team: Team, thread: int, region: Region, start: int) -> frozenset[Seen]:
        """A strong read of what was written by a weak store: as a flag it would have told of what came before that.

        Returns: that store, if it is the thread's own.
        """
        where, _ = region.granules(np.array([start]), np.array([1]))
        if not len(where):
            return frozenset()
        cell = region.cells[int(where[0])]
        agent = int(cell[W_AGENT])
        if agent and not agent & OPERATION and not Kind.of(int(cell[W_INFO])).strong:
            cta, writer = self.threads.thread(agent)
            if (cta, writer) == (team.at.cta, thread):
                return frozenset({(int(cell[W_TIME]), agent - 1)})
            times = np.zeros(self.threads.each, np.uint32)
            times[writer] = cell[W_TIME]
            self.knowledge.miss(team, [thread], "PTX9202", Clock({cta: times}, {}, {}))
        return frozenset()

    def _same_bytes(self, warp: Warp, reached: Reached, op: Op, kind: Kind) -> None:
        """Lanes of one store that write the same bytes: no matter if they write the same."""
        where, runs = reached.region.granules(reached.starts, reached.nbytes)
        unique = np.unique(where)
        if len(unique) == len(where):
            return
        self.findings.collision(warp, reached, where, runs, op, kind)

    # -- barriers
    def _comes(
        self, warp: Warp, alive: int, team: Team, number: int, op: Op | None, *, waits: bool, over: bool
    ) -> None:
        self.polls.changed()
        self._runs(warp)
        threads = threads_of(warp.index, alive)
        key = (warp.cta, number)
        meeting = self._meetings.setdefault(key, Meeting())
        meeting.view = together(meeting.view, self.knowledge.publish(team, threads))
        if waits:
            meeting.waiting.append((team, threads))
            self._waits_at[warp] = key
            meeting.warps.add(warp)
        for told in self.at_barriers:
            told(warp, number, op, waits=waits, over=over)
        if over:
            self._meet(key)

    def _meet(self, key: tuple[Cta, int]) -> None:
        """A barrier of a CTA is over."""
        meeting = self._meetings.pop(key, None)
        if meeting is not None:
            for warp in meeting.warps:
                self._waits_at.pop(warp, None)
            for team, threads in meeting.waiting:
                self.knowledge.learn(team, threads, meeting.view)

    def _meets_in_warp(self, warp: Warp, mask: int, op: Op, team: Team) -> None:
        """bar.warp.sync. Lanes that are let go run it once more."""
        passing = warp.frame.get(F.F_RELEASED) & mask
        mask &= ~passing
        if not mask:
            return
        ctx = TrapContext(self.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        named = ctx.read("mask").astype(np.int64) & 0xFFFF_FFFF
        for members in {int(named[lane]) for lane in lanes_of(mask)}:
            mine = sum(1 << lane for lane in lanes_of(mask & members) if named[lane] == members)
            if mine:
                self._meets_lanes(warp, mine, members, team)

    def _meets_lanes(self, warp: Warp, mask: int, members: int, team: Team) -> None:
        """Lanes come to a barrier of these members; a lane that is not among them meets nobody."""
        key = (warp, members)
        meeting = self._warp_meetings.setdefault(key, Meeting())
        threads = threads_of(warp.index, mask)
        meeting.view = together(meeting.view, self.knowledge.publish(team, threads))
        meeting.waiting.append((team, threads))
        meeting.came |= mask
        if members & warp.frame.get(F.F_ALIVE) & ~meeting.came == 0:
            del self._warp_meetings[key]
            for one, who in meeting.waiting:
                self.knowledge.learn(one, who, meeting.view)

    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        self.polls.changed()
        team, cluster = self._team(warp), warp.cta.cluster
        phase = self.machine.unit(ClusterBarriers).get(cluster).phase
        self._cluster_phases[warp] = phase
        meetings = self._cluster_meetings.setdefault(cluster, {})
        threads = threads_of(warp.index, lanes)
        view = self.knowledge.publish(team, threads)
        if self._action(op).order == "relaxed":
            view = together(View(inits=view.inits), self.knowledge.fenced(team, threads))
        meetings[phase] = together(meetings.get(phase, NOTHING), view)
        meetings.pop(phase - 2, None)  # all have passed it

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        self.polls.changed()
        team = self._team(warp)
        view = self._cluster_meetings.get(warp.cta.cluster, {}).get(self._cluster_phases.get(warp, -1), NOTHING)
        if self._action(op).order == "relaxed":
            view = View(inits=view.inits)
        self.knowledge.learn(team, threads_of(warp.index, lanes), view)

    # -- asynchronous operations
    def issued(self, operation: Operation) -> None:
        self.polls.changed()
        warp, op = operation.warp, operation.op
        team = self._team(warp)
        site = self._numbers[id(op)]
        action = self._action(op)
        by_lane = action.completion is not None and action.completion.mechanism == "cp.async-group"
        cluster = warp.cta.cluster.index
        first = self._counts.get(cluster, 0)
        tiles = _tiles(operation)
        parts = _PARTS if by_lane else max(1, len(tiles))
        self._counts[cluster] = first + parts
        base = len(self.threads.started)
        lane = (operation.lanes & -operation.lanes).bit_length() - 1
        group = action.completion.mechanism if self._awaitable(op) and action.completion is not None else ""
        for i in range(parts):
            one = i if by_lane else lane
            self.threads.started.append(
                Started(
                    site,
                    team.at,
                    cluster,
                    number=first + i,
                    warp=warp.index,
                    lane=one,
                    group=group,
                    spread=bool(tiles),
                )
            )
        if by_lane:
            for one in lanes_of(operation.lanes):
                self._copies[warp, one] = self._copies.get((warp, one), 0) | 1 << first + one
        views = self._issuer_views(operation, team)
        self._issued[operation.number] = Issued(
            operation,
            cluster,
            first,
            by_lane,
            views[0],
            started=OPERATION | base + (lane if by_lane else 0),
            tiles=tiles,
        )
        if getattr(op.inst.form.effect, "after", None) is not None:
            mine = [self._copies.get((warp, one), 0) for one in lanes_of(operation.lanes)]
            self._issued[operation.number].copies = functools.reduce(int.__or__, mine, 0)
        self.findings.at = (warp, op)
        copies = range(max(1, len(tiles)))
        for part, footprint, writes in [
            *((i, f, False) for i in copies for f in operation.reads),
            *((i if tiles else 0, f, True) for i, f in enumerate(operation.writes)),
        ]:
            if footprint.proxy != "tensormap":
                touch = next((t for t in action.touches if t.agent == "operation" and t.writes == writes), None)
                kind = _operation_kind(site, touch, footprint.proxy)
                self._touches(footprint, team, views, base + part, by_lane, kind, writes=writes)

    def knows_at_issue(self, operation: Operation) -> View | None:
        """What the threads that issued an operation knew then; None where it is not under way."""
        issued = self._issued.get(operation.number)
        return None if issued is None else issued.view

    def is_over(self, operation: Operation, clock: Clock) -> bool:
        """Whether a clock knows that an operation is over."""
        issued = self._issued.get(operation.number)
        if issued is None:
            return True
        bits = issued.bits(operation.lanes)
        return clock.done.get(issued.cluster, 0) & bits == bits

    def _issuer_views(self, operation: Operation, team: Team) -> list[View]:
        """What comes before an operation: what its threads did before issuing it.

        Of wgmma, what each of its warps knew at its last wgmma.fence: any of them may be the first to get to the operands.
        """
        if len(operation.warps) > 1:
            views = [self._fenced_for_wgmma.get(warp, NOTHING) for warp in operation.warps]
            return list({id(view): view for view in views}.values())
        return [self.knowledge.publish(team, threads_of(operation.warp.index, operation.lanes))]

    def _touches(
        self,
        footprint: Footprint,
        team: Team,
        views: Sequence[View],
        base: int,
        by_lane: bool,
        kind: Kind,
        *,
        writes: bool,
    ) -> None:
        lanes = footprint.lanes if by_lane and footprint.lanes is not None else np.zeros(len(footprint.starts), np.int8)
        agents = (base + lanes.astype(np.int64) | OPERATION).astype(np.uint32)
        memory, proxy = (team.at.cta, footprint.space), footprint.proxy
        fenced = [view.fenced.get(memory, START) if proxy == "async" else None for view in views]
        eyes = [Eye(team.at, view, proxy, known, self.strict) for view, known in zip(views, fenced, strict=True)]
        for reached, runs in self._found(footprint):
            self._mbarriers_there(reached, agents[runs], kind, writes=writes)
            self.checks.by_operation(reached, agents[runs], eyes, self.knowledge.now, kind, writes=writes)

    def _found(self, footprint: Footprint) -> Iterable[tuple[Reached, NDArray[np.int64]]]:
        numbers = np.arange(len(footprint.starts))
        if footprint.cta is not None:
            region = self.regions.shared.get(footprint.cta)
            if region is not None:
                yield Reached(region, numbers, footprint.starts, footprint.nbytes), numbers
            return
        for reached in self.regions.in_global(numbers, footprint.starts.astype(np.uint64), footprint.nbytes):
            yield reached, reached.lanes

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        self.polls.changed()
        team = self._team(warp)
        by_lanes: dict[int, int] = {}
        cluster = warp.cta.cluster.index
        for operation, lanes in operations:
            issued = self._issued.get(operation.number)
            if issued is None:
                continue
            issued.waited = True
            if issued.by_lane:
                for lane in lanes_of(lanes & operation.lanes):
                    by_lanes[1 << lane] = by_lanes.get(1 << lane, 0) | issued.bits(1 << lane)
            else:
                by_lanes[lanes] = by_lanes.get(lanes, 0) | issued.bits(lanes)
        for lanes, bits in by_lanes.items():
            known = sources_read(cluster, bits) if stage is Stage.READ else over(cluster, bits)
            self.knowledge.learn(team, threads_of(warp.index, lanes), View(known))

    # -- mbarriers
    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.polls.changed()
        at, words = self._slots[place.cta.slot] + A.S_MBARRIERS, self.arena.words
        words[at] = min(int(words[at]), max(0, place.offset))
        words[at + 1] = max(int(words[at + 1]), place.offset + 8)
        self.mbarriers.init(self._team(warp), 32 * warp.index + lane, place, self._numbers[id(op)])

    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.polls.changed()
        self.mbarriers.end(place)

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        self.polls.changed()
        action, team = self._action(op), self._team(warp)
        self.findings.at = (warp, op)
        threads = threads_of(warp.index, lanes)
        self.mbarriers.used(team, threads, place, self._numbers[id(op)])
        order = action.order or "release"
        self.mbarriers.arrive(team, threads, place, phase, order, action.scope or "cta")

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        self.polls.changed()
        action, team = self._action(op), self._team(warp)
        self.findings.at = (warp, op)
        threads = threads_of(warp.index, lanes)
        self.mbarriers.used(team, threads, place, self._numbers[id(op)])
        if (action.order or "acquire") != "relaxed":
            self.mbarriers.passed(team, threads, place, phase, action.scope or "cta")

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        self.polls.changed()
        issued = self._issued.get(operation.number)
        if issued is None:
            return
        team = self.knowledge.teams.get(operation.warp.cta.index)
        if team is None:
            return
        issued.waited = True
        known = over(issued.cluster, issued.bits_at(operation.lanes, place.cta))
        after = getattr(operation.op.inst.form.effect, "after", None)
        if after is not None:  # an arrival behind the thread's copies: it publishes them
            for one in self._issued.values():
                if one.by_lane and one.bits(one.operation.lanes) & issued.copies:
                    one.waited = True
            known = over(issued.cluster, issued.copies)
        self.findings.at = (operation.warp, operation.op)
        self.mbarriers.used_by_operation(team.at, issued.view, place, issued.started, asynchronous=after is None)
        if not self._brings_too_much(operation, place):
            self.mbarriers.complete(place, phase, known, self._ends_at(operation, place))

    def _brings_too_much(self, operation: Operation, place: Place) -> bool:
        """Whether an operation brings more bytes than the phase lacks: that ends before the last of them are there."""
        barrier = self.machine.unit(Units).live[place.cta].get(place.offset)
        brought = sum(int(f.nbytes.sum()) for f in operation.writes if f.cta is place.cta)
        return barrier is not None and barrier.pending == 0 and 0 < barrier.tx < brought

    def _ends_at(self, operation: Operation, place: Place) -> Position:
        """From where an operation releases what it did, which scopes of waits have to reach: its issuer's CTA.

        What is multicast counts as coming from the CTA that gets it: everybody waits for it with the scope of the CTA.
        """
        cta = place.cta if _tiles(operation) and not self.strict else operation.warp.cta
        return Position(cta.index, cta.cluster.index)


def _tiles(operation: Operation) -> tuple[Cta, ...]:
    """The CTAs that a multicast writes to: it is an operation for each. None of anything else."""
    ctas = [f.cta for f in operation.writes if f.cta is not None]
    return tuple(ctas) if len(ctas) > 1 and len(ctas) == len(operation.writes) == len(set(ctas)) else ()


def _concerns(op: Op) -> bool:
    """Whether an instruction accesses memory that others may, or orders such accesses, by itself."""
    effect: Effect = op.inst.form.effect
    if isinstance(effect, Access):
        return effect.kind != "discard" and any(t.space in SHADOWED for t in op.inst.effect.touches)
    if isinstance(effect, Barrier):
        return effect.scope == "warp"
    return isinstance(effect, Fence) or (isinstance(effect, Group) and effect.kind == "fence")


def _operation_kind(site: int, touch: Touch | None, proxy: str) -> Kind:
    if touch is None:
        return Kind(site, proxy=proxy)
    return Kind(site, touch.order != "weak", touch.scope or "", 4, proxy, touch.update is not None)


__all__ = ["Sanitizer"]
