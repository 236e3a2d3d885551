"""Relations over the events of one execution, as rows of bits.

An event is its number, a set of events one integer, a relation one such set for every event: bit `j` of row `i` says that `i`
is related to `j`. Ten or twenty events fit a machine word, so that the axioms can be written as plain algebra and still be fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def bits(mask: int) -> Iterator[int]:
    """The events of a set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Relation:
    """A relation over `len(rows)` events.

    `a | b`, `a & b`, `a - b`: union, intersection, difference. `a >> b`: first `a`, then `b`. `~a`: the inverse.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[int]) -> None:
        self.rows = tuple(rows)

    @staticmethod
    def empty(size: int) -> Relation:
        """No pair at all."""
        return Relation((0,) * size)

    @staticmethod
    def of(size: int, pairs: Iterable[tuple[int, int]]) -> Relation:
        """These pairs."""
        rows = [0] * size
        for i, j in pairs:
            rows[i] |= 1 << j
        return Relation(rows)

    @staticmethod
    def where(size: int, holds: Callable[[int, int], bool]) -> Relation:
        """All pairs for which `holds`."""
        return Relation.of(size, ((i, j) for i in range(size) for j in range(size) if holds(i, j)))

    @staticmethod
    def product(size: int, first: int, second: int) -> Relation:
        """All pairs of an event of one set and an event of the other."""
        return Relation(second if first >> i & 1 else 0 for i in range(size))

    @staticmethod
    def identity(size: int, members: int = -1) -> Relation:
        """Each event of a set with itself."""
        return Relation((1 << i) & members for i in range(size))

    def __or__(self, other: Relation) -> Relation:
        return Relation(a | b for a, b in zip(self.rows, other.rows, strict=True))

    def __and__(self, other: Relation) -> Relation:
        return Relation(a & b for a, b in zip(self.rows, other.rows, strict=True))

    def __sub__(self, other: Relation) -> Relation:
        return Relation(a & ~b for a, b in zip(self.rows, other.rows, strict=True))

    def __rshift__(self, other: Relation) -> Relation:
        after = other.rows
        out: list[int] = []
        for row in self.rows:
            reached = 0
            while row:
                low = row & -row
                reached |= after[low.bit_length() - 1]
                row ^= low
            out.append(reached)
        return Relation(out)

    def __invert__(self) -> Relation:
        rows = [0] * len(self.rows)
        for i, row in enumerate(self.rows):
            for j in bits(row):
                rows[j] |= 1 << i
        return Relation(rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def __bool__(self) -> bool:
        return any(self.rows)

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return bool(self.rows[pair[0]] >> pair[1] & 1)

    def __repr__(self) -> str:
        return f"Relation({list(self)})"

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((i, j) for i, row in enumerate(self.rows) for j in bits(row))

    def optional(self) -> Relation:
        """Itself, or staying where one is."""
        return Relation(row | 1 << i for i, row in enumerate(self.rows))

    def closure(self) -> Relation:
        """The least transitive relation that contains it."""
        rows = list(self.rows)
        for k in range(len(rows)):
            through, bit = rows[k], 1 << k
            if through:
                for i, row in enumerate(rows):
                    if row & bit:
                        rows[i] = row | through
        return Relation(rows)

    def among(self, first: int, second: int = -1) -> Relation:
        """The pairs from one set to another."""
        return Relation((row & second) if first >> i & 1 else 0 for i, row in enumerate(self.rows))

    def reflexive(self) -> int | None:
        """An event that is related to itself; None: it is irreflexive."""
        for i, row in enumerate(self.rows):
            if row >> i & 1:
                return i
        return None

    def acyclic(self) -> bool:
        """Whether no way leads from an event back to it."""
        left = (1 << len(self.rows)) - 1
        while left:
            stay = 0
            for i in bits(left):
                if self.rows[i] & left:
                    stay |= 1 << i
            if stay == left:
                return False
            left = stay
        return True

    def path(self, start: int, goal: int) -> list[int] | None:
        """A shortest way of at least one step from one event to another, both included; None where there is none."""
        before: dict[int, int] = {}
        front = [start]
        while front:
            following: list[int] = []
            for i in front:
                for j in bits(self.rows[i]):
                    if j not in before:
                        before[j] = i
                        if j == goal:
                            return _back(before, start, goal)
                        following.append(j)
            front = following
        return None

    def cycle(self) -> list[int] | None:
        """A shortest way from an event back to it, the first event at both ends; None where there is none."""
        found = [p for i in range(len(self.rows)) if (p := self.path(i, i)) is not None]
        return min(found, key=len) if found else None


def _back(before: dict[int, int], start: int, goal: int) -> list[int]:
    out = [goal]
    at = before[goal]
    while at != start:
        out.append(at)
        at = before[at]
    return [start, *reversed(out)]
