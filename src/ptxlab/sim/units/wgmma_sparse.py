"""The arithmetic of wgmma.sp: A has the elements that its metadata name, and B twice as many rows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ptxlab.layout.sparse import metadata_places, tf32_rows, tf32_table
from ptxlab.sim.numerics import native
from ptxlab.sim.units.wgmma_math import M, Math, Place, words, zeros
from ptxlab.sim.units.wgmma_plan import BITS, OperandIndex, Plan, Types

_TABLES = {
    True: np.array([{0b0100: 0, 0b1110: 1}.get(four, -1) for four in range(16)], np.int32),
    False: np.array([(four & 3, four >> 2) for four in range(16)], np.int32),
}
"""What four bits choose of their group's rows; of tf32, by halves, the first, the second, or what is neither."""


@lru_cache(maxsize=64)
def _places(bits: int, depth: int, selector: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    lanes, shifts = metadata_places(bits, depth, selector)
    return np.ascontiguousarray(lanes, np.int32), np.ascontiguousarray(shifts, np.int32)


class SparseMath(Math):
    """D = A·B + D where every row of A meets rows of B of its own."""

    def __init__(self, types: Types) -> None:
        super().__init__(types)
        self.chosen = np.zeros((M, types.k), np.int32)
        self.chosen_place = self.chosen.ctypes.data
        self._table = _TABLES[types.a == "tf32"]
        self._choose = native.choose(self._table.size // 16)
        self._mixes = False
        self._rows = self.b, self.b_places

    def load_a(self, plan: Plan, place: Place, operand: OperandIndex | None) -> None:
        """Decode A and its metadata: each warp has those of its sixteen rows."""
        super().load_a(plan, place, operand)
        lanes, shifts = _places(BITS[self.types.a], self.types.depth, plan.selector)
        tables = [x.ctypes.data for x in (lanes, shifts, self._table)]
        taken = self._choose(place.frames_at, plan.metadata, *tables, lanes.shape[1], self.chosen_place)
        self._mixes = taken < 0
        if self._mixes:
            at = plan.metadata // 4
            found = [words(w.frame.bytes, 32)[at : at + 32].astype(np.uint32) for w in place.warps]
            self.chosen[:] = np.concatenate([tf32_rows(m, self.types.depth, plan.selector) for m in found])

    def load_b(self, plan: Plan, place: Place, operand: OperandIndex) -> None:
        """Decode B from shared memory."""
        self.b, self.b_places = self._rows
        if self._mixes:
            self._load_mixed(plan, place.shared, operand)
        else:
            super().load_b(plan, place, operand)

    def _load_mixed(self, plan: Plan, shared: NDArray[np.uint8], operand: OperandIndex) -> None:
        """All that the halves of two rows of tf32 can make."""
        types = self.types
        made = tf32_table(words(shared, 32)[operand.index].reshape(types.depth, types.n).astype(np.uint32))
        self.b = zeros(made.shape)
        self.b_places = [x.ctypes.data for x in self.b]
        where = np.arange(made.size, dtype=np.int32)
        flip = -(1 << 31) if plan.negate_b else 0
        native.decode("tf32")(made.ctypes.data, where.ctypes.data, made.size, flip, *self.b_places)

    def exactly(self, c: NDArray[np.int32], out: int) -> None:
        """The flagged outputs by integers alone."""
        from ptxlab.sim.numerics import kernels

        kernels.sparse_repair(*self.a, *self.b, self.chosen, c, self.kind.fraction, out, self.flags)


def math_of(types: Types) -> Math:
    """The arithmetic for these types."""
    return SparseMath(types) if types.sparse else Math(types)
