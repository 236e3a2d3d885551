"""Which strong writes strong reads have found: such a write comes before all that the reader's program does from then on.

What a thread knows of that it need not carry along: a reader has found a write at a time, and who knows the reader up to that
time knows it, too. So each place has a list of who has found what, and when.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ptxlab.sim.order.clocks import Clock

Seen = tuple[int, int]
"""A write: its thread's time, and the number of its thread."""


Place = tuple[object, int]
"""Memory, and a byte of it."""


class Chain:
    """Writes of which each has read the one before it, so that who finds one has found all before it.

    Attributes:
        writes: those that anybody may still ask for, with their number. count: of all so far.
        new: the threads of those whose instruction is not over: nobody has found them yet.
    """

    __slots__ = ("count", "new", "writes")

    def __init__(self) -> None:
        self.writes: dict[Seen, int] = {}
        self.count = 0
        self.new: list[int] = []

    def add(self, write: Seen) -> None:
        """One more."""
        self.writes[write] = self.count
        self.count += 1

    def stamp(self, time: int) -> None:
        """The instruction of the newest writes is over."""
        for thread in self.new:
            self.add((time, thread))
        self.new.clear()

    def latest(self) -> list[Seen]:
        """The writes of the last instruction, or none."""
        out: list[Seen] = []
        for write in reversed(self.writes):
            if out and write[0] != out[0][0]:
                break
            out.append(write)
        return out

    def thin_out(self, wanted: Iterable[Seen]) -> None:
        """Nobody will ask for others than these."""
        self.writes = {write: self.writes[write] for write in wanted if write in self.writes}


class Find(NamedTuple):
    """A thread has found the first `found` writes of a chain."""

    thread: int
    time: int
    chain: Chain
    found: int


class ReadsFrom:
    """What the strong reads of a launch have found, by place."""

    def __init__(self) -> None:
        self._of: dict[Place, list[Find]] = {}
        self._latest: dict[tuple[Place, int], Find] = {}
        self._fresh: list[tuple[Place, Find]] = []
        self._room: dict[Place, int] = {}

    def note(self, place: Place, threads: Iterable[int], chain: Chain, time: int) -> None:
        """Threads find a chain as it is now. That holds for what they do behind the instruction: see `settle`."""
        count = chain.count
        if not count:
            return
        for thread in threads:
            last = self._latest.get((place, thread))
            if last is None or last.chain is not chain or last.found < count:
                self._fresh.append((place, Find(thread, time, chain, count)))

    def settle(self) -> None:
        """The instruction whose threads have found something is over."""
        for place, find in self._fresh:
            self._of.setdefault(place, []).append(find)
            self._latest[place, find.thread] = find
        self._fresh.clear()

    def forget(self, memory: object) -> None:
        """Shared memory is that of another CTA now."""
        self._of = {place: found for place, found in self._of.items() if place[0] is not memory}
        self._latest = {key: find for key, find in self._latest.items() if key[0][0] is not memory}
        self._room = {place: room for place, room in self._room.items() if place[0] is not memory}

    def any_at(self, place: Place) -> bool:
        """Whether anybody has found anything there."""
        return place in self._of

    def knows(self, place: Place, write: Seen, clock: Clock, thread: int, each: int) -> bool:
        """Whether a write is known by somebody's find: the thread's own, or that of a thread which a clock knows so far.

        each: threads of a CTA.
        """
        for find in self._of.get(place, ()):
            if find.thread != thread:
                times = clock.threads.get(find.thread // each)
                if times is None or times[find.thread % each] < find.time:
                    continue
            if find.chain.writes.get(write, find.found) < find.found:
                return True
        return False

    def is_full(self, place: Place, chain: Chain) -> bool:
        """Whether it is time to thin out what a place has. chain: of its last write."""
        return max(len(chain.writes), len(self._of.get(place, ()))) >= self._room.get(place, ROOM)

    def thin_out(self, place: Place, chain: Chain, wanted: Sequence[Seen]) -> None:
        """Nobody will ask for any writes there but these, and later ones: forget finds that tell of none of them."""
        known: dict[int, set[Seen]] = {}
        kept: list[Find] = []
        found = self._of.get(place, [])
        for one in {id(c): c for c in (chain, *(find.chain for find in found))}.values():
            one.thin_out(wanted)
        for find in found:
            mine = known.setdefault(find.thread, set())
            more = {write for write, number in find.chain.writes.items() if number < find.found}
            if not more <= mine:
                mine |= more
                kept.append(find)
        if found:
            self._of[place] = kept
        self._room[place] = max(ROOM, 2 * len(kept))


ROOM = 256
"""Finds of a place, or writes of a chain, before those are forgotten that nobody asks for."""
