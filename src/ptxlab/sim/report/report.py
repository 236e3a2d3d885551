"""What a simulated launch leaves behind besides its results."""

from __future__ import annotations

from dataclasses import dataclass, field

from ptxlab.diag import Diagnostic, Suppressed
from ptxlab.sim.report.stats import Site, Stats
from ptxlab.sim.report.trace import Event, Trace
from ptxlab.sim.report.unwatched import Unwatched


@dataclass(slots=True, repr=False)
class Report:
    """The outcome of a simulated launch.

    Attributes:
        findings: what was found wrong without stopping the launch.
        suppressed: what was found, too, but is suppressed by a comment or by pyproject.toml.
        stats: counts.
        trace: the timeline, or None when it was not asked for.
        unwatched: what the sanitizer had no room to follow.

    Example:
        @px.kernel(threads=32)
        def fill(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[k.tid.x], 1)

        report = px.simulate(fill, grid=1, args=[np.zeros(32, np.uint32)], trace=True)
        print(report.findings, report.suppressed, len(report.trace) > 0)  # [] [] True
    """

    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    stats: Stats = field(default_factory=Stats)
    trace: Trace | None = None
    suppressed: list[Suppressed] = field(default_factory=list[Suppressed])
    unwatched: Unwatched = field(default_factory=Unwatched)

    def __repr__(self) -> str:
        timeline = "" if self.trace is None else f", trace of {len(self.trace):,} events"
        return f"<Report: {len(self.findings)} findings, {self.stats!r}{timeline}>"


__all__ = ["Event", "Report", "Site", "Stats", "Trace", "Unwatched"]
