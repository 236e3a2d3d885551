"""The heap that kernels allocate from. It outlives a launch, as on a GPU: a later one may read and free what an earlier left."""

from __future__ import annotations

import threading
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block, Bytes, address, allocate

HEAP_BYTES = 8 << 20
"""What CUDA grants where nobody asks for more (cudaLimitMallocHeapSize)."""
UNIT = 16
"""Allocations begin at multiples of this. One byte of shadow says how many bytes of a unit belong to an allocation."""


@dataclass(slots=True)
class Allocation:
    """A piece of the heap: its place, size in bytes, and who asked for it, in words. `freed`: by whom."""

    start: int
    size: int
    by: str
    freed: str = ""

    @property
    def room(self) -> int:
        """Bytes that it takes from the heap."""
        return max(UNIT, -(-self.size // UNIT) * UNIT)


class Heap:
    """Memory, its shadow, and what is allocated. Places are offsets. Launches of several threads share it."""

    def __init__(self, nbytes: int = HEAP_BYTES) -> None:
        self.memory: Bytes = allocate(nbytes, 256)
        self.shadow: Bytes = allocate(nbytes // UNIT)
        self._lock = threading.RLock()
        self.live: dict[int, Allocation] = {}
        self._free: list[tuple[int, int]] = [(0, nbytes)]  # (place, bytes), ascending
        self._past: dict[int, Allocation] = {}

    @property
    def begin(self) -> int:
        """The address of the first byte."""
        return address(self.memory)

    def attach(self, env: Block) -> None:
        """Let a launch reach it."""
        env.set64(F.E_HEAP, self.begin)
        env.set64(F.E_HEAP_BYTES, len(self.memory))
        env.set64(F.E_HEAP_SHADOW, address(self.shadow))

    def allocate(self, size: int, by: str) -> Allocation | None:
        """That many bytes, which begin at `begin` + `start`; None where no piece is so long."""
        made = Allocation(0, size, by)
        with self._lock:
            for i, (start, length) in enumerate(self._free):
                if length >= made.room:
                    self._free[i : i + 1] = [(start + made.room, length - made.room)] if length > made.room else []
                    made.start = start
                    self.live[start] = made
                    self._forget(start, start + made.room)
                    self._mark(made, size)
                    return made
        return None

    def _forget(self, begin: int, end: int) -> None:
        """Whatever lay here once is not to be told of any more."""
        self._past = {at: one for at, one in self._past.items() if at >= end or at + one.room <= begin}

    def _mark(self, one: Allocation, size: int) -> None:
        units = self.shadow[one.start // UNIT : (one.start + one.room) // UNIT]
        units[:] = np.clip(size - UNIT * np.arange(len(units)), 0, UNIT)

    def release(self, where: int, by: str) -> Allocation | None:
        """Give an allocation back; the one that lies around the address, freed before or not, where it is none of those alive."""
        place = where - self.begin
        with self._lock:
            one = self.live.pop(place, None)
            if one is None:
                return self.around(where) or Allocation(-1, 0, "")
            one.freed = by
            self._mark(one, 0)
            self._past[place] = one
            self._insert(place, one.room)
        return None

    def _insert(self, start: int, length: int) -> None:
        at = bisect_right(self._free, (start, 0))
        self._free.insert(at, (start, length))
        for i in (at, at - 1):  # join with the piece behind, then with the one in front
            if 0 <= i < len(self._free) - 1 and sum(self._free[i]) == self._free[i + 1][0]:
                self._free[i : i + 2] = [(self._free[i][0], self._free[i][1] + self._free[i + 1][1])]

    def holds(self, where: int, nbytes: int) -> bool:
        """Whether bytes lie inside one allocation."""
        one = self.around(where)
        return one is not None and not one.freed and where - self.begin + nbytes <= one.start + one.size

    def around(self, where: int) -> Allocation | None:
        """The allocation, alive or freed, that an address lies in or behind."""
        place = where - self.begin
        if not 0 <= place < len(self.memory):
            return None
        with self._lock:
            known = {**self._past, **self.live}
        starts = sorted(known)
        at = bisect_right(starts, place) - 1
        return known[starts[at]] if at >= 0 else None

    def describe(self, where: int, nbytes: int) -> str | None:
        """How an access misses the allocations; None for an address elsewhere."""
        if not 0 <= where - self.begin < len(self.memory):
            return None
        one = self.around(where)
        if one is None:
            return "lie in the heap, where nothing has been allocated"
        offset = where - self.begin - one.start
        what = f"{one.size} bytes that {one.by} allocated"
        if one.freed and offset < one.room:
            return f"at byte {offset} of {what}: {one.freed} has freed them"
        return f"at byte {offset} end {offset + nbytes - one.size} bytes behind {what}"


_heaps: list[Heap] = []
_making = threading.Lock()


def heap() -> Heap:
    """The process's heap, made at the first allocation."""
    with _making:
        if not _heaps:
            _heaps.append(Heap())
    return _heaps[0]


def existing() -> Heap | None:
    """The process's heap where a kernel has allocated before."""
    return _heaps[0] if _heaps else None
