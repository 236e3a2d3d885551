"""A launch, spread where that can be done, in one process where not: the results are the same bytes."""

from __future__ import annotations

import signal
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.ptx.program import Program
from ptxlab.sim.engine.decoded.decode import image_of
from ptxlab.sim.engine.decoded.sources import sources
from ptxlab.sim.report.report import Report
from ptxlab.sim.report.stats import Site, joined
from ptxlab.sim.report.unwatched import Unwatched
from ptxlab.sim.report.unwritten import Stored, unwritten
from ptxlab.sim.spread.layout import Layout
from ptxlab.sim.spread.log import conflict, copy_back
from ptxlab.sim.spread.plan import Traits, shares, traits
from ptxlab.sim.spread.pool import pool
from ptxlab.sim.spread.task import CANCELLED, Outcome, Task

_KEPT = 64
"""Kernels, and launches that could not be spread, that are remembered."""


class _InOneProcess(Exception):
    """Why a launch is not spread, or why what its parts did does not count."""


def spread(
    record: LaunchRecord,
    options: SimOptions,
    alone: Callable[[], Report],
    workers: int,
) -> Report:
    """Run a launch in several processes, here or through Dask; by `alone` where it cannot be spread.

    Args:
        record, options: the launch. With a client of Dask, its workers run the parts, one each.
        alone: runs it in this process.
        workers: processes of this machine, 2 or more.

    Raises: Diagnostic PTX9040 where a process ends before its part, PTX9041 where Dask cannot run it; the arrays then are
    as they were. What `alone` raises.
    """
    try:
        outcomes = _outcomes(record, options, workers)
        _bring_together(record, options, outcomes)
    except _InOneProcess as why:
        report = alone()
        report.stats.serial = str(why)
        return report
    for _, text in sorted(item for o in outcomes for item in o.printed.items()):
        sys.stdout.write(text)
    return _report(record, outcomes)


def _outcomes(record: LaunchRecord, options: SimOptions, workers: int) -> list[Outcome]:
    """What the parts have done."""
    known = _traits(record.program)
    reason = "its CTAs run together" if record.cooperative else _unwanted(options) or known.obstacle or _earlier(record)
    if reason is not None:
        raise _InOneProcess(reason)
    if options.client is not None:
        from ptxlab.sim.spread.remote import count

        workers = count(options.client)
    parts = shares(record.ctas // record.ctas_per_cluster, workers)
    if len(parts) < 2:
        raise _InOneProcess("there is one cluster" if workers > 1 else "there is one process")
    layout = Layout.of(record.buffers)
    task = Task.of(record, str(record.program.module), layout, options, waits=known.waits)
    outcomes = _run(task, parts, _progress(record, options), options.client)
    troubles = [o.trouble for o in outcomes if o.trouble is not None]
    if troubles:
        raise _InOneProcess(next((why for why in troubles if why != CANCELLED), CANCELLED))
    return outcomes


def _run(
    task: Task, parts: Sequence[tuple[range, ...]], progress: Callable[[int], object], client: Any
) -> list[Outcome]:
    if client is not None:
        from ptxlab.sim.spread.remote import run

        return run(client, task, parts, progress)
    try:
        return pool().run(task, parts, progress)
    except OSError as e:
        raise _InOneProcess(f"no process or memory could be had: {e.strerror}") from None


def _unwanted(options: SimOptions) -> str | None:
    """What a launch is asked for that one process alone can give."""
    if options.trace:
        return "its timeline is kept"
    if options.schedule == "random":
        return "the random schedule draws its events for the launch as a whole"
    return None


def _progress(record: LaunchRecord, options: SimOptions) -> Callable[[int], object]:
    hook = options.progress
    return (lambda done: None) if hook is None else lambda done: hook(done, record.ctas)


def _bring_together(record: LaunchRecord, options: SimOptions, outcomes: Sequence[Outcome]) -> None:
    """Bring what the parts have written into the caller's arrays, if no part meets another one."""
    top = options.max_instructions
    if top is not None and sum(o.stats.instructions for o in outcomes) > top:
        raise _InOneProcess("it ran longer than it was allowed to")
    logs = [o.log for o in outcomes if o.log is not None]
    layout = Layout.of(record.buffers)
    place = conflict(logs)
    if place is not None:
        why = f"clusters of different processes met at {_name(record, layout.address(place))}"
        _remember(_before, _key(record), (record.program, f"{why} in an earlier launch"))
        raise _InOneProcess(why)
    with _uninterrupted():
        for log in logs:
            copy_back(layout, log)


def _name(record: LaunchRecord, address: int) -> str:
    """A byte of a buffer in words."""
    buffer = next(b for b in record.buffers if b.address <= address < b.address + b.nbytes)
    return f"`{buffer.name} + {address - buffer.address:#x}`"


def _report(record: LaunchRecord, outcomes: Sequence[Outcome]) -> Report:
    stored: dict[int, Stored] = {}
    for outcome in outcomes:
        stored |= {address: mine.joined(stored.get(address)) for address, mine in outcome.stored.items()}
    report = Report(
        unwatched=sum((o.unwatched for o in outcomes), Unwatched()), unwritten=unwritten(record.buffers, stored)
    )
    stats = report.stats
    stats.workers = len(outcomes)
    for one in (o.stats for o in outcomes):
        stats.instructions += one.instructions
        stats.warp_instructions += one.warp_instructions
        stats.ctas += one.ctas
        stats.seconds = max(stats.seconds, one.seconds)
        for name, times in one.traps.items():
            stats.traps[name] = stats.traps.get(name, 0) + times
    stats.sites = _sites(record, [o.stats.sites for o in outcomes])
    return report


def _sites(record: LaunchRecord, parts: Sequence[Sequence[Site]]) -> list[Site]:
    """What each instruction has done in all parts. Where it stands, this process knows best."""
    if not parts[0]:
        return []
    where = sources(record.program.module, image_of(record.program).ops)
    return [
        replace(joined(sites), line=source.line, source=source.origin)
        for source, *sites in zip(where, *parts, strict=True)
    ]


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Ctrl-C waits until the arrays are whole."""
    if threading.current_thread() is not threading.main_thread():
        yield  # interrupts go to the main thread alone
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


# --- what is remembered ---------------------------------------------------------------------------------------------
_known: OrderedDict[int, tuple[Program, Traits]] = OrderedDict()
_before: OrderedDict[tuple[int, tuple[int, ...]], tuple[Program, str]] = OrderedDict()
"""Why launches could not be spread, by kernel and extents: it is not tried again."""


def _traits(program: Program) -> Traits:
    found = _known.get(id(program))
    if found is None or found[0] is not program:
        found = program, traits(program)
        _remember(_known, id(program), found)
    return found[1]


def _earlier(record: LaunchRecord) -> str | None:
    found = _before.get(_key(record))
    return found[1] if found is not None and found[0] is record.program else None


def _key(record: LaunchRecord) -> tuple[int, tuple[int, ...]]:
    return id(record.program), (*record.grid, *record.block)


def _remember(table: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    table[key] = value
    while len(table) > _KEPT:
        table.popitem(last=False)
