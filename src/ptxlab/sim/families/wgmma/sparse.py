"""The arithmetic of wgmma.sp: A has the elements that its metadata name, and B twice as many rows."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.layout.sparse import metadata_places, tf32_rows, tf32_table
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.families.wgmma.arithmetic import M, Math, Place, flat, words
from ptxlab.sim.families.wgmma.plan import BITS, OperandIndex, Operands, Plan, Types
from ptxlab.sim.numerics import native

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.resident import Warp


class _Places:
    """Where metadata lie: lanes and shifts of each group; `pointers` to them, and how many groups there are."""

    def __init__(self, bits: int, depth: int, selector: int) -> None:
        self._held = [np.ascontiguousarray(x, np.int32) for x in metadata_places(bits, depth, selector)]
        lanes, shifts = (int(x.ctypes.data) for x in self._held)
        self.pointers = lanes, shifts, self._held[0].shape[1]


_places = lru_cache(maxsize=64)(_Places)


class SparseMath(Math):
    """D = A·B + D where every row of A meets rows of B of its own."""

    def __init__(self, types: Types) -> None:
        super().__init__(types)
        self.chosen = np.zeros((M, types.k), np.int32)
        self.chosen_place = self.chosen.ctypes.data
        self._choose = native.choose(1 if types.a == "tf32" else 2)
        self._mixes = False
        self._rows = self.b, self.b_places

    def fields(self, plan: Plan, operands: Operands) -> dict[int, int]:
        self._take_rows()
        lanes, shifts, groups = _places(BITS[self.types.a], self.types.depth, plan.selector).pointers
        own = {F.Y_CHOOSE: native.place_of(self._choose), F.Y_METADATA: plan.metadata}
        return super().fields(plan, operands) | own | {F.Y_LANES: lanes, F.Y_SHIFTS: shifts, F.Y_GROUPS: groups}

    def repair_ready(self, plan: Plan, warps: list[Warp]) -> None:
        self._mixes = False
        self._take_rows()
        self.repair(plan, warps)

    def _take_rows(self) -> None:
        """B is its rows, as it is but for mixed ones."""
        self.b, self.b_places = self._rows

    def load_a(self, plan: Plan, place: Place, operand: OperandIndex | None) -> None:
        """Decode A and its metadata: each warp has those of its sixteen rows."""
        super().load_a(plan, place, operand)
        lanes, shifts, groups = _places(BITS[self.types.a], self.types.depth, plan.selector).pointers
        wrong = self._choose(place.frames_at, plan.metadata, lanes, shifts, groups, self.chosen_place)
        self._mixes = wrong != 0
        if self._mixes:
            at = plan.metadata // 4
            found = [words(w.frame.bytes, 32)[at : at + 32].astype(np.uint32) for w in place.warps]
            self.chosen[:] = np.concatenate([tf32_rows(m, self.types.depth, plan.selector) for m in found])

    def load_b(self, plan: Plan, place: Place, operand: OperandIndex) -> None:
        """Decode B from shared memory."""
        self._take_rows()
        if self._mixes:
            self._load_mixed(plan, place.shared, operand)
        else:
            super().load_b(plan, place, operand)

    def _load_mixed(self, plan: Plan, shared: NDArray[np.uint8], operand: OperandIndex) -> None:
        """All that the halves of two rows of tf32 can make."""
        types = self.types
        made = tf32_table(native.unblocked(words(shared, 32)[operand.index], types.n).astype(np.uint32))
        self.b = flat(made.size)
        self.b_places = [x.ctypes.data for x in self.b]
        where = native.blocked(np.arange(made.size, dtype=np.int32).reshape(made.shape))
        flip = -(1 << 31) if plan.negate_b else 0
        native.decode("tf32")(made.ctypes.data, where.ctypes.data, made.size, flip, *self.b_places)

    def exactly(self, c: NDArray[np.int32], out: int) -> None:
        """The flagged outputs by integers alone."""
        from ptxlab.sim.numerics import kernels

        a = self.a[0], self.exponents_a()
        kernels.sparse_repair(*a, *self.matrix_b(), self.chosen, c, self.kind.fraction, out, self.flags)


def math_of(types: Types) -> Math:
    """The arithmetic for these types."""
    return SparseMath(types) if types.sparse else Math(types)
