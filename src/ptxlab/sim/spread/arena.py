"""A copy of a launch's memory, with a mark for every byte that is read or written."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.compiled.native import Bytes, address
from ptxlab.sim.spread.layout import PAGE, Layout, rounded
from ptxlab.sim.spread.log import Log

UNIT = 16
"""Pieces of a view are marked in units of so many bytes."""
PARAMETERS = 1 << 16
"""Room behind the regions for a parameter block."""


class Marks:
    """A byte for each byte of an arena, 1 once it was read or written. They serve for one launch after the other."""

    def __init__(self, nbytes: int) -> None:
        self.reads, self.writes = (_zeros(nbytes + UNIT) for _ in range(2))

    def __len__(self) -> int:
        return len(self.reads) - UNIT

    def clear(self, log: Log, layout: Layout) -> None:
        """Take back all marks of a launch; the log has been made of them."""
        for marks, pages in ((self.reads, log.read), (self.writes, log.written)):
            marks[: layout.nbytes].reshape(-1, PAGE)[pages] = 0
            marks[layout.nbytes : Arena.nbytes(layout) + UNIT] = 0  # of the parameters there is no log


class Arena:
    """The memory of a logged launch.

    Attributes:
        layout: where buffers lie in it.
        data: the bytes; behind those of the layout is room for parameters.
        reads, writes: a byte for each of them, 1 once it was read or written.
    """

    def __init__(self, layout: Layout, data: Bytes, marks: Marks | None = None) -> None:
        """`marks`: clear, of as many bytes as the data at least; left out, new ones."""
        self.layout, self.data = layout, data
        marks = marks or Marks(len(data))
        self.reads, self.writes = marks.reads, marks.writes

    @classmethod
    def nbytes(cls, layout: Layout) -> int:
        """Bytes of `data`."""
        return layout.nbytes + rounded(PARAMETERS)

    @property
    def parameters(self) -> Bytes:
        """The room for parameters."""
        return self.data[self.layout.nbytes :]

    def mark(self, view: Bytes, write: bool, pieces: tuple[NDArray[np.int64], int] | None) -> None:
        """Note an access to a view of `data`, or to pieces of it: places in the view, and bytes of each."""
        at = address(view) - address(self.data)
        marks = (self.writes if write else self.reads)[at : at + len(view) + UNIT - 1]
        if pieces is None:
            marks[: len(view)] = 1
            return
        starts, nbytes = pieces
        if (starts % UNIT).any():
            for start in starts.tolist():
                marks[start : start + nbytes] = 1
            return
        # a write leaves the rest behind the last whole unit alone; a read may take it
        count = nbytes // UNIT if write else -(-nbytes // UNIT)
        units = marks[: len(marks) // UNIT * UNIT].view(_WORD)
        units[(starts // UNIT)[:, None] + np.arange(count)] = _ONES

    def log(self) -> Log:
        """What has been touched so far."""
        n = self.layout.nbytes
        return Log.of(self.data[:n], self.reads[:n], self.writes[:n])


_WORD = np.dtype(f"V{UNIT}")
_ONES = np.ones(UNIT, np.uint8).view(_WORD)[0]


def _zeros(nbytes: int) -> Bytes:
    """Zeroed bytes that take no memory before they are written."""
    return np.frombuffer(mmap.mmap(-1, rounded(max(nbytes, PAGE))), np.uint8)
