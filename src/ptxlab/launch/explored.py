"""What an exploration has found: its runs, in what they differ, and the causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic, Findings, Severity, Suppressed
from ptxlab.diag.html import count

if TYPE_CHECKING:
    from ptxlab.diag.tables import Table


@dataclass(frozen=True, slots=True, repr=False)
class Difference:
    """An array that a run leaves with other bits than the first run did.

    Attributes:
        array: its name. elements: how many differ. total: how many it has.
        index: of the first one, a number for each dimension; for what is no array in row-major order, the byte.
        values: the two, first that of the first run, as text. bits: the same as hexadecimal numbers.

    Example:
        @px.kernel(threads=64)
        def last(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[0], k.tid.x)  # two warps write the same place

        y = np.zeros(1, np.uint32)

        runs = px.explore(last, grid=1, args=[y], schedules=8).runs
        difference = next(d for run in runs for d in run.differences)
        print(difference.array, difference.elements, difference.total, difference.index)  # y 1 1 (0,)
    """

    array: str
    elements: int
    total: int
    index: tuple[int, ...]
    values: tuple[str, str]
    bits: tuple[str, str]

    def __repr__(self) -> str:
        return f"<Difference {self}>"

    def __str__(self) -> str:
        place = ", ".join(map(str, self.index))
        (one, other), (bits, others) = self.values, self.bits
        became = f"{one} ({bits}) became {other} ({others})"
        return f"`{self.array}`: {self.elements} of {self.total} elements, first [{place}]: {became}"


@dataclass(frozen=True, slots=True, repr=False)
class ExploredRun:
    """One run.

    Attributes:
        schedule, seed: with these `px.simulate` does the same again. stop: what ended the launch before its end; None: nothing.
        findings: what the run itself found. differences: from the results of the first run; none where one of the two was stopped.

    Example:
        @px.kernel(threads=64)
        def last(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[0], k.tid.x)  # two warps write the same place

        y = np.zeros(1, np.uint32)

        run = px.explore(last, grid=1, args=[y], schedules=4).runs[0]
        print(run.how, run.outcome, run.differences)  # schedule="eager", seed=0 ends ()
    """

    schedule: str
    seed: int
    stop: Diagnostic | None = None
    findings: tuple[Diagnostic, ...] = ()
    differences: tuple[Difference, ...] = ()

    def __repr__(self) -> str:
        arrays = ", ".join(d.array for d in self.differences)
        return f"<ExploredRun {self.how}: {self.outcome}{f', differs in {arrays}' if arrays else ''}>"

    @property
    def how(self) -> str:
        """How to do it again: `schedule="random", seed=3`."""
        return f'schedule="{self.schedule}", seed={self.seed}'

    @property
    def outcome(self) -> str:
        """How it ended."""
        return "ends" if self.stop is None else f"{self.stop.code} {self.stop.slug}"


@dataclass(frozen=True, slots=True, repr=False)
class Exploration:
    """A launch under many schedules.

    Attributes:
        name: of the kernel. runs: the first one is what the others are compared with, and its results are in the arrays.
        findings: in what runs differ (PTX9270 to PTX9272), what the sanitizer says of the cause, and what runs found themselves.
        suppressed: those that somebody has suppressed.

    Example:
        @px.kernel(threads=64)
        def last(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[0], k.tid.x)  # two warps write the same place

        y = np.zeros(1, np.uint32)

        found = px.explore(last, grid=1, args=[y], schedules=4)
        print(found.errors, len(found.runs), found.table().row_count)  # True 7 7
        print(found.same, found.suppressed)  # False []
    """

    name: str
    runs: tuple[ExploredRun, ...]
    findings: list[Diagnostic] = field(default_factory=Findings)
    suppressed: Sequence[Suppressed] = ()

    def __repr__(self) -> str:
        end = "end alike" if self.same else "differ"
        return f"<Exploration of {self.name}: {len(self.runs)} runs {end}, {count(len(self.findings), 'finding')}>"

    def _repr_html_(self) -> str:
        from ptxlab.diag.html import heading, of

        return heading(repr(self)[1:-1]) + of(Findings(self.findings)) + of(self.table())

    @property
    def same(self) -> bool:
        """Whether all runs ended alike and left the same bits."""
        first = self.runs[0] if self.runs else None
        return first is None or all(not run.differences and run.outcome == first.outcome for run in self.runs)

    @property
    def errors(self) -> bool:
        """Whether any finding is an error, or any run was stopped."""
        return any(d.severity is Severity.ERROR for d in self.findings)

    def table(self) -> Table:
        """A row for each run; `print` and notebooks show it."""
        from rich.box import SIMPLE_HEAD
        from rich.text import Text

        from ptxlab.diag.tables import Table

        made = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for name in ("schedule", "seed", "outcome"):
            made.add_column(name, no_wrap=True, justify="right" if name == "seed" else "left")
        made.add_column("differs from the first", overflow="fold", min_width=6)
        for run in self.runs:
            differs = "; ".join(map(str, run.differences)) or ("" if run is self.runs[0] else self._differs(run))
            made.add_row(*map(Text, (run.schedule, str(run.seed), run.outcome, differs)))
        return made

    def _differs(self, run: ExploredRun) -> str:
        return "no" if run.outcome == self.runs[0].outcome else "it ends otherwise"


__all__ = ["Difference", "Exploration", "ExploredRun"]
