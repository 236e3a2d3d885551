"""What machine code is told of asynchronous operations, so that it can look at what they access: see order/native/operations.py."""

from __future__ import annotations

import bisect
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.machine.operation import Footprint, Operation
from ptxlab.sim.order.clocks import START
from ptxlab.sim.order.core import Core
from ptxlab.sim.order.knowledge import Team
from ptxlab.sim.order.native.arena import CLOCKS, PARTS
from ptxlab.sim.order.native.state import EYE_WORDS, OPERATION, OPERATIONS, READS, SHARED, WRITES, Eye
from ptxlab.sim.order.native.state import Operation as OperationRecord
from ptxlab.sim.order.shadow import Kind, Lines, Region
from ptxlab.sim.order.views import View, memory_of

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.resident import Cta

_ENTRY = struct.Struct(f"{OperationRecord.WORDS}I")
_NO_RUNS = (0, 0, 0)
_MOST_RUNS = 256
_MOST_VIEWS = 64


@dataclass(frozen=True, slots=True)
class _Runs:
    """Runs of bytes: where they lie for native code, and the bytes that they lie within."""

    starts: NDArray[np.int64]
    nbytes: NDArray[np.int64]
    at: tuple[int, int, int]
    low: int
    high: int


class Tables:
    """Tells native code of operations and of what those know who issue them, and has it look at what operations access."""

    def __init__(self, core: Core) -> None:
        self._core = core
        arena = self._arena = core.arena
        self._eye = int(arena.header.eye)
        self._operations = OperationRecord.array(arena.words, int(arena.header.operations), OPERATIONS)
        self._bytes = memoryview(self._operations.view(np.uint32)).cast("B")  # type: ignore[arg-type]
        self._each = core.threads.each
        self._shown: tuple[object, ...] = ()
        self._known: dict[tuple[object, ...], tuple[Sequence[View], NDArray[np.uint32]]] = {}
        self._runs: dict[tuple[int, int], _Runs] = {}
        self._infos: dict[int, tuple[Kind, int]] = {}
        self._turns: dict[tuple[object, ...], int] = {}
        buffers = core.regions.buffers
        self._begins = [region.base for region in buffers]
        of_launch = [arena.header.buffers[i] for i in range(arena.header.buffer_count)]
        self._rows = {int(buffer.lines): int(buffer) for buffer in of_launch}

    # -- operations
    def enter(
        self, index: int, parts: int, cta: int, cluster: int, first: int, group: tuple[object, ...] | None
    ) -> None:
        """An operation is issued, whose parts have the numbers from `first` on.

        group: what groups it is waited for in, and by whom; its parts are waited for by one lane each where there are several.
        """
        turn = 0 if group is None else PARTS * self._turns.setdefault(group, len(self._turns)) + 1
        if parts == 1:
            entry = (OPERATION | index, cta, cluster, first, turn, 0, 0, 0, 0, 0, 0, 0)
            _ENTRY.pack_into(self._bytes, _ENTRY.size * (index % OPERATIONS), *entry)
            return
        each = np.arange(parts, dtype=np.uint32)
        rows = np.zeros(parts, self._operations.dtype)
        rows["agent"], rows["cta"], rows["cluster"] = OPERATION | index + each, cta, cluster
        rows["bit"], rows["turn"] = first + each, turn + each if turn else 0
        self._operations[(index + each) % OPERATIONS] = rows

    def place(self, index: int) -> int:
        """Where an operation is entered."""
        return int(self._arena.header.operations[index % OPERATIONS])

    def ends(self, index: int, mbarrier: int, phase: int, home: int) -> None:
        """An operation is over where a phase of an mbarrier of the CTA `home` is: whole warps that have waited for that know it."""
        entry = self._arena.header.operations[index % OPERATIONS]
        entry.mbarrier, entry.phase, entry.home = mbarrier + 1, phase + 1, home

    def waited(self, agents: Sequence[int], warp: int, *, reads: bool) -> None:
        """A thread of a warp, by the word of the warp's first thread, has waited for operations: until they had read, or
        were over."""
        now, operations = self._core.knowledge.now, self._arena.header.operations
        for agent in agents:
            entry = operations[(agent & ~OPERATION) % OPERATIONS]
            if entry.agent != agent:
                continue
            if reads and not entry.read_by:
                entry.read_by, entry.read = warp, now
            elif not reads and not entry.over_by:
                entry.over_by, entry.over = warp, now

    # -- what they access
    def in_order(
        self, footprint: Footprint, team: Team, views: Sequence[View], agent: int, kind: Kind, *, writes: bool
    ) -> bool:
        """Whether an operation surely comes behind all that was done to some bytes; if so, that is noted."""
        core = self._core
        if writes and (core.strict or kind.strong):
            return False
        runs = self._of(footprint)
        if runs is None:
            return True
        flags = WRITES if writes else READS
        if kind.update:
            flags |= READS
        there = self._shared(footprint.cta, runs) if footprint.cta is not None else self._global(runs)
        if there is None:
            return False
        if footprint.cta is not None:
            views = [view.of_shared(footprint.cta.index) for view in views]
        self._show(team, views, footprint.cta and footprint.cta.index, writes=writes, fenced=footprint.proxy == "async")
        region, row = there
        lines = isinstance(region, Lines)
        flags |= 0 if lines else SHARED
        at = (region.first, lines, row)
        sure = self._arena.native.operation(*at, *runs.at, agent, self._info(kind), flags)
        region.was_read |= bool(sure) and not writes
        return bool(sure)

    def noted(self, footprint: Footprint, slot: int, agent: int, kind: Kind, *, writes: bool) -> bool:
        """The same of an operation whose eye native code has made itself (`issue`). slot: of the CTA whose shared memory it is."""
        if (writes and kind.strong) or footprint.proxy != "async":
            return False
        starts, nbytes = footprint.starts, footprint.nbytes
        if starts.dtype != np.int64 or not starts.flags.c_contiguous or nbytes.dtype != np.int64:
            starts, nbytes = (np.ascontiguousarray(x, np.int64) for x in (starts, nbytes))
        flags = WRITES if writes else READS
        if kind.update:
            flags |= READS
        at = self._at(starts, nbytes)
        there = slot if footprint.cta is not None else 0
        sure = self._arena.native.touches(there, *at, agent, self._info(kind), flags)
        if sure == 1 and footprint.cta is None and not writes:
            self._core.regions.buffers[bisect.bisect_right(self._begins, int(starts[0])) - 1].was_read = True
        return sure != 0

    @staticmethod
    def _at(starts: NDArray[np.int64], nbytes: NDArray[np.int64]) -> tuple[int, int, int]:
        return len(starts), starts.__array_interface__["data"][0], nbytes.__array_interface__["data"][0]

    def judge_product(self, operation: Operation, slot: int, pc: int, number: int) -> bool:
        """Whether what a product reads, which machine code does not know yet, is in order; if so, that is noted."""
        cta, runs = operation.warp.cta, list[int]()
        for footprint in operation.reads:
            found = self._of(footprint)
            if footprint.cta is not cta or (found is not None and self._shared(cta, found) is None):
                return False
            runs += _NO_RUNS if found is None else found.at
        if len(runs) > 2 * len(_NO_RUNS):
            return False
        runs += _NO_RUNS * (2 - len(operation.reads))
        return not self._arena.native.product(slot, operation.warp.index, pc, number, *runs)

    def shows_anew(self) -> None:
        """Native code has made an eye itself."""
        self._shown = ()

    def _info(self, kind: Kind) -> int:
        """The word of a kind; there are few, each for as long as the launch."""
        found = self._infos.get(id(kind))
        if found is None:
            found = self._infos[id(kind)] = kind, kind.info
        return found[1]

    def _of(self, footprint: Footprint) -> _Runs | None:
        """The runs of a footprint; None where there are none. Those of products come again and again, and nobody changes them."""
        key = (id(footprint.starts), id(footprint.nbytes))
        found = self._runs.get(key)
        if found is None and len(footprint.starts):
            starts, nbytes = (np.ascontiguousarray(x, np.int64) for x in (footprint.starts, footprint.nbytes))
            at = self._at(starts, nbytes)
            if len(starts) == 1:
                low = int(starts[0])
                return _Runs(starts, nbytes, at, low, low + int(nbytes[0]))
            found = _Runs(starts, nbytes, at, int(starts.min()), int((starts + nbytes).max()))
            if not starts.flags.writeable and starts is footprint.starts and nbytes is footprint.nbytes:
                if len(self._runs) >= _MOST_RUNS:
                    self._runs.clear()
                self._runs[key] = found
        return found

    def _shared(self, cta: Cta, runs: _Runs) -> tuple[Region, int] | None:
        region = self._core.regions.shared.get(cta)
        if region is None or runs.low < 0 or runs.high > region.nbytes:
            return None
        slot = self._core.slots[cta.slot]
        if self._arena.native.at_mbarrier(slot, runs.low, runs.high):
            return None
        self._arena.slot_at(slot).lists = 1
        return region, 0

    def _global(self, runs: _Runs) -> tuple[Region, int] | None:
        i = bisect.bisect_right(self._begins, runs.low) - 1
        if i < 0:
            return None
        region = self._core.regions.buffers[i]
        return (region, self._rows[region.first]) if runs.high <= region.base + region.nbytes else None

    # -- what they know
    def _show(self, team: Team, views: Sequence[View], home: int | None, *, writes: bool, fenced: bool) -> None:
        """Tell native code what all of these views know of the threads of a CTA and the operations of its cluster."""
        key = (*map(id, views), team.at.cta, home, writes, fenced)
        if key == self._shown:
            return
        self._shown = key
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_VIEWS:
                self._known.clear()  # which kept the views alive, by whose ids they are known
            found = self._known[key] = views, self._words(team, views, home, writes=writes, fenced=fenced)
        words = found[1]
        self._arena.words[self._eye : self._eye + len(words)] = words

    def _words(
        self, team: Team, views: Sequence[View], home: int | None, *, writes: bool, fenced: bool
    ) -> NDArray[np.uint32]:
        """That as native code has it: an `Eye` and what it refers to."""
        each, (cta, cluster) = self._each, team.at
        over, read = -1, -1
        for view in views:
            done, freed = view.clock.done.get(cluster, 0), START if home is None or self._core.strict else view.freed
            known = done | freed.done.get(cluster, 0)
            over &= known if writes and fenced else done
            read &= known | view.clock.read.get(cluster, 0) | freed.read.get(cluster, 0)
        count = min(EYE_WORDS, (max(over.bit_length(), read.bit_length()) + 31) // 32)
        sets = Eye.WORDS + CLOCKS * each
        out = np.zeros(sets + 2 * count, np.uint32)
        eye = Eye(0, out)
        eye.fenced, eye.base, eye.threads, eye.cta, eye.cluster = fenced, cta * each + 1, each, cta, cluster
        eye.set_words, eye.over, eye.times = count, self._eye + sets, self._eye + Eye.WORDS
        for at, bits in ((sets, over), (sets + count, read)) if count else ():
            out[at : at + count] = np.frombuffer(
                (bits & (1 << 32 * count) - 1).to_bytes(4 * count, "little"), np.uint32
            )
        times = out[Eye.WORDS : sets].reshape(CLOCKS, each)
        first, *others = views
        self._enter_times(times, first, cta, home, fenced=fenced)
        for view in others:
            more = np.zeros((3, each), np.uint32)
            self._enter_times(more, view, cta, home, fenced=fenced)
            np.minimum(times, more, out=times)
        return out

    def _enter_times(self, times: NDArray[np.uint32], view: View, cta: int, home: int | None, *, fenced: bool) -> None:
        """Up to which time somebody knows each thread: see E_TIMES."""
        known = view.clock.threads.get(cta)
        if known is not None:
            times[0] = known
        if fenced:
            known = view.fenced.get(memory_of(cta, home), START).threads.get(cta)
            if known is not None:
                times[1:] = known
            clocks = () if self._core.strict else (view.drained, view.freed) if home == cta else (view.drained,)
            for clock in clocks:
                known = clock.threads.get(cta)
                if known is not None:
                    np.maximum(times[2], known, out=times[2])
