"""`run`: a launch record goes in, the caller's arrays are written, a report comes out."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from ptxlab.abi.loaded import reaching
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.sim.diagnose.hangs.before import HANGS, Before
from ptxlab.sim.diagnose.observe.launch import First, launched
from ptxlab.sim.engine.machine.options import checked, option_error, whole
from ptxlab.sim.report.report import Report


def run(record: LaunchRecord, options: SimOptions = SimOptions(), **chosen: Any) -> Report:
    """Simulate a launch on the CPU; the arrays behind `record.buffers` are read and written in place.

    Args:
        record: the launch; its addresses are addresses of this process.
        options: see `px.simulate`.
        **chosen: by name, in the place of what `options` has.

    Raises: Diagnostic PTX2501 for options, PTX9021 where memory runs out, other PTX90xx for a fault of the kernel (out of bounds,
    misaligned, `trap`, too many instructions, an instruction that is not simulated), PTX91xx for faults of asynchronous units and
    deadlocks, with what was found before in `also`. The arrays then hold what was written before. PTX904x where processes cannot
    do their part, the arrays as they were.
    """
    options = checked(replace(options, **chosen) if chosen else options)
    record = reaching(record)

    def alone() -> Report:
        first, before = First(), Before(record)
        try:
            return _ran(record, options, first)
        except Diagnostic as stop:
            if stop.code not in HANGS or first.machine is None:
                raise
            from ptxlab.sim.diagnose.hangs.explain import explained

            raise explained(stop, first.machine, before) from None

    count = processes(options)
    try:
        if count == 1:
            return alone()
        from ptxlab.sim.spread import spread

        return spread(record, options, alone, count)
    except MemoryError as e:
        raise Diagnostic("PTX9021", f"The simulation of {record.program.name} ran out of memory: {e}") from None


def _ran(record: LaunchRecord, options: SimOptions, first: First) -> Report:
    """A launch in this process. Where it is to be certified, and its accesses come in any order, it is run in all of them."""
    if options.replay:
        from ptxlab.sim.diagnose.observe.orders import in_order

        return in_order(record, options)
    if not options.certify:
        return launched(record, options, first)
    from ptxlab.sim.diagnose.observe.orders import Contents, accesses, explored, waiting

    record = waiting(record)
    strong = accesses(record)
    before = Contents(record) if strong.sites else None
    report = launched(record, options, first)
    certificate = report.certificate
    if before is not None and certificate is not None and not certificate.proved and not report.findings:
        report.certificate = explored(record, options, report, before, strong)
    return report


def processes(options: SimOptions) -> int:
    """How many processes a launch asks for; 2 for those of Dask, which counts them itself.

    Raises: Diagnostic PTX2501 for a number that is none, and for workers and a client at once.
    """
    workers = options.workers
    if options.client is not None:
        if workers is not None:
            raise option_error(
                "Both workers= and client= are given.", "a client brings its own workers: leave workers= out"
            )
        return 2
    if workers is None:
        return 1
    from ptxlab.sim.spread.pool import MOST

    count = whole(workers)
    if count is None or not 0 <= count <= MOST:
        raise option_error(f"workers={workers!r} is no number of processes.", "use 0 for one for each core")
    return count or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))
