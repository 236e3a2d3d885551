"""Where the package ends and the user's code begins: diagnostics leave without the frames in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from ptxlab.diag import Diagnostic

VARIABLE: Final = "PTXLAB_FULL_TRACEBACK"
P = ParamSpec("P")
R = TypeVar("R")


def public(function: Callable[P, R]) -> Callable[P, R]:
    """A Diagnostic that `function` raises shows the user's frames only; all of them where PTXLAB_FULL_TRACEBACK is set."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # for pytest, which shows all frames otherwise
        try:
            return function(*args, **kwargs)
        except Diagnostic as d:
            if os.environ.get(VARIABLE):
                raise
            raise d.with_traceback(None) from None

    return call
