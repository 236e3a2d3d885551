"""A launch that stops: at breakpoints, and after single instructions.

The launch runs in a thread of its own, and one of the two threads runs at a time: this one while the launch is stopped, the
other one while it goes on. All state lies in memory whenever it is stopped. Breakpoints and steps are handlers that stand in
for those of the instructions (semantics/watch.py): a launch that is not watched pays nothing.
"""

from __future__ import annotations

import bisect
import threading
from dataclasses import dataclass

import numpy as np

from ptxlab.abi.record import LaunchRecord
from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.compile import code
from ptxlab.sim.compiled.emit import Handler
from ptxlab.sim.compiled.native import Block, address, allocate
from ptxlab.sim.machine.machine import TRAPS_OF_TURN, Cluster, Cta, Machine, Options, Warp
from ptxlab.sim.machine.schedule import Starts, Turn

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


class _Again(Exception):
    """The turn is over: who runs next is chosen afresh."""


class _Abandoned(BaseException):
    """Nobody wants the launch any more."""


class Stoppable(Machine):
    """A machine that hands over to `arrived` at breakpoints and after steps.

    Attributes:
        points: program counter of every instruction, ascending.
        breaks: numbers of the instructions with a breakpoint.
        stepping: the warp that is to execute one instruction; None: any may, or all go on.
        abandoned: set from outside to end the run.
    """

    def __init__(self, record: LaunchRecord, options: Options) -> None:
        super().__init__(record, options)
        self.points = self.image.points
        self._at = np.array(self.points, np.int64) // 8
        self._originals = self.words.copy()
        found = code().handlers([STOP, STEP])
        self._stop, self._step = found[STOP], found[STEP]
        self.breaks: set[int] = set()
        self.stepping: Warp | None = None
        self.abandoned = False
        self._anyone = Block(allocate(F.F_HEADER))
        self._single = False
        self._steps = 0
        self._trying: Stop | None = None
        self.env.set64(F.E_ORIGINAL, address(self._originals))

    def index_at(self, pc: int) -> int:
        """The instruction at a program counter."""
        return max(bisect.bisect_right(self.points, pc) - 1, 0)

    def index_from(self, pc: int) -> int:
        """The instruction that runs next from a program counter on: that may be the head of a block."""
        return min(bisect.bisect_left(self.points, pc), len(self.points) - 1)

    def go(self, *, step: bool, warp: Warp | None) -> None:
        """Prepare to go on: for one instruction of a warp (None: of any), or to the next breakpoint."""
        warp = None if warp is None or self.over(warp) else warp
        self.stepping, self._single = warp if step else None, step
        self.words[self._at] = self._step if step else self._originals[self._at]
        for index in self.breaks:
            self.words[self._at[index]] = self._stop
        frame = warp.frame if warp is not None else self._anyone
        self.env.set64(F.E_STEP, frame.address)
        if step and warp is not None:
            self._pass(warp, self.stand(warp))
            self._steps += 1
            if self._steps % ROTATE == 0:
                warp.frame.set(F.F_ROTATE, 1)

    def over(self, warp: Warp) -> bool:
        """Whether a warp has ended. Its memory may be that of another one then."""
        return all(k is not warp.cta.cluster for k in self.resident) or warp.frame.get(F.F_ALIVE) == 0

    def _pass(self, warp: Warp, stop: Stop) -> None:
        """Let lanes execute the instruction that they stand in front of, without a stop there."""
        warp.frame.set(F.F_PASS_PC, self.points[stop.index])
        warp.frame.set(F.F_PASS_MASK, stop.lanes)

    def arrived(self, stop: Stop) -> None:
        """Called when lanes have stopped; the launch goes on when it returns. For subclasses."""

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
        return Stop(warp, there, self.index_from(least), "ready") if ready else self._waiting(warp, there, least)

    def failure(self) -> Stop | None:
        """Where the launch was when it failed: the warp with the fault, else the first one that still lives."""
        if self._trying is not None:
            return Stop(self._trying.warp, self._trying.lanes, self._trying.index, "failed")
        warps = [w for k in self.resident for c in k.ctas for w in c.warps]
        for w in warps:
            if w.frame.get(F.F_FAULT):
                return Stop(w, 1 << w.frame.get(F.F_FAULT_LANE), self.index_at(w.frame.get(F.F_FAULT_PC)), "failed")
        return next((s for w in warps if (s := self.stand(w)).state != "ended"), None)

    def _waiting(self, warp: Warp, lanes: int, pc: int) -> Stop:
        return Stop(warp, lanes, self.index_at(pc), "waits")

    # -- the machine's own
    def run_grid(self, starts: Starts) -> None:
        self.run_clusters(starts)

    @property
    def may_watch(self) -> bool:
        return not self._single and not self.breaks

    def retire(self, cluster: Cluster) -> None:
        super().retire(cluster)
        if self.stepping is not None and self.stepping.cta.cluster is cluster:  # the next to run is the one that stops
            self.stepping = None
            self.env.set64(F.E_STEP, self._anyone.address)

    def gives_turn(self, cta: Cta) -> bool:
        wanted = self.stepping
        return wanted is None or wanted.cta is cta or not wanted.cta.block.get(F.C_RUNNABLE) >> wanted.index & 1

    def turn(self, cta: Cta, length: int, traps: int = TRAPS_OF_TURN) -> Turn:
        if not self.gives_turn(cta):
            return Turn.WAITS
        try:
            return super().turn(cta, length, traps)
        except _Again:
            return Turn.RAN

    def progress(self, done: int) -> None:
        if self.abandoned:
            raise _Abandoned
        super().progress(done)

    def trap(self, cta: Cta) -> None:
        if self.abandoned:
            raise _Abandoned
        warp = cta.warps[cta.block.get(F.C_CURRENT)]
        frame = warp.frame
        stop = Stop(warp, frame.get(F.F_TRAP_MASK), self.index_at(frame.get(F.F_TRAP_PC)))
        if not self.env.get(F.E_STOPPED):
            self._trying = stop
            super().trap(cta)
            self._trying = None
            if frame.get(F.F_WAITING) & stop.lanes:  # it is tried again, and that is no second arrival
                self._pass(warp, stop)
            return
        if self.env.get(F.E_STOPPED) == F.STOPPED:
            self.arrived(stop)
        self.env.set(F.E_STOPPED, 0)
        if self.abandoned:
            raise _Abandoned
        wanted = self.stepping
        if wanted is not None:
            wanted.cta.block.set(F.C_NEXT, wanted.index)
        raise _Again


class Session(Stoppable):
    """A launch and its thread. `stop` is where it stands, None when it has ended."""

    def __init__(self, record: LaunchRecord, options: Options) -> None:
        super().__init__(record, options)
        self.stop: Stop | None = None
        self._outcome: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._mine, self._other = threading.Semaphore(0), threading.Semaphore(0)
        self.ended = False

    def resume(self, warp: Warp | None, *, step: bool) -> Stop | None:
        """Go on for one instruction of a warp (None: of any), or to the next breakpoint. Returns where, None at the end.

        Raises: Diagnostic for what stops the launch for good; KeyboardInterrupt.
        """
        self.go(step=step, warp=warp)
        self.stop = None
        if self._thread is None:
            self._thread = threading.Thread(target=self._live, name="ptxlab launch", daemon=True)
            self._thread.start()
        else:
            self._other.release()
        try:
            while not self._mine.acquire(timeout=0.2):  # a wait without end would not hear Ctrl-C
                pass
        except KeyboardInterrupt:
            self.abandon(running=True)
            raise
        if self._outcome is not None:
            raise self._outcome
        return self.stop

    def arrived(self, stop: Stop) -> None:
        self.stop = stop
        self._mine.release()
        self._other.acquire()

    def abandon(self, *, running: bool = False) -> None:
        """End the launch where it is; what it has written stays."""
        self.abandoned = True
        if self._thread is not None and self._thread.is_alive():
            if not running:
                self._other.release()
            self._thread.join()
        self.ended, self.stop = True, None

    def _live(self) -> None:
        try:
            self.run()
        except _Abandoned:
            pass
        except BaseException as wrong:
            self._outcome = wrong
        self.ended, self.stop = True, None
        self._mine.release()


__all__ = ["Session", "Stop", "Stoppable"]
