"""What a launch has done to global memory by its end: of each granule who wrote it last, and who has read it since."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.order.native.state import LINE, LOST, RECORDED, Cell, Line
from ptxlab.sim.order.shadow import READ_INFO, READER, WRITE_INFO, WRITER, Lines

if TYPE_CHECKING:
    from ptxlab.abi.arrays import ArrayView
    from ptxlab.sim.order.native.arena import Arena

Words = NDArray[np.uint32]
_WORDS: Final = (WRITER, WRITE_INFO, READER, READ_INFO)


@dataclass(frozen=True, slots=True)
class Done:
    """An array, as a launch leaves it.

    Attributes:
        begin: the address of its first byte. granule: bytes.
        writers, write_infos: of each granule who wrote it last, 0 for nobody, and how. readers, read_infos: who has read it since.
    """

    begin: int
    granule: int
    writers: Words
    write_infos: Words
    readers: Words
    read_infos: Words

    @property
    def end(self) -> int:
        """The address behind its last granule."""
        return self.begin + self.granule * len(self.writers)

    def part(self, begin: int, end: int, granule: int) -> Done:
        """A part of it, in shorter granules."""
        first, last = (begin - self.begin) // self.granule, -(-(end - self.begin) // self.granule)
        skip, times = (begin - self.begin) % self.granule // granule, self.granule // granule
        count = (end - begin) // granule
        arrays = (self.writers, self.write_infos, self.readers, self.read_infos)
        return Done(begin, granule, *(np.repeat(a[first:last], times)[skip : skip + count] for a in arrays))

    def at(self, places: NDArray[np.int64]) -> Done:
        """The granules with these numbers."""
        arrays = (self.writers, self.write_infos, self.readers, self.read_infos)
        return Done(self.begin, self.granule, *(a[places] for a in arrays))


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
    out = [np.repeat(np.where(lines == LOST, 0, whole[:, word]).astype(np.uint32), LINE) for word in _WORDS]
    writers = out[0]
    lanes = np.tile(np.arange(LINE, dtype=np.uint32), count)
    how = np.repeat(whole[:, Line.at("write_lanes")], LINE)
    writers += np.where(writers != 0, (how & 31) + (lanes >> (how >> 5)), 0).astype(np.uint32)
    apart = np.flatnonzero((lines > RECORDED) & (lines != LOST))
    cells = _cells(arena)[(lines[apart].astype(np.int64) - arena.cells) // (LINE * Cell.WORDS)]
    for word, column in zip(_WORDS, out, strict=True):
        column.reshape(-1, LINE)[apart] = cells[:, :, word]
    return Done(region.base + first * each, region.granule, *out)


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
    nobody, how = np.zeros_like(reached), np.zeros_like(reached)
    return Done(begin, granule, *((reached, how, nobody, how) if writes else (nobody, how, reached, how)))


def _cells(arena: Arena) -> Words:
    """The cells of lines that have some, by line."""
    return arena.words[arena.cells : int(arena.header.cell)].reshape(-1, LINE, Cell.WORDS)
