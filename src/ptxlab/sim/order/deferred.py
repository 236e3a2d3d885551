"""Relaxed atomic operations that machine code has found in order: Python hears of them when it asks about their place.

While nobody has released anything, such an operation publishes nothing and acquires nothing. It is the next write of its chain,
and has found those before it. Machine code has noted it in the shadow, so nobody may ever ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.order.by_place import ByPlace
from ptxlab.sim.order.knowledge import Knowledge
from ptxlab.sim.order.native.arena import Arena
from ptxlab.sim.order.native.state import FOUND, OPERATES, OVERWRITES, DeferredOperation, Header
from ptxlab.sim.order.places import Reached, Regions
from ptxlab.sim.order.reads_from import Place, Seen
from ptxlab.sim.order.shadow import OPERATION, Region, past_write
from ptxlab.sim.order.threads import Threads

Numbers = NDArray[np.int64]
SITE, TIME, WHO, WHAT = range(4)
"""Columns of what waits."""
_END = Header.at("deferred_at")
"""The word that says where the next operation is written down."""
_BLOCK = 256
"""Bytes: a thread's access lies in one."""
ROOM = 1 << 10
"""Lanes' operations on one place before those are dropped that nobody can ask for."""
MOST_UNSORTED = 1 << 18
"""Lanes' operations on one memory before they are sorted by place."""
FEW = 64
"""Places that may be flags: where there are more, they are counters."""


def _to_nobody(place: Place, site: int, scope: str, threads: list[int], time: int) -> None:
    """Nobody wants to hear of operations."""


@dataclass(slots=True)
class _Waiting:
    """What has been done to a place: instruction, time and thread of each operation, and OPERATES or FOUND.

    region: where it is. cta: whose shared memory that is; negative for global memory. count, room: how many there are, and how many
    there may be.
    """

    region: Region
    cta: int
    parts: list[Numbers] = field(default_factory=list[Numbers])
    count: int = 0
    room: int = ROOM


@dataclass(slots=True)
class _Log:
    """What has been done to a memory, by time, as machine code has written it down: it has not been sorted by place yet.

    cta: as in `_Waiting`. count: lanes. blocks: of `_BLOCK` bytes, those in which it is.
    """

    region: Region
    cta: int
    parts: list[Any] = field(default_factory=list[Any])
    count: int = 0
    blocks: set[int] = field(default_factory=set[int])

    def add(self, operations: Any) -> None:
        """More of it."""
        lanes = operations["lanes"][:, None] >> np.arange(32, dtype=np.uint32) & 1 != 0
        found = operations["bytes"][lanes]
        self.parts.append(operations)
        self.count += len(found)
        self.blocks.update(np.unique(found // _BLOCK).tolist())

    def may_be_in(self, starts: Numbers, nbytes: Numbers) -> bool:
        """Whether any of it may be in runs of bytes."""
        first, last = starts // _BLOCK, (starts + nbytes - 1) // _BLOCK
        if int((last - first).sum()) > len(self.blocks):
            return True
        runs = zip(first.tolist(), last.tolist(), strict=True)
        return any(block in self.blocks for begin, end in runs for block in range(begin, end + 1))


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
        self.told: Callable[[Place, int, str, list[int], int], None] = _to_nobody
        self._begin = int(arena.header.deferred)
        self._logs: dict[object, _Log] = {}
        """By the key of the region."""
        self._waiting: ByPlace[_Waiting] = ByPlace()
        buffers = [arena.header.buffers[i] for i in range(arena.header.buffer_count)]
        by_lines = {region.first: region for region in regions.buffers}
        self._buffers = {int(buffer): by_lines[int(buffer.lines)] for buffer in buffers}

    @property
    def some(self) -> bool:
        """Whether there are any."""
        return bool(self._waiting or self._logs)

    def take(self) -> None:
        """Fetch what machine code has written down, so that it has room again."""
        end = self._arena.fast[_END]
        if end == self._begin:
            return
        count = (end - self._begin) // DeferredOperation.WORDS
        operations = DeferredOperation.array(self._arena.words, self._begin, count).copy()
        self._arena.header.deferred_at = self._begin
        buffers = operations["buffer"].astype(np.int64)
        memory = np.where(buffers > 0, -buffers, operations["home"])
        shared = {self._arena.slot_at(region.slot).cta: region for region in self._regions.shared.values()}
        for where in np.unique(memory).tolist():
            region = self._buffers[-where] if where < 0 else shared.get(where)
            if region is not None:  # else the CTA has ended
                self._put(region, where, operations[memory == where])

    def _put(self, region: Region, cta: int, operations: Any) -> None:
        log = self._logs.get(region.key)
        if log is None or log.cta != cta:
            log = self._logs[region.key] = _Log(region, cta)
        log.add(operations)
        if log.count > MOST_UNSORTED:
            self._sort(region.key)

    def _sort_within(self, reached: Reached) -> None:
        """Sort by place what has been done to a memory, if any of that may be in runs of bytes."""
        log = self._logs.get(reached.region.key)
        if log is not None and log.may_be_in(reached.starts, reached.nbytes):
            self._sort(reached.region.key)

    def _sort(self, key: object) -> None:
        """Sort what has been done to a memory by place."""
        log = self._logs.pop(key, None)
        if log is None:
            return
        offsets, events = self._events(np.concatenate(log.parts))
        order = np.argsort(offsets, kind="stable")  # it leaves the rest in order of time
        offsets, events = offsets[order], events[order]
        cuts = np.flatnonzero(np.diff(offsets)) + 1
        starts, ends = np.append(0, cuts), np.append(cuts, len(events))
        numbers = np.where(events[:, WHAT] == OVERWRITES, np.arange(len(events)), -1)
        lasts = np.maximum.reduceat(numbers, starts)
        for offset, start, end, last in zip(*(c.tolist() for c in (offsets[starts], starts, ends, lasts)), strict=True):
            begin = start
            if last >= 0:
                self._forget((key, offset))
                begin = last + 1
            if begin < end:
                self._add(log.region, offset, log.cta, events[begin:end])

    def _events(self, operations: Any) -> tuple[Numbers, Numbers]:
        """What has been written down, by time: of each lane the byte, and SITE and so on."""
        entry, lane = np.nonzero(operations["lanes"][:, None] >> np.arange(32) & 1)
        offsets = operations["bytes"][entry, lane].astype(np.int64)
        entry, lane, offsets = self._by_place(operations, entry, lane, offsets)
        who = operations["warp"][entry].astype(np.int64) - 1 + lane
        site, time, what = (operations[name][entry].astype(np.int64) for name in ("site", "time", "what"))
        return offsets, np.stack((site, time, who, what), axis=1)

    def _by_place(
        self, operations: Any, entry: Numbers, lane: Numbers, offsets: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """What ends the chains of all places that it covers is taken for one such event at each of them."""
        ends = np.flatnonzero(operations["what"][entry] == OVERWRITES)
        if not len(ends):
            return entry, lane, offsets
        sites, which = np.unique(operations["site"], return_inverse=True)
        sizes = np.array([self._arena.site(site).size for site in sites.tolist()], np.int64)[which][entry]
        step = min(self._arena.granule, self._arena.shared_granule)
        counts = np.ones(len(entry), np.int64)
        counts[ends] = sizes[ends] // step
        which = np.repeat(np.arange(len(entry)), counts)
        inside = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        return entry[which], lane[which], offsets[which] + step * inside

    def _forget(self, place: Place) -> None:
        """A plain store has ended the chain of a place."""
        self._waiting.pop(place)
        self._knowledge.written.pop(place)

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

    def has_any(self, reached: Reached) -> bool:
        """Whether there are any in runs of bytes."""
        self._sort_within(reached)
        return bool(self._waiting.within(reached))

    def overwritten(self, reached: Reached) -> None:
        """Runs of bytes are about to be written weakly."""
        self._sort_within(reached)
        for place in self._waiting.within(reached):
            self.flush(place)

    def flush(self, place: Place) -> None:
        """Somebody asks about a place: what was done there is made known."""
        self.take()
        log = self._logs.get(place[0])
        if log is not None and place[1] // _BLOCK in log.blocks:
            self._sort(place[0])
        waiting = self._waiting.pop(place)
        if waiting is None:
            return
        every = self._asked(waiting, place[1])
        cuts = np.flatnonzero((np.diff(every[:, TIME]) != 0) | (every[1:, WHAT] == FOUND)) + 1
        for one in np.split(every, cuts):
            site, time, who, what = one[0].tolist()
            scope, finds = self._kind(site)
            at, threads = self._threads.position(who + 1), one[:, WHO].tolist()
            if what == FOUND:
                self._knowledge.begins_chain(place, at, scope, (time, who))
            else:
                self._knowledge.relaxed(place, at, scope, threads, time, finds=finds)
                self.told(place, site, scope, threads, time)

    def flush_few(self) -> None:
        """Somebody asks what has been done to flags: made known is what was done where, unless there are many places."""
        self.take()
        for key in [key for key, log in self._logs.items() if log.count <= ROOM]:
            self._sort(key)
        for place in tuple(self._waiting) if len(self._waiting) <= FEW and not self._logs else ():
            self.flush(place)

    def _asked(self, waiting: _Waiting, offset: int) -> Numbers:
        """Those operations at a place that somebody may ask for."""
        every, region = np.concatenate(waiting.parts), waiting.region
        living = np.isin(every[:, WHO] // self._threads.each, self._arena.resident())
        return _asked(every, list(writes_of(region, offset // region.granule)), living)

    def forget(self, cta: int, memory: object) -> None:
        """A CTA has ended, which had this shared memory. Another one may be in its place already."""
        self._logs = {key: log for key, log in self._logs.items() if log.cta != cta}
        for byte in [byte for byte, waiting in self._waiting.of(memory).items() if waiting.cta == cta]:
            self._waiting.pop((memory, byte))


def _asked(every: Numbers, wanted: list[Seen], living: NDArray[np.bool_]) -> Numbers:
    """Those operations that are wanted writes, and of each thread the first one behind each of these: it has found it. What threads
    found that are not living, as their CTA has ended, nobody knows: they have published nothing."""
    times = np.unique(np.array([time for time, _ in wanted], np.int64))
    behind = np.searchsorted(
        times, every[:, TIME]
    )  # how many were before it: those of its own instruction it has not found
    keys = every[:, WHO] * (len(times) + 1) + behind
    operates = np.flatnonzero(every[:, WHAT] == OPERATES)
    _, first = np.unique(keys[operates], return_index=True)
    keep = np.zeros(len(every), bool)
    keep[operates[first]] = True
    return every[keep & living | np.isin(every[:, TIME], times)]


def writes_of(region: Region, granule: int) -> Iterator[Seen]:
    """The writes by threads that a cell has, and the list beside it."""
    write = past_write(region.cells[granule])
    for past in (*([] if write is None else [write]), *region.others(granule)):
        if past.writes and not past.agent & OPERATION:
            yield from ((past.time, past.agent - 1 + lane) for lane in lanes_of(past.lanes))
