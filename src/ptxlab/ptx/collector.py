"""Python's collector of cycles, and when it is in the way."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Generator[None, None, None]:
    """Without the collector, which would walk a growing tree again and again and find nothing to free."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


_SELDOM = 20_000
_lock = threading.Lock()
_inside = 0
_before: tuple[int, int, int] = (0, 0, 0)


@contextmanager
def seldom_collected() -> Generator[None, None, None]:
    """With the collector at work, but less often: for what makes many objects and keeps most of them until its end.

    It stays on, unlike in `uncollected`: a long run with cycles of its own must not fill the memory. Threads may be inside
    together; the last one to leave puts back what was there before.
    """
    global _inside, _before
    with _lock:
        if not _inside:
            _before = gc.get_threshold()
            if 0 < _before[0] < _SELDOM:  # 0: somebody has turned the collector off
                gc.set_threshold(_SELDOM, *_before[1:])
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                gc.set_threshold(*_before)
