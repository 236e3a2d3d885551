"""All orders of accesses that depend on each other, each once: dynamic partial-order reduction.

A launch is run again and again. At each state every thread stands in front of its next access, waits, or has ended, and one of them
is chosen to go on. Two accesses depend on each other where they reach the same bytes, and it matters which comes first. Of all ways
to choose, those that differ by accesses which do not depend on each other are one order.

After a run each pair of accesses that depend on each other, where nothing else makes the second come behind the first, is a
reason to try the second first (Flanagan and Godefroid, POPL 2005): all threads that have gone on between the two without the
first are chosen there, too. What has been tried at a state sleeps until something comes that depends on it (Godefroid's sleep
sets), so that no order comes twice. docs/explanation/certificates.md proves that none is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Bytes = tuple[object, int, int]
"""Memory, where bytes of it begin, and where they end."""
Chunk = tuple[object, int]
CHUNK = 16
"""Bytes by which steps that reach the same ones are found."""


@dataclass(frozen=True, slots=True)
class Step:
    """A thread's next access.

    who: the thread. site: the instruction, by number. reached: the bytes. reads, writes: what it does to them. sum: how it adds to
    them, where such sums may come in any order.
    """

    who: int
    site: int
    reached: tuple[Bytes, ...]
    reads: bool
    writes: bool
    sum: tuple[str, str] | None = None

    @property
    def chunks(self) -> set[Chunk]:
        """Pieces of memory that hold the bytes."""
        return {(memory, at) for memory, start, end in self.reached for at in range(start // CHUNK, -(-end // CHUNK))}

    def depends(self, other: Step) -> bool:
        """Whether it matters which of two comes first."""
        if not (self.writes or other.writes) or (self.sum is not None and self.sum == other.sum):
            return False
        return self.shares(other)

    def shares(self, other: Step) -> bool:
        """Whether two accesses reach the same bytes."""
        return any(
            one[0] == two[0] and one[1] < two[2] and two[1] < one[2] for one in self.reached for two in other.reached
        )


@dataclass(slots=True)
class Trace:
    """What a run has done.

    ready: at each state, the threads that could go on, by number. steps: which access was chosen there. before: of each step the
    earlier ones, as bits, behind which it comes whether or not they reach the same bytes. closed: the same with all of them,
    and itself. left: those that could not be chosen at the end, and behind what each comes. ended: whether the launch has; else
    what could go on was asleep.
    """

    ready: list[Mapping[int, Step]] = field(default_factory=list[Mapping[int, Step]])
    steps: list[Step] = field(default_factory=list[Step])
    before: list[int] = field(default_factory=list[int])
    closed: list[int] = field(default_factory=list[int])
    left: list[tuple[Step, int]] = field(default_factory=list[tuple[Step, int]])
    ended: bool = False
    _at: dict[Chunk, list[int]] = field(default_factory=dict[Chunk, list[int]])

    def sharing(self, step: Step) -> list[int]:
        """The steps that reach bytes of another one, in order."""
        near = {i for chunk in step.chunks for i in self._at.get(chunk, ())}
        return [i for i in sorted(near) if self.steps[i].shares(step)]

    def add(self, step: Step, before: int) -> None:
        """A step comes behind others, as bits; `before` is closed."""
        closed = before | 1 << len(self.steps)
        for i in self.sharing(step):
            if not closed >> i & 1 and self.steps[i].depends(step):
                closed |= self.closed[i]
        for chunk in step.chunks:
            self._at.setdefault(chunk, []).append(len(self.steps))
        self.steps.append(step)
        self.before.append(before)
        self.closed.append(closed)

    def races(self) -> Iterator[tuple[int, Step, int]]:
        """Pairs that might have come the other way round: the first by its number, the second, and its number."""
        seconds = [*((i, *one) for i, one in enumerate(zip(self.steps, self.before, strict=True)))]
        seconds += [(len(self.steps), *one) for one in self.left]
        for j, second, before in seconds:
            for i in self.sharing(second):
                first = self.steps[i]
                if i < j and not before >> i & 1 and first.who != second.who and first.depends(second):
                    yield i, second, j


class Runner(Protocol):
    """Runs the launch: chooses these threads, one after the other, and then any that do not sleep."""

    def __call__(self, chosen: Sequence[int], asleep: Mapping[int, Step]) -> Trace: ...


@dataclass(slots=True)
class _Node:
    """A state: who could go on, who is asleep, who has been chosen, and who is to be."""

    ready: Mapping[int, Step]
    asleep: dict[int, Step]
    chosen: int
    done: set[int] = field(default_factory=set[int])
    wanted: set[int] = field(default_factory=set[int])

    def then(self) -> dict[int, Step]:
        """Who is asleep once the chosen one has gone on."""
        step = self.ready[self.chosen]
        every = self.asleep | {who: self.ready[who] for who in self.done}
        return {who: one for who, one in every.items() if who != self.chosen and not one.depends(step)}

    def next(self) -> int | None:
        """Who is to be chosen next; None where nobody is."""
        return min(self.wanted - self.done - self.asleep.keys(), default=None)


class Changed(Exception):
    """The same choices have led somewhere else."""


class Search:
    """Runs a launch in every order.

    Args:
        run: runs it once.

    Attributes:
        orders: runs that have come to the end of the launch. tried: all runs.
    """

    def __init__(self, run: Runner) -> None:
        self._run = run
        self._nodes: list[_Node] = []
        self.orders = self.tried = 0

    def all(self, goes_on: Callable[[], bool]) -> bool:
        """Run in all orders, as long as the caller wants to go on after each. Whether these are all."""
        asleep: dict[int, Step] = {}
        while True:
            trace = self._run([node.chosen for node in self._nodes], asleep)
            self.tried += 1
            self.orders += trace.ended
            self._extend(trace)
            self._plan(trace)
            while self._nodes and self._nodes[-1].next() is None:
                self._nodes.pop()
            if not self._nodes:
                return True
            if not goes_on():
                return False
            node = self._nodes[-1]
            node.chosen = node.next() or 0
            asleep = node.then()
            node.done.add(node.chosen)

    def _extend(self, trace: Trace) -> None:
        nodes = self._nodes
        if any(node.ready.keys() != ready.keys() for node, ready in zip(nodes, trace.ready, strict=False)):
            raise Changed
        for depth in range(len(nodes), len(trace.steps)):
            chosen = trace.steps[depth].who
            before = nodes[-1].then() if nodes else {}
            nodes.append(_Node(trace.ready[depth], before, chosen, {chosen}, {chosen}))

    def _plan(self, trace: Trace) -> None:
        """Choose others where that may turn a pair round: whoever goes on then without the first of it."""
        for i, second, j in trace.races():
            ready, wanted = self._nodes[i].ready, self._nodes[i].wanted
            others = {who for who in ready.keys() - wanted if who != trace.steps[i].who}
            for m in range(i + 1, j):
                who = trace.steps[m].who
                if who in others:
                    others.discard(who)
                    if not trace.closed[m] >> i & 1:
                        wanted.add(who)
            if second.who in others:
                wanted.add(second.who)
