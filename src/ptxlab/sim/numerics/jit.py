"""Numba with a cache on disk where there is a place for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call; keep the machine code across processes unless no directory can be written."""
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # no locator: neither the package nor a cache directory is writable
        return numba.njit(error_model="numpy")(function)
