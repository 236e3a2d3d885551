"""CTAs that need nobody's help run one after the other in native code, all in the place of one.

So do at first those whose asynchronous operations native code sees to: cp.async, and mbarriers of the own CTA. One that comes to
anything else, or waits for others, is handed over to the scheduler with all that is known of it; the next one runs alone again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ptxlab.isa.effects import AsyncCopy, Branch, Group
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block, allocate, functions
from ptxlab.sim.engine.compiled.registry import ALONE, TRAPS
from ptxlab.sim.engine.machine import faults
from ptxlab.sim.engine.machine.observer import Turn
from ptxlab.sim.engine.machine.schedule import LONE, PATIENCE, SLICE, TURN, Schedulable, Starts, rounds

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.compiled.emit import Handler
    from ptxlab.sim.engine.decoded.decode import Image
    from ptxlab.sim.engine.machine.resident import Cluster, Cta

VAIN = 8
"""Turns in a row in which a CTA only polls, after which other CTAs run beside it."""
SELDOM = 16
"""CTAs of which one at most may come to an instruction in Python: where it is more, all others begin under the scheduler."""


def is_alone(op: Op) -> bool:
    """Whether native code can see to an asynchronous instruction."""
    return op.inst.form.key in ALONE


def is_copy_alone(op: Op) -> bool:
    """Whether it is one that observers may leave to native code: copies by cp.async, and their groups."""
    effect = op.inst.form.effect
    ends = effect.completion if isinstance(effect, AsyncCopy) else effect.group if isinstance(effect, Group) else ""
    return ends == "cp.async-group"


def runs_alone(image: Image, may: Callable[[Op], bool] = is_alone) -> bool:
    """Whether native code sees to all that a program does, but for what goes wrong and calls of the system's functions.

    may: which asynchronous instructions may be among it.
    """
    native = all(may(op) or _is_native(op, handler) for op, handler in zip(image.ops, image.handlers, strict=True))
    return not (image.flights or image.caches or image.notes) and native


def _is_native(op: Op, handler: Handler) -> bool:
    return not (handler.traps or op.inst.form.key in TRAPS) or isinstance(op.inst.form.effect, Branch)


class Standalone:
    """Runs the CTAs of a launch without clusters, one after the other."""

    def __init__(self, machine: Schedulable, starts: Starts) -> None:
        self.machine, self._starts = machine, starts
        self._began = self._trapped = 0
        late = machine.units and machine.options.schedule == "late"
        self._queue = Block(allocate(F.QUEUE_BYTES)) if late else None

    def run(self) -> None:
        """Run all clusters to their ends. Raises Diagnostic as `Rounds.run` does."""
        machine, starts = self.machine, self._starts
        while starts.left:
            if self._trapped * SELDOM > self._began + SELDOM:
                rounds(machine, starts).run()
                return
            cluster = machine.admit(*starts.first)
            machine.resident[:] = [cluster]
            status = self._run(cluster)
            if status == F.EXITED:
                machine.retire(cluster)
                continue
            machine.residency.give(cluster.sms)
            cluster.sms = machine.residency.take(cluster.index)
            after = Turn.POLLS if status == F.POLLS else Turn.RAN
            in_turn = status == F.TRAP or not machine.units
            self._trapped += status == F.TRAP
            rounds(machine, starts).run(while_needed=True, after=None if in_turn else after)

    def _run(self, cluster: Cluster) -> int:
        """CTAs one after the other in a cluster's place. EXITED, or why the one that is there now needs more time or help."""
        machine, env, native, cta = self.machine, self.machine.env, functions(), cluster.ctas[0]
        before, part = machine.report.stats.ctas, self._starts.stretch
        env.set64(F.E_NEXT_CTA, part.start)
        env.set64(F.E_END_CTA, part.stop)
        whole = machine.units and machine.options.max_instructions is None
        env.set64(F.E_TURN, TURN if whole else 0)
        self._enter(alone=True)
        while True:
            machine.limit(SLICE)
            env.set64(F.E_PAUSE, env.get64(F.E_LIMIT))
            status = native.grid(cta.block.address, env.address)
            done = env.get64(F.E_NEXT_CTA) - 1
            cluster.index = cta.index = done
            cluster.coordinates = cta.coordinates = self._coordinates(done)
            machine.report.stats.ctas = before + done - part.start
            status = (self._turns if machine.units else self._slices)(cluster, status)
            machine.report.stats.ctas = before + done - part.start
            if status == F.FAULT:
                raise faults.fault(machine, cta)
            if status != F.EXITED or done + 1 >= part.stop:
                self._began += done + 1 - part.start
                self._starts.skip(done + 1 - part.start)
                self._leave(cta, ended=status == F.EXITED)
                return status
            machine.progress(machine.report.stats.ctas)

    def _enter(self, *, alone: bool) -> None:
        self.machine.env.set64(F.E_ALONE, int(alone))
        self.machine.env.set64(F.E_QUEUE, self._queue.address if alone and self._queue is not None else 0)

    def _leave(self, cta: Cta, *, ended: bool) -> None:
        if not ended:
            for unit in self.machine.units:
                unit.taken_over(cta)
        self._enter(alone=False)

    def _slices(self, cluster: Cluster, status: int) -> int:
        """A CTA without asynchronous operations goes on for some time."""
        machine, cta, spent, vain = self.machine, cluster.ctas[0], 0, 0
        while (status == F.SLICE and spent < LONE) or (status == F.POLLS and vain < VAIN):
            spent, vain = (spent + 1, 0) if status == F.SLICE else (spent, vain + 1)
            machine.limit(SLICE)
            status = functions().cta(cta.block.address, machine.env.address)
            machine.progress(machine.report.stats.ctas)
        return status

    def _turns(self, cluster: Cluster, status: int) -> int:
        """Others go on in turns, as under the scheduler: at the end of a slice, and where all ask in vain, operations happen."""
        machine, cta, vain = self.machine, cluster.ctas[0], 0
        end = machine.instructions + SLICE - TURN
        most = LONE if self._queue is None else PATIENCE
        while status in (F.SLICE, F.POLLS):
            if status == F.POLLS:
                vain = 0 if self._pending else vain + 1
                if vain > VAIN or not self._carry_out(cta, 2):
                    return status
            elif machine.instructions >= end:
                if cluster.slices + 1 >= most or not self._carry_out(cta, 1):
                    return status
                cluster.slices += 1
                end = machine.instructions + SLICE
                machine.progress(machine.report.stats.ctas)
            machine.limit(TURN)
            status = functions().cta(cta.block.address, machine.env.address)
        arriving = self._queue is not None and self._queue.get64(F.Q_ARRIVALS) != 0
        return F.PARKED if status == F.EXITED and arriving else status

    @property
    def _pending(self) -> bool:
        return self._queue is not None and self._queue.get64(F.Q_PENDING) != 0

    def _carry_out(self, cta: Cta, count: int) -> bool:
        """So many of the oldest operations happen, or fewer where one ends a wait. Whether that went well."""
        runnable = cta.block.get(F.C_RUNNABLE)
        while self._queue is not None and self._pending and count:
            if not functions().oldest(self._queue.address, cta.block.address):
                return False
            count = count - 1 if cta.block.get(F.C_RUNNABLE) == runnable else 0
        return True

    def _coordinates(self, index: int) -> tuple[int, int, int]:
        x, y, _ = self.machine.record.grid
        return index % x, index // x % y, index // (x * y)
