"""Says that machine code is being compiled where that takes longer than a second: it happens once, and looks like a hang.

One line on the standard error; on a terminal a spinner that goes away.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

PATIENCE: Final = 1.0
"""Seconds of compilation in this process before anything is said."""
WORDS: Final = "ptxlab: compiling the simulator for this machine; this happens once and takes a few seconds"

_spent = 0.0
_said = False


@contextmanager
def compiling() -> Generator[None]:
    """Around a compilation, in any thread but in one at a time."""
    global _spent
    notice = _Notice()
    timer = threading.Timer(max(0.0, PATIENCE - _spent), notice.show)
    timer.daemon = True
    timer.start()
    begin = time.perf_counter()
    try:
        yield
    finally:
        timer.cancel()
        notice.end()
        _spent += time.perf_counter() - begin


class _Notice:
    """What is shown during one compilation."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._over = False
        self._status = None

    def show(self) -> None:
        """The compilation takes long."""
        global _said
        with self._lock:
            if self._over:
                return
            if sys.stderr.isatty():
                from rich.console import Console

                self._status = Console(stderr=True).status(WORDS)
                self._status.start()
            elif not _said:
                print(WORDS, file=sys.stderr, flush=True)
            _said = True

    def end(self) -> None:
        """The compilation is over."""
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()
