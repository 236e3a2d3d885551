"""Queues of words in shared memory, by which the warps of a CTA tell one another what to do.

A ring does the same, but its positions are registers of all roles, and those that load have few: here each role has its own.
"""

from __future__ import annotations

from typing import Any

import ptxlab as px


class Queue:
    """Entries of words.

    Attributes:
        entries: how many, a power of two. words: of all of them, px.b32. full, empty: their barriers.
    """

    def __init__(self, k: px.Builder, entries: int, words: int, readers: int, name: str, *, writers: int = 1) -> None:
        self.k, self.entries = k, entries
        self.words = k.smem(px.b32, (entries, words), align=128, name=name)
        self.full = k.mbarrier(writers, n=entries, name=f"{name}_full")
        self.empty = k.mbarrier(readers, n=entries, name=f"{name}_empty")

    def writer(self) -> Place:
        """Where the role that writes begins."""
        return Place(self, writes=True)

    def reader(self) -> Place:
        """Where one that reads begins."""
        return Place(self, writes=False)


class Place:
    """The entry that a role is at.

    Attributes:
        count: of entries so far, px.u32.
    """

    def __init__(self, queue: Queue, *, writes: bool) -> None:
        self.queue, self.k, self._writes = queue, queue.k, writes
        self.count = self.k.mov.u32(0)  # one register says all

    @property
    def entry(self) -> Any:
        """The number of the entry."""
        return self.count & (self.queue.entries - 1)

    @property
    def parity(self) -> Any:
        """The parity of its phase."""
        count = self.count + self.queue.entries if self._writes else self.count
        return (count >> (self.queue.entries.bit_length() - 1)) & 1

    def wait(self) -> None:
        """Until the entry may be written, or read."""
        (self.queue.empty if self._writes else self.queue.full)[self.entry].wait(self.parity)

    def word(self, number: int) -> px.Address:
        """A word of the entry."""
        return self.queue.words[self.entry].at(4 * number)

    def over(self, pred: Any = None) -> None:
        """The entry is written, or read: on to the next one. `pred`: of the thread that says so, behind all others of its role."""
        (self.queue.full if self._writes else self.queue.empty)[self.entry].arrive(pred=pred)
        self.advance()

    def advance(self) -> None:
        """To the next entry."""
        self.k.add.u32(self.count, 1, d=self.count)
