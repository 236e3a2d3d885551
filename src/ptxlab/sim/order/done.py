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
_BEHIND: Final = np.iinfo(np.int64).max
"""The number of a granule that no array has."""


@dataclass(frozen=True, slots=True)
class Accesses:
    """Of some granules, who accessed them last.

    Attributes:
        agents: a thread, or an operation; 0 for nobody. infos: how. times: when.
    """

    agents: Words
    infos: Words
    times: Words

    def at(self, places: NDArray[np.int64]) -> Accesses:
        """Those with these numbers among them."""
        return Accesses(self.agents[places], self.infos[places], self.times[places])


@dataclass(frozen=True, slots=True)
class Done:
    """An array, as a launch leaves it: of a large one most granules may be as they were.

    Attributes:
        begin: the address of its first byte. granule: bytes.
        places: numbers of the granules that somebody has accessed, in order, and one behind all.
        writes: of each of them who wrote it last. reads: who has read it since; both 0 for the last one.
    """

    begin: int
    granule: int
    places: NDArray[np.int64]
    writes: Accesses
    reads: Accesses

    def reached(self, begin: int, end: int, granule: int) -> NDArray[np.int64]:
        """The addresses of what somebody has accessed in a part of it, taken for shorter granules."""
        bounds = (begin - self.begin) // self.granule, -(-(end - self.begin) // self.granule)
        first, last = np.searchsorted(self.places[:-1], bounds)
        each = np.arange(0, self.granule, granule)
        places = np.add.outer(self.begin + self.places[first:last] * self.granule, each).reshape(-1)
        return places[(places >= begin) & (places + granule <= end)]

    def at(self, addresses: NDArray[np.int64]) -> tuple[Accesses, Accesses]:
        """Who wrote last what lies there, and who has read it since."""
        places = (addresses - self.begin) // self.granule
        found = np.searchsorted(self.places, places)
        found = np.where(self.places[found] == places, found, len(self.places) - 1)
        return self.writes.at(found), self.reads.at(found)


def _of_reached(begin: int, granule: int, places: NDArray[np.int64], writes: list[Words], reads: list[Words]) -> Done:
    """What those granules of these say that somebody has accessed."""
    found = np.flatnonzero(writes[0] | reads[0])
    written, read = (Accesses(*(np.append(word[found], np.uint32(0)) for word in one)) for one in (writes, reads))
    return Done(begin, granule, np.append(places[found], _BEHIND), written, read)


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
    at = region.first + first * Line.WORDS
    whole = arena.words[at : at + len(lines) * Line.WORDS].reshape(-1, Line.WORDS)
    used = np.flatnonzero((lines != LOST) & ((lines > RECORDED) | ((whole[:, WRITER] | whole[:, READER]) != 0)))
    written, read = _of_lines(arena, lines[used], whole[used])
    places = np.add.outer(used * LINE, np.arange(LINE)).reshape(-1)
    return _of_reached(region.base + first * each, region.granule, places, written, read)


def _of_lines(arena: Arena, lines: Words, whole: Words) -> tuple[list[Words], list[Words]]:
    """Of each granule of some lines who wrote it last, and who has read it since, as words. lines: where their cells begin."""

    def column(word: int) -> Words:
        return np.repeat(whole[:, word].astype(np.uint32), LINE)

    lanes = np.tile(np.arange(LINE, dtype=np.uint32), len(lines))
    written, read = [column(word) for word in _WRITES], [column(word) for word in _READS]
    for agents, how in ((written[0], column(Line.at("write_lanes"))), (read[0], read[3])):
        agents += np.where(agents != 0, (how & 31) + (lanes >> (how >> 5)), 0).astype(np.uint32)
    apart = np.flatnonzero(lines > RECORDED)
    cells = _cells(arena)[(lines[apart].astype(np.int64) - arena.cells) // (LINE * Cell.WORDS)]
    for word, own in zip((*_WRITES, *_READS), (*written, *read), strict=True):
        own.reshape(-1, LINE)[apart] = cells[:, :, word]
    read[0].reshape(-1, LINE)[apart] += _first_lanes(cells)
    return written, read[:3]


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
    host, nobody = [reached, nothing, nothing], [nothing, nothing, nothing]
    return _of_reached(begin, granule, np.arange(len(reached)), *((host, nobody) if writes else (nobody, host)))


def _cells(arena: Arena) -> Words:
    """The cells of lines that have some, by line."""
    return arena.words[arena.cells : int(arena.header.cell)].reshape(-1, LINE, Cell.WORDS)
