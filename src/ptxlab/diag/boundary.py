"""Where the package ends and the user's code begins: what is raised leaves without the frames in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from ptxlab.diag import Diagnostic
from ptxlab.diag.span import behind_tracer

VARIABLE: Final = "PTXLAB_FULL_TRACEBACK"
P = ParamSpec("P")
R = TypeVar("R")


def public(function: Callable[P, R]) -> Callable[P, R]:
    """A Diagnostic that `function` raises shows the user's frames only; all of them where PTXLAB_FULL_TRACEBACK is set.

    So does an exception of the Python of a kernel that is traced, with the frames of the kernel.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # for pytest, which shows all frames otherwise
        try:
            return function(*args, **kwargs)
        except Diagnostic as d:
            if os.environ.get(VARIABLE):
                raise
            raise d.with_traceback(None) from None
        except Exception as wrong:
            inside = None if os.environ.get(VARIABLE) else behind_tracer(wrong.__traceback__)
            if inside is None:
                raise
            raise wrong.with_traceback(inside)  # noqa: B904 (its own cause and context stay)

    return call
