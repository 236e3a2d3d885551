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


class Replay:
    """One launch of a graph: it stands in the place of the streams in which its entries were recorded."""

    def __init__(self, graph: object) -> None:
        self.graph = graph


class Entries:
    """Launches and work of the host, in the order in which the host gives them.

    Attributes:
        rounds: how often they were taken away: what was queued before the last time is over.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.rounds: int = 0

    def primary(self, stream: object, before: frozenset[int]) -> tuple[int | None, frozenset[int]]:
        """Of the places that an entry stands behind, the one beside which it may run as a programmatic dependent, and those that
        have to be over then."""
        mine = frozenset(p for p in before if self.entries[p].stream is stream)
        return max(mine, default=None), before - mine

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
        last, others = self.primary(stream, before)
        entry = Entry(launch, work, stream, before, None, before)
        primary = None if last is None else self.entries[last]
        if primary is not None and primary.launch and launch and may_begin_early(launch.record):
            entry.early, entry.after = last, others | primary.after
        if entry.early is None:
            pending.clear()  # who waits for this entry waits for all of them
        pending.add(len(self.entries))
        self.entries.append(entry)

    def replay(self, graph: Entries, ends: frozenset[int], pending: set[int]) -> None:
        """Queue what a graph holds, all of it behind `pending`. ends: of its entries, those that the stream goes on behind."""
        run, first, roots = Replay(graph), len(self.entries), frozenset(pending)

        def moved(places: frozenset[int]) -> frozenset[int]:
            return frozenset(first + p for p in places) or roots

        for e in graph.entries:
            early = None if e.early is None else first + e.early
            self.entries.append(Entry(e.launch, e.work, run, moved(e.after), early, moved(e.before)))
        if ends:
            pending.clear()
            pending.update(moved(ends))


class Queue(Entries):
    """All that is queued in this process for the simulator."""

    def __init__(self) -> None:
        super().__init__()
        atexit.register(self._left)

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
    """What findings call each: which launch or copy of which stream or run of a graph, since somebody has waited last."""
    names = _names([entry.stream for entry in entries])
    counts: dict[tuple[object, bool], int] = {}
    for entry in entries:
        key = entry.stream, entry.launch is None
        counts[key] = counts.get(key, 0) + 1
        yield f"{'copy' if entry.launch is None else 'launch'} {counts[key]} of {names[entry.stream]}"


def _names(streams: Sequence[object]) -> dict[object, str]:
    """Of streams and runs of graphs, as they are met."""
    out: dict[object, str] = {}
    runs: dict[object, list[Replay]] = {}
    plain = list(dict.fromkeys(one for one in streams if not isinstance(one, Replay)))
    for number, one in enumerate(plain, 1):
        out[one] = f"stream {number}" if len(plain) > 1 else "the stream"
    for one in dict.fromkeys(streams):
        if isinstance(one, Replay):
            runs.setdefault(one.graph, []).append(one)
    for number, of_graph in enumerate(runs.values(), 1):
        graph = f"graph {number}" if len(runs) > 1 else "the graph"
        for count, run in enumerate(of_graph, 1):
            out[run] = f"{graph}'s run {count}" if len(of_graph) > 1 else graph
    return out
