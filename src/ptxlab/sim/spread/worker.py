"""A local process that runs parts of launches: one task after the other, until nobody sends any more."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from typing import Any

from ptxlab.sim.spread.arena import Arena
from ptxlab.sim.spread.task import Outcome, Task, perform
from ptxlab.sim.spread.wire import private, receive, send

STOP = 0
"""The control word that ends all parts of a launch."""


def main(file: int) -> None:
    """Serve the other end of a socket, given by its file descriptor."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever is interrupted ends its processes
    connection = socket.socket(fileno=file)
    threading.Thread(target=_leave_with, args=(connection,), daemon=True).start()
    while True:
        try:
            (task, parts, number), memory = receive(connection)
            assert memory is not None
            send(connection, _run(task, parts, number, memory))
        except (EOFError, OSError):
            return


def _run(task: Task, parts: tuple[range, ...], number: int, memory: int) -> Outcome:
    """Run parts of a task. The control word behind STOP with this number counts the CTAs that have ended."""
    data, control = private(memory, Arena.nbytes(task.layout))
    count = _Count(control, number)
    return perform(task, parts, data, count.stopped, count)


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
