"""Events, what the threads of one candidate execution did (`Graph`), and how it all met in memory (`Execution`).

An instruction becomes one event or several: atom a read and a write, an asynchronous copy a read, a write and its completion.
Every event belongs to an agent: a thread, or an asynchronous operation, which the model treats as a thread of its own that
inherits what its issuer had done (`Graph.issue`) and hands on what it did when it completes (`Graph.done`, `Execution.met`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, NamedTuple, TypeVar

from ptxlab.diag import Span
from ptxlab.isa.effects import Join
from ptxlab.isa.order import ACQUIRING, RELEASING
from ptxlab.memory_model.program import Place, Value
from ptxlab.memory_model.relation import Relation

INIT: Final = -1
"""The agent of the writes that were there before the threads started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened.

    Attributes:
        kind: read, write, fence, barrier (an arrival at or a wait for a barrier, an mbarrier among them) or wait (for a group).
        agent: which one; `INIT` for the first writes. thread: the index of the thread that issued it. place: where that runs.
        location, address: the memory, and the virtual address by which it is reached; None for what touches none.
        order, scope, proxy: in the words of `ptxlab.isa.effects`.
        value: what is read or written.
        space: of the memory. owner: of shared memory, the CTA that it belongs to, where the test says so.
        joins: what a proxy fence joins; over: the only location that it is about; about: the only space;
            only: the only operations that a fence is about, which carry the same mark.
        reduction: whether it is the read of a red, which no thread gets to see.
        site: which instruction of the thread it is; text, span: that instruction as it is written.
    """

    kind: str
    agent: int
    thread: int
    place: Place
    location: str | None = None
    address: str | None = None
    order: str = "weak"
    scope: str | None = None
    proxy: str = "generic"
    value: Value | None = None
    space: str | None = None
    owner: int | None = None
    joins: tuple[Join, ...] = ()
    over: str | None = None
    about: str | None = None
    only: str | None = None
    reduction: bool = False
    site: int = -1
    text: str = ""
    span: Span | None = None

    def meets(self, other: Event) -> bool:
        """Whether the scopes of both include each other's thread."""
        return self.place.includes(self.scope, other.place) and other.place.includes(other.scope, self.place)

    @property
    def memory(self) -> bool:
        """Whether it accesses memory."""
        return self.kind in ("read", "write")

    @property
    def strong(self) -> bool:
        """Whether it is a strong operation: anything but weak, with a scope; fences of the generic proxy are."""
        return self.order != "weak" and self.scope not in (None, "thread")

    @property
    def acquires(self) -> bool:
        """Whether what follows sees what it synchronizes with."""
        return self.order in ACQUIRING

    @property
    def releases(self) -> bool:
        """Whether what it synchronizes with sees what was before."""
        return self.order in RELEASING


@dataclass(slots=True)
class Graph:
    """What the agents of one candidate execution did, each by itself.

    Attributes:
        events: all events, the first writes first.
        order: program order, transitive, within each agent.
        rmw: the read of an atomic operation and its write.
        depends: reads and the events whose value, address or happening depends on them.
        issue: what stands before the issue of an asynchronous operation, and that operation's accesses.
        done: an asynchronous operation's events, and the waits of its thread that waited for them.
        agents: what each agent is called.
    """

    events: tuple[Event, ...]
    order: Relation
    rmw: Relation
    depends: Relation
    issue: Relation
    done: Relation
    agents: tuple[str, ...] = ()
    memo: dict[Any, Any] = field(default_factory=dict[Any, Any], repr=False)

    @property
    def size(self) -> int:
        """How many events there are."""
        return len(self.events)

    def those(self, holds: Callable[[Event], bool]) -> int:
        """The set of events for which `holds`."""
        return sum(1 << i for i, e in enumerate(self.events) if holds(e))

    def pairs(self, holds: Callable[[Event, Event], bool]) -> Relation:
        """The pairs of events for which `holds`."""
        return Relation.of(
            self.size,
            ((i, j) for i, a in enumerate(self.events) for j, b in enumerate(self.events) if i != j and holds(a, b)),
        )


class Meetings(NamedTuple):
    """How threads and operations met at barriers.

    orders: arrivals, and the waits that they ended. publishes: initialisations of mbarriers, and the waits behind which
    fence.mbarrier_init makes them visible, where the barrier itself orders nothing.
    """

    orders: Relation
    publishes: Relation


@dataclass(slots=True)
class Execution:
    """A graph, and the choices that memory made.

    Attributes:
        reads_from: a write and the reads that got its value.
        coherence: the order of writes to a location, transitive and partial.
        fence_order: the order of the fence.sc that are morally strong.
        met: how threads met at barriers and mbarriers.
    """

    graph: Graph
    reads_from: Relation
    coherence: Relation
    fence_order: Relation
    met: Meetings
    memo: dict[Any, Any] = field(default_factory=dict[Any, Any], repr=False)

    @property
    def meets(self) -> Relation:
        """Arrivals, and the waits that they ended."""
        return self.met.orders


T = TypeVar("T", Graph, Execution)


def derived(made: Callable[[T], Relation]) -> Callable[[T], Relation]:
    """A relation that follows from a graph or an execution: worked out once for each."""

    @wraps(made)
    def memoised(of: T) -> Relation:
        found = of.memo.get(made)
        if found is None:
            found = of.memo[made] = made(of)
        return found

    return memoised
