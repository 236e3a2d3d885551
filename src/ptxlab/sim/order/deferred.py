"""Relaxed atomic operations that machine code has found in order: Python hears of them when it asks about their place.

While nobody has released anything, such an operation publishes nothing and acquires nothing. It is the next write of its chain,
and has found those before it. Machine code has noted it in the shadow, so nobody may ever ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.order.knowledge import Knowledge
from ptxlab.sim.order.native.arena import Arena
from ptxlab.sim.order.native.state import DeferredOperation
from ptxlab.sim.order.places import Reached, Regions
from ptxlab.sim.order.reads_from import Place, Seen
from ptxlab.sim.order.shadow import OPERATION, Region, past_write
from ptxlab.sim.order.threads import Threads

Numbers = NDArray[np.int64]
ROOM = 1 << 10
"""Lanes' operations on one place before those are dropped that nobody can ask for."""


@dataclass(slots=True)
class _Waiting:
    """What has been done to a place: instruction, time and thread of each operation. region: where it is. cta: whose shared memory
    that is; negative for global memory. count, room: how many there are, and how many there may be."""

    region: Region
    cta: int
    parts: list[Numbers] = field(default_factory=list[Numbers])
    count: int = 0
    room: int = ROOM


class Deferred:
    """Operations that Python has not heard of yet.

    Args:
        kind: the scope of an instruction by its number, and whether its threads see what it finds.
    """

    def __init__(
        self,
        arena: Arena,
        knowledge: Knowledge,
        regions: Regions,
        threads: Threads,
        *,
        kind: Callable[[int], tuple[str, bool]],
    ) -> None:
        self._arena, self._knowledge, self._regions, self._threads = arena, knowledge, regions, threads
        self._kind = kind
        self._begin = int(arena.header.deferred)
        self._waiting: dict[Place, _Waiting] = {}
        buffers = [arena.header.buffers[i] for i in range(arena.header.buffer_count)]
        by_lines = {region.first: region for region in regions.buffers}
        self._buffers = {int(buffer): by_lines[int(buffer.lines)] for buffer in buffers}

    @property
    def some(self) -> bool:
        """Whether there are any."""
        return bool(self._waiting)

    def take(self) -> None:
        """Fetch what machine code has written down, so that it has room again."""
        end = int(self._arena.header.deferred_at)
        if end == self._begin:
            return
        count = (end - self._begin) // DeferredOperation.WORDS
        rows = DeferredOperation.array(self._arena.words, self._begin, count).copy()
        self._arena.header.deferred_at = self._begin
        entry, lane = np.nonzero(rows["lanes"][:, None] >> np.arange(32) & 1)
        who = rows["warp"][entry].astype(np.int64) - 1 + lane
        row: Numbers = rows["buffer"][entry].astype(np.int64)
        memory: Numbers = np.where(row > 0, -row, who // self._threads.each)
        offsets = rows["bytes"][entry, lane].astype(np.int64)
        order = np.lexsort((offsets, memory))  # it leaves the rest in order of time
        memory, offsets = memory[order], offsets[order]
        all_of_them = np.stack((rows["site"][entry], rows["time"][entry], who), axis=1)[order]
        cuts = np.flatnonzero((np.diff(memory) != 0) | (np.diff(offsets) != 0)) + 1
        shared = {self._arena.slot_at(region.slot).cta: region for region in self._regions.shared.values()}
        starts = [0, *cuts.tolist()]
        ends = [*cuts.tolist(), len(order)]
        for start, stop, where, offset in zip(
            starts, ends, memory[starts].tolist(), offsets[starts].tolist(), strict=True
        ):
            region = self._buffers[-where] if where < 0 else shared.get(where)
            if region is not None:  # else the CTA has ended
                self._add(region, offset, where, all_of_them[start:stop])

    def _add(self, region: Region, offset: int, cta: int, more: Numbers) -> None:
        place = region.key, offset
        waiting = self._waiting.get(place)
        if waiting is None or waiting.cta != cta:
            waiting = self._waiting[place] = _Waiting(region, cta)
        waiting.parts.append(more)
        waiting.count += len(more)
        if waiting.count > waiting.room:
            kept = self._asked(waiting, offset)
            waiting.parts, waiting.count, waiting.room = [kept], len(kept), max(ROOM, 2 * len(kept))

    def waits(self) -> bool:
        """Whether there are any, also such as machine code has just written down."""
        self.take()
        return self.some

    def overwritten(self, reached: Reached) -> None:
        """Runs of bytes are about to be written weakly."""
        ends = reached.starts + reached.nbytes
        for place in [
            place for place in self._waiting if place[0] is reached.region.key or place[0] == reached.region.key
        ]:
            if ((reached.starts <= place[1]) & (place[1] < ends)).any():
                self.bring(place)

    def bring(self, place: Place) -> None:
        """Somebody asks about a place: what was done there is made known."""
        self.take()
        waiting = self._waiting.pop(place, None)
        if waiting is None:
            return
        every = self._asked(waiting, place[1])
        cuts = np.flatnonzero(np.diff(every[:, 1])) + 1
        for one in np.split(every, cuts):
            site, time, who = one[0].tolist()
            scope, finds = self._kind(site)
            self._knowledge.relaxed(
                place, self._threads.position(who + 1), scope, one[:, 2].tolist(), time, finds=finds
            )

    def _asked(self, waiting: _Waiting, offset: int) -> Numbers:
        """Those operations at a place that somebody may ask for."""
        every, region = np.concatenate(waiting.parts), waiting.region
        living = np.isin(every[:, 2] // self._threads.each, self._arena.resident())
        return _asked(every, list(writes_of(region, offset // region.granule)), living)

    def forget(self, cta: int) -> None:
        """A CTA has ended. Another one may be in its place already."""
        for place in [place for place, waiting in self._waiting.items() if waiting.cta == cta]:
            del self._waiting[place]


def _asked(every: Numbers, wanted: list[Seen], living: NDArray[np.bool_]) -> Numbers:
    """Those operations that are wanted writes, and of each thread the first one behind each of these: it has found it. What threads
    found that are not living, as their CTA has ended, nobody knows: they have published nothing."""
    times = np.unique(np.array([time for time, _ in wanted], np.int64))
    behind = np.searchsorted(
        times, every[:, 1]
    )  # how many were before it: those of its own instruction it has not found
    keys = every[:, 2] * (len(times) + 1) + behind
    _, first = np.unique(keys, return_index=True)
    keep = np.zeros(len(every), bool)
    keep[first] = True
    return every[keep & living | np.isin(every[:, 1], times)]


def writes_of(region: Region, granule: int) -> Iterator[Seen]:
    """The writes by threads that a cell has, and the list beside it."""
    write = past_write(region.cells[granule])
    for past in (*([] if write is None else [write]), *region.others(granule)):
        if past.writes and not past.agent & OPERATION:
            yield from ((past.time, past.agent - 1 + lane) for lane in lanes_of(past.lanes))


__all__ = ["Deferred", "writes_of"]
