"""What a launch has done to global memory by its end: of each granule who wrote it last, and who has read it since."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.order.native.state import LINE, LOST, RECORDED, Cell, Line
from ptxlab.sim.order.shadow import (
    OPERATION,
    READ_INFO,
    READ_LANES,
    READ_TIME,
    READER,
    WRITE_INFO,
    WRITE_TIME,
    WRITER,
    Lines,
)

if TYPE_CHECKING:
    from ptxlab.abi.arrays import ArrayView
    from ptxlab.sim.order.native.arena import Arena

Words = NDArray[np.uint32]
_WRITES: Final = (WRITER, WRITE_INFO, WRITE_TIME)
_READS: Final = (READER, READ_INFO, READ_TIME, READ_LANES)


@dataclass(frozen=True, slots=True)
class Accesses:
    """Of each granule, who accessed it last.

    Attributes:
        agents: a thread, or an operation; 0 for nobody. infos: how. times: when.
    """

    agents: Words
    infos: Words
    times: Words

    def at(self, places: NDArray[np.int64]) -> Accesses:
        """The granules with these numbers."""
        return Accesses(self.agents[places], self.infos[places], self.times[places])

    def part(self, first: int, last: int, times: int, skip: int, count: int) -> Accesses:
        """Some granules, each in so many shorter ones, of which some are left out."""
        arrays = (self.agents, self.infos, self.times)
        return Accesses(*(np.repeat(a[first:last], times)[skip : skip + count] for a in arrays))


@dataclass(frozen=True, slots=True)
class Done:
    """An array, as a launch leaves it.

    Attributes:
        begin: the address of its first byte. granule: bytes.
        writes: of each granule who wrote it last. reads: who has read it since.
    """

    begin: int
    granule: int
    writes: Accesses
    reads: Accesses

    @property
    def end(self) -> int:
        """The address behind its last granule."""
        return self.begin + self.granule * len(self.writes.agents)

    def part(self, begin: int, end: int, granule: int) -> Done:
        """A part of it, in shorter granules."""
        first, last = (begin - self.begin) // self.granule, -(-(end - self.begin) // self.granule)
        skip, times = (begin - self.begin) % self.granule // granule, self.granule // granule
        count = (end - begin) // granule
        parts = (one.part(first, last, times, skip, count) for one in (self.writes, self.reads))
        return Done(begin, granule, *parts)


def done(region: Lines, begin: int, end: int) -> Done:
    """What the launch has done to a part of an array, by its addresses, and to the rest of its first and last line. Where there was
    no room to follow it, nothing is known."""
    arena, each = region.arena, LINE * region.granule
    first, last = (begin - region.base) // each, -(-(end - region.base) // each)
    lines = region.line_cells[first:last]
    recorded = np.flatnonzero(lines == RECORDED)
    if len(recorded):
        arena.native.expand(
            int(Line(region.first)[first + int(recorded[0])])
        )  # all records of reads become cells by that
    count, at = len(lines), region.first + first * Line.WORDS
    whole = arena.words[at : at + count * Line.WORDS].reshape(-1, Line.WORDS)

    def column(word: int) -> Words:
        return np.repeat(np.where(lines == LOST, 0, whole[:, word]).astype(np.uint32), LINE)

    lanes = np.tile(np.arange(LINE, dtype=np.uint32), count)
    written, read = [column(word) for word in _WRITES], [column(word) for word in _READS]
    for agents, how in ((written[0], column(Line.at("write_lanes"))), (read[0], read[3])):
        agents += np.where(agents != 0, (how & 31) + (lanes >> (how >> 5)), 0).astype(np.uint32)
    apart = np.flatnonzero((lines > RECORDED) & (lines != LOST))
    cells = _cells(arena)[(lines[apart].astype(np.int64) - arena.cells) // (LINE * Cell.WORDS)]
    for word, own in zip((*_WRITES, *_READS), (*written, *read), strict=True):
        own.reshape(-1, LINE)[apart] = cells[:, :, word]
    read[0].reshape(-1, LINE)[apart] += _first_lanes(cells)
    return Done(region.base + first * each, region.granule, Accesses(*written), Accesses(*read[:3]))


def _first_lanes(cells: Words) -> Words:
    """Of cells that threads of a warp have read, the first lane that has: a cell names lane 0."""
    readers, lanes = cells[:, :, READER], cells[:, :, READ_LANES]
    lowest = np.log2(np.maximum(lanes & (~lanes + np.uint32(1)), 1)).astype(np.uint32)
    return np.where((readers != 0) & (readers & OPERATION == 0), lowest, 0).astype(np.uint32)


def of_copy(view: ArrayView, *, writes: bool) -> Done:
    """What the host does to an array where it reads or writes all of it."""
    begin, end = view.extent
    granule = gcd(view.itemsize, *(abs(s) for n, s in zip(view.shape, view.strides, strict=True) if n > 1)) or 1
    places = np.array([view.address - begin])
    for extent, stride in zip(view.shape, view.strides, strict=True):
        places = np.add.outer(places, np.arange(extent) * stride)
    reached = np.zeros((end - begin) // granule, np.uint32)
    for first in range(0, view.itemsize, granule):
        reached[(places.reshape(-1) + first) // granule] = 1
    nothing = np.zeros_like(reached)
    host, nobody = Accesses(reached, nothing, nothing), Accesses(nothing, nothing, nothing)
    return Done(begin, granule, *((host, nobody) if writes else (nobody, host)))


def _cells(arena: Arena) -> Words:
    """The cells of lines that have some, by line."""
    return arena.words[arena.cells : int(arena.header.cell)].reshape(-1, LINE, Cell.WORDS)
