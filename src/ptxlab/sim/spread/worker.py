"""A local process that runs parts of launches: one task after the other, until nobody sends any more."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import threading
from typing import Any

from ptxlab.sim.spread.arena import Arena, Marks
from ptxlab.sim.spread.task import NO_MEMORY, Outcome, Task, perform
from ptxlab.sim.spread.wire import private, receive, send

STOP = 0
"""The control word that ends all parts of a launch."""
KEPT = 1 << 28
"""Bytes of memory, at most, that are kept from launch to launch."""


def main(file: int) -> None:
    """Serve the other end of a socket, given by its file descriptor."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted ends its processes
    connection = socket.socket(fileno=file)
    threading.Thread(target=_leave_with, args=(connection,), daemon=True).start()
    runner = _Runner()
    while True:
        try:
            (task, parts, number, room), memory = receive(connection)
            assert memory is not None
            send(connection, runner.run(task, parts, number, memory, room))
        except (EOFError, OSError):
            return


class _Runner:
    """Runs parts of tasks. Marks are kept: fresh memory takes longer to come by than to clear."""

    def __init__(self) -> None:
        self._marks = Marks(0)

    def run(self, task: Task, parts: tuple[range, ...], number: int, memory: int, room: int) -> Outcome:
        """Run parts of a task, in memory of `room` bytes. The control word of this number counts the CTAs that have ended."""
        nbytes = Arena.nbytes(task.layout)
        try:
            data, control = private(memory, room)
            marks = self._marks if len(self._marks) >= nbytes else Marks(nbytes)
        except (MemoryError, OSError):
            return Outcome(NO_MEMORY)
        count = _Count(control, number)
        outcome = perform(task, parts, data[:nbytes], count.stopped, count, marks)
        if outcome.log is not None and nbytes <= KEPT:
            marks.clear(outcome.log, task.layout)
            self._marks = marks
        else:
            self._marks = Marks(0)
            del data
            gc.collect()  # a machine's parts hold each other, and one of them all that memory
        return outcome


class _Count:
    def __init__(self, control: Any, number: int) -> None:
        self.control, self.at = memoryview(control), 1 + number

    def stopped(self) -> bool:
        return self.control[STOP] != 0

    def __call__(self, done: int, total: int) -> None:
        self.control[self.at] = done


def _leave_with(connection: socket.socket) -> None:
    """End the process when the other side is gone, whatever is running."""
    poll = select.poll()
    poll.register(connection, select.POLLHUP)
    while not any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
        pass
    os._exit(1)
