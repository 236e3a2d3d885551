"""The wait graph of a launch that hangs: who waits for what, what is missing, and who could still supply it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from ptxlab.isa.effects import Compute
from ptxlab.isa.operands import Addr, Reg, Symbol
from ptxlab.ptx.flow import Reach, graph_of
from ptxlab.ptx.uses import Uses
from ptxlab.sim.diagnose.hangs.waits import Found, Listener, Other, Question, Supplier, Wait, kinds
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.deadlock import one_of_each_place, question, reads
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.trap import TrapContext

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta, Warp

MOST = 64
"""Waits that are looked at, so that a grid of thousands of CTAs that all wait alike takes no longer than a few."""


class Graph:
    """The waits of a machine that hangs, each with its suppliers.

    Attributes:
        waits: all, those of one kind and place together. cycle: waits of which each waits for the next, the last for the first.
        numbers: of instructions, by their identity.
        recorder: what has listened to the launch; None where the launch could not be run again.
    """

    def __init__(self, machine: Machine, recorder: Listener | None) -> None:
        self.machine, self.recorder = machine, recorder
        self._kinds = kinds().waits
        self.numbers = {id(op): i for i, op in enumerate(machine.image.ops)}
        routines = [*machine.record.program.functions, machine.record.program]
        self._routines = list(zip(accumulate([0, *(len(r.ops) for r in routines[:-1])]), routines, strict=True))
        self._reach: dict[int, Reach] = {}
        self._places: dict[tuple[int, int], Wait] = {}
        self.waits = self._collect()
        self.standing = self._standing()
        for wait in self.waits:
            wait.suppliers = list(_merged(wait.supplied(self)))
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

    def _all(self) -> Iterator[Found]:
        if self.machine.units:
            for kind in self._kinds:
                yield from kind.in_units(self)
        for cta in self._ctas():
            for warp in cta.warps:
                yield from self._of_warp(warp)
        yield from self._others()

    def _others(self) -> Iterator[Found]:
        """Who waits for something else: other lanes of the warp, other warps of the warpgroup, registers."""
        for groups in self.machine.parked.values():
            for g in (g for g in groups if g.why):
                op, words = self.machine.image.op_at(g.pc), f"CTA {g.warp.cta.coordinates} warp {g.warp.index} {g.why}"
                yield Other(op, g.warp.cta, {g.warp: g.mask}, words=words), (id(op), id(g.warp))
        known = tuple(unit for kind in self._kinds for unit in kind.units)
        for unit in self.machine.units:
            if isinstance(unit, known):
                continue
            for hook in unit.deadlock_notes():
                lanes = hook.mask or hook.warp.waiting or hook.warp.frame.get(F.F_ALIVE)
                op = hook.op or self.parked_at.get((id(hook.warp), lanes)) or self.stands(hook.warp, lanes)
                yield Other(op, hook.warp.cta, {hook.warp: lanes}, words=hook.words), (id(op), id(unit))

    def _of_warp(self, warp: Warp) -> Iterator[Found]:
        frame, cta = warp.frame, warp.cta
        for kind in self._kinds:
            whole = kind.of_warp(self, warp)
            if whole is not None:
                yield whole
                return
        ready = frame.get(F.F_ALIVE) & ~(frame.get(F.F_WAITING) | frame.get(F.F_SYNC))
        for lane in one_of_each_place(warp, ready):
            pc = int(frame.u32[lane])
            lanes = sum(1 << i for i in lanes_of(ready) if int(frame.u32[i]) == pc)
            op = question(self.machine, pc)
            ctx = TrapContext(self.machine, cta.cluster, cta, warp, mask=lanes, op=op)
            asked = [one for kind in self._kinds for one in kind.asked(self, ctx, op)]
            if asked:
                yield from asked
                continue
            words = reads(self.machine, warp, lane, op).removeprefix(" reads ")
            yield Question(op, cta, {warp: lanes}, words=words), ("memory", id(op), words)

    @cached_property
    def parked_at(self) -> dict[tuple[int, int], Op]:
        """Where lanes that are parked stand, by warp and lanes."""
        return {
            (id(g.warp), g.mask): self.machine.image.op_at(g.pc)
            for groups in self.machine.parked.values()
            for g in groups
        }

    def stands(self, warp: Warp, lanes: int) -> Op:
        """Where lanes stand."""
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
                    out.append((warp, sum(1 << i for i in lanes), wait, self.numbers[id(op)]))
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

    def named(self, op: Op, name: str) -> int | None:
        """Where in shared memory the operand of this name lies, which an instruction names by a symbol, or by a register that
        always holds a symbol's address; None where that is not known before it is executed."""
        operand = op.inst.operands.get(name)
        if not isinstance(operand, Addr):
            return None
        base = operand.base
        if isinstance(base, Reg) and self.numbers[id(op)] >= self._routines[-1][0]:
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

    def by_state(self, warp: Warp, lanes: int, op: Op, *, before: bool) -> Iterator[Supplier]:
        """Lanes of a warp as suppliers: those that have exited, and those that have not."""
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
