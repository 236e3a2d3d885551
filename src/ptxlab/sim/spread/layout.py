"""Where the buffers of a launch lie in a copy of its memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.memory import bytes_at
from ptxlab.abi.record import Buffer

PAGE = 4096
"""Bytes that are looked at together when logs are made and merged."""


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes of the caller's process that buffers cover without a gap, and where they lie in the copy.

    Both places are the same within a page.
    """

    address: int
    nbytes: int
    offset: int

    @property
    def end(self) -> int:
        """Behind the last byte, in the copy."""
        return self.offset + self.nbytes

    def memory(self) -> NDArray[np.uint8]:
        """The bytes themselves; only in the caller's process."""
        return bytes_at(self.address, self.nbytes)


@dataclass(frozen=True, slots=True)
class Layout:
    """The regions of a launch, ascending on both sides. `nbytes`: of the copy, whole pages."""

    regions: tuple[Region, ...]
    nbytes: int

    @classmethod
    def of(cls, buffers: Iterable[Buffer]) -> Layout:
        """The layout of a launch's buffers; those that overlap share a region."""
        spans: list[list[int]] = []
        for begin, end in sorted((b.address, b.address + b.nbytes) for b in buffers if b.nbytes):
            if spans and begin < spans[-1][1]:
                spans[-1][1] = max(spans[-1][1], end)
            else:
                spans.append([begin, end])
        regions: list[Region] = []
        at = 0
        for begin, end in spans:
            inner = begin % PAGE
            regions.append(Region(begin, end - begin, at + inner))
            at += rounded(inner + end - begin)
        return cls(tuple(regions), at)

    def apart(self, address: int) -> int:
        """What to add to an address of the caller's for the place in the copy; it lies in a region."""
        region = next(r for r in self.regions if r.address <= address < r.address + r.nbytes)
        return region.offset - region.address

    def address(self, place: int) -> int:
        """The address of the caller's for a place in the copy; it lies in a region."""
        region = next(r for r in self.regions if r.offset <= place < r.end)
        return place - region.offset + region.address

    def fill(self, copy: NDArray[np.uint8]) -> None:
        """Bring the caller's bytes into a copy."""
        for r in self.regions:
            copy[r.offset : r.end] = r.memory()


def rounded(nbytes: int) -> int:
    """Up to whole pages."""
    return -(-nbytes // PAGE) * PAGE
