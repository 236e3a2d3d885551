"""Which entries of streams are surely over before another one begins, or behind its griddepcontrol.wait, or never."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlab.sim.grids.node import Node


class Relation:
    """What streams and events order among the entries of a stretch.

    Args:
        passes: whether a grid may have let its dependents begin while those in front of it ran.
    """

    def __init__(self, nodes: Sequence[Node], stretch: range, passes: Callable[[int], bool]) -> None:
        self._nodes, self._stretch, self._passes = nodes, stretch, passes
        self._behind: dict[int, frozenset[int]] = {}
        for place in stretch:
            self._behind[place] = self._with_all(nodes[place].after)

    def _with_all(self, places: frozenset[int]) -> frozenset[int]:
        """These, and all that is over once they are."""
        here = [p for p in places if p in self._stretch]
        return frozenset(here).union(*(self._behind[p] for p in here))

    def is_over(self, earlier: int, later: int) -> bool:
        """Whether an entry is over before a later one begins."""
        return earlier in self._behind[later]

    def waited_for(self, later: int) -> frozenset[int]:
        """The entries that griddepcontrol.wait of an entry waits for, if it begins early."""
        return self._with_all(self._nodes[later].before) if self._nodes[later].early is not None else frozenset()

    def beside(self, later: int) -> list[int]:
        """The grids in front of an entry, of its stream, that may still run when it begins; the nearest first."""
        out: list[int] = []
        place = self._nodes[later].early
        while place is not None and place in self._stretch:
            if not self.is_over(place, later):
                out.append(place)
            place = self._nodes[place].early if self._passes(place) else None
        return out
