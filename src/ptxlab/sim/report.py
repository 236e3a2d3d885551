"""What a simulated launch leaves behind besides its results."""

from __future__ import annotations

from dataclasses import dataclass, field

from ptxlab.diag import Diagnostic
from ptxlab.sim.trace import Event, Trace


@dataclass(slots=True)
class Stats:
    """Counts of a launch. They depend on the program, its inputs, the schedule and the seed alone.

    Attributes:
        instructions: thread-instructions: one for each thread that is active when its warp executes an instruction.
        warp_instructions: instructions that warps executed.
        traps: executions of instructions in Python, by the name of their form: those of the asynchronous units, mostly.
        ctas: CTAs that ran.
        seconds: wall-clock time of the run (not deterministic).
    """

    instructions: int = 0
    warp_instructions: int = 0
    traps: dict[str, int] = field(default_factory=dict[str, int])
    ctas: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Report:
    """The outcome of a simulated launch.

    Attributes:
        findings: what was found wrong without stopping the launch.
        stats: counts.
        trace: the timeline, or None when it was not asked for.
    """

    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    stats: Stats = field(default_factory=Stats)
    trace: Trace | None = None


__all__ = ["Event", "Report", "Stats", "Trace"]
