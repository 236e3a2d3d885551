"""What a warpgroup with 64 rows of a tile does, forwards and backwards: products, and results to shared memory.

Results of 64 × n lie in the accumulator as wgmma wants the left matrix of 64 × n in registers, so what becomes of scores never
leaves them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.tiling import ITEM, ROWS, WARPGROUP

ALONG, ACROSS, FP8 = (1, 1, 0, 0), (1, 1, 1), (1, 1)
"""Signs, and how operands in shared memory lie: both along the depth; the right one across its rows, the left one in registers; in
fp8 all along what is summed."""
STEP = 32
"""Bytes along K of a wgmma."""


class Warpgroup:
    """A consumer.

    Attributes:
        depth: elements of a row; value_depth: of results. dtype, made: types of operands and of results.
        wide: whether operands have 16 bits; step: their elements along K of a wgmma. member: its number among the consumers.
        leads: whether the thread is its first one. lane, warp: of the thread, within it.
    """

    def __init__(
        self,
        k: px.Builder,
        dtype: type[px.Register],
        depth: int,
        value_depth: int | None = None,
        made: type[px.Register] | None = None,
    ) -> None:
        self.k, self.dtype, self.depth, self.value_depth = k, dtype, depth, value_depth or depth
        self.made, self.wide, self.step = made or dtype, dtype.scalar.bytes == ITEM, STEP // dtype.scalar.bytes
        self.member = k.warpgroup - 1
        self.barrier = self.member + 1
        self.leads = (k.tid.x & (WARPGROUP - 1)) == 0
        self.lane, self.warp = k.tid.x & 31, k.warp & 3

    def first_row(self, tile_row: Any) -> Any:
        """The first of its rows in a tile that begins at `tile_row`."""
        return tile_row + self.k.cvt.s32.u32(self.member * ROWS)

    def lines_of(self, row: Any) -> list[Any]:
        """The two rows that the lane has, of 64 that begin at `row`."""
        k = self.k
        upper = row + k.cvt.s32.u32(k.mad.lo.u32(self.warp, 16, self.lane >> 2))
        return [upper, upper + 8]

    def first_column(self, block: Any, columns: int) -> Any:
        """The first column that the lane has in a block of so many."""
        return block * columns + self.k.cvt.s32.u32((self.lane & 3) * 2)

    # --- products --------------------------------------------------------------------------------------------------------------
    def multiply_rows(self, sums: Any, left: Any, right: px.Tile) -> None:
        """Issue sums = A · Bᵀ, both along the depth. `left`: the descriptor of A."""
        b = right.descriptor("K")
        steps = ((left[i], b[i], i > 0) for i in range(-(-self.depth // self.step)))
        self._issue(right.shape[0], sums, steps, ALONG if self.wide else FP8)

    def add_product(self, sums: Any, weights: Sequence[Any], right: px.Tile) -> None:
        """Issue sums += A · B with A in registers, as `pack` makes them. In fp8 `right` is Bᵀ."""
        b = right.descriptor("MN" if self.wide else "K")
        steps = ((weights[4 * i : 4 * i + 4], b[i], True) for i in range(len(weights) // 4))
        self._issue(self.value_depth, sums, steps, ACROSS if self.wide else FP8)

    def _issue(self, columns: int, sums: Any, steps: Iterable[tuple[Any, Any, bool]], layout: Sequence[int]) -> None:
        """Issue products, as one group.

        Args:
            columns: of sums. steps: left and right operand along K, and whether the product is added to what is there.
        """
        k, name = self.k, self.dtype.scalar.name
        wgmma = getattr(getattr(k.wgmma.mma_async.sync.aligned, f"m64n{columns}k{self.step}").f32, name)
        k.wgmma.fence.sync.aligned()
        for left, right, adds in steps:
            getattr(wgmma, name)(sums, left, right, adds, *layout)
        k.wgmma.commit_group.sync.aligned()

    def pack(self, values: Sequence[Any], weights: Sequence[Any]) -> None:
        """Values of an accumulator as the left matrix of a product."""
        for i, weight in enumerate(weights):
            self._pair(self.dtype, values[2 * i], values[2 * i + 1], d=weight)

    def _pair(self, kind: type[px.Register], low: Any, high: Any, **to: Any) -> Any:
        return getattr(self.k.cvt.rn, f"{kind.scalar.name}x2").f32(high, low, **to)

    # --- results ---------------------------------------------------------------------------------------------------------------
    def stage(self, results: Sequence[Any], room: px.Tile) -> None:
        """The lane's part of the results of 64 rows, in their type."""
        pairs = range(0, 2 * (self.value_depth // 4), 2)
        self.stage_packed([self._pair(self.made, results[i], results[i + 1]) for i in pairs], room)

    def stage_packed(self, pairs: Sequence[Any], room: px.Tile) -> None:
        """Pairs of an accumulator, 16 columns at a time: lanes 0 to 15 give rows of 8 of them, the others of the next 8."""
        k = self.k
        row, first = k.mad.lo.u32(self.warp, 16, self.lane & 15), (self.lane >> 4) * 8
        width = room.panel_columns
        places = [room.locate(row, first + j if j else first) for j in range(0, width, 16)]
        for i in range(0, len(pairs), 4):
            column, some = 4 * i, list(pairs[i : i + 4])
            place = places[column % width // 16] + column // width * room.panel_bytes
            several = k.stmatrix.sync.aligned.m8n8
            (several.x4 if len(some) == 4 else several.x2).shared.b16(place, some)

    def meet(self) -> None:
        """Wait for all threads of the warpgroup."""
        self.k.bar.sync(self.barrier, WARPGROUP)
