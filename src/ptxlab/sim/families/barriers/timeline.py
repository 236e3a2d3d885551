"""Waits at barriers of a CTA on the timeline.

Barriers run in machine code. In a launch with a timeline a prologue notifies this module each time that a warp arrives at one or
goes on, and the warp's clock jumps to that of the last one that has arrived.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from ptxlab.isa.effects import Barrier
from ptxlab.isa.operands import Imm, Reg
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
from ptxlab.sim.engine.units.trace import TIMES, Timeline

_NOTIFY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
_CLOCK = Handler("$clock")


@dataclass(slots=True, eq=False)
class _Meeting:
    """One use of a barrier: when the latest warp so far has arrived, and whether all have.

    `whole`: all warps of the CTA take part, so that one that exits counts as arrived.
    """

    clock: int = 0
    over: bool = False
    whole: bool = False


class BarrierWaits(Observer):
    """Records waits at bar.sync and the like on the timeline."""

    def attach(self, machine: Observed) -> None:
        self._machine, self._timeline = machine, machine.unit(Timeline)
        self._warps: dict[int, Warp] = {}
        self._now: dict[tuple[Cta, int], _Meeting] = {}
        self._waits: dict[Warp, tuple[_Meeting, Op, int]] = {}
        self._wrong: BaseException | None = None
        image = machine.image
        self._ops: dict[int, Op] = {pc: op for pc, op in zip(image.points, image.ops, strict=True) if _is_barrier(op)}
        self._notify = _NOTIFY(self._runs)
        machine.overlay.put(Layer.CLOCK, {_CLOCK: list(self._ops)})
        machine.env.set64(F.E_CLOCK, ctypes.cast(self._notify, ctypes.c_void_p).value or 0)

    def cta_started(self, cta: Cta) -> None:
        for warp in cta.warps:
            self._warps[warp.frame.address] = warp

    def cluster_retired(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            for warp in cta.warps:
                self._waits.pop(warp, None)
                self._warps.pop(warp.frame.address, None)
            for number in range(F.BARRIERS):
                self._now.pop((cta, number), None)

    def slice_begins(self) -> None:
        if self._wrong is not None:  # machine code cannot pass it on
            raise self._wrong

    def _runs(self, frame: int, pc: int, lanes: int) -> None:
        try:
            warp, op = self._warps[frame], self._ops[pc]
            released = warp.frame.get(F.F_RELEASED)
            if released & lanes == lanes:
                self._goes_on(warp)
            elif (warp.frame.get(F.F_SYNC) | lanes) == warp.frame.get(F.F_ALIVE) or not _waits(op):
                self._arrives(warp, op, lanes)
        except BaseException as wrong:
            self._wrong = wrong

    def _arrives(self, warp: Warp, op: Op, lanes: int) -> None:
        lane = lanes_of(lanes)[0]
        number, threads = _integer(warp, op, "id", lane) or 0, _integer(warp, op, "threads", lane)
        if number >= F.BARRIERS:
            return  # a fault
        cta = warp.cta
        at = F.C_BARRIERS + number * F.BARRIER_BYTES
        arrived = cta.block.get(at + F.B_ARRIVED)
        meeting = self._now.get((cta, number))
        if meeting is None or not arrived:
            meeting = self._now[cta, number] = _Meeting(whole=not threads)
        meeting.clock = max(meeting.clock, self._timeline.now(warp))
        if _waits(op):
            self._waits[warp] = (meeting, op, number)
        alive = cta.block.get(F.C_ALIVE).bit_count() * F.LANES
        if arrived + F.LANES >= (threads or alive):
            self._is_over(cta, meeting)
            if _waits(op):
                self._goes_on(warp)  # the last one does not run it once more

    def _is_over(self, cta: Cta, meeting: _Meeting) -> None:
        meeting.over = True
        if meeting.whole:
            ended = cta.block.get(F.C_ALIVE)
            gone = [warp for warp in cta.warps if not ended >> warp.index & 1]
            meeting.clock = max([meeting.clock, *map(self._timeline.now, gone)])

    def _goes_on(self, warp: Warp) -> None:
        found = self._waits.pop(warp, None)
        if found is None:
            return
        meeting, op, number = found
        if not meeting.over:  # the exit of others has ended it
            self._is_over(warp.cta, meeting)
        self._timeline.wait(warp, meeting.clock, "barrier wait", op, barrier=number)


def _is_barrier(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Barrier) and effect.scope == "cta"


def _waits(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Barrier) and effect.kind != "arrive"


def _integer(warp: Warp, op: Op, name: str, lane: int) -> int | None:
    """An operand as a lane sees it; None where it is left out."""
    operand = op.inst.operands.get(name)
    if isinstance(operand, Imm):
        return int(operand.value)
    return int(warp.read_row(operand)[lane]) if isinstance(operand, Reg) else None


TIMES.append(BarrierWaits)
