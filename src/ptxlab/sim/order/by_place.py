"""Something that is known of bytes of memory, by the memory and the byte.

The memories of a launch are asked about apart: what shared memory a copy reaches does not depend on how much is known of arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from ptxlab.sim.order.reads_from import Place

if TYPE_CHECKING:
    from ptxlab.sim.order.places import Reached

T = TypeVar("T")


class ByPlace(Generic[T]):
    """Values by place."""

    def __init__(self) -> None:
        self._of: dict[object, dict[int, T]] = {}

    def __bool__(self) -> bool:
        return any(self._of.values())

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def __iter__(self) -> Iterator[Place]:
        return ((memory, byte) for memory, values in self._of.items() for byte in values)

    def get(self, place: Place) -> T | None:
        """The value of a place, if there is one."""
        values = self._of.get(place[0])
        return None if values is None else values.get(place[1])

    def __setitem__(self, place: Place, value: T) -> None:
        self._of.setdefault(place[0], {})[place[1]] = value

    def pop(self, place: Place) -> T | None:
        """The same as `get`; the place has none any more."""
        values = self._of.get(place[0])
        return None if values is None else values.pop(place[1], None)

    def of(self, memory: object) -> dict[int, T]:
        """The values of a memory, by byte."""
        return self._of.get(memory, {})

    def forget(self, memory: object) -> None:
        """Nothing is known of a memory any more."""
        self._of.pop(memory, None)

    def within(self, reached: Reached) -> list[Place]:
        """The places with values that begin in runs of bytes, ascending."""
        region, values = reached.region, self._of.get(reached.region.key)
        if not values:
            return []
        starts, ends = reached.starts, reached.starts + reached.nbytes
        if int(reached.nbytes.sum()) // region.granule < len(values):  # accesses begin at multiples of their size
            runs = zip(starts.tolist(), ends.tolist(), strict=True)
            begins = {b for start, end in runs for b in range(start, end, region.granule)}
            return [(region.key, b) for b in sorted(begins & values.keys())]
        bytes_ = np.sort(np.fromiter(values, np.int64, len(values)))
        inside = ((starts[:, None] <= bytes_) & (bytes_ < ends[:, None])).any(axis=0)
        return [(region.key, b) for b in bytes_[inside].tolist()]
