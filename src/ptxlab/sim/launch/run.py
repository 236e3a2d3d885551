"""`run`: a launch record goes in, the caller's arrays are written, a report comes out."""

from __future__ import annotations

import operator
import os
from dataclasses import replace
from typing import Any, SupportsIndex

from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic, user_span
from ptxlab.sim import semantics
from ptxlab.sim.machine import system
from ptxlab.sim.machine.machine import Machine, Options
from ptxlab.sim.observe.counting import Counting
from ptxlab.sim.report.report import Report

SCHEDULES = ("eager", "late", "random")
MOST_SEED = (1 << 64) - 1


def checked(options: SimOptions) -> SimOptions:
    """The same options, numbers as Python's own. Raises: Diagnostic PTX2501 for what an option cannot be."""
    if options.schedule not in SCHEDULES:
        raise _option(f"{options.schedule!r} is no schedule.", f"use {', '.join(SCHEDULES)}")
    seed, most = _whole(options.seed), options.max_instructions
    if seed is None or not 0 <= seed <= MOST_SEED:
        raise _option(f"seed={options.seed!r} is no seed.", "use an integer from 0 to 2^64 - 1")
    limit = _whole(most)
    if most is not None and (limit is None or limit < 1):
        raise _option(f"max_instructions={most!r} is no limit.", "use an integer from 1, or None for no limit")
    if options.progress is not None and not callable(options.progress):
        raise _option(
            f"progress={options.progress!r} cannot be called.", "give a function of (CTAs finished, CTAs of the grid)"
        )
    return replace(options, seed=seed, max_instructions=limit)


def _whole(value: object) -> int | None:
    """An integer, NumPy's included; None for anything else."""
    return operator.index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None


def _option(message: str, help_: str) -> Diagnostic:
    return Diagnostic("PTX2501", message, help=help_, origin=user_span())


def run(
    record: LaunchRecord,
    options: SimOptions = SimOptions(),
    **chosen: Any,
) -> Report:
    """Simulate a launch on the CPU; the arrays behind `record.buffers` are read and written in place.

    Args:
        record: the launch; its addresses are addresses of this process.
        options: see `px.simulate`.
        **chosen: by name, in the place of what `options` has.

    Raises: Diagnostic PTX2501 for options, PTX9013 for sanitize, PTX9021 where memory runs out, other PTX90xx for a fault of the
    kernel (out of bounds, misaligned, `trap`, too many instructions, an instruction that is not simulated), PTX91xx for faults
    of asynchronous units and deadlocks. The arrays then hold what was written before. PTX904x where processes cannot do their
    part, the arrays as they were.
    """
    options = checked(replace(options, **chosen) if chosen else options)
    if options.sanitize:
        raise Diagnostic("PTX9013", "ptxlab cannot look for races and missing fences yet")

    def alone() -> Report:
        return (Counting if options.stats else Machine)(record, Options.of(options)).run()

    count = processes(options)
    try:
        if count == 1:
            return alone()
        from ptxlab.sim.spread import spread

        return spread(record, options, alone, count)
    except MemoryError as e:
        raise Diagnostic("PTX9021", f"The simulation of {record.program.name} ran out of memory: {e}") from None


def processes(options: SimOptions) -> int:
    """How many processes a launch asks for; 2 for those of Dask, which counts them itself.

    Raises: Diagnostic PTX2501 for a number that is none, and for workers and a client at once.
    """
    workers = options.workers
    if options.client is not None:
        if workers is not None:
            raise _option("Both workers= and client= are given.", "a client brings its own workers: leave workers= out")
        return 2
    if workers is None:
        return 1
    from ptxlab.sim.spread.pool import MOST

    count = _whole(workers)
    if count is None or not 0 <= count <= MOST:
        raise _option(f"workers={workers!r} is no number of processes.", "use 0 for one for each core")
    return count or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))


__all__ = ["run", "semantics", "system"]
