"""Predictions side by side, each in a process of its own."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from types import FrameType
from typing import TYPE_CHECKING, Final

from ptxlab.diag import Diagnostic, Span, user_span

if TYPE_CHECKING:
    from ptxlab.timing.profile import Profile

Job = Callable[[], "Profile"]
_FORKS: Final = sys.platform == "linux"
"""Elsewhere a forked process may not use the system's libraries, so predictions run one after the other."""
_INTERRUPTED: Final = 130
_jobs: Sequence[Job] = ()
_origin: Span | None = None
"""Of a process: what it works on, and the line that asked for that."""


def outcomes(jobs: Sequence[Job], workers: int) -> list[Profile | Diagnostic]:
    """What each job predicts, or the Diagnostic that it raises, in their order.

    Processes are forked: they have the caller's arrays at the caller's addresses, so that a prediction is the one that
    `px.profile` makes, and kernels and arguments of any kind need not be pickled.

    Args:
        workers: processes at most; 1: none but this one. Where no process can be started, this one does all.

    Raises: Diagnostic PTX9040 where a process ends before its time; what else a job raises, as if it had run here.
    """
    count = min(workers, len(jobs))
    if count < 2 or not _FORKS:
        return [_outcome(job) for job in jobs]
    others = active_children()
    try:
        found = _side_by_side(jobs, count)
    except OSError:  # there is no memory for another process: a fork of this one may need as much as this one has reserved
        for process in active_children():
            if process not in others:
                process.terminate()
        found = [None] * len(jobs)
    return [_outcome(job) if one is None else one for job, one in zip(jobs, found, strict=True)]


def _side_by_side(jobs: Sequence[Job], count: int) -> list[Profile | Diagnostic | None]:
    with (
        warnings.catch_warnings(),
        ProcessPoolExecutor(count, get_context("fork"), _begin, (jobs, user_span())) as pool,
    ):
        warnings.filterwarnings(
            "ignore", message=r".*fork\(\)"
        )  # of Python and JAX: threads of the caller are not used
        futures = [pool.submit(_perform, number) for number in range(len(jobs))]
        try:
            return [future.result() for future in futures]
        except BrokenProcessPool:
            raise Diagnostic(
                "PTX9040",
                "A process that predicted a candidate has ended before its time.",
                help="use fewer workers, workers=1 for none: each has a copy of what it writes",
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin(jobs: Sequence[Job], origin: Span) -> None:
    """In a process, before its first job."""
    global _jobs, _origin
    _jobs, _origin = jobs, origin
    signal.signal(signal.SIGINT, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    """An interrupt ends the process: the caller says that there was one."""
    os._exit(_INTERRUPTED)


def _perform(number: int) -> Profile | Diagnostic | None:
    """A job's outcome; None where it raises what only the caller's process can show with its traceback."""
    try:
        found = _outcome(_jobs[number])
    except Exception:
        return None
    if isinstance(found, Diagnostic) and found.origin == user_span():  # the line of the pool that has called this
        found.origin = _origin
    return found


def _outcome(job: Job) -> Profile | Diagnostic:
    try:
        return job()
    except Diagnostic as d:
        return d
