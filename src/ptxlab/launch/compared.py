"""What a comparison with a reference has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ptxlab.diag import Access, Diagnostic, Findings, Severity, Suppressed
from ptxlab.diag.html import count


@dataclass(frozen=True, slots=True, repr=False)
class Mismatch:
    """An array in which a run left something else than the reference.

    Attributes:
        array: its name. elements: how many differ. total: how many it has.
        index: of the first one, a number for each dimension. value, wanted: the two there, as text.
        writer: who wrote that element last; None where nobody has, or it is not known.

    Example:
        @px.kernel(threads=32)
        def double(k, x: px.Ptr[px.u32]):
            k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)

        def reference(x):
            x *= 3

        compared = px.compare(double, reference, [np.arange(32, dtype=np.uint32)], grid=1)

        wrong = compared.runs[0].mismatches[0]
        print(wrong.array, wrong.index, wrong.value, wrong.wanted)  # x (1,) 2 3
    """

    array: str
    elements: int
    total: int
    index: tuple[int, ...]
    value: str
    wanted: str
    writer: Access | None = None

    def __repr__(self) -> str:
        return f"<Mismatch {self}>"

    def __str__(self) -> str:
        place = ", ".join(map(str, self.index))
        return f"`{self.array}`: {self.elements} of {self.total} elements, first [{place}]: {self.value}, wanted {self.wanted}"


@dataclass(frozen=True, slots=True, repr=False)
class ComparedRun:
    """One run.

    Attributes:
        schedule, seed: with these `px.simulate` does the same again. stop: what ended the launch before its end; None: nothing.
        findings: what the sanitizer found. mismatches: arrays that differ from the reference; none where the run was stopped.

    Example:
        @px.kernel(threads=32)
        def double(k, x: px.Ptr[px.u32]):
            k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)

        def reference(x):
            x *= 2

        compared = px.compare(double, reference, [np.arange(32, dtype=np.uint32)], grid=1)

        run = compared.runs[0]
        print(run.how, run.stop, run.mismatches, run.outcome)  # schedule="eager", seed=0 None () right
    """

    schedule: str
    seed: int
    stop: Diagnostic | None = None
    findings: tuple[Diagnostic, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()

    def __repr__(self) -> str:
        return f"<ComparedRun {self.how}: {self.outcome}>"

    @property
    def how(self) -> str:
        """How to do it again: `schedule="random", seed=3`."""
        return f'schedule="{self.schedule}", seed={self.seed}'

    @property
    def outcome(self) -> str:
        """How it ended: "right", in which arrays it is wrong, or what stopped it."""
        if self.stop is not None:
            return f"{self.stop.code} {self.stop.slug}"
        return f"wrong in {', '.join(m.array for m in self.mismatches)}" if self.mismatches else "right"


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """A launch under several schedules, beside a reference. It is true where all runs agree with it and nothing is found.

    Attributes:
        name: of the kernel. runs: in their order.
        findings: the first mismatch (PTX9273), what stopped a run, and what the sanitizer found, each once.
        suppressed: those that somebody has suppressed.

    Example:
        @px.kernel(threads=32)
        def double(k, x: px.Ptr[px.u32]):
            k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)

        def reference(x):
            x *= 2

        compared = px.compare(double, reference, [np.arange(32, dtype=np.uint32)], grid=1)

        compared.check()  # raises what is wrong
        print(bool(compared), len(compared.runs), compared.findings)  # True 5 []
    """

    name: str
    runs: tuple[ComparedRun, ...]
    findings: list[Diagnostic] = field(default_factory=Findings)
    suppressed: Sequence[Suppressed] = ()

    def __repr__(self) -> str:
        verdict = "right" if self else "wrong"
        return f"<Comparison of {self.name}: {len(self.runs)} runs, {verdict}, {count(len(self.findings), 'finding')}>"

    def _repr_html_(self) -> str:
        from ptxlab.diag.html import heading, of, table

        rows = [
            (run.schedule, run.seed, run.outcome, "; ".join(map(str, run.mismatches)), len(run.findings))
            for run in self.runs
        ]
        heads = ("schedule", "seed", "outcome", "mismatches", "findings")
        return heading(repr(self)[1:-1]) + of(Findings(self.findings)) + table(heads, rows)

    def __bool__(self) -> bool:
        return not any(d.severity is Severity.ERROR for d in self.findings)

    def __str__(self) -> str:
        if self.findings:
            return "\n".join(map(str, self.findings))
        return f"{self.name}: {len(self.runs)} runs leave what the reference leaves"

    def check(self) -> None:
        """Raise the first error that was found, with all others in its `also`; nothing where there is none."""
        errors = [d for d in self.findings if d.severity is Severity.ERROR]
        if errors:
            errors[0].also = tuple(d for d in self.findings if d is not errors[0])
            raise errors[0]


__all__ = ["ComparedRun", "Comparison", "Mismatch"]
