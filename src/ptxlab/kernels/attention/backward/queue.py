"""Queues of words in shared memory, by which the warps of a CTA tell one another what to do.

A ring does the same. But its positions are registers of all roles, and those that load have few of them: here each role has its own.
"""

from __future__ import annotations

from typing import Any

import ptxlab as px


class Queue:
    """Entries of words.

    Attributes:
        words: of all entries, px.b32. full, empty: their barriers.
    """

    def __init__(self, k: px.Builder, entries: int, words: int, readers: int, name: str) -> None:
        self.k, self.entries = k, entries
        self.words = k.smem(px.b32, (entries, words), align=16, name=name)
        self.full = k.mbarrier(1, n=entries, name=f"{name}_full")
        self.empty = k.mbarrier(readers, n=entries, name=f"{name}_empty")

    def writer(self) -> Place:
        """Where the role that writes begins."""
        return Place(self, 1)

    def reader(self) -> Place:
        """Where one that reads begins."""
        return Place(self, 0)


class Place:
    """The entry that a role is at.

    Attributes:
        entry: its number; parity: of its phase; px.u32.
    """

    def __init__(self, queue: Queue, parity: int) -> None:
        k = queue.k
        self.queue, self.k, self._writes = queue, k, parity == 1
        self.entry, self.parity = k.mov.u32(0), k.mov.u32(parity)

    def wait(self) -> None:
        """Until the entry may be written, or read."""
        (self.queue.empty if self._writes else self.queue.full)[self.entry].wait(self.parity)

    def word(self, number: int) -> px.Address:
        """A word of the entry."""
        return self.queue.words[self.entry].at(4 * number)

    def over(self, pred: Any = None) -> None:
        """The entry is written, or read: on to the next one. `pred`: of the thread that says so, behind all others of its role."""
        k = self.k
        (self.queue.full if self._writes else self.queue.empty)[self.entry].arrive(pred=pred)
        self.advance()

    def advance(self) -> None:
        """To the next entry."""
        k = self.k
        k.add.u32(self.entry, 1, d=self.entry)
        last = self.entry == self.queue.entries
        k.selp.u32(0, self.entry, last, d=self.entry)
        k.xor.b32(self.parity, k.selp.u32(1, 0, last), d=self.parity)
