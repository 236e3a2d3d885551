"""A launch in a thread of its own, which goes on when it is told to.

One of the two threads runs at a time: the caller's while the launch is stopped, the other one while it goes on.
"""

from __future__ import annotations

import threading

from ptxlab.abi.loaded import reaching
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.sim.diagnose.hangs.before import HANGS, Before
from ptxlab.sim.diagnose.hangs.explain import explained
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.diagnose.observe.stops import Abandoned, Stop, Stops
from ptxlab.sim.engine.machine.resident import Warp


class Session:
    """A launch and its thread.

    Attributes:
        machine: the launch. stops: its breakpoints and steps.
        stop: where it stands, None when it has ended. ended: whether it has.
    """

    def __init__(self, record: LaunchRecord, options: SimOptions) -> None:
        self.stops = Stops(self._arrived)
        reached = reaching(record)
        self._before = Before(reached)
        self.machine = machine_of(reached, options, self.stops)
        self.stop: Stop | None = None
        self._outcome: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._mine, self._other = threading.Semaphore(0), threading.Semaphore(0)
        self.ended = False

    def resume(self, warp: Warp | None, *, step: bool) -> Stop | None:
        """Go on for one instruction of a warp (None: of any), or to the next breakpoint. Returns where, None at the end.

        Raises: Diagnostic for what stops the launch for good; KeyboardInterrupt.
        """
        self.stops.go(step=step, warp=warp)
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

    def _arrived(self, stop: Stop) -> None:
        self.stop = stop
        self._mine.release()
        self._other.acquire()

    def abandon(self, *, running: bool = False) -> None:
        """End the launch where it is; what it has written stays."""
        self.stops.abandoned = True
        if self._thread is not None and self._thread.is_alive():
            if not running:
                self._other.release()
            self._thread.join()
        self.ended, self.stop = True, None

    def _live(self) -> None:
        try:
            self.machine.run()
        except Abandoned:
            pass
        except Diagnostic as wrong:
            hook = explained(wrong, self.machine, self._before) if wrong.code in HANGS else wrong
            self._outcome = hook.with_traceback(None)
        except BaseException as wrong:
            self._outcome = wrong
        self.ended, self.stop = True, None
        self._mine.release()
