"""Which bytes a part of a launch has read and written; whether parts meet; the way back into the caller's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.spread.layout import PAGE, Layout, Region

Bits = NDArray[np.uint8]
_ALL = np.full(PAGE // 8, 0xFF, np.uint8).tobytes()


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
    regions = iter(layout.regions)
    region = next(regions, None)
    for page, bits, data in zip(log.written.tolist(), log.written_bits, log.data, strict=True):
        offset = page * PAGE
        while region is not None and region.end <= offset:
            region = next(regions, None)
        assert region is not None, "a page outside the launch's memory was written"
        _copy_page(region, offset, bits, data)


def _copy_page(region: Region, offset: int, bits: Bits, data: NDArray[np.uint8]) -> None:
    begin, end = max(offset, region.offset), min(offset + PAGE, region.end)
    memory = region.memory()[begin - region.offset : end - region.offset]
    inner = slice(begin - offset, end - offset)
    if bits.tobytes() == _ALL:
        memory[:] = data[inner]
    else:
        np.copyto(memory, data[inner], where=np.unpackbits(bits).view(np.bool_)[inner])
