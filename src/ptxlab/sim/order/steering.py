"""A run that goes where it is told: every strong access waits until it is chosen.

A prologue stops lanes in front of each strong access (the debugger's), and each of them waits by itself. Once nothing else can go
on, one of those that wait is chosen, by number. What it depends on is known then: the bytes that it reaches, and by the
sanitizer's clocks behind which other accesses it comes.
"""

from __future__ import annotations

import bisect
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ptxlab.isa.action import Touch
from ptxlab.isa.effects import Access, Barrier, Mbarrier
from ptxlab.isa.extents import Run
from ptxlab.isa.operands import Reg
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import read_in
from ptxlab.sim.certify.awaits import Loop, asks_again, loops
from ptxlab.sim.certify.judge import FreeOrder, sum_at
from ptxlab.sim.certify.search import Bytes, Step, Trace
from ptxlab.sim.certify.waits import asking
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.observer import Observed, Observer, Turn
from ptxlab.sim.engine.machine.resident import Cta, Parked, Warp
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.clocks import knows_of
from ptxlab.sim.order.places import SHADOWED, Reached
from ptxlab.sim.order.sanitizer import Sanitizer

_STOP = Handler("$stop")
MOST_STEPS = 1 << 11
"""Accesses of a run, at most."""
MOST_ROUNDS = 64
"""Rounds in a row in which somebody runs who does not get on, after which a run is given up."""
VAIN = 2
"""Rounds in a row in which all that can run have asked for a phase in vain, after which nobody of them goes on by himself."""


class Asleep(Exception):
    """All that could be chosen is asleep: another run goes on from here."""


class TooMany(Exception):
    """A run makes more accesses than are followed."""


@dataclass(slots=True)
class _Waiting:
    """A lane in front of its access. where: its word; None where it has none. answers: of values,
    whether it asks again that finds them."""

    warp: Warp
    lane: int
    op: Op
    step: Step
    where: Reached | None
    answers: dict[int, bool] = field(default_factory=dict[int, bool])


@dataclass(slots=True)
class Done:
    """An access that was chosen: what its bytes held before, whether it wrote, whether it was plain store, and the time."""

    found: int | None
    wrote: bool
    plain: bool
    time: int


@dataclass(slots=True)
class Stale:
    """An access that may come earlier than in any order: nothing orders it behind one of the same word, which is that step, by that
    instruction."""

    op: Op
    step: int
    other: int


class Accesses:
    """The strong accesses of a program whose order can be chosen.

    Attributes:
        sites: those, by number. kinds: of those that are sums, of which kind. sums: those, where nobody sees what they find. loops:
            the loops in which they only wait. asking: the instructions of loops that wait for a phase. hidden: whether a thread may
            come behind others of its cluster without a word in clocks.
    """

    def __init__(self, program: Program, ops: Sequence[Op]) -> None:
        programs, read = (program, *program.functions), read_in(ops)
        self.sites = [i for i, op in enumerate(ops) if _is_steered(op)]
        self.kinds = {i: sum_at(ops, read, i) for i in self.sites}
        self.sums = frozenset(i for i, kind in self.kinds.items() if kind is not None)
        self.loops = loops(programs)
        ours = {id(one.ops[i]) for one in programs for i in asking(one)}
        self.asking = {i for i, op in enumerate(ops) if id(op) in ours}
        self.hidden = any(map(_hides, ops))


class Steering(Observer):
    """Chooses who goes on.

    Args:
        core: the sanitizer of the run. accesses: of the program. chosen: whom to choose first, one after the other. asleep: who is
            not to be chosen then, until something comes that its access depends on. left_out: sums, by the numbers of their
            instructions, that need not be chosen: they share words with nothing but sums of their kind, as far as they come in any
            order.

    Attributes:
        trace: what has been done. stale: the first access that the memory model lets find what no order does; None where there is
            none. buffered: the same of one that does so only where a thread stores before an earlier load of its own has found its
            value.
    """

    in_turns = True

    def __init__(
        self,
        core: Sanitizer,
        accesses: Accesses,
        chosen: Sequence[int] = (),
        asleep: Mapping[int, Step] | None = None,
        left_out: Set[int] = frozenset(),
    ) -> None:
        self._core, self._accesses, self._left_out = core, accesses, left_out
        self._chosen, self._asleep = chosen, dict(asleep or {})
        self.trace = Trace()
        self.done: list[Done] = []
        self.stale: Stale | None = None
        self.buffered: Stale | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._vain = 0
        self._by_thread: dict[int, tuple[list[int], list[int]]] = {}

    def attach(self, machine: Observed) -> None:
        self.machine = machine
        sites = [i for i in self._accesses.sites if i not in self._left_out]
        machine.overlay.put(Layer.STOPS, {_STOP: [machine.image.points[i] for i in sites]})
        free = self._core.checks.free
        if isinstance(free, FreeOrder):
            free.steered = frozenset(sites)

    def printed(self, text: str, cta: Cta) -> bool:
        return True

    # -- who comes
    def stopped(self, cta: Cta) -> None:
        if self.machine.env.get(F.E_STOPPED) != F.STOPPED:
            return
        warp = cta.warps[cta.block.get(F.C_CURRENT)]
        frame = warp.frame
        mask, pc = frame.get(F.F_TRAP_MASK), frame.get(F.F_TRAP_PC)
        op = self.machine.image.op_at(pc)
        executes = mask & _guard(warp, op)
        if executes != mask:
            frame.set(F.F_PASS_PC, pc)
            frame.set(F.F_PASS_MASK, mask & ~executes)
        frame.set(F.F_WAITING, frame.get(F.F_WAITING) | executes)
        for lane in lanes_of(executes):
            self._comes(cta, warp, lane, op, pc)

    def _comes(self, cta: Cta, warp: Warp, lane: int, op: Op, pc: int) -> None:
        who = cta.index * self._core.threads.each + 32 * warp.index + lane
        step, where = self._step(cta, warp, lane, op, who)
        self._waiting[who] = _Waiting(warp, lane, op, step, where)
        self.machine.park(_key(who), Parked(warp, 1 << lane, pc, "waits for its turn", calls=0))

    def _step(self, cta: Cta, warp: Warp, lane: int, op: Op, who: int) -> tuple[Step, Reached | None]:
        site = self._core.numbers[id(op)]
        ctx = TrapContext(self.machine, cta.cluster, cta, warp, mask=1 << lane, op=op)
        found: list[Bytes] = []
        where: Reached | None = None
        touches = self._touches(op)
        for touch in touches:
            for where in self._core.regions.reached(ctx, touch):
                key = where.region.key
                memory = ("shared", key.index) if isinstance(key, Cta) else key
                for start, nbytes in zip(where.starts.tolist(), where.nbytes.tolist(), strict=True):
                    found.append((memory, start, start + nbytes))
        reads, writes = any(t.reads for t in touches), any(t.writes for t in touches)
        return Step(who, site, tuple(found), reads, writes, self._accesses.kinds[site]), where

    # -- who goes on
    def idle(self) -> bool:
        """Let one of those go on that wait. Whether there was any, or somebody else may go on."""
        if self._somebody_runs():
            return True
        ready = {who: one.step for who, one in sorted(self._waiting.items()) if not self._asks_again(one)}
        if not ready:
            self._note_left()
            return False
        depth = len(self.trace.steps)
        if depth < len(self._chosen):
            who = self._chosen[depth]
        else:
            who = next((one for one in ready if one not in self._asleep), -1)
        if who not in ready:
            self._note_left()
            raise Asleep
        if depth >= MOST_STEPS:
            raise TooMany
        self.trace.ready.append(ready)
        one = self._waiting.pop(who)
        self._goes_on(one)
        if depth >= len(self._chosen):
            self._asleep = {other: step for other, step in self._asleep.items() if not step.depends(one.step)}
        self.machine.wake(_key(who))
        frame = one.warp.frame
        frame.set(F.F_PASS_PC, self.machine.image.points[one.step.site])
        frame.set(F.F_PASS_MASK, 1 << one.lane)
        return True

    def turned(self, cta: Cta, turn: Turn) -> None:
        if turn is Turn.RAN:
            self._vain = 0

    def _somebody_runs(self) -> bool:
        """Whether anybody may go on without being chosen: not all who can run have asked in vain, twice, in a loop that only waits.

        Raises: TooMany where that does not end.
        """
        running = {self._index(warp, lane) for warp in self._warps() for lane in lanes_of(_ready(warp))}
        self._vain += bool(running)
        if self._vain > MOST_ROUNDS:
            raise TooMany
        return bool(running) and (self._vain < VAIN or not running <= self._accesses.asking)

    def _warps(self) -> Iterator[Warp]:
        return (warp for cluster in self.machine.resident for cta in cluster.ctas for warp in cta.warps)

    def _index(self, warp: Warp, lane: int) -> int:
        """The instruction that a lane executes next, by number."""
        points = self.machine.image.points
        return min(bisect.bisect_left(points, int(warp.frame.u32[lane])), len(points) - 1)

    def _note_left(self) -> None:
        self.trace.left = [(one.step, self._before(one)) for one in self._waiting.values()]

    def _goes_on(self, one: _Waiting) -> None:
        before = self._before(one)
        found, step = self._held(one.where), one.step
        fails = self._update(one.op) == "cas" and found != self._operand(one)
        done = Done(found, step.writes and not fails, step.writes and not step.reads, self._core.knowledge.now)
        if self.stale is None or self.buffered is None:
            self._look_at_older(one, done, before)
        times, numbers = self._by_thread.setdefault(step.who, ([], []))
        times.append(done.time)
        numbers.append(len(self.trace.steps))
        self.trace.add(step, before)
        self.done.append(done)

    def _before(self, one: _Waiting) -> int:
        """The accesses behind which one comes, as bits, whether or not they reach the same bytes."""
        clock, each, out = self._core.known_of(one.step.who), self._core.threads.each, 0
        for who, (times, numbers) in self._by_thread.items():
            known = (
                len(times) if who == one.step.who else bisect.bisect_right(times, knows_of(clock, *divmod(who, each)))
            )
            if known:
                out |= self.trace.closed[numbers[known - 1]]
        return out

    # -- what it finds
    def _asks_again(self, one: _Waiting) -> bool:
        """Whether a thread waits in a loop for another value than its word holds."""
        loop = self._accesses.loops.get(id(one.op))
        if loop is None:
            return False
        found = self._held(one.where)
        return found is not None and self._turns(one, loop, found)

    def _turns(self, one: _Waiting, loop: Loop, found: int) -> bool:
        """Whether a thread asks again that finds a value, having changed nothing."""
        if found not in one.answers:
            one.answers[found] = self._asks_again_behind(one, loop, found)
        return one.answers[found]

    def _asks_again_behind(self, one: _Waiting, loop: Loop, found: int) -> bool:
        if asks_again(loop, partial(_bits, one.warp, one.lane), found) is not True:
            return False
        if not one.step.writes:
            return True
        update = self._update(one.op)
        operand = self._operand(one)
        return found != operand if update == "cas" else update == "exch" and found == operand

    def _touches(self, op: Op) -> list[Touch]:
        return [t for t in self._core.action(op).touches if _is_shared(t)]

    def _update(self, op: Op) -> str | None:
        return next((t.update for t in self._touches(op)), None)

    def _operand(self, one: _Waiting) -> int:
        """What a compare-and-swap compares with, or an exchange stores."""
        ctx = TrapContext(self.machine, one.warp.cta.cluster, one.warp.cta, one.warp, mask=1 << one.lane, op=one.op)
        raw = ctx.read_bytes("b")[one.lane]
        return int.from_bytes(raw.tobytes(), "little")

    def _held(self, where: Reached | None) -> int | None:
        """What the word of an access holds; None where that is no word."""
        if where is None or len(where.starts) != 1 or int(where.nbytes[0]) > 8:
            return None
        start, nbytes, key = int(where.starts[0]), int(where.nbytes[0]), where.region.key
        if isinstance(key, Cta):
            there = key.shared[start : start + nbytes]
        else:
            there = self.machine.global_view(where.region.base + start, nbytes)
        return int.from_bytes(there.tobytes(), "little")

    # -- what the memory model lets it find besides
    def _look_at_older(self, one: _Waiting, done: Done, before: int) -> None:
        """Whether an access may take place before another one behind which it comes in every order.

        It comes behind that by an access to another word which does not synchronize, say. The model orders accesses to one word;
        of two words it orders what synchronizes alone.
        """
        steps, each = self.trace.steps, self._core.threads.each
        wide = before
        if self._accesses.hidden:
            mine = {cta.index for cta in one.warp.cta.cluster.ctas}
            for i, step in enumerate(steps):
                wide |= self.trace.closed[i] if step.who // each in mine else 0
        clock, loop = self._core.known_of(one.step.who), self._accesses.loops.get(id(one.op))
        reads_only = not done.wrote
        older: list[int] = []
        for i in self.trace.sharing(one.step):
            step, was = steps[i], self.done[i]
            if step.who == one.step.who or knows_of(clock, *divmod(step.who, each)) >= was.time:
                older.clear()  # it comes behind that, and so behind what that has found
            elif step.depends(one.step):
                older.append(i)
        bad = [i for i in older if loop is None or not self._goes_round(one, loop, self.done[i].found)]
        surely = [i for i in older if wide >> i & 1 and (reads_only or self.done[i].plain)]
        if self.stale is None and surely and any(i <= surely[-1] and self.done[i].wrote for i in bad):
            self.stale = Stale(one.op, surely[-1], steps[surely[-1]].site)
        others = [i for i in bad if wide >> i & 1 and i not in surely]
        if self.buffered is None and others:
            self.buffered = Stale(one.op, others[-1], steps[others[-1]].site)

    def _goes_round(self, one: _Waiting, loop: Loop, found: int | None) -> bool:
        return found is not None and self._turns(one, loop, found)

    def unsettled(self) -> set[int]:
        """Those that were left out, and share words with others after all."""
        free = self._core.checks.free
        assert isinstance(free, FreeOrder)
        return {site for pair in free.pairs for site in pair if site in self._left_out}


def _hides(op: Op) -> bool:
    """Whether an instruction may let a thread come behind others of its cluster without a word in clocks."""
    effect = op.inst.form.effect
    return isinstance(effect, Mbarrier) or (isinstance(effect, Barrier) and op.inst.effect.order == "relaxed")


def _is_steered(op: Op) -> bool:
    """Whether an instruction is a strong access whose order can be chosen."""
    effect = op.inst.form.effect
    if not isinstance(effect, Access) or effect.kind not in ("load", "store", "atomic"):
        return False
    touches = [t for t in op.inst.effect.touches if _is_shared(t)]
    return bool(touches) and all(t.agent == "thread" and isinstance(t.extent, Run) for t in touches)


def _is_shared(touch: Touch) -> bool:
    """Whether it is a strong access to memory that threads share."""
    return touch.space in SHADOWED and (touch.order != "weak" or touch.update is not None)


def _ready(warp: Warp) -> int:
    """The lanes of a warp that can run."""
    f = warp.frame
    return f.get(F.F_ALIVE) & ~(f.get(F.F_WAITING) | f.get(F.F_SYNC))


def _key(who: int) -> Hashable:
    return "order", who


def _guard(warp: Warp, op: Op) -> int:
    """The lanes that a guard lets execute an instruction."""
    if op.guard is None:
        return F.FULL
    bits = int(warp.row(op.guard).view(np.uint32)[0])
    return ~bits & F.FULL if op.guard_negated else bits


def _bits(warp: Warp, lane: int, register: Reg) -> int:
    return int(warp.read_row(register)[lane])


__all__ = ["Accesses", "Asleep", "Stale", "Steering", "TooMany"]
