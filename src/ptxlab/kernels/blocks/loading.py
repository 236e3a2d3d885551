"""Operands that threads load, where TMA cannot: rows that begin at no multiple of 16 bytes.

The warpgroup that otherwise starts TMA copies loads by ordinary instructions, and stores rows of 128 bytes into the ring in the
order that TMA would have written. What lies outside the matrix becomes zeros. The other operand may still come by TMA.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.finish import LANES
from ptxlab.kernels.blocks.mainloop import Operand, Operands
from ptxlab.kernels.blocks.rows import Rows
from ptxlab.kernels.blocks.tiling import SPAN, WARPGROUP

WORD = 4
"""Bytes that a thread has of each row, at least."""
IN_FLIGHT = 32
"""Loads that a thread has in flight."""


@dataclass(frozen=True, slots=True, repr=False)
class LoadedOperand(Operand):
    """A matrix that threads load: `map` is its address.

    Attributes:
        pitch: bytes from row to row. extents: lines along M or N, and steps along K. All are registers.
        each: bytes of a load: 2, 4 or 8, of which address, pitch and length of rows are multiples.
    """

    pitch: Any = None
    extents: tuple[Any, Any] = (None, None)
    each: int = 2

    @property
    def by_threads(self) -> bool:
        return True

    def pieces(self, k: px.Builder, rows: Rows, tile: px.Tile, at: Any, line: Any) -> Iterator[_Piece]:
        """What the thread loads of a stage.

        Args:
            rows: the thread's share. tile: a stage's part of the ring. at: step along K. line: along M or N, where it begins.
        """
        size, along = self.dtype.scalar.bytes, self.major == "K"
        (first, column), (down, across) = ((line, at), self.extents) if along else ((at, line), self.extents[::-1])
        first = first + rows.row
        start = k.mad.lo.u64(k.cvt.u64.u32(first), self.pitch, self.map)
        step = k.mul.lo.u64(self.pitch, rows.at_once)
        count, width = tile.shape[0], SPAN // size
        for panel in range(1 if along else tile.shape[1] // width):
            here = k.mad.lo.u32(rows.across, rows.each // size, column + panel * width if panel else column)
            left: list[Any] = []  # rows from here on, for each load; none where its column is none
            for i in range(rows.each // self.each):
                left.append(k.selp.s32(down - first, 0, here + i * (self.each // size) < across))
            source = k.mad.wide.u32(here, size, start)
            for i in range(count // rows.at_once):
                source = k.add.u64(source, step) if i else source
                yield _Piece(source, [x > i * rows.at_once for x in left], panel * count * SPAN, i)


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one thread loads of one row: address, a predicate for each load, and where in the tile it belongs."""

    source: Any
    inside: Sequence[Any]
    offset: int
    number: int


class Loader:
    """Fills a ring where threads load at least one operand. A whole warpgroup executes it.

    Args:
        operands: what is multiplied. ring: of `operands.ring()`.
    """

    def __init__(self, operands: Operands, ring: px.Ring) -> None:
        self.operands, self.ring = operands, ring
        k = self.k = operands.k
        thread = k.tid.x & (WARPGROUP - 1)
        self.leads, self.arrives = thread == 0, (thread & 31) == 0
        self.shares: list[tuple[Rows, list[px.Address]] | None] = []
        for operand, tile in zip((operands.left, operands.right), ring.tiles, strict=True):
            if not isinstance(operand, LoadedOperand):
                self.shares.append(None)
                continue
            rows = Rows.of(k, thread, SPAN, max(WORD, operand.each))
            self.shares.append((rows, rows.places(tile[0])))

    def fill(self, row: Any, column: Any, start: Any, stop: Any) -> None:
        """Load the stages of a tile: steps `start` to `stop` along K.

        Args: as for `Operands.fill`.
        """
        k, step = self.k, self.operands.tiling.step
        with k.loop(stop, start=start, step=step) as at, self.ring.produce(expect=False) as slot:
            stores: list[Any] = []
            for i, (operand, line) in enumerate(((self.operands.left, row), (self.operands.right, column))):
                share = self.shares[i]
                if share is None or not isinstance(operand, LoadedOperand):
                    with k.if_(self.leads):
                        slot.full.arrive_expect_tx(slot[i].nbytes)
                        operand.load(k, slot[i], at, line, slot.full)
                    continue
                rows, places = share
                tile = self.ring.tiles[i]
                places = [place.at(slot.stage, tile.nbytes // self.ring.stages) for place in places]
                for piece in operand.pieces(k, rows, tile[0], at, line):
                    stores.append((rows.place(places, piece.number) + piece.offset, self._load(piece, operand.each)))
                    if len(stores) * len(piece.inside) >= IN_FLIGHT:
                        self._store(stores)
            self._store(stores)
            k.fence.proxy.async_.shared__cta()
            k.bar.warp.sync(LANES)
            slot.full.arrive(pred=self.arrives)

    def _load(self, piece: _Piece, each: int) -> list[Any]:
        """A piece of a row; zeros outside the matrix."""
        k, word = self.k, f"b{8 * each}"
        found = [k.reg(getattr(px, word)) for _ in piece.inside]
        for i, (x, inside) in enumerate(zip(found, piece.inside, strict=True)):
            getattr(k.mov, word)(0, d=x)
            getattr(k.ld.global_, word)(px.Address.of(piece.source, i * each, "global"), d=x, pred=inside)
        return found

    def _store(self, stores: list[Any]) -> None:
        """Store what has been loaded."""
        for place, values in stores:
            word = f"b{values[0].scalar.bits}"
            if len(values) == 1:
                getattr(self.k.st.shared, word)(place, values[0])
            else:
                getattr(self.k.st.shared.v2, word)(place, values)
        stores.clear()
