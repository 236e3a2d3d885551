"""Keys and values of a warp, from shared memory to registers as mma takes its right matrix.

ldmatrix brings four matrices of 8 rows of 16 bytes. Two lie side by side, so a warp reads 32 bytes of 16 keys at a time: 16
elements of 16 bits or 32 of fp8. Those become f16, without a loss.
"""

from __future__ import annotations

from typing import Any

import ptxlab as px
from ptxlab.kernels.decode.program import Form
from ptxlab.kernels.decode.tiling import ROWS

WIDE = 32
"""Bytes of a row that are read at a time."""
CHUNK = 16
TOGETHER = 0x3120
"""For prmt: the first bytes of both halves of a word, then their second ones."""


class Operand:
    """A tile of the ring of (keys, depth), as a warp reads it.

    Args:
        tile: with stages. row: the warp's first key in it, px.u32. across: whether the product runs over keys, as that with values
            does.
    """

    def __init__(self, k: px.Builder, form: Form, tile: px.Tile, row: Any, *, across: bool) -> None:
        self.k, self.form, self.across = k, form, across
        self.stage, self.panel = tile.strides[0], tile.panel_bytes
        room, lane = tile[0][0][0], k.laneid
        beside, below = (lane >> 3) & 1, lane >> 4
        if across:
            beside, below = below, beside
        row = row + below * 8 + (lane & 7)
        self.width = form.depth * form.cache.scalar.bytes
        self.span = tile.panel_columns * form.cache.scalar.bytes
        each = CHUNK // form.cache.scalar.bytes
        self.place = room.locate(row, beside * each)
        self.pitch = room.strides[-1]

    def at(self, stage: Any) -> list[px.Address]:
        """Where a stage's parts of a span are: one instruction each. The swizzle flips bits of an address, and so does going on by
        32 bytes within the 128 of a row."""
        first = self.place.at(stage, self.stage).register()
        firsts = range(0, min(self.span, self.width), WIDE)
        return [px.Address.of(first ^ byte if byte else first, space="shared") for byte in firsts]

    def load(self, places: list[px.Address], part: int, block: int) -> list[list[list[Any]]]:
        """The `part`-th 32 bytes of the `block`-th 16 keys.

        Returns: for each 16 elements that there are, the right matrices: of 8 keys each, or where the product runs over keys of 8
            elements each. Of fp8 these are the even ones, and the odd ones.
        """
        k, byte = self.k, part * WIDE
        place = places[byte % self.span // WIDE].at(byte // self.span * self.panel + block * ROWS * self.pitch)
        load = k.ldmatrix.sync.aligned.m8n8.x4
        four = (load.trans if self.across else load).shared.b16(place)
        if not self.form.narrow:
            return [[[four[0], four[1]], [four[2], four[3]]]]
        found: list[list[list[Any]]] = []
        for half in range(min(2, (self.width - byte) // CHUNK)):
            pair = (four[2 * half], four[2 * half + 1]) if self.across else (four[half], four[half + 2])
            wide = [self._widened(x) for x in pair]
            found.append([[x[i] for x in wide] for i in range(2)] if self.across else wide)
        return found

    def _widened(self, word: Any) -> list[Any]:
        """Four elements of fp8 as two words of f16; those of two keys side by side where the product runs over keys."""
        k = self.k
        if self.across:
            word = k.prmt.b32(word, word, TOGETHER)
        return [k.cvt.rn.f16x2.e4m3x2(x) for x in k.unpack(word, px.b16)]

    @property
    def parts(self) -> range:
        """Of 32 bytes."""
        return range(-(-self.width // WIDE))
