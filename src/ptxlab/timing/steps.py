"""What a launch did, step by step and without durations: which instructions each warp executed, and what they moved and waited for.

An observer of a functional run writes it. A run that is not recorded has no such observer, and costs nothing more. One that is
goes through Python for each instruction, about two microseconds each.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from ptxlab.isa.effects import Access, AsyncCopy, AsyncMma, Barrier, Group, Mbarrier
from ptxlab.isa.operands import Addr, Imm, Reg
from ptxlab.ptx.program import Op
from ptxlab.sim.diagnose.observe.counting import Counting
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32, RANK_SHIFT
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.operation import Operation, Place, Stage
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Parked, Warp

_NOTIFY: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
TALLIED: Final = ("executions", "threads", "wavefronts", "least_wavefronts", "sectors", "least_sectors")
_COUNTED: Final = {name: F.COUNTERS.index(name) for name in TALLIED}
_PAST_L1: Final = frozenset({"cg", "cv", "volatile", "relaxed", "acquire", "atom", "red"})
"""Words of an opcode by which an access does not look into L1."""
_EFFECTS: Final = (Access, AsyncCopy, AsyncMma, Barrier, Group, Mbarrier)
SECTOR: Final = 32
"""Bytes of a sector."""


class Phase(NamedTuple):
    """A phase of an mbarrier: the rank of its CTA in the cluster, its offset in shared memory, and which phase."""

    rank: int
    offset: int
    number: int


class Meeting(NamedTuple):
    """A use of a barrier: "cta" or "cluster", the CTA's rank, the barrier's number, and which use."""

    scope: str
    rank: int
    number: int
    turn: int


@dataclass(slots=True)
class Facts:
    """What a step did beside computing.

    Attributes:
        sectors: of global memory, `again` those among them that the CTA has touched before. wavefronts: of shared memory.
        remote: bytes of the shared memory of other CTAs.
        arrives: phases of mbarriers in which it counts. passes: those that it has waited for.
        issues, waits: asynchronous operations that it starts, and that it waits for, by number.
        meets: the use of a barrier that it takes part in. stays: whether it waits there.
    """

    sectors: int = 0
    again: int = 0
    wavefronts: int = 0
    remote: int = 0
    arrives: list[Phase] = field(default_factory=list[Phase])
    passes: list[Phase] = field(default_factory=list[Phase])
    issues: list[int] = field(default_factory=list[int])
    waits: list[int] = field(default_factory=list[int])
    meets: Meeting | None = None
    stays: bool = False


@dataclass(slots=True)
class Flight:
    """An asynchronous operation.

    Attributes:
        kind: "in" (from global to shared memory), "out", "between" (shared to shared memory), "mma" or "arrive".
        nbytes: of memory that it moves. again: those of its global bytes that a CTA recorded here has touched before.
        completes: phases of mbarriers in which its end counts. warps: that issue it together.
    """

    kind: str
    nbytes: int
    again: int
    warps: int
    completes: list[Phase] = field(default_factory=list[Phase])


class WarpSteps:
    """The steps of a warp.

    Attributes:
        ops: the instructions by their place in the image. facts: what some of them did, by step.
        products: of each instruction that starts products of matrices, the numbers of these in order.
    """

    def __init__(self) -> None:
        self.ops = array("I")
        self.products: dict[int, list[int]] = {}
        self.facts: dict[int, Facts] = {}

    def fact(self) -> Facts:
        """Those of the step that comes next, or of the last one."""
        at = max(len(self.ops) - 1, 0)
        found = self.facts.get(at)
        if found is None:
            found = self.facts[at] = Facts()
        return found


@dataclass(slots=True)
class ClusterSteps:
    """The steps of a cluster.

    Attributes:
        index: of the cluster in the grid. warps: of each CTA by its rank. flights: its asynchronous operations by number.
        touched: bytes of global memory that it has read or written, each once. moved: in all; written: those that it has written.
        executions, threads: of each instruction that has run, how often warps did it, and threads.
        tallies: of each instruction that has run, the numbers that `TALLIED` names.
    """

    index: int
    warps: list[list[WarpSteps]]
    flights: dict[int, Flight] = field(default_factory=dict[int, Flight])
    touched: int = 0
    moved: int = 0
    written: int = 0
    executions: dict[int, int] = field(default_factory=dict[int, int])
    threads: dict[int, int] = field(default_factory=dict[int, int])
    tallies: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])

    @property
    def steps(self) -> int:
        """Of all warps."""
        return sum(len(w.ops) for cta in self.warps for w in cta)


class Recorder(Observer):
    """Records the steps of the clusters that run.

    Args:
        counting: counts wavefronts and sectors; it has to be attached before. arithmetic: whether products of matrices are
            computed; without, their results are what was there before.
    """

    in_turns = True

    def __init__(self, counting: Counting, *, arithmetic: bool = True) -> None:
        self._counting, self._arithmetic = counting, arithmetic
        self.clusters: list[ClusterSteps] = []
        self._of: dict[int, ClusterSteps] = {}
        self._warps: dict[int, tuple[Warp, WarpSteps]] = {}
        self._turns: dict[tuple[int, int], list[int]] = {}
        self._seen: dict[int, set[int]] = {}
        self._cluster_turns: dict[Warp, list[int]] = {}  # by lane: those of a diverged warp arrive by themselves
        self._wrong: BaseException | None = None
        self._told = (0, 0)

    # -- the launch
    def attach(self, machine: Observed) -> None:
        self._machine = machine
        image = machine.image
        self._place = {pc: i for i, pc in enumerate(image.points)}
        self._ops = list(image.ops)
        self._index = {id(op): i for i, op in enumerate(self._ops)}
        self._counters = self._counting.counters
        self._addressed = [_address(op, size) for op, size in zip(self._ops, self._counting.sizes, strict=True)]
        self._before: dict[int, tuple[int, int]] = {}
        self._executed = np.zeros((len(TALLIED), len(self._ops)), np.int64)
        self._barriers = {i for i, op in enumerate(self._ops) if _is_cta_barrier(op)}
        self._past_l1 = {
            i
            for i, op in enumerate(self._ops)
            if _PAST_L1 & set(op.inst.form.name.split(".") + op.text.split()[0].split("."))
        }
        self._told_of = {i for i, op in enumerate(self._ops) if isinstance(op.inst.form.effect, _EFFECTS)}
        self._remote = {i for i, op in enumerate(self._ops) if _may_be_remote(op)}
        self._storing = {i for i, op in enumerate(self._ops) if _stores(op)}
        self._touching = {i for i, op in enumerate(self._ops) if isinstance(op.inst.form.effect, Access | AsyncCopy)}
        wanted: dict[Handler, list[int]] = {}
        for pc, handler in zip(image.points, image.handlers, strict=True):
            if not handler.traps:
                wanted.setdefault(Handler("$notify", together=handler.together), []).append(pc)
        machine.overlay.put(Layer.SANITIZE, wanted)
        self._notify = _NOTIFY(self._runs)
        machine.env.set64(F.E_NOTIFY, ctypes.cast(self._notify, ctypes.c_void_p).value or 0)

    def cta_started(self, cta: Cta) -> None:
        cluster = self._of.get(cta.cluster.index)
        if cluster is None:
            cluster = self._of[cta.cluster.index] = ClusterSteps(cta.cluster.index, [])
            self.clusters.append(cluster)
        steps = [WarpSteps() for _ in cta.warps]
        cluster.warps.append(steps)
        self._seen[cta.index] = set()
        for warp, mine in zip(cta.warps, steps, strict=True):
            self._warps[warp.frame.address] = warp, mine

    def cluster_retired(self, cluster: Cluster) -> None:
        self._raise()
        before, self._executed = (
            self._executed,
            np.array([[int(row[_COUNTED[name]]) for row in self._counters] for name in TALLIED]),
        )
        tallied = self._executed - before
        executions, threads = tallied[:2]
        ran = np.flatnonzero(executions).tolist()
        self._of[cluster.index].executions = {i: int(executions[i]) for i in ran}
        self._of[cluster.index].threads = {i: int(threads[i]) for i in ran}
        self._of[cluster.index].tallies = {i: tuple(tallied[:, i].tolist()) for i in ran}
        for cta in cluster.ctas:
            self._of[cluster.index].touched += SECTOR * len(self._seen.pop(cta.index, ()))
            for warp in cta.warps:
                self._warps.pop(warp.frame.address, None)

    def slice_begins(self) -> None:
        self._raise()

    def _raise(self) -> None:
        if self._wrong is not None:
            wrong, self._wrong = self._wrong, None
            raise wrong

    # -- instructions
    def _runs(self, frame: int, pc: int, mask: int) -> None:
        try:
            warp, steps = self._warps[frame]
            index = self._place[pc]
            if index in self._barriers:
                self._meets(warp, steps, index, mask)
                return
            self._executes(steps, index)
            self._told = frame, pc
            if index in self._touching:
                self._touches(warp, steps, index, mask)
        except BaseException as wrong:  # native code cannot pass it on: the next hook does
            self._wrong = self._wrong or wrong

    def _executes(self, steps: WarpSteps, index: int) -> None:
        """One more step. One with an effect has facts, be they none: they are handed out by instruction, in order."""
        steps.ops.append(index)
        if index in self._told_of:
            steps.fact()

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        index = self._place.get(pc)
        told, self._told = self._told, (0, 0)
        if index is None or told == (warp.frame.address, pc):
            return  # machine code has told of it before it turned to Python
        steps = self._warps[warp.frame.address][1]
        self._executes(steps, index)
        if index in self._touching:
            self._touches(warp, steps, index, mask)

    def trap_ended(self, warp: Warp, mask: int, pc: int, parked: Parked | None) -> None:
        if parked is None or self._place.get(pc) is None:
            return
        steps = self._warps[warp.frame.address][1]
        at = len(steps.ops) - 1  # it is tried again, and recorded then
        steps.ops.pop()
        steps.facts.pop(at, None)

    def _touches(self, warp: Warp, steps: WarpSteps, index: int, mask: int) -> None:
        """Wavefronts and sectors of the instruction that is about to run: they have been counted just now."""
        row, before = self._counters[index], self._before.get(index, (0, 0))
        now = int(row[_COUNTED["wavefronts"]]), int(row[_COUNTED["sectors"]])
        self._before[index] = now
        fact = steps.fact()
        fact.wavefronts += now[0] - before[0]
        if index in self._remote and (found := self._addressed[index]) is not None:
            fact.remote += found[2] * self._lanes_elsewhere(warp, found[0], found[1], mask)
        sectors = now[1] - before[1]
        if sectors:
            fact.sectors += sectors
            self._global(warp, fact, index, mask, sectors)

    def _global(self, warp: Warp, fact: Facts, index: int, mask: int, sectors: int) -> None:
        cluster = self._of[warp.cta.cluster.index]
        cluster.moved += SECTOR * sectors
        cluster.written += SECTOR * sectors * (index in self._storing)
        found = self._addressed[index]
        if found is None:
            return
        register, offset, nbytes = found
        row = warp.read_row(register).astype(np.int64) + offset
        chosen = row[list(lanes_of(mask))] if mask != F.FULL else row
        mine = {int(a) for a in np.unique(np.concatenate((chosen, chosen + nbytes - 1)) // SECTOR)}
        seen = self._seen[warp.cta.index]
        if index not in self._past_l1:
            fact.again += min(sectors, len(mine & seen))
        seen |= mine

    def _lanes_elsewhere(self, warp: Warp, register: Reg, offset: int, mask: int) -> int:
        """How many lanes access the shared memory of another CTA."""
        row = warp.read_row(register).astype(np.int64) + offset
        ranks = (row[list(lanes_of(mask))] & ADDRESS32) >> RANK_SHIFT
        return int(np.count_nonzero(ranks != warp.cta.rank))

    # -- barriers of a CTA
    def _meets(self, warp: Warp, steps: WarpSteps, index: int, lanes: int) -> None:
        released = warp.frame.get(F.F_RELEASED)
        if released & lanes == lanes:
            return  # it goes on
        op = self._ops[index]
        lane = lanes_of(lanes)[0]
        number, threads = _integer(warp, op, "id", lane) or 0, _integer(warp, op, "threads", lane)
        alive = warp.cta.block.get(F.C_ALIVE).bit_count() * F.LANES
        key = (warp.cta.index, number)
        turn = self._turns.setdefault(key, [0, 0])
        self._executes(steps, index)
        fact = steps.fact()
        fact.meets, fact.stays = Meeting("cta", warp.cta.rank, number, turn[0]), _stays(op)
        turn[1] += F.LANES
        if turn[1] >= (threads or alive):
            turn[0], turn[1] = turn[0] + 1, 0

    # -- asynchronous operations
    def issued(self, operation: Operation) -> None:
        effect = operation.op.inst.form.effect
        cluster = self._of[operation.warp.cta.cluster.index]
        kind, nbytes, again = "arrive", 0, 0
        if isinstance(effect, AsyncMma):
            kind = "mma"
            if not self._arithmetic:
                operation.read, operation.write = _nothing, _nowhere
        elif isinstance(effect, AsyncCopy):
            kind, nbytes, again = self._copied(operation, cluster)
        cluster.flights[operation.number] = Flight(kind, nbytes, again, len(operation.warps))
        for warp in operation.warps:
            steps = self._warps[warp.frame.address][1]
            if kind == "mma":  # the other warps may be further on
                steps.products.setdefault(self._index[id(operation.op)], []).append(operation.number)
            else:
                steps.fact().issues.append(operation.number)

    def _copied(self, operation: Operation, cluster: ClusterSteps) -> tuple[str, int, int]:
        read = [f for f in operation.reads if f.space == "global" and f.proxy != "tensormap"]
        written = [f for f in operation.writes if f.space == "global"]
        kind = "in" if read else "out" if written else "between"
        memory = read or written or list(operation.writes)
        seen, again, total = self._seen[operation.warp.cta.index], 0, 0
        for footprint in memory:
            total += int(footprint.nbytes.sum())
            if kind == "between":
                continue
            for start, nbytes in zip(footprint.starts.tolist(), footprint.nbytes.tolist(), strict=True):
                mine = set(range(start // SECTOR, (start + nbytes - 1) // SECTOR + 1))
                again += SECTOR * len(mine & seen)
                seen |= mine
        if kind != "between":
            cluster.moved += total
            cluster.written += total * (kind == "out")
        return kind, total, min(again, total)

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        del stage
        steps = self._warps[warp.frame.address][1]
        steps.fact().waits += [operation.number for operation, _ in operations]

    # -- mbarriers
    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        del op
        fact = self._warps[warp.frame.address][1].fact()
        fact.arrives += [Phase(place.cta.rank, place.offset, phase)] * lanes.bit_count()

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        cluster = self._of[operation.warp.cta.cluster.index]
        cluster.flights[operation.number].completes.append(Phase(place.cta.rank, place.offset, phase))

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        del lanes, op
        self._warps[warp.frame.address][1].fact().passes.append(Phase(place.cta.rank, place.offset, phase))

    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        """A warp that has diverged arrives when its last lanes do: machine code brings them together in front of it."""
        del op
        turns = self._cluster_turns.setdefault(warp, [0] * F.LANES)
        chosen = lanes_of(lanes)
        turn = turns[chosen[0]]
        for lane in chosen:
            turns[lane] += 1
        steps = self._warps[warp.frame.address][1]
        if any(turns[lane] <= turn for lane in lanes_of(warp.frame.get(F.F_ALIVE))):
            steps.facts.pop(len(steps.ops) - 1, None)
            steps.ops.pop()
            return
        steps.fact().meets = Meeting("cluster", 0, 0, turn)

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        del op
        fact = self._warps[warp.frame.address][1].fact()
        fact.meets = Meeting("cluster", 0, 0, self._cluster_turns[warp][lanes_of(lanes)[0]] - 1)
        fact.stays = True


def _nothing() -> None:
    """What a product that is not computed reads."""


def _nowhere(data: object) -> None:
    """Where it writes to."""


def _is_cta_barrier(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Barrier) and effect.scope == "cta"


def _stays(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Barrier) and effect.kind != "arrive"


def _may_be_remote(op: Op) -> bool:
    """Whether threads access what may be the shared memory of another CTA."""
    return isinstance(op.inst.form.effect, Access) and "shared::cluster" in op.text.split()[0]


def _stores(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Access) and effect.kind != "load"


def _address(op: Op, size: int) -> tuple[Reg, int, int] | None:
    """The register and the offset of an instruction's only address, and the bytes of a lane; None for others."""
    found = [o for o in op.inst.operands.values() if isinstance(o, Addr)]
    if len(found) != 1 or not isinstance(found[0].base, Reg):
        return None
    return found[0].base, found[0].offset, max(size, 1)


def _integer(warp: Warp, op: Op, name: str, lane: int) -> int | None:
    """An operand as a lane sees it; None where it is left out."""
    operand = op.inst.operands.get(name)
    if isinstance(operand, Imm):
        return int(operand.value)
    return int(warp.read_row(operand)[lane]) if isinstance(operand, Reg) else None
