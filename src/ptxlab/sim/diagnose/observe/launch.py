"""A machine with those who observe every launch."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.loaded import reaching
from ptxlab.abi.occupancy import Chip
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Access, Diagnostic
from ptxlab.ptx.collector import seldom_collected
from ptxlab.sim.diagnose.observe.counting import Counting
from ptxlab.sim.diagnose.observe.hang import Watch
from ptxlab.sim.engine.compiled.registry import load_units
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.memory import Memory
from ptxlab.sim.engine.machine.observer import Observer
from ptxlab.sim.report.report import Report

if TYPE_CHECKING:
    from ptxlab.sim.order.beside import Beside
    from ptxlab.sim.order.steering import Steering

Chosen = tuple[Any, ...]


def machine_of(
    record: LaunchRecord,
    options: SimOptions,
    *others: Observer,
    memory: Memory | None = None,
    parts: Sequence[range] | None = None,
    flags: bool = True,
    chip: Chip | None = None,
    beside: Beside | None = None,
) -> Machine:
    """A launch that is watched for hangs, counted if its options say so, and observed by others.

    memory, parts, chip: see `Machine`. flags, beside: as of the sanitizer.
    """
    counting: list[Observer] = [Counting()] if options.stats else []
    counting += _timing() if options.trace else []
    sanitizing = _sanitizing(options, flags=flags, beside=beside) if options.sanitize else []
    return Machine(record, options, [*others, Watch(), *counting, *sanitizing], memory=memory, parts=parts, chip=chip)


def _timing() -> list[Observer]:
    """Those who bring waits onto the timeline; it needs the asynchronous units, which a launch without one may not."""
    load_units()
    from ptxlab.sim.engine.units.trace import TIMES

    return [made() for made in TIMES]


def _sanitizing(
    options: SimOptions, *, flags: bool, chosen: Chosen | None = None, beside: Beside | None = None
) -> list[Observer]:
    """The sanitizer and its companions; with all that they are told kept, where findings are to have graphs.

    chosen: whom to choose where strong accesses come in any order, and who is asleep; None: they come as they come.
    """
    from ptxlab.sim.order.parts import with_companions
    from ptxlab.sim.order.sanitizer import Sanitizer

    if options.graphs:
        from ptxlab.sim.diagnose.graphs.recorder import Graphs, Recorded

        core = Recorded()
        more: list[Observer] = [Graphs(core)]
    else:
        core, more = Sanitizer(), []
    core.flags, core.beside = flags, beside
    core.strict = core.strict or options.sanitize == "strict"
    if chosen is not None:
        from ptxlab.sim.order.steering import Steering

        more = [Steering(core, *chosen), *more]
    return [*with_companions(core), *more]


def steered(record: LaunchRecord, options: SimOptions, *chosen: Any) -> tuple[Machine, Steering]:
    """A sanitized launch whose strong accesses come in an order. chosen: see `Steering`."""
    from ptxlab.sim.order.steering import Steering

    observers = _sanitizing(options, flags=True, chosen=chosen)
    steering = next(one for one in observers if isinstance(one, Steering))
    return Machine(record, options, [Watch(), *observers]), steering


class First:
    """Keeps the first machine of a launch: where that has hung, it says how.

    Attributes:
        machine: None before it is made.
    """

    def __init__(self) -> None:
        self.machine: Machine | None = None

    def machine_of(self, *of: Any, **more: Any) -> Machine:
        """See `machine_of`."""
        made = machine_of(*of, **more)
        self.machine = self.machine or made
        return made


def launched(record: LaunchRecord, options: SimOptions, first: First) -> Report:
    """Run a launch in this process. A sanitized one may run again, to see what depends on registers that nobody has written."""
    if not options.sanitize:
        return first.machine_of(record, options).run()
    from ptxlab.sim.order.companions.rerun import Kept
    from ptxlab.sim.order.companions.unflagged import unflagged
    from ptxlab.sim.order.companions.uninitialized import sanitized

    made: list[Machine] = []
    before = cache(lambda: Kept(record))

    def machine(*of: Any, **more: Any) -> Machine:
        made.append(first.machine_of(*of, **more))
        return made[-1]

    with seldom_collected():  # what the sanitizer notes of each operation stays until the end of its CTA
        report = unflagged(record, options, machine, before)
        if report is None:
            first.machine = None
            report = sanitized(record, options, machine, before)
    for m in made:
        m.leave()
    return report


def last_writer(record: LaunchRecord, options: SimOptions, addresses: NDArray[np.int64]) -> tuple[Access | None, int]:
    """Run a launch, and say who has written the byte at the first of some addresses of global memory last; None: nobody, as far
    as is known. And at how many of them nobody has written."""
    from ptxlab.sim.order.companions.outputs import LastWriter
    from ptxlab.sim.order.parts import with_companions
    from ptxlab.sim.order.sanitizer import Sanitizer

    core = Sanitizer()
    looks = LastWriter(core, addresses)
    with contextlib.suppress(Diagnostic):
        Machine(reaching(record), options, [Watch(), *with_companions(core), looks]).run()
    return looks.access, looks.unwritten
