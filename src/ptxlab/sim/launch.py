"""`run`: a launch record goes in, the caller's arrays are written, a report comes out."""

from __future__ import annotations

from collections.abc import Callable

from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.sim import semantics, system, units
from ptxlab.sim.counting import Counting
from ptxlab.sim.machine import Machine, Options
from ptxlab.sim.report import Report

SCHEDULES = ("eager", "late", "random")


def check_schedule(schedule: str) -> None:
    """Raise Diagnostic PTX2501 for what is no schedule."""
    if schedule not in SCHEDULES:
        raise Diagnostic("PTX2501", f"{schedule!r} is no schedule.", help=f"use {', '.join(SCHEDULES)}")


def run(
    record: LaunchRecord,
    *,
    sanitize: bool = False,
    schedule: str = "eager",
    seed: int = 0,
    trace: bool = False,
    stats: bool = False,
    max_instructions: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Simulate a launch on the CPU; the arrays behind `record.buffers` are read and written in place.

    Args:
        record: the launch; its addresses are addresses of this process.
        sanitize: will look for races, early reads and missing fences; until it does, it is refused.
        schedule: when asynchronous operations happen: "eager", "late" or "random". seed: for "random".
        trace: keep a timeline in `report.trace`. stats: count by instruction, in `report.stats`.
        max_instructions: stop after so many thread-instructions (at the end of a basic block).
        progress: called now and then with (CTAs finished, CTAs of the grid).

    Raises: Diagnostic PTX2501 for another schedule, PTX9013 for sanitize, other PTX90xx for a fault of the kernel (out of
    bounds, misaligned, `trap`, too many instructions, an instruction that is not simulated), PTX91xx for faults of
    asynchronous units and deadlocks. The arrays then hold what was written before.
    """
    check_schedule(schedule)
    if sanitize:
        raise Diagnostic("PTX9013", "ptxlab cannot look for races and missing fences yet")
    options = Options(sanitize, schedule, seed, trace, max_instructions, progress)
    return (Counting if stats else Machine)(record, options).run()


__all__ = ["run", "semantics", "system", "units"]
