"""Launches that streams hold: they are simulated together, and what each has to say is told as of a launch alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlab.abi.options import SimOptions
from ptxlab.abi.sanitizing import by_default
from ptxlab.launch.prepare import raise_errors

if TYPE_CHECKING:
    from ptxlab.launch.streams import Entry
    from ptxlab.sim.report.report import Report


def simulated(entries: Sequence[Entry], options: SimOptions) -> list[Report]:
    """Run all entries, and return the reports of the launches.

    Raises: Diagnostic of a launch that stops; else the first error among the findings, with all others in `also`.
    """
    from ptxlab.sim.grids.node import Node
    from ptxlab.sim.grids.run import Stopped, run_all

    begun = [None if entry.launch is None else entry.launch.begins(options) for entry in entries]
    nodes = [
        Node(
            entry.work if one is None else one.record,  # type: ignore[arg-type]
            entry.after,
            entry.early,
            entry.before,
            one.options if one is not None else options,
        )
        for entry, one in zip(entries, begun, strict=True)
    ]
    try:
        reports = run_all(nodes)
    except Stopped as stopped:
        one = begun[stopped.place]
        assert one is not None
        raise one.stopped(stopped.wrong) from None
    found = [one.ended(report) for one, report in zip(begun, reports, strict=True) if one and report]
    raise_errors(found, by_default=by_default(options.sanitize))
    return found
