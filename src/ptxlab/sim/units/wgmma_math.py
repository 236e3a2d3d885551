"""The arithmetic of a wgmma on operands that have been found: exact, and native where it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.units.wgmma_plan import BITS, FLOATS, ROWS_PER_WARP, Plan, Types, operand_index

if TYPE_CHECKING:
    from ptxlab.sim.machine import Warp

Words = NDArray[np.unsignedinteger[Any]]
Operand = tuple[NDArray[np.float32], NDArray[np.int16]]
_WORD = {8: np.uint8, 16: np.uint16, 32: np.uint32}
M = 64


def words(memory: NDArray[np.uint8], bits: int) -> Words:
    """Memory as words of 8, 16 or 32 bits."""
    return memory[: len(memory) // 4 * 4].view(_WORD[bits])


class FloatMath:
    """D = A·B + D of floating-point products, by the kernels of `numerics`. Buffers are kept between calls."""

    def __init__(self, types: Types) -> None:
        from ptxlab.sim.numerics import kernels
        from ptxlab.sim.numerics.formats import ZERO_EXPONENT

        self.types, self.kernels = types, kernels
        steps = -(-types.k // kernels.STEP)
        short = types.k < kernels.STEP  # tf32: k is padded with zeros
        self._a_part = (np.empty(M * types.k, np.float32), np.empty(M * types.k, np.int16)) if short else None
        self.a = _zeros((M, steps, kernels.STEP), ZERO_EXPONENT)
        self.b = _zeros((steps, kernels.STEP, types.n), ZERO_EXPONENT)
        self.c = np.zeros((M, types.n), np.int32)
        fp8 = BITS[types.a] == 8
        self.fraction = 13 if fp8 else 25
        wide = kernels.OUT_F32_SHORT if fp8 else kernels.OUT_F32
        self.out = kernels.OUT_F16 if types.d == "f16" else wide

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A, from registers or from shared memory."""
        types = self.types
        bits = BITS[types.a]
        values, exponents = (x.reshape(-1) for x in (self._a_part or self.a))
        if plan.a_index is None:
            index, _ = operand_index(descriptor, M, types.k, bits, plan.major_a, by_k=False)
            self.kernels.load(types.a, words(shared, bits), index, plan.negate_a, values, exponents)
        else:
            size = ROWS_PER_WARP * types.k
            for w, warp in enumerate(warps):
                part = slice(w * size, (w + 1) * size)
                index = plan.a_index[w].reshape(-1)
                frame = words(warp.frame.bytes, bits)
                self.kernels.load(types.a, frame, index, plan.negate_a, values[part], exponents[part])
        if self._a_part is not None:
            for whole, part in zip(self.a, self._a_part, strict=True):
                whole[:, 0, : types.k] = part.reshape(M, types.k)

    def load_b(self, plan: Plan, shared: NDArray[np.uint8], descriptor: int) -> None:
        """Decode B from shared memory."""
        types = self.types
        bits = BITS[types.b]
        index, _ = operand_index(descriptor, types.n, types.k, bits, plan.major_b, by_k=True)
        values, exponents = (x.reshape(-1)[: index.size] for x in self.b)
        self.kernels.load(types.b, words(shared, bits), index, plan.negate_b, values, exponents)

    def run(self, plan: Plan, warps: list[Warp], accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        frames = [words(w.frame.bytes, self.types.d_bits) for w in warps]
        if accumulate:
            self.kernels.gather(*frames, plan.d_index, self.c)
        else:
            self.c[:] = 0
        self.kernels.dot_add(*self.a, *self.b, self.c, self.fraction, self.out)
        self.kernels.scatter(*frames, plan.d_index, self.c)


def _zeros(shape: tuple[int, ...], exponent: int) -> Operand:
    return np.zeros(shape, np.float32), np.full(shape, exponent, np.int16)


class IntegerMath:
    """The same for s8, u8 and b1: exact sums, wrapped or clamped to 32 bits."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.a = np.zeros((M, 0))
        self.b = np.zeros((0, types.n))

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A, from registers or from shared memory."""
        types = self.types
        if plan.a_index is None:
            index, _ = operand_index(descriptor, M, types.k, 8, "K", by_k=False)
            raw = shared[index]
        else:
            parts = [w.frame.bytes[i.reshape(-1)] for w, i in zip(warps, plan.a_index, strict=True)]
            raw = np.concatenate(parts)
        self.a = _numbers(raw.reshape(M, types.k), types.a)

    def load_b(self, plan: Plan, shared: NDArray[np.uint8], descriptor: int) -> None:
        """Decode B from shared memory."""
        types = self.types
        index, _ = operand_index(descriptor, types.n, types.k, 8, "K", by_k=False)
        self.b = _numbers(shared[index].reshape(types.n, types.k), types.b).T

    def run(self, plan: Plan, warps: list[Warp], accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        # float64 holds every sum exactly: at most 256 products below 2^16
        total = (self.a @ self.b).astype(np.int64).reshape(4, ROWS_PER_WARP, self.types.n)
        for w, warp in enumerate(warps):
            frame = words(warp.frame.bytes, 32).view(np.int32)
            index = plan.d_index[w]
            out = total[w] + frame[index] if accumulate else total[w]
            if plan.saturate:
                out = np.clip(out, -(1 << 31), (1 << 31) - 1)
            frame[index] = out.astype(np.int32)


def _numbers(raw: NDArray[np.uint8], type_: str) -> NDArray[np.float64]:
    if type_ == "b1":
        return np.unpackbits(raw, axis=1).astype(np.float64)
    return (raw.view(np.int8) if type_ == "s8" else raw).astype(np.float64)


def math_of(types: Types) -> FloatMath | IntegerMath:
    """The arithmetic for these types."""
    return FloatMath(types) if types.a in FLOATS else IntegerMath(types)
