"""Memory of zeros that can be given back at once, though somebody still refers to it."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

_GIVES_BACK = hasattr(mmap, "MAP_ANONYMOUS") and hasattr(mmap, "MADV_DONTNEED")
"""Whether the system takes pages back from a mapping. Linux does; pages of macOS keep what is in them."""


class Pages:
    """Zeroed memory.

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
        self._map = mmap.mmap(-1, -(-4 * words // mmap.PAGESIZE) * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self._map.madvise(mmap.MADV_HUGEPAGE)
        self.words = np.frombuffer(self._map, np.uint32)[:words]

    def give_back(self) -> None:
        """Nobody needs what is in it: its pages go back to the system. It reads as zeros from now on."""
        if self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)
