"""One way through a thread: what it did, and where it met others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ptxlab.memory_model.events import Event
from ptxlab.memory_model.program import Pointer, Value
from ptxlab.memory_model.terms import Term, Test, put


@dataclass(frozen=True, slots=True)
class Arrival:
    """A thread or an operation at a barrier or an mbarrier.

    Attributes:
        event: its index in the trace. key: which barrier. role: arrive, sync or wait; for mbarriers also init, expect, complete
            and poll (a test that found the phase not over).
        count: arrivals of a phase (init, and barriers that say so), or how many arrivals it stands for. bytes: of a transaction.
        drops: how many arrivals fewer the later phases count.
        parity: of the phase that a wait of an mbarrier has found over. orders: whether it orders memory.
    """

    event: int
    key: tuple[object, ...]
    role: str
    count: int | None = None
    bytes: int = 0
    drops: int = 0
    parity: int = 0
    orders: bool = True


@dataclass(slots=True)
class Trace:
    """One way through a thread.

    Attributes:
        events: of the thread and of the asynchronous operations that it issued; `agent` is 0 for the thread, then 1, 2 …
            A read without a value may get any; what then follows for writes is in `terms`.
        terms: of the writes whose value depends on such reads. tests: what they have to be for the thread to go this way.
        depends: for each event the set of earlier reads on which it depends. rmw, issue, done: pairs of events, as in a graph.
        registers: what they hold in the end. arrivals: at barriers.
        end: "done"; "spins" in a loop that changes nothing; "waits" at a barrier, its last event; "cut" where a loop was turned
            often enough.
        spun: the reads of the turn that repeats itself. loop: the step at which it begins. turned: how often, where it is cut.
    """

    events: list[Event] = field(default_factory=list[Event])
    terms: dict[int, Term] = field(default_factory=dict[int, Term])
    tests: list[Test] = field(default_factory=list[Test])
    depends: list[int] = field(default_factory=list[int])
    rmw: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    issue: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    done: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    arrivals: list[Arrival] = field(default_factory=list[Arrival])
    registers: dict[str, tuple[Term, int]] = field(default_factory=dict[str, tuple[Term, int]])
    agents: list[str] = field(default_factory=list[str])
    end: str = "done"
    spun: tuple[int, ...] = ()
    loop: int = -1
    turned: int = 0

    def copy(self) -> Trace:
        """One that can go another way."""
        return Trace(
            events=list(self.events),
            terms=dict(self.terms),
            tests=list(self.tests),
            depends=list(self.depends),
            rmw=list(self.rmw),
            issue=list(self.issue),
            done=list(self.done),
            arrivals=list(self.arrivals),
            registers=dict(self.registers),
            agents=list(self.agents),
        )

    def pin(self, read: int, value: Value) -> bool:
        """Say what a read got; false: then the thread does not go this way."""
        self.events[read] = replace(self.events[read], value=value)
        self.registers = {name: (put(term, read, value), on) for name, (term, on) in self.registers.items()}
        for write, term in list(self.terms.items()):
            found = put(term, read, value)
            if isinstance(found, int | Pointer):
                self.events[write] = replace(self.events[write], value=found)
                del self.terms[write]
            else:
                self.terms[write] = found
        self.tests = [replace(t, a=put(t.a, read, value), b=put(t.b, read, value)) for t in self.tests]
        return all(t.passed({}) is not False for t in self.tests)
