"""Whether a test can hang: an allowed execution in which a thread never ends, though all run and what is written gets seen.

Two ways lead there. A thread waits at a barrier that nobody completes, or spins on values that no axiom will ever change; that is
looked for among the candidate executions, like an outcome. Or threads take turns for ever, each of them writing; that is looked for
among the sequentially consistent states of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ptxlab.memory_model.candidates import Candidates
from ptxlab.memory_model.events import Execution
from ptxlab.memory_model.meetings import meetings
from ptxlab.memory_model.model import morally_strong
from ptxlab.memory_model.program import Program
from ptxlab.memory_model.relation import bits
from ptxlab.memory_model.search import Budget, allowed
from ptxlab.memory_model.trace import Trace
from ptxlab.memory_model.turns import endless


@dataclass(frozen=True, slots=True)
class Hang:
    """An execution that does not end.

    Attributes:
        threads: those that never end, with what they do: "waits" or "spins", and the step.
        execution: one that shows it; None where threads take turns for ever.
    """

    threads: tuple[tuple[str, str, str], ...]
    execution: Execution | None


def hangs(program: Program, ways: Sequence[Sequence[Trace]], budget: Budget) -> tuple[Hang | None, str]:
    """An execution that does not end, None where there is none; and what was not looked at, in a sentence."""
    turning = endless(program)
    if turning:
        return Hang(tuple((program.threads[i].name, "turns", "") for i in turning), None), ""
    unknown = "" if turning is not None else "whether threads that write can take turns for ever was not looked at"
    return _stuck(program, ways, budget), unknown


def _stuck(program: Program, ways: Sequence[Sequence[Trace]], budget: Budget) -> Hang | None:
    """An execution in which a thread waits or spins for ever."""
    if not any(t.end in ("spins", "waits") for w in ways for t in w):
        return None
    kept = [[t for t in w if t.end != "cut"] for w in ways]
    for candidate in Candidates(program, kept):
        stuck = [
            (thread.name, trace.end, trace.events[-1].text if trace.events else "")
            for thread, trace in zip(program.threads, candidate.traces, strict=True)
            if trace.end != "done"
        ]
        if not stuck:
            continue
        budget.spend(candidate.graph.size)
        spun = [b + i for t, b in zip(candidate.traces, candidate.base, strict=True) for i in t.spun]
        places = tuple({candidate.graph.events[r].location or "" for r in spun})
        for met in meetings(program, candidate.graph, candidate.met):
            for found in allowed(candidate, met, places, budget):
                if not any(_ends(found.execution, r) for r in spun):
                    return Hang(tuple(stuck), found.execution)
    return None


def _ends(x: Execution, read: int) -> bool:
    """Whether a read that is repeated for ever gets to see something else: a morally strong write that comes after what it
    reads. What is weak, or whose scope is too small, may never be seen."""
    source = next(bits((~x.reads_from).rows[read]), None)
    if source is None:
        return False
    later = x.coherence.rows[source] & morally_strong(x.graph).rows[read]
    return bool(later)
