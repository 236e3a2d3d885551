"""Numba with a cache on disk where there is a place for one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final

import numba
from numba.core import config, event

from ptxlab.sim.engine.compiled.progress import compiling

# The usual manager puts code and constants anywhere: beside a GPU's driver they may end up too far apart for 32-bit offsets.
_SETTING: Final = "USE_LLVMLITE_MEMORY_MANAGER"
if getattr(config, _SETTING) is None:
    setattr(config, _SETTING, True)


class _Notice(event.Listener):
    """Tells who waits that Numba is compiling. One compilation may ask for others."""

    def __init__(self) -> None:
        self._open = 0
        self._compiling: AbstractContextManager[None] | None = None

    def on_start(self, event: event.Event) -> None:
        self._open += 1
        if self._open == 1:
            self._compiling = compiling()
            self._compiling.__enter__()

    def on_end(self, event: event.Event) -> None:
        self._open -= 1
        if self._open == 0 and self._compiling is not None:
            self._compiling.__exit__(None, None, None)
            self._compiling = None


event.register("numba:compile", _Notice())  # pyright: ignore[reportUnknownMemberType]


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call; keep the machine code across processes unless no directory can be written."""
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # no locator: neither the package nor a cache directory is writable
        return numba.njit(error_model="numpy")(function)
