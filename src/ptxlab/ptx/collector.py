"""Python's collector of cycles, and when it is in the way."""

from __future__ import annotations

import gc
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
