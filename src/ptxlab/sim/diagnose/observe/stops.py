"""Stops of a debugger: at breakpoints, and after single instructions.

Breakpoints and steps are prologues (engine/handlers/stops.py) in a layer of their own: a launch without them pays nothing. All
state lies in memory whenever the launch is stopped.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.compiled.native import Block, allocate
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Parked, Warp

STOP, STEP = Handler("$stop"), Handler("$step")
ROTATE = 4096
"""Steps of a diverged warp after which its next group of lanes gets its turn: one may wait for another."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where lanes of a warp stand: in front of instruction `index` of `machine.image.ops`.

    `state`: "ready", "waits" for other threads or a unit, "failed" there, or "ended".
    """

    warp: Warp
    lanes: int
    index: int
    state: str = "ready"


class Abandoned(BaseException):
    """Nobody wants the launch any more."""


class Stops(Observer):
    """Hands over to `arrived` at breakpoints and after steps; the launch goes on when that returns.

    Attributes:
        points: program counter of every instruction, ascending.
        breaks: numbers of the instructions with a breakpoint; they hold from the next `go` on.
        stepping: the warp that is to execute one instruction; None: any may, or all go on.
        abandoned: set from outside to end the run: it raises Abandoned then.
    """

    in_turns = True

    def __init__(self, arrived: Callable[[Stop], None]) -> None:
        self._arrived = arrived
        self.breaks: set[int] = set()
        self.stepping: Warp | None = None
        self.abandoned = False
        self._anyone = Block(allocate(F.F_HEADER))
        self._steps = 0
        self._trying: Stop | None = None
        self._there: tuple[bool, frozenset[int]] = False, frozenset()

    def attach(self, machine: Observed) -> None:
        self.machine = machine
        self.points = machine.image.points
        self._all = np.array(self.points, np.int64)

    def index_at(self, pc: int) -> int:
        """The instruction at a program counter."""
        return max(bisect.bisect_right(self.points, pc) - 1, 0)

    def index_from(self, pc: int) -> int:
        """The instruction that runs next from a program counter on: that may be the head of a block."""
        return min(bisect.bisect_left(self.points, pc), len(self.points) - 1)

    def go(self, *, step: bool, warp: Warp | None) -> None:
        """Prepare to go on: for one instruction of a warp (None: of any), or to the next breakpoint."""
        warp = None if warp is None or self.over(warp) else warp
        self.stepping = warp if step else None
        self._put(step, frozenset(self.breaks))
        frame = warp.frame if warp is not None else self._anyone
        self.machine.env.set64(F.E_STEP, frame.address)
        if step and warp is not None:
            self._pass(warp, self.stand(warp))
            self._steps += 1
            if self._steps % ROTATE == 0:
                warp.frame.set(F.F_ROTATE, 1)

    def _put(self, step: bool, breaks: frozenset[int]) -> None:
        """Put the prologues, unless they are there from the last time."""
        if self._there != (step, breaks):
            self._there = step, breaks
            steps: dict[Handler, NDArray[np.int64]] = {STEP: self._all} if step else {}
            self.machine.overlay.put(Layer.STOPS, {**steps, STOP: self._all[sorted(breaks)]})

    def over(self, warp: Warp) -> bool:
        """Whether a warp has ended. Its memory may be that of another one then."""
        return all(k is not warp.cta.cluster for k in self.machine.resident) or warp.frame.get(F.F_ALIVE) == 0

    def _pass(self, warp: Warp, stop: Stop) -> None:
        """Let lanes execute the instruction that they stand in front of, without a stop there."""
        warp.frame.set(F.F_PASS_PC, self.points[stop.index])
        warp.frame.set(F.F_PASS_MASK, stop.lanes)

    def stand(self, warp: Warp) -> Stop:
        """Where a warp is."""
        f = warp.frame
        alive = f.get(F.F_ALIVE)
        ready = alive & ~(f.get(F.F_WAITING) | f.get(F.F_SYNC))
        pcs = f.u32[:32].astype(np.int64)
        if not alive:
            return Stop(warp, 0, 0, "ended")
        lanes = ready or alive
        least = int(min(pcs[lane] for lane in range(32) if lanes >> lane & 1))
        there = sum(1 << lane for lane in range(32) if lanes >> lane & 1 and pcs[lane] == least)
        if ready:
            return Stop(warp, there, self.index_from(least), "ready")
        return Stop(warp, there, self.index_at(least), "waits")

    def failure(self) -> Stop | None:
        """Where the launch was when it failed: the warp with the fault, else the first one that still lives."""
        if self._trying is not None:
            return Stop(self._trying.warp, self._trying.lanes, self._trying.index, "failed")
        warps = [w for k in self.machine.resident for c in k.ctas for w in c.warps]
        for w in warps:
            if w.frame.get(F.F_FAULT):
                return Stop(w, 1 << w.frame.get(F.F_FAULT_LANE), self.index_at(w.frame.get(F.F_FAULT_PC)), "failed")
        return next((s for w in warps if (s := self.stand(w)).state != "ended"), None)

    # -- hooks
    def cluster_retired(self, cluster: Cluster) -> None:
        if self.stepping is not None and self.stepping.cta.cluster is cluster:  # the next to run is the one that stops
            self.stepping = None
            self.machine.env.set64(F.E_STEP, self._anyone.address)

    def gives_turn(self, cta: Cta) -> bool:
        wanted = self.stepping
        return wanted is None or wanted.cta is cta or not wanted.cta.block.get(F.C_RUNNABLE) >> wanted.index & 1

    def progressed(self, done: int) -> None:
        self._check()

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        self._check()
        self._trying = Stop(warp, mask, self.index_at(pc))

    def trap_ended(self, warp: Warp, mask: int, pc: int, parked: Parked | None) -> None:
        stop, self._trying = self._trying, None
        if parked is not None and stop is not None:  # it is tried again, and that is no second arrival
            self._pass(warp, stop)

    def stopped(self, cta: Cta) -> None:
        self._check()
        warp = cta.warps[cta.block.get(F.C_CURRENT)]
        if self.machine.env.get(F.E_STOPPED) == F.STOPPED:
            frame = warp.frame
            self._arrived(Stop(warp, frame.get(F.F_TRAP_MASK), self.index_at(frame.get(F.F_TRAP_PC))))
        self._check()
        wanted = self.stepping
        if wanted is not None:
            wanted.cta.block.set(F.C_NEXT, wanted.index)

    def _check(self) -> None:
        if self.abandoned:
            raise Abandoned
