"""The wait graph of a launch that hangs: who waits for what, what is missing, and who could still supply it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from ptxlab.isa.effects import AsyncCopy, Compute, Mbarrier
from ptxlab.isa.effects import Barrier as BarrierEffect
from ptxlab.isa.operands import Addr, Imm, Reg, Symbol
from ptxlab.layout.mbarrier_state import PARITY_BIT
from ptxlab.ptx.flow import Reach, graph_of
from ptxlab.ptx.uses import Uses
from ptxlab.sim.diagnose.hangs.history import History, Recorder
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.engine.machine.stuck import one_of_each_place, question, reads
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.engine.machine.words import lanes_of
from ptxlab.sim.engine.units.operands import integers
from ptxlab.sim.engine.units.place import place_groups
from ptxlab.sim.families.cluster.unit import ClusterBarriers
from ptxlab.sim.families.mbarrier.unit import Barrier, Mbarriers

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta, Warp

Members = dict["Warp", int]
"""Lanes of warps, as masks."""
MOST = 64
"""Waits that are looked at, so that a grid of thousands of CTAs that all wait alike takes no longer than a few."""


@dataclass(eq=False, slots=True)
class Supplier:
    """Threads that could end a wait.

    Attributes:
        members: who. op: the instruction by which. state: "exited", "waits" or "runs". wait: what for, where they wait.
        before: whether they have done it in an earlier phase; else they may come to the instruction.
    """

    members: Members
    op: Op
    state: str
    wait: Wait | None = None
    before: bool = False


@dataclass(eq=False, slots=True)
class Wait:
    """Threads that wait at one instruction for the same thing.

    Attributes:
        kind: "mbarrier", "barrier" (of the CTA), "cluster", "memory" or "other".
        members: who. op: where. cta: of the first of them.
        place, barrier, past: the mbarrier, and what is known of its past. phase: the one whose end is waited for.
        number, come, wanted: of the CTA's barrier, threads that have come to it, and that it wants; no number of the cluster's.
        words: what is read from memory, or why lanes wait. suppliers: who could end it.
    """

    kind: str
    op: Op
    cta: Cta
    members: Members = field(default_factory=dict["Warp", int])
    place: Place | None = None
    barrier: Barrier | None = None
    past: History | None = None
    phase: int = 0
    number: int = 0
    come: int = 0
    wanted: int = 0
    words: str = ""
    suppliers: list[Supplier] = field(default_factory=list[Supplier])


class Graph:
    """The waits of a machine that hangs, each with its suppliers.

    Attributes:
        waits: all, those of one kind and place together. cycle: waits of which each waits for the next, the last for the first.
        recorder: the past of the mbarriers; None where the launch could not be run again.
    """

    def __init__(self, machine: Machine, recorder: Recorder | None) -> None:
        self.machine, self.recorder = machine, recorder
        self._numbers = {id(op): i for i, op in enumerate(machine.image.ops)}
        routines = [*machine.record.program.functions, machine.record.program]
        self._routines = list(zip(accumulate([0, *(len(r.ops) for r in routines[:-1])]), routines, strict=True))
        self._reach: dict[int, Reach] = {}
        self._places: dict[tuple[int, int], Wait] = {}
        self.waits = self._collect()
        self.standing = self._standing()
        for wait in self.waits:
            wait.suppliers = list(_merged(self._suppliers(wait)))
        self.cycle = self._cycle()

    # -- who waits
    def _collect(self) -> list[Wait]:
        found: dict[Hashable, Wait] = {}
        for wait, key in self._all():
            same = found.get(key)
            if same is None:
                if len(found) >= MOST:
                    continue
                same = found[key] = wait
            for warp, lanes in wait.members.items():
                same.members[warp] = same.members.get(warp, 0) | lanes
                for lane in lanes_of(lanes):
                    self._places[id(warp), lane] = same
        return list(found.values())

    def _all(self) -> Iterator[tuple[Wait, Hashable]]:
        machine, at = self.machine, self._parked_at()
        if machine.units:
            for barriers in machine.unit(Mbarriers).live.values():
                for b in barriers.values():
                    for (warp, lanes), _ in b.waiters.items():
                        op = at.get((id(warp), lanes)) or self._stands(warp, lanes)
                        yield self._at_mbarrier(op, warp, lanes, b)
            for barrier in machine.unit(ClusterBarriers).of.values():
                for warp, lanes in barrier.waiting.items():
                    op = self._stands(warp, lanes)
                    wait = Wait("cluster", op, warp.cta, {warp: lanes})
                    wait.come = barrier.count
                    wait.wanted = barrier.count + sum(m.bit_count() for _, m in barrier.missing())
                    yield wait, ("cluster", id(barrier))
        for cta in self._ctas():
            for warp in cta.warps:
                yield from self._of_warp(warp)
        yield from self._others(at)

    def _others(self, at: dict[tuple[int, int], Op]) -> Iterator[tuple[Wait, Hashable]]:
        """Who waits for something else: other lanes of the warp, other warps of the warpgroup, registers."""
        for groups in self.machine.parked.values():
            for g in (g for g in groups if g.why):
                op, words = self.machine.image.op_at(g.pc), f"CTA {g.warp.cta.coordinates} warp {g.warp.index} {g.why}"
                yield Wait("other", op, g.warp.cta, {g.warp: g.mask}, words=words), (id(op), id(g.warp))
        for unit in self.machine.units:
            if isinstance(unit, (Mbarriers, ClusterBarriers)):
                continue
            for told in unit.deadlock_notes():
                lanes = told.mask or told.warp.waiting or told.warp.frame.get(F.F_ALIVE)
                op = told.op or at.get((id(told.warp), lanes)) or self._stands(told.warp, lanes)
                yield Wait("other", op, told.warp.cta, {told.warp: lanes}, words=told.words), (id(op), id(unit))

    def _of_warp(self, warp: Warp) -> Iterator[tuple[Wait, Hashable]]:
        frame, cta = warp.frame, warp.cta
        alive = frame.get(F.F_ALIVE)
        if frame.get(F.F_BARRIER):
            number, lanes = frame.get(F.F_BARRIER) - 1, alive & frame.get(F.F_SYNC)
            op = self._stands(warp, lanes or alive)
            block, at = cta.block, F.C_BARRIERS + number * F.BARRIER_BYTES
            wait = Wait("barrier", op, cta, {warp: lanes or alive}, number=number)
            wait.come, wait.wanted = block.get(at + F.B_ARRIVED), block.get(at + F.B_EXPECTED)
            yield wait, ("barrier", id(cta), number)
            return
        ready = alive & ~(frame.get(F.F_WAITING) | frame.get(F.F_SYNC))
        for lane in one_of_each_place(warp, ready):
            pc = int(frame.u32[lane])
            lanes = sum(1 << i for i in lanes_of(ready) if int(frame.u32[i]) == pc)
            op = question(self.machine, pc)
            effect = op.inst.form.effect
            if isinstance(effect, Mbarrier) and effect.kind in ("test_wait", "try_wait"):
                ctx = TrapContext(self.machine, cta.cluster, cta, warp, mask=lanes, op=op)
                found = _awaited(ctx, op)
                if found:
                    yield from (self._at_mbarrier(op, warp, part, b) for b, part in found)
                    continue
            words = reads(self.machine, warp, lane, op).removeprefix(" reads ")
            yield Wait("memory", op, cta, {warp: lanes}, words=words), ("memory", id(op), words)

    def _at_mbarrier(self, op: Op, warp: Warp, lanes: int, b: Barrier) -> tuple[Wait, Hashable]:
        past = self.recorder.of.get(b.place) if self.recorder is not None else None
        wait = Wait("mbarrier", op, warp.cta, {warp: lanes}, place=b.place, barrier=b, past=past, phase=b.phase)
        return wait, ("mbarrier", id(b), id(op))

    def _parked_at(self) -> dict[tuple[int, int], Op]:
        return {
            (id(g.warp), g.mask): self.machine.image.op_at(g.pc)
            for groups in self.machine.parked.values()
            for g in groups
        }

    def _stands(self, warp: Warp, lanes: int) -> Op:
        return self.machine.image.op_at(int(warp.frame.u32[lanes_of(lanes)[0]]))

    def _ctas(self) -> Iterator[Cta]:
        return (cta for cluster in self.machine.resident for cta in cluster.ctas)

    # -- who could end a wait
    def _standing(self) -> list[tuple[Warp, int, Wait | None, int]]:
        """Living lanes: warp, lanes, what they wait for, and the number of the instruction where they are."""
        out: list[tuple[Warp, int, Wait | None, int]] = []
        for cta in self._ctas():
            for warp in cta.warps:
                groups: dict[tuple[int, int], list[int]] = {}
                for lane in lanes_of(warp.frame.get(F.F_ALIVE)):
                    wait = self._places.get((id(warp), lane))
                    groups.setdefault((id(wait), int(warp.frame.u32[lane])), []).append(lane)
                for (_, pc), lanes in groups.items():
                    wait = self._places.get((id(warp), lanes[0]))
                    op = wait.op if wait is not None else self.machine.image.op_from(pc)
                    out.append((warp, sum(1 << i for i in lanes), wait, self._numbers[id(op)]))
        return out

    def reaches(self, here: int, there: int) -> bool:
        """Whether some way leads from one instruction to another. Yes, where they lie in two functions."""
        for first, routine in reversed(self._routines):
            if here >= first or there >= first:
                if here < first or there < first:
                    return True
                reach = self._reach.setdefault(first, Reach(graph_of(routine)))
                return reach.before([here - first], there - first)
        return True

    def _suppliers(self, wait: Wait) -> Iterator[Supplier]:
        if wait.kind == "mbarrier":
            yield from self._of_mbarrier(wait)
        elif wait.kind == "barrier":
            yield from self._of_barrier(wait)
        elif wait.kind == "cluster":
            for warp, lanes in self.machine.unit(ClusterBarriers).get(wait.cta.cluster).missing():
                yield from self._by_state(warp, lanes, wait.op, before=False)

    def _of_mbarrier(self, wait: Wait) -> Iterator[Supplier]:
        b, past = wait.barrier, wait.past
        assert b is not None
        kind = "arrive" if b.pending else "bring" if b.tx > 0 else "expect"
        known: set[tuple[int, int]] = set()
        now: Members = {}
        for row in past.of(kind, b.phase) if past is not None else ():
            now[row.warp] = now.get(row.warp, 0) | row.lanes
        for row in past.of(kind) if past is not None else ():
            if row.phase < b.phase:
                lanes = row.lanes & ~now.get(row.warp, 0)
                known |= {(id(row.warp), lane) for lane in lanes_of(lanes)}
                yield from self._by_state(row.warp, lanes, row.op, before=True)
        if known:
            return
        for op in self.candidates(kind):
            there = self._numbers[id(op)]
            if not self.may_take_part(op, wait):
                continue
            for warp, lanes, at, here in self.standing:
                lanes &= ~now.get(warp, 0)
                if lanes and warp.cta.cluster is b.place.cta.cluster and self.reaches(here, there):
                    yield Supplier({warp: lanes}, op, "waits" if at is not None else "runs", at)

    def _of_barrier(self, wait: Wait) -> Iterator[Supplier]:
        for warp, lanes, at, here in self.standing:
            if warp.cta is wait.cta and warp not in wait.members:
                if wait.wanted and not any(
                    self.reaches(here, self._numbers[id(op)]) for op in self.of_barrier(wait.number)
                ):
                    continue
                yield Supplier({warp: lanes}, wait.op, "waits" if at is not None else "runs", at)

    def of_barrier(self, number: int) -> list[Op]:
        """The instructions that may come to a barrier of the CTA."""
        return [op for op in self.machine.image.ops if barrier_number(op) in (number, -1)]

    def candidates(self, kind: str) -> list[Op]:
        """The instructions of the kernel that may arrive, expect bytes, or bring them."""
        return [op for op in self.machine.image.ops if DOES[kind](op)]

    def may_take_part(self, op: Op, wait: Wait) -> bool:
        """Whether an instruction may be for the mbarrier of a wait: where it has been for others, some wait is for both."""
        named = self._named(op)
        if named is not None and wait.place is not None:
            return named == wait.place.offset
        if self.recorder is None or wait.place is None:
            return True
        places = self.recorder.done.get(id(op), set[Place]())
        return not places or wait.place in places or any(p in places for p in self._alike(wait))

    def _named(self, op: Op) -> int | None:
        """Where in shared memory the mbarrier is that an instruction names by a symbol, or by a register that always holds a
        symbol's address; None where that is not known before it is executed."""
        operand = op.inst.operands.get("mbar")
        if not isinstance(operand, Addr):
            return None
        base = operand.base
        if isinstance(base, Reg) and self._numbers[id(op)] >= self._routines[-1][0]:
            base = self._fixed.get(base.name, base)
        if not isinstance(base, Symbol):
            return None
        var = self.machine.record.program.variable(base.name)
        return None if var is None else var.offset + base.offset + operand.offset

    @cached_property
    def _fixed(self) -> dict[str, Symbol]:
        """Registers of the kernel that one instruction alone writes: a mov of a variable's address."""
        program = self.machine.record.program
        out: dict[str, Symbol] = {}
        for name, only in Uses(graph_of(program)).only.items():
            inst = program.ops[only].inst if only >= 0 else None
            effect = inst.form.effect if inst is not None else None
            copies = isinstance(effect, Compute) and effect.each == "copy"
            source = inst.operands.get("a") if inst is not None and copies else None
            if isinstance(source, Symbol):
                out[name] = source
        return out

    def _alike(self, wait: Wait) -> set[Place]:
        """The mbarriers that the same instructions wait for, such as those of the other stages of a ring."""
        assert self.recorder is not None
        out: set[Place] = set()
        for op in self.machine.image.ops:
            places = self.recorder.done.get(id(op), set[Place]())
            if _kind(op) in ("test_wait", "try_wait") and (op is wait.op or wait.place in places):
                out |= places
        return out

    def _by_state(self, warp: Warp, lanes: int, op: Op, *, before: bool) -> Iterator[Supplier]:
        alive = warp.frame.get(F.F_ALIVE) if any(warp.cta is c for c in self._ctas()) else 0
        if lanes & ~alive:
            yield Supplier({warp: lanes & ~alive}, op, "exited", None, before)
        for other, there, at, _ in self.standing:
            if other is warp and there & lanes & alive:
                yield Supplier({warp: there & lanes}, op, "waits" if at is not None else "runs", at, before)

    # -- who waits for whom
    def _cycle(self) -> list[Wait]:
        done: set[int] = set()
        for start in self.waits:
            path: list[Wait] = []
            found = self._walk(start, path, done)
            if found is not None:
                return found
        return []

    def _walk(self, wait: Wait, path: list[Wait], done: set[int]) -> list[Wait] | None:
        if wait in path:
            return path[path.index(wait) :]
        if id(wait) in done:
            return None
        done.add(id(wait))
        path.append(wait)
        for s in sorted(wait.suppliers, key=lambda s: not s.before):
            if s.wait is not None and s.wait is not wait:
                found = self._walk(s.wait, path, done)
                if found is not None:
                    return found
        path.pop()
        return None


def _arrives(op: Op) -> bool:
    return "arrive" in _kind(op)


def _brings(op: Op) -> bool:
    effect = op.inst.form.effect
    return _kind(op) == "complete_tx" or (isinstance(effect, AsyncCopy) and effect.completion == "mbarrier")


def _expects(op: Op) -> bool:
    return "expect_tx" in _kind(op)


def _kind(op: Op) -> str:
    effect = op.inst.form.effect
    return effect.kind if isinstance(effect, Mbarrier) else ""


DOES: dict[str, Callable[[Op], bool]] = {"arrive": _arrives, "bring": _brings, "expect": _expects}
"""Whether an instruction may arrive at an mbarrier, bring bytes, or expect them."""


def _awaited(ctx: TrapContext, op: Op) -> list[tuple[Barrier, int]]:
    """The mbarriers whose phases are not over for lanes that ask, and which lanes."""
    barriers = ctx.machine.unit(Mbarriers)
    given = integers(ctx, "parity") if ctx.present("parity") else [v >> PARITY_BIT for v in integers(ctx, "state")]
    out: list[tuple[Barrier, int]] = []
    for lanes, place in place_groups(ctx, "mbar"):
        b = barriers.live.get(place.cta, {}).get(place.offset)
        if b is None:
            continue
        lanes = sum(1 << lane for lane in lanes_of(lanes) if given[lane] & 1 == b.phase & 1)
        if lanes:
            out.append((b, lanes))
    return out


def barrier_number(op: Op) -> int | None:
    """Which barrier of the CTA an instruction comes to; -1 where a register says so, None where it comes to none."""
    effect = op.inst.form.effect
    if not isinstance(effect, BarrierEffect) or effect.scope != "cta":
        return None
    named = op.inst.operands.get("id")
    return int(named.value) if isinstance(named, Imm) else -1 if named is not None else 0


def _merged(found: Iterable[Supplier]) -> Iterator[Supplier]:
    """Suppliers by the same instruction that are in the same state, together."""
    out: dict[Hashable, Supplier] = {}
    for s in found:
        same = out.setdefault((id(s.op), s.state, id(s.wait), s.before), s)
        for warp, lanes in s.members.items():
            same.members[warp] = same.members.get(warp, 0) | lanes
    yield from out.values()


def runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending numbers as ranges, both ends included."""
    out: list[tuple[int, int]] = []
    for n in numbers:
        if out and n == out[-1][1] + 1:
            out[-1] = (out[-1][0], n)
        else:
            out.append((n, n))
    return out


__all__ = ["DOES", "Graph", "Members", "Supplier", "Wait", "barrier_number", "runs"]
