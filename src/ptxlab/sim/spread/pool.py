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
    """The processes of this program. Launches of several threads have processes of their own.

    Attributes:
        busy: processes that run parts now.
    """

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.busy: list[Worker] = []
        self._idle: list[Worker] = []
        self._memory: Shared | None = None
        self._lock = threading.Lock()

    def run(self, task: Task, shares: Sequence[tuple[range, ...]], progress: Callable[[int], object]) -> list[Outcome]:
        """Run each share of a launch in a process of its own; `progress` is told now and then how many CTAs have ended.

        The first trouble of a part ends all of them. Raises: Diagnostic PTX9040 where a process ends, OSError where there is
        no memory for the copy, KeyboardInterrupt; then the processes of the launch are gone.
        """
        memory = self._room(Arena.nbytes(task.layout))
        workers: list[Worker] = []
        try:
            task.layout.fill(memory.data)
            workers = self._take(len(shares))
            outcomes = _run(workers, task, shares, memory, progress)
        except BaseException:
            self._give(workers, memory, ended=True)
            raise
        self._give(workers, memory, ended=False)
        return outcomes

    def _room(self, nbytes: int) -> Shared:
        """Memory of at least so many bytes, with its control words at rest."""
        with self._lock:
            found, self._memory = self._memory, None
        if found is None or len(found.data) < nbytes:
            if found is not None:
                found.close()
            found = Shared(nbytes)
        found.control[:] = 0
        return found

    def _take(self, count: int) -> list[Worker]:
        with self._lock:
            self._idle = [w for w in self._idle if w.process.poll() is None]
            taken, self._idle = self._idle[:count], self._idle[count:]
            taken += [Worker() for _ in range(count - len(taken))]
            self.busy += taken
            return taken

    def _give(self, workers: list[Worker], memory: Shared, *, ended: bool) -> None:
        """Take back what a launch had; processes that have not ended well are ended."""
        if ended:
            _end(workers)
        with self._lock:
            self.busy = [w for w in self.busy if w not in workers]
            self._idle += [] if ended else workers
            most = max(os.cpu_count() or 1, len(workers))
            self._idle, surplus = self._idle[-most:], self._idle[:-most]
            _end(surplus)
            if self._memory is None and len(memory.data) <= KEPT:
                self._memory = memory
                return
        memory.close()

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            workers, self._idle = self._idle + self.busy, []
        _end(workers)


def _run(
    workers: Sequence[Worker],
    task: Task,
    shares: Sequence[tuple[range, ...]],
    memory: Shared,
    progress: Callable[[int], object],
) -> list[Outcome]:
    for number, (worker, parts) in enumerate(zip(workers, shares, strict=True)):
        try:
            send(worker.socket, (task, parts, number, len(memory.data)), memory.file)
        except OSError:
            raise worker.dead() from None
    outcomes: dict[int, Outcome] = {}
    while len(outcomes) < len(shares):
        for number in _ready(workers, outcomes):
            outcomes[number] = workers[number].answer()
            if outcomes[number].trouble is not None:
                memory.control[STOP] = 1
        progress(int(memory.control[1 : 1 + len(shares)].sum()))
    return [outcomes[number] for number in range(len(shares))]


def _ready(workers: Sequence[Worker], known: dict[int, Outcome]) -> list[int]:
    """The processes that have something to say."""
    poll = select.poll()
    numbers: dict[int, int] = {}
    for number, worker in enumerate(workers):
        if number not in known:
            poll.register(worker.socket, select.POLLIN)
            numbers[worker.socket.fileno()] = number
    return [numbers[fd] for fd, _ in poll.poll(_LOOK * 1000)]


def _end(workers: Sequence[Worker]) -> None:
    for worker in workers:
        worker.process.kill()
    for worker in workers:
        worker.end()


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
