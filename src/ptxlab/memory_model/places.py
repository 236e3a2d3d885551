"""What the order of each location's accesses comes to, read by read: coherence order as far as it is forced, and whether it can be.

Three axioms are about one location at a time. Whatever choice is made later, it keeps what they force now: two morally strong
writes are in the order in which a chain of morally strong accesses has them (8.10.5); what is not before an atomic operation is
behind it (8.10.3); and what precedes a read in causality order is not behind the write that it read from (8.10.6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ptxlab.memory_model.events import Graph
from ptxlab.memory_model.model import local_order, morally_strong
from ptxlab.memory_model.relation import Relation, bits


@dataclass(slots=True)
class Places:
    """All locations of a graph.

    Attributes:
        co: coherence order so far, transitive. chain: the closure of program order to one location and of morally strong
            communication. source: of the reads that have one, the write that they read from.
    """

    graph: Graph
    strong: tuple[int, ...]
    before: tuple[int, ...]
    written: dict[int, int]
    writes: int
    co: list[int]
    chain: list[int]
    source: dict[int, int] = field(default_factory=dict[int, int])

    @staticmethod
    def of(graph: Graph, causality: Relation, demanded: Relation) -> Places:
        """Without reads. causality: what is in causality order; demanded: the coherence order that follows from it."""
        return Places(
            graph,
            strong=morally_strong(graph).rows,
            before=(~causality).rows,
            written=dict(graph.rmw),
            writes=_writes(graph),
            co=list(demanded.rows),
            chain=list(local_order(graph).closure().rows),
        )

    def copy(self) -> Places:
        """One that can go another way."""
        return replace(self, co=list(self.co), chain=list(self.chain), source=dict(self.source))

    def read(self, read: int, write: int) -> bool:
        """Let a read read from a write; false: that contradicts what is known."""
        if self.before[write] >> read & 1:
            return False
        self.source[read] = write
        if self.strong[write] >> read & 1 and not _join(self.chain, write, read):
            return False
        return self.settle()

    def order(self, first: int, second: int) -> bool:
        """Put one write behind another; false: that contradicts what is known."""
        return _join(self.co, first, second) and self.settle()

    def settle(self) -> bool:
        """Draw all conclusions; false: there is a contradiction."""
        while True:
            found = [*self._communication(), *self._forced()]
            if not found:
                return True
            if not all(_join(rows, a, b) for rows, a, b in found):
                return False

    def _communication(self) -> Iterator[tuple[list[int], int, int]]:
        """What morally strong communication adds to chains."""
        co, chain, strong = self.co, self.chain, self.strong
        for w in bits(self.writes):
            for v in bits(co[w] & strong[w] & ~chain[w]):
                yield chain, w, v
            for v in bits(chain[w] & strong[w] & self.writes & ~co[w]):
                yield co, w, v
        for r, s in self.source.items():
            for w in bits(co[s] & strong[r] & ~chain[r]):
                yield chain, r, w

    def _forced(self) -> Iterator[tuple[list[int], int, int]]:
        """What reads force: an order where it is one, and one that contradicts what is known where they cannot be."""
        co, strong = self.co, self.strong
        for r, s in self.source.items():
            for w in bits(self.before[r] & self.writes & (strong[s] | co[s]) & ~(1 << s)):
                if not co[w] >> s & 1:
                    yield co, w, s
            if r not in self.written:
                continue
            mine = self.written[r]
            for w in bits(strong[r] & strong[mine] & self.writes & ~(1 << s | 1 << mine)):
                if co[s] >> w & 1:
                    if not co[mine] >> w & 1:
                        yield co, mine, w
                elif co[w] >> mine & 1 and strong[s] >> w & 1 and not co[w] >> s & 1:
                    yield co, w, s

    def undecided(self, writes: int) -> tuple[int, int] | None:
        """Two of these writes that are morally strong, and in no order yet."""
        for w in bits(writes):
            for v in bits(self.strong[w] & writes & ~self.co[w]):
                if not self.co[v] >> w & 1:
                    return w, v
        return None

    def last(self, writes: int) -> list[int]:
        """Those of these writes that none of them is known to follow."""
        return [w for w in bits(writes) if not self.co[w] & writes]


def _writes(graph: Graph) -> int:
    return sum(1 << i for i, e in enumerate(graph.events) if e.kind == "write")


def _join(rows: list[int], a: int, b: int) -> bool:
    """Put a pair into a transitive relation; false: that makes a cycle."""
    if rows[a] >> b & 1:
        return True
    if a == b or rows[b] >> a & 1:
        return False
    gain, bit = rows[b] | 1 << b, 1 << a
    rows[a] |= gain
    for i, row in enumerate(rows):
        if row & bit:
            rows[i] = row | gain
    return True


def joined(rows: Sequence[int], a: int, b: int) -> list[int] | None:
    """A transitive relation with one more pair; None: that makes a cycle."""
    out = list(rows)
    return out if _join(out, a, b) else None
