"""The memory of a launch's records (state.py): how much of each, and where it begins.

The system gives memory where it is touched. Cells and nodes are bounded: memory whose cells have no room is not followed any more.
"""

from __future__ import annotations

import gc
import mmap
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.order.native.code import Native
from ptxlab.sim.order.native.state import (
    EYE_WORDS,
    LANES,
    LINE,
    LOST,
    MOST_COPIES,
    NUMBERED,
    OPERATIONS,
    RECORD_WORDS,
    ROWS,
    SHARED_LINE,
    THREAD_BITS,
    WARPS,
    Bits,
    Buffer,
    Cell,
    Copy,
    DeferredOperation,
    Eye,
    Header,
    Line,
    Mark,
    Node,
    Note,
    Operation,
    Phases,
    Row,
    SharedLine,
    Site,
    Slot,
    Thread,
)
from ptxlab.sim.report.unwatched import Unwatched

Words = NDArray[np.uint32]

MOST_LINES = 1 << 18
"""Lines with cells of their own: 1 KiB each."""
MOST_READS = 1 << 23
"""Words of the record of global memory."""
MOST_NODES = 1 << 22
MOST_DEFERRED = 1 << 14
MOST_EPOCHS = (1 << 32 - THREAD_BITS) - 1
MOST_NOTES, MOST_NOTES_WITH_PHASES, MOST_NOTES_IN_ALL = 1 << 8, 1 << 14, 1 << 22
"""Notes of a CTA, at most; the same where native code follows mbarriers, of a CTA and of all that are resident."""
PHASES_SLOTS = 1 << 13
"""CTAs that may be resident then."""
PARTS = 32
"""Parts of an operation, at most."""
CLOCKS = 3
"""Times of each thread in an eye: see `Eye.times`."""

_GIVES_BACK = hasattr(mmap, "MAP_ANONYMOUS") and hasattr(mmap, "MADV_DONTNEED")
"""Whether the system takes pages back from a mapping. Linux does; pages of macOS keep what is in them."""


class Pages:
    """Zeroed memory that can be given back at once, though somebody still refers to it.

    A machine's parts refer to each other, so that Python finds out late that nobody needs them. Until then the memory of many
    launches would stay, and each new one would have to wait for fresh pages: that takes longer than a small launch itself.

    Attributes:
        words: the memory as u32.
    """

    def __init__(self, words: int) -> None:
        self._map: mmap.mmap | None = None
        if not _GIVES_BACK:
            self.words: Any = np.zeros(words, np.uint32)
            return
        self._map = _mapped(-(-4 * words // mmap.PAGESIZE) * mmap.PAGESIZE)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self._map.madvise(mmap.MADV_HUGEPAGE)
        self.words = np.frombuffer(self._map, np.uint32)[:words]

    def give_back(self) -> None:
        """Nobody needs what is in it: its pages go back to the system. It reads as zeros from now on."""
        if self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)


def _mapped(nbytes: int) -> mmap.mmap:
    """Fresh pages. Raises: MemoryError."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    try:
        return mmap.mmap(-1, nbytes, flags)
    except OSError:  # where the address space is bounded (ulimit -v), launches that nobody needs may fill it
        gc.collect()
    try:
        return mmap.mmap(-1, nbytes, flags)
    except OSError as e:
        raise MemoryError(f"{nbytes} bytes of address space: {e.strerror}") from None


class Arena:
    """The memory of one launch.

    Args:
        buffers: of global memory, begin and bytes. granule: bytes. shared_granule: the same of shared memory.
        sites: how each instruction accesses memory, as words of Site.
        places: the number of the row at each program counter.
        slots: how many CTAs can be resident. shared: bytes of shared memory of each. threads: of a CTA.
        copies: whether machine code follows cp.async. waits: instructions that wait for them.
        products: whether it follows products.
        private: whether only the CTA's own threads access its shared memory, and none by an asynchronous operation.
        phases: whether machine code follows mbarriers.
        barriers: whether the CTA has barriers. clusters: whether clusters have several CTAs.

    Attributes:
        words: all of it, and the same for single words in `fast`. address: where it lies.
        header: where everything else is. cells: where those of global memory begin. native: the entries of native code.
    """

    def __init__(
        self,
        buffers: Sequence[tuple[int, int]],
        granule: int,
        *,
        places: Words,
        sites: Words,
        slots: int,
        shared: int,
        threads: int,
        copies: bool = False,
        waits: int = 0,
        products: bool = False,
        private: bool = False,
        phases: bool = False,
        barriers: bool = True,
        clusters: bool = False,
        shared_granule: int | None = None,
    ) -> None:
        self.granule, self.shared, self.threads = granule, shared, threads
        self.shared_granule = shared_granule or granule
        lines = [-(-nbytes // (LINE * granule)) for _, nbytes in buffers]
        cells = min(sum(lines), MOST_LINES) * LINE * Cell.WORDS
        self._private = private and granule > 1  # the marks of single bytes would take too much memory
        self._granules, self._shared_lines = -(-shared // self.shared_granule), -(-shared // SHARED_LINE)
        self._phases, self._guards, self._notes = phases, products or phases, MOST_NOTES
        if phases:
            self._notes = max(MOST_NOTES, min(MOST_NOTES_WITH_PHASES, MOST_NOTES_IN_ALL // max(1, slots)))
        each = -(-threads // LANES) * LANES
        left_words = len(sites) // Site.WORDS // 32 + 1
        eye_words = Eye.WORDS + CLOCKS * each * Thread.WORDS
        parts = {
            "sites": len(sites),
            "places": len(places),
            "buffers": Buffer.WORDS * len(buffers),
            "slots": self._slot_words() * slots,
            "lines": Line.WORDS * sum(lines),
            "nodes": Node.WORDS * MOST_NODES,
            "cells": cells,
            "record": MOST_READS,
            "eye": eye_words + 2 * EYE_WORDS + ROWS + 2 * NUMBERED,
            "operations": Operation.WORDS * OPERATIONS,
            "copies": Copy.WORDS * MOST_COPIES * (copies or products),
            "left": waits * left_words * Bits.WORDS,
            "own_eye": (eye_words + NUMBERED) * (products or phases),
            "deferred": DeferredOperation.WORDS * MOST_DEFERRED,
        }
        begins, at = dict[str, int](), Header.WORDS
        for name, size in parts.items():
            begins[name] = at
            at += -(-size // 16) * 16
        self._pages = Pages(at + 16)
        self.words: Words = self._pages.words
        self.fast: Any = memoryview(self.words)  # type: ignore[arg-type]
        self.address = int(self.words.ctypes.data)
        has = {"shared": shared > 0, "barriers": barriers, "copies": copies, "products": products, "mbarriers": phases}
        has["clusters"] = clusters
        self.native = Native(self.address, frozenset(name for name, there in has.items() if there))
        self._next_slot, self._slots = begins["slots"], list[Slot]()
        self.header = h = Header(0, self.fast)
        h.now, h.threads, h.granule, h.shared_granule, h.most_epochs = (
            1,
            each,
            granule,
            self.shared_granule,
            MOST_EPOCHS,
        )
        h.bits, h.shared_bits = granule.bit_length() - 1, self.shared_granule.bit_length() - 1
        h.sites, h.places, h.operations, h.copies = (begins[p] for p in ("sites", "places", "operations", "copies"))
        h.eye, h.own_eye = begins["eye"], begins["own_eye"] * (products or phases)
        h.buffers, h.buffer_count = begins["buffers"], len(buffers)
        h.left, h.left_words = begins["left"], left_words
        h.cell, h.cells_end = begins["cells"], begins["cells"] + cells
        h.record = h.record_at = begins["record"]
        h.record_end = begins["record"] + MOST_READS
        h.deferred = h.deferred_at = begins["deferred"]
        h.deferred_end = begins["deferred"] + parts["deferred"]
        h.node, h.nodes_end = begins["nodes"], begins["nodes"] + parts["nodes"]
        self.words[begins["sites"] :][: len(sites)] = sites
        self.words[begins["places"] :][: len(places)] = places
        self.copies, self.cells = begins["copies"], begins["cells"]
        for eye in (self.header.eye, self.header.own_eye):
            if eye:
                eye.times = eye[1]
        self.lines: list[int] = []
        at = begins["lines"]
        for i, ((begin, nbytes), number) in enumerate(zip(buffers, lines, strict=True)):
            buffer = self.header.buffers[i]
            buffer.begin, buffer.end, buffer.lines = begin, begin + nbytes, at
            self.lines.append(at)
            at += Line.WORDS * number

    def _slot_words(self) -> int:
        """Words of a CTA: its slot, the cells of its shared memory right behind it, marks, notes, and what mbarriers need."""
        words = Slot.WORDS + self._granules * Cell.WORDS + self._notes * Note.WORDS + Phases.WORDS * self._phases
        words += WARPS * Row.WORDS * self._guards
        if self._private:
            words += self._granules * Mark.WORDS + self._shared_lines * SharedLine.WORDS + RECORD_WORDS
        return words

    def in_cluster(self, slots: Sequence[int]) -> None:
        """These slots, by rank, are those of a cluster."""
        for first, slot in zip(count(0, -(-self.threads // LANES)), map(self.slot_at, slots), strict=False):
            slot.peer_count = len(slots)
            slot.first_row = first * self._phases
            for rank, other in enumerate(slots):
                slot.peers[rank] = other

    def give_back(self) -> None:
        """The launch is over, and nobody asks any more."""
        self._pages.give_back()

    def unwatched(self) -> Unwatched:
        """What there was no room for."""
        return Unwatched(self.header.lost * LINE * self.granule, self.header.forgotten)

    def site(self, number: int) -> Site:
        """What native code knows of an instruction."""
        return self.header.sites[number + 1]

    def slot_at(self, index: int) -> Slot:
        """A CTA's slot, by its index."""
        return Slot(index, self.fast)

    def resident(self) -> list[int]:
        """The CTAs that run, and those that have ended and whose place nobody has taken yet."""
        return [slot.cta for slot in self._slots]

    def copy_at(self, number: int) -> Copy:
        """The copies of an instruction, or a product, by the number of the record."""
        return self.header.copies[number]

    def left(self, wait: int) -> list[int]:
        """The instructions whose copies a wait, by its number among the waits, has found unfinished, until it ended any."""
        words = self.header.left_words
        at = int(self.header.left[wait * words])
        bits = np.unpackbits(self.words[at : at + words].view(np.uint8), bitorder="little")
        return np.flatnonzero(bits).tolist()

    def slot(self) -> int:
        """A place for a CTA."""
        slot = self.slot_at(self._next_slot)
        self._slots.append(slot)
        self._next_slot += self._slot_words()
        warps = -(-self.threads // LANES)
        slot.warps, slot.shared_bytes, slot.cell_count = warps, self.shared, self._granules
        at = int(slot[1])
        slot.cells, at = at, at + self._granules * Cell.WORDS
        if self._private:
            slot.private, slot.line_count = 1, self._shared_lines
            slot.marks, at = at, at + self._granules * Mark.WORDS
            slot.lines, at = at, at + self._shared_lines * SharedLine.WORDS
            slot.record, at = at, at + RECORD_WORDS
        slot.log, slot.log_most, at = at, self._notes, at + self._notes * Note.WORDS
        slot.phases, at = at * self._phases, at + Phases.WORDS * self._phases
        slot.guards = at * self._guards
        for warp in range(warps):
            slot.living[warp] = LOST
        if self.threads % LANES:
            slot.living[warps - 1] = (1 << self.threads % LANES) - 1
        return slot.index
