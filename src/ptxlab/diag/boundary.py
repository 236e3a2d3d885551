"""Where the package ends and the user's code begins: what is raised leaves without the frames in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Final, ParamSpec, TypeVar

from ptxlab.diag import Diagnostic
from ptxlab.diag.span import behind_tracer, frame_at

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


def without_command(d: Diagnostic) -> Diagnostic:
    """A command, or a server, was not called from Python of the user's: lines of those who called it are not shown."""
    if d.origin is not None and d.origin.file in _callers():
        d.origin = None
    return d


def _callers() -> set[str]:
    """Files of the functions that wait for the command to end."""
    out: set[str] = set()
    frame: FrameType | None = frame_at(1)
    while frame is not None:
        out.add(frame.f_code.co_filename)
        frame = frame.f_back
    return out
