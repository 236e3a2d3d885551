"""The arithmetic of wgmma.sp: A has the elements that its metadata name, and B twice as many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.layout.sparse import columns, tf32_rows, tf32_table
from ptxlab.sim.units.wgmma_math import FloatMath, IntegerMath, Math, NativeMath, words
from ptxlab.sim.units.wgmma_plan import BITS, FLOATS, Plan, Types, operand_index

if TYPE_CHECKING:
    from ptxlab.sim.machine import Warp


def _index(plan: Plan, warps: list[Warp]) -> NDArray[np.int64]:
    """The rows of B that A's elements meet, [64, K / 2]: each warp has the metadata of its sixteen rows."""
    types = plan.types
    at = plan.metadata // 4
    found = [words(w.frame.bytes, 32)[at : at + 32].astype(np.uint32) for w in warps]
    if types.a == "tf32":
        return np.concatenate([tf32_rows(m, types.depth, plan.selector) for m in found])
    return np.concatenate([columns(m, BITS[types.a], types.depth, plan.selector) for m in found])


class SparseFloatMath(FloatMath):
    """D = A·B + D of floats."""

    def __init__(self, types: Types) -> None:
        super().__init__(types)
        self.b = np.zeros((types.depth, types.n), np.float32), np.zeros((types.depth, types.n), np.int16)
        self.index = np.zeros((64, types.k), np.int64)

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A and its metadata."""
        super().load_a(plan, shared, warps, descriptor)
        self.index = _index(plan, warps)

    def load_b(self, plan: Plan, shared: NDArray[np.uint8], descriptor: int) -> None:
        """Decode B from shared memory."""
        types = self.types
        bits = BITS[types.b]
        index = operand_index(descriptor, types.n, types.depth, bits, plan.major_b, by_k=True).index
        if types.b == "tf32":
            raw = words(shared, 32)[index].reshape(types.depth, types.n).astype(np.uint32)
            self.b = self.kernels.decode(tf32_table(raw), types.b, plan.negate_b)
            return
        values, exponents = (x.reshape(-1) for x in self.b)
        self.kernels.load(types.b, words(shared, bits), index, plan.negate_b, values, exponents)

    def multiply(self) -> None:
        """c = A·B + c."""
        self.kernels.sparse_dot_add(*self.a, *self.b, self.index, self.c, self.fraction, self.out)


class SparseIntegerMath(IntegerMath):
    """D = A·B + D of 8-bit integers."""

    def __init__(self, types: Types) -> None:
        super().__init__(types)
        self.index = np.zeros((64, types.k), np.int64)

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A and its metadata."""
        super().load_a(plan, shared, warps, descriptor)
        self.index = _index(plan, warps)

    def product(self) -> NDArray[np.float64]:
        """A·B, [64, N]."""
        return np.stack([row @ self.b[chosen] for row, chosen in zip(self.a, self.index, strict=True)])


def math_of(types: Types) -> Math:
    """The arithmetic for these types."""
    if not types.sparse:
        return NativeMath(types)
    return SparseFloatMath(types) if types.a in FLOATS else SparseIntegerMath(types)
