"""Processes on this machine that run parts of launches. They stay, with what they have compiled, until the program ends."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

from ptxlab.diag import Diagnostic
from ptxlab.sim.spread.arena import Arena
from ptxlab.sim.spread.task import Outcome, Task
from ptxlab.sim.spread.wire import CONTROL, Shared, receive, send
from ptxlab.sim.spread.worker import KEPT, STOP

MOST = CONTROL // 8 - 1
"""Processes of a launch: each has a control word."""
_LOOK = 0.1
"""Seconds between two looks at how far the parts are."""
_GRACE = 1.0
"""Seconds that a process has to end by itself."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from ptxlab.sim.spread.worker import main; main(int(sys.argv[1]))"
)


class Worker:
    """A process, and the socket that leads there."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        path = [os.path.abspath(p) for p in sys.path]
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START, str(theirs.fileno()), json.dumps(path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )

    def answer(self) -> Outcome:
        """How its part has ended. Raises Diagnostic PTX9040 where it has ended."""
        try:
            return receive(self.socket)[0]
        except (EOFError, OSError):
            raise self.dead() from None

    def dead(self) -> Diagnostic:
        """That it has ended, and how."""
        self.end()
        code = self.process.returncode
        if code < 0:
            how = f"by signal {-code} ({signal.strsignal(-code)})"
        else:
            how = f"with status {code}"
        help_ = "use fewer workers: each has a copy of what it writes" if code == -signal.SIGKILL else None
        return Diagnostic("PTX9040", f"a process of the launch has ended {how}", help=help_)

    def end(self) -> None:
        """End the process, if it has not ended by itself."""
        self.socket.close()
        try:
            self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Pool:
    """The processes of this program."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._workers: list[Worker] = []
        self._memory: Shared | None = None
        self._lock = threading.Lock()

    def run(
        self,
        task: Task,
        shares: Sequence[tuple[range, ...]],
        progress: Callable[[int], object],
    ) -> list[Outcome]:
        """Run each share of a launch in a process of its own; `progress` is told now and then how many CTAs have ended.

        The first trouble of a part ends all of them. Raises: Diagnostic PTX9040 where a process ends, OSError where there is
        no memory for the copy, KeyboardInterrupt; then all processes of the launch are gone.
        """
        with self._lock:
            try:
                memory = self._room(Arena.nbytes(task.layout))
                task.layout.fill(memory.data)
                return self._run(task, shares, memory, progress)
            except BaseException:
                self.close()
                raise
            finally:
                if self._memory is not None and len(self._memory.data) > KEPT:
                    self._forget()

    def _room(self, nbytes: int) -> Shared:
        """Memory of at least so many bytes, with its control words at rest."""
        if self._memory is None or len(self._memory.data) < nbytes:
            self._forget()
            self._memory = Shared(nbytes)
        self._memory.control[:] = 0
        return self._memory

    def _forget(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def _run(
        self, task: Task, shares: Sequence[tuple[range, ...]], memory: Shared, progress: Callable[[int], object]
    ) -> list[Outcome]:
        workers = self._take(len(shares))
        for number, (worker, parts) in enumerate(zip(workers, shares, strict=True)):
            try:
                send(worker.socket, (task, parts, number, len(memory.data)), memory.file)
            except OSError:
                raise worker.dead() from None
        outcomes: dict[int, Outcome] = {}
        while len(outcomes) < len(shares):
            for number in self._ready(workers, outcomes):
                outcomes[number] = workers[number].answer()
                if outcomes[number].trouble is not None:
                    memory.control[STOP] = 1
            progress(int(memory.control[1 : 1 + len(shares)].sum()))
        return [outcomes[number] for number in range(len(shares))]

    def _take(self, count: int) -> list[Worker]:
        self._workers = [w for w in self._workers if w.process.poll() is None]
        fresh = [Worker() for _ in range(count - len(self._workers))]
        self._workers += fresh
        return self._workers[:count]

    def _ready(self, workers: Sequence[Worker], known: dict[int, Outcome]) -> list[int]:
        """The processes that have something to say."""
        poll = select.poll()
        numbers: dict[int, int] = {}
        for number, worker in enumerate(workers):
            if number not in known:
                poll.register(worker.socket, select.POLLIN)
                numbers[worker.socket.fileno()] = number
        return [numbers[fd] for fd, _ in poll.poll(_LOOK * 1000)]

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.end()
        self._workers = []
        self._forget()


_pool: Pool | None = None


def pool() -> Pool:
    """The pool of this process; one that a fork has left behind is its parent's."""
    global _pool
    if _pool is None or _pool.owner != os.getpid():
        _pool = Pool()
        atexit.register(_close, _pool)
    return _pool


def _close(one: Pool) -> None:
    if one.owner == os.getpid():
        one.close()
