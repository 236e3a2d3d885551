"""Numba with a cache on disk where there is a place for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numba
from numba.core import config

# The usual manager puts code and constants anywhere: beside a GPU's driver they may end up too far apart for 32-bit offsets.
_SETTING: Final = "USE_LLVMLITE_MEMORY_MANAGER"
if getattr(config, _SETTING) is None:
    setattr(config, _SETTING, True)


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call; keep the machine code across processes unless no directory can be written."""
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # no locator: neither the package nor a cache directory is writable
        return numba.njit(error_model="numpy")(function)
