"""Rows of at most 128 bytes between shared memory and matrices whose rows begin anywhere: neighbouring threads take neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.tiling import SWIZZLED, WARPGROUP


@dataclass(frozen=True, slots=True)
class Rows:
    """How the threads of a warpgroup share the rows of a swizzled tile: each takes the same piece of every `at_once`-th row.

    Attributes:
        row, across: the thread's first row, and the number of its piece in a row: registers.
        each: bytes of a piece. at_once: rows that all threads take together.
        inside: whether the thread has a piece of its own, where `partial`; else it takes the last one, too.
    """

    k: px.Builder
    row: Any
    across: Any
    each: int
    at_once: int
    inside: Any = None

    @classmethod
    def of(cls, k: px.Builder, thread: Any, width: int, each: int) -> Rows:
        """The share of a thread of a warpgroup.

        Args:
            thread: its number in the warpgroup, a register. width: bytes of a row. each: bytes of a piece, a power of two.
        """
        pieces = width // each
        lanes = 1 << (pieces - 1).bit_length()
        row, across = k.shr.u32(thread, lanes.bit_length() - 1), thread & (lanes - 1)
        inside = across < pieces if pieces < lanes else None
        across = across if inside is None else k.min.u32(across, pieces - 1)
        return cls(k, row, across, each, at_once=WARPGROUP // lanes, inside=inside)

    @property
    def partial(self) -> bool:
        """Whether some threads have no piece."""
        return self.inside is not None

    def places(self, tile: px.Tile) -> list[px.Address]:
        """Where the thread's pieces lie in a tile, as far as its swizzle does not repeat.

        Args:
            tile: of rows of at most 128 bytes, or the first panel of wider ones.
        """
        column = self.across * (self.each * 8 // tile.dtype.bits)
        return [
            tile.locate(self.row + i * self.at_once if i else self.row, column)
            for i in range(max(1, SWIZZLED // self.at_once))
        ]

    def place(self, places: Sequence[px.Address], number: int) -> px.Address:
        """Where piece `number` of the thread lies: in its row and `number` · `at_once` further down.

        Args:
            places: of `places`. number: an int.
        """
        further, which = divmod(number, len(places))
        return places[which] + further * len(places) * self.at_once * 128
