"""Which bytes a part of a launch has read and written; whether parts meet; the way back into the caller's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.spread.layout import PAGE, Layout, Region

Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Log:
    """What a part has touched, by pages of the copy.

    Attributes:
        read: numbers of pages, ascending; `read_bits`: u8[pages, PAGE / 8], a bit for each byte, the first one highest.
        written, written_bits: the same for writes. data: u8[pages, PAGE], what the pages written hold.
    """

    read: NDArray[np.intp]
    read_bits: Bits
    written: NDArray[np.intp]
    written_bits: Bits
    data: NDArray[np.uint8]

    @classmethod
    def of(cls, data: NDArray[np.uint8], reads: NDArray[np.uint8], writes: NDArray[np.uint8]) -> Log:
        """The log of memory with a mark (0 or 1) for each byte; whole pages."""
        read, read_bits = _touched(reads)
        written, written_bits = _touched(writes)
        return cls(read, read_bits, written, written_bits, data.reshape(-1, PAGE)[written])


def _touched(marks: NDArray[np.uint8]) -> tuple[NDArray[np.intp], Bits]:
    pages = marks.reshape(-1, PAGE)
    hit = np.flatnonzero(pages.view(np.uint64).max(axis=1)) if len(pages) else np.empty(0, np.intp)
    return hit, np.packbits(pages[hit], axis=1)


def conflict(logs: Sequence[Log]) -> int | None:
    """A place in the copy that one part writes and another one reads or writes; None where there is none."""
    pages: NDArray[np.intp] = np.unique(np.concatenate([log.written for log in logs]))
    shape = len(pages), PAGE // 8
    read, written = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    for log in logs:
        some = np.isin(log.read, pages)
        r, read_bits = np.searchsorted(pages, log.read[some]), log.read_bits[some]
        w = np.searchsorted(pages, log.written)
        for rows, bits, others in ((w, log.written_bits, read[w] | written[w]), (r, read_bits, written[r])):
            both = bits & others
            if both.any():
                return _first(pages[rows], both)
        written[w] |= log.written_bits
        read[r] |= read_bits
    return None


def _first(pages: NDArray[Any], bits: Bits) -> int:
    """The place of the first bit that is set."""
    row, byte = (int(i[0]) for i in np.nonzero(bits))
    return int(pages[row]) * PAGE + byte * 8 + 8 - int(bits[row, byte]).bit_length()


def copy_back(layout: Layout, log: Log) -> None:
    """Bring what a part has written into the caller's arrays."""
    for region in layout.regions:
        mine = slice(*np.searchsorted(log.written, [region.offset // PAGE, -(-region.end // PAGE)]))
        _copy_region(region, log.written[mine], log.written_bits[mine], log.data[mine])


def _copy_region(region: Region, pages: NDArray[np.intp], bits: Bits, data: NDArray[np.uint8]) -> None:
    """Whole pages at once, others byte by byte."""
    memory = region.memory()
    first = -(-region.offset // PAGE)
    inner = memory[first * PAGE - region.offset :]
    rows = inner[: len(inner) // PAGE * PAGE].reshape(-1, PAGE)
    whole = (bits == 0xFF).all(axis=1) & (pages >= first) & (pages < first + len(rows))
    rows[pages[whole] - first] = data[whole]
    for page, mask, source in zip(pages[~whole].tolist(), bits[~whole], data[~whole], strict=True):
        begin, end = max(page * PAGE, region.offset), min((page + 1) * PAGE, region.end)
        here = slice(begin - page * PAGE, end - page * PAGE)
        target = memory[begin - region.offset : end - region.offset]
        np.copyto(target, source[here], where=np.unpackbits(mask).view(np.bool_)[here])
