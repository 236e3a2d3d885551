"""What a comparison with a reference has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ptxlab.diag import Access, Diagnostic, Severity, Suppressed


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An array in which a run left something else than the reference.

    Attributes:
        array: its name. elements: how many differ, of `total`.
        index: of the first one, a number for each dimension. value, wanted: the two there, as text.
        writer: who wrote that element last; None where nobody has, or it is not known.
    """

    array: str
    elements: int
    total: int
    index: tuple[int, ...]
    value: str
    wanted: str
    writer: Access | None = None

    def __str__(self) -> str:
        place = ", ".join(map(str, self.index))
        return f"`{self.array}`: {self.elements} of {self.total} elements, first [{place}]: {self.value}, wanted {self.wanted}"


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run.

    Attributes:
        schedule, seed: with these `px.simulate` does the same again. stop: what ended the launch before its end; None: nothing.
        findings: what the sanitizer found. mismatches: arrays that differ from the reference; none where the run was stopped.
    """

    schedule: str
    seed: int
    stop: Diagnostic | None = None
    findings: tuple[Diagnostic, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def how(self) -> str:
        """How to do it again: `schedule="random", seed=3`."""
        return f'schedule="{self.schedule}", seed={self.seed}'


@dataclass(frozen=True, slots=True)
class Comparison:
    """A launch under several schedules, beside a reference. It is true where all runs agree with it and nothing is found.

    Attributes:
        name: of the kernel. runs: in their order.
        findings: the first mismatch (PTX9273), what stopped a run, and what the sanitizer found, each once.
        suppressed: those that somebody has suppressed.
    """

    name: str
    runs: tuple[ComparedRun, ...]
    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    suppressed: Sequence[Suppressed] = ()

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
