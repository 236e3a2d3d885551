"""What streams hold for the simulator: launches and copies, run together when somebody waits for them."""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ptxlab.abi.copying import HostCopy
from ptxlab.abi.dependent import may_begin_early
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.abi.sanitizing import by_default
from ptxlab.diag import Diagnostic
from ptxlab.launch.begun import Begun, raise_errors
from ptxlab.launch.warn import warn

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report


class Queueable(Protocol):
    """A launch that was prepared for the simulator."""

    @property
    def record(self) -> LaunchRecord: ...
    def begins(self, options: SimOptions) -> Begun:
        """The launch is about to run."""
        ...


@dataclass(slots=True, eq=False)
class Entry:
    """A launch that is queued, or work of the host, and what it waits for: places in the queue.

    Attributes:
        launch, work: which of the two it is. stream: where it is queued.
        after, early, before: see `sim.grids.node.Node`.
    """

    launch: Queueable | None
    work: HostCopy | None
    stream: object
    after: frozenset[int]
    early: int | None
    before: frozenset[int]


class Queue:
    """All that is queued in this process for the simulator, in the order in which the host has queued it.

    Attributes:
        rounds: how often it has been emptied: what was queued before the last time is over.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.rounds = 0
        atexit.register(self._left)

    def put(
        self,
        stream: object,
        pending: set[int],
        *,
        launch: Queueable | None = None,
        work: HostCopy | None = None,
    ) -> None:
        """Queue a launch or work of the host. pending: places that it stands behind; afterwards, those that the next one does."""
        before = frozenset(pending)
        mine = frozenset(p for p in before if self.entries[p].stream is stream)
        last = max(mine, default=None)
        entry = Entry(launch, work, stream, before, None, before)
        primary = None if last is None else self.entries[last]
        if primary is not None and primary.launch and launch and may_begin_early(launch.record):
            entry.early, entry.after = last, before - mine | primary.after
        if entry.early is None:
            pending.clear()  # who waits for this entry waits for all of them
        pending.add(len(self.entries))
        self.entries.append(entry)

    def _left(self) -> None:
        """At the end of the process: say what has never run."""
        launches = [entry.launch for entry in self.entries if entry.launch is not None]
        if launches:
            names = ", ".join(dict.fromkeys(launch.record.program.name for launch in launches))
            count = f"{len(launches)} launches" if len(launches) > 1 else "A launch"
            message = f"{count} of {names} never ran: the program ends, and nobody has waited for the stream."
            warn([Diagnostic("PTX2327", message, help="call px.synchronize() before the arrays are read")])

    def finish(self, options: SimOptions) -> list[Report]:
        """Run all entries; nothing stays in the queue. Returns the reports of the launches.

        Raises: Diagnostic of a launch that stops; else the first error among the findings, with all others in `also`.
        """
        entries, self.entries = self.entries, []
        self.rounds += 1
        if not entries:
            return []
        from ptxlab.sim.grids.node import Node
        from ptxlab.sim.grids.run import Stopped, run_all

        begun = [None if entry.launch is None else entry.launch.begins(options) for entry in entries]
        nodes: list[Node] = []
        for entry, one, label in zip(entries, begun, _labels(entries), strict=True):
            work = entry.work if one is None else one.record
            assert work is not None
            chosen = options if one is None else one.options
            nodes.append(Node(work, entry.after, entry.early, entry.before, chosen, label))
        try:
            reports = run_all(nodes)
        except Stopped as stopped:
            one = begun[stopped.place]
            assert one is not None
            raise one.stopped(stopped.wrong) from None
        found = [one.ended(report) for one, report in zip(begun, reports, strict=True) if one and report]
        raise_errors(found, by_default=by_default(options.sanitize))
        return found


def _labels(entries: Sequence[Entry]) -> Iterator[str]:
    """What findings call each: which launch or copy of which stream, since somebody has waited last."""
    streams: dict[int, int] = {}
    counts: dict[tuple[int, bool], int] = {}
    for entry in entries:
        streams.setdefault(id(entry.stream), len(streams) + 1)
    for entry in entries:
        key = id(entry.stream), entry.launch is None
        counts[key] = counts.get(key, 0) + 1
        where = f"stream {streams[key[0]]}" if len(streams) > 1 else "the stream"
        yield f"{'copy' if entry.launch is None else 'launch'} {counts[key]} of {where}"
