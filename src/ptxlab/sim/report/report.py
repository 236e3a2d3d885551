"""What a simulated launch leaves behind besides its results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from ptxlab.diag import Diagnostic, Findings, HappensBefore, Suppressed, html
from ptxlab.sim.report.certificate import Certificate
from ptxlab.sim.report.stats import Site, Stats
from ptxlab.sim.report.trace import Trace, TraceEvent
from ptxlab.sim.report.unwatched import Unwatched
from ptxlab.sim.report.unwritten import Unwritten


class Order(Protocol):
    """The events of a launch: `ptxlab.sim.diagnose.graphs.events.Record`."""

    def same(self, graph: HappensBefore) -> HappensBefore | None:
        """The two accesses of a graph in this launch; None where they are not there."""
        ...


@dataclass(slots=True, repr=False)
class Report:
    """The outcome of a simulated launch.

    Attributes:
        findings: what was found wrong without stopping the launch.
        suppressed: what was found, too, but is suppressed by a comment or by pyproject.toml.
        stats: counts.
        trace: the timeline, or None when it was not asked for.
        unwatched: what the sanitizer had no room to follow.
        unwritten: of the arrays that the launch has written in part, and nothing else of them used, what nobody has written.
        certificate: with `certify=True` whether the run speaks for every schedule; else None.
        order: with `graphs=True` the events of the launch, where `order.same(graph)` finds the two accesses of another
            launch's graph again; else None.

    Example:
        @px.kernel(threads=32)
        def fill(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[k.tid.x], 1)

        report = px.simulate(fill, grid=1, args=[np.zeros(32, np.uint32)], trace=True)
        print(report.findings, report.suppressed, len(report.trace) > 0)  # [] [] True
    """

    findings: list[Diagnostic] = field(default_factory=Findings)
    stats: Stats = field(default_factory=Stats)
    trace: Trace | None = None
    suppressed: list[Suppressed] = field(default_factory=list[Suppressed])
    unwatched: Unwatched = field(default_factory=Unwatched)
    unwritten: list[Unwritten] = field(default_factory=list[Unwritten])
    certificate: Certificate | None = None
    order: Order | None = None

    def __repr__(self) -> str:
        timeline = "" if self.trace is None else f", trace of {len(self.trace):,} events"
        return f"<Report: {html.count(len(self.findings), 'finding')}, {self.stats!r}{timeline}>"

    def _repr_html_(self) -> str:
        """The findings, the counts and the timeline, as far as there are any."""
        hidden = f"{len(self.suppressed)} suppressed" if self.suppressed else ""
        parts = [html.of(Findings(self.findings)), html.of(self.stats)]
        if self.trace is not None:
            parts.append(html.of(self.trace))
        certified = "" if self.certificate is None else str(self.certificate)
        more = (hidden, str(self.unwatched), *map(str, self.unwritten), certified)
        return "".join([*parts, *(html.heading(text) for text in more if text)])


__all__ = ["Report", "Site", "Stats", "Trace", "TraceEvent", "Unwatched", "Unwritten"]
