"""Shadow memory: for each granule of memory, who wrote it last and who has read it since.

A granule is as long as the shortest access that a kernel makes, at most four bytes, so no access shares one with its neighbours.
Its cell is 32 bytes: the last write, and the reads since then by lanes of one warp at one time. Reads by others, and strong
writes that stand beside each other, go to a list beside it. The memory for cells is asked for when a CTA or a launch begins, and
the system gives it where it is touched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

W_AGENT, W_TIME, W_INFO, R_WARP, R_LANES, R_TIME, R_INFO, R_MORE = range(8)
"""The words of a cell. R_MORE: not 0 where there is a list beside it."""
CELL_WORDS = 8
OPERATION = 1 << 31
"""In the word of an agent: it is an asynchronous operation, by its number; else a thread, by its number + 1."""
MOST_BESIDE = 64
"""Accesses that are remembered beside a cell."""
SITE_BITS = 18
_STRONG, _SCOPE, _SIZE, _PROXY, _UPDATE = 18, 19, 22, 25, 27
SCOPES = ("", "cta", "cluster", "gpu", "sys")
PROXIES = ("generic", "async", "tensormap", "texture")


@dataclass(frozen=True, slots=True)
class Kind:
    """How somebody accesses memory.

    Attributes:
        site: the instruction, by its number. strong: whether it is anything but weak. scope: of a strong access.
        size: bytes of each element. proxy: by which way. update: whether it is atomic.
    """

    site: int
    strong: bool = False
    scope: str = ""
    size: int = 4
    proxy: str = "generic"
    update: bool = False

    @property
    def info(self) -> int:
        """In one word."""
        scope = SCOPES.index(self.scope) if self.scope in SCOPES else 0
        size = min(7, self.size.bit_length() - 1)
        word = self.site | self.strong << _STRONG | scope << _SCOPE | size << _SIZE
        return word | PROXIES.index(self.proxy) << _PROXY | self.update << _UPDATE

    @staticmethod
    def of(info: int) -> Kind:
        """From that word."""
        return Kind(
            info & (1 << SITE_BITS) - 1,
            bool(info >> _STRONG & 1),
            SCOPES[info >> _SCOPE & 7],
            1 << (info >> _SIZE & 7),
            PROXIES[info >> _PROXY & 3],
            bool(info >> _UPDATE & 1),
        )


@dataclass(frozen=True, slots=True)
class Past:
    """Somebody's access in the past: `agent` as in a cell (of a warp's lanes that of lane 0), the lanes, when, and how."""

    agent: int
    lanes: int
    time: int
    info: int
    writes: bool


class Region:
    """Memory that is shadowed: a buffer of global memory, or the shared memory of a CTA.

    Attributes:
        space: "shared" or "global". base: what is subtracted from addresses. nbytes: of the memory. granule: bytes.
        cells: (granules, CELL_WORDS). beside: more accesses, by granule. was_read: whether anybody has read any of it.
        name: says where a byte is, in words.
    """

    def __init__(
        self, space: str, base: int, nbytes: int, granule: int, name: Callable[[int], str], key: object
    ) -> None:
        self.space, self.base, self.nbytes, self.granule, self.name, self.key = space, base, nbytes, granule, name, key
        self.cells = np.zeros((-(-nbytes // granule), CELL_WORDS), np.uint32)
        self.beside: dict[int, list[Past]] = {}
        self.was_read = False

    def clear(self) -> None:
        """Nobody has accessed anything."""
        self.cells[:] = 0
        self.beside.clear()

    def granules(
        self, starts: NDArray[np.int64], nbytes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The granules of runs of bytes, and of each the number of its run. Empty runs have none."""
        first = starts // self.granule
        counts = np.where(nbytes > 0, (starts + nbytes - 1) // self.granule - first + 1, 0)
        runs = np.repeat(np.arange(len(starts)), counts)
        inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        return first[runs] + inside, runs


def past_write(cell: NDArray[np.uint32]) -> Past | None:
    """The last write of a cell."""
    agent = int(cell[W_AGENT])
    return Past(agent, 1, int(cell[W_TIME]), int(cell[W_INFO]), True) if agent else None


def past_read(cell: NDArray[np.uint32]) -> Past | None:
    """The reads that a cell holds itself."""
    agent = int(cell[R_WARP])
    return Past(agent, int(cell[R_LANES]), int(cell[R_TIME]), int(cell[R_INFO]), False) if agent else None


__all__ = [
    "CELL_WORDS",
    "MOST_BESIDE",
    "OPERATION",
    "R_INFO",
    "R_LANES",
    "R_MORE",
    "R_TIME",
    "R_WARP",
    "W_AGENT",
    "W_INFO",
    "W_TIME",
    "Kind",
    "Past",
    "Region",
    "past_read",
    "past_write",
]
