"""The arithmetic of a wgmma on operands that have been found: exact, and native where it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.numerics import native
from ptxlab.sim.numerics.formats import STEP, ZERO_EXPONENT
from ptxlab.sim.numerics.native import Kind
from ptxlab.sim.units.wgmma_plan import BITS, FLOATS, ROWS_PER_WARP, Plan, Types, operand_index

if TYPE_CHECKING:
    from ptxlab.sim.machine import Warp

Words = NDArray[np.unsignedinteger[Any]]
Operand = tuple[NDArray[np.float32], NDArray[np.int16]]
_WORD = {8: np.uint8, 16: np.uint16, 32: np.uint32}
M = 64
_SIGN = -(1 << 31)


def words(memory: NDArray[np.uint8], bits: int) -> Words:
    """Memory as words of 8, 16 or 32 bits."""
    return memory[: len(memory) // 4 * 4].view(_WORD[bits])


def _kind(types: Types) -> Kind:
    """The compiled product for these types."""
    if types.a not in FLOATS:
        return native.ONES if types.a == "b1" else native.INTEGERS
    if BITS[types.a] == 8:
        return native.SHORT_HALF if types.d == "f16" else native.SHORT
    return native.HALF if types.d == "f16" else native.SINGLE


class NativeMath:
    """D = A·B + D where A is dense. Buffers are kept between calls."""

    def __init__(self, types: Types) -> None:
        self.types, self.kind = types, _kind(types)
        self._multiply = native.multiply(self.kind)
        self._decode_a, self._decode_b = native.decode(types.a), native.decode(types.b)
        self._floats = types.a in FLOATS
        steps = self.kind.k // STEP
        self.a = _zeros((M, steps, STEP))
        self.b = _zeros((steps, STEP, types.n))
        # tf32 has 8 products a step: A is decoded apart and padded with zeros
        self._a_part = _zeros((M, types.k)) if types.k < self.kind.k else self.a
        self.flags = np.zeros((M, types.n), np.int8)
        self._places = [x.ctypes.data for x in (*self.a, *self.b)]
        self._part_places = [x.ctypes.data for x in self._a_part]
        self._flags_place = self.flags.ctypes.data

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A, from registers or from shared memory."""
        types = self.types
        flip = _SIGN if plan.negate_a else 0
        values, exponents = self._part_places
        if plan.a_index is None:
            where = operand_index(descriptor, M, types.k, BITS[types.a], plan.major_a, by_k=False).address
            self._decode_a(shared.ctypes.data, where, M * types.k, flip, values, exponents)
        else:
            size = ROWS_PER_WARP * types.k
            for w, warp in enumerate(warps):
                where = plan.a_index.ctypes.data + 4 * size * w
                self._decode_a(warp.frame.address, where, size, flip, values + 4 * size * w, exponents + 2 * size * w)
        if self._a_part is not self.a:
            for whole, part in zip(self.a, self._a_part, strict=True):
                whole[:, 0, : types.k] = part

    def load_b(self, plan: Plan, shared: NDArray[np.uint8], descriptor: int) -> None:
        """Decode B from shared memory."""
        types = self.types
        where = operand_index(descriptor, types.n, types.k, BITS[types.b], plan.major_b, by_k=True).address
        flip = _SIGN if plan.negate_b else 0
        self._decode_b(shared.ctypes.data, where, types.n * types.k, flip, *self._places[2:])

    def run(self, plan: Plan, warps: list[Warp], accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        frames = np.array([w.frame.address for w in warps], np.uint64)
        options = int(accumulate) | (native.SATURATE if plan.saturate else 0)
        flagged = self._multiply(
            *self._places, frames.ctypes.data, plan.starts.ctypes.data, self.types.n, options, self._flags_place
        )
        if flagged:
            self._repair(plan, warps)

    def _repair(self, plan: Plan, warps: list[Warp]) -> None:
        """Outputs with Inf, NaN or extreme exponents: their registers hold the addends."""
        from ptxlab.sim.numerics import kernels

        bits = self.types.d_bits
        parts = [words(w.frame.bytes, bits)[i] for w, i in zip(warps, plan.d_index, strict=True)]
        c = np.concatenate(parts).astype(np.uint32)
        out = kernels.OUT_F16 if bits == 16 else kernels.OUT_F32 if self.kind.keep == 23 else kernels.OUT_F32_SHORT
        kernels.repair(*self.a, *self.b, c.view(np.int32), self.kind.fraction, out, self.flags)
        for w, warp in enumerate(warps):
            words(warp.frame.bytes, bits)[plan.d_index[w]] = c[ROWS_PER_WARP * w : ROWS_PER_WARP * (w + 1)]
        self.flags[:] = 0


class FloatMath:
    """What a product of floats with a sparse A begins with, by the kernels of `numerics`."""

    def __init__(self, types: Types) -> None:
        from ptxlab.sim.numerics import kernels

        self.types, self.kernels = types, kernels
        steps = -(-types.k // kernels.STEP)
        self.a = _zeros((M, steps, kernels.STEP))
        self.b = _zeros((steps, kernels.STEP, types.n))
        self._a_part = _zeros((M, types.k)) if types.k < kernels.STEP else self.a
        self.c = np.zeros((M, types.n), np.int32)
        fp8 = BITS[types.a] == 8
        self.fraction = 13 if fp8 else 25
        wide = kernels.OUT_F32_SHORT if fp8 else kernels.OUT_F32
        self.out = kernels.OUT_F16 if types.d == "f16" else wide

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A, from registers or from shared memory."""
        types = self.types
        bits = BITS[types.a]
        values, exponents = (x.reshape(-1) for x in self._a_part)
        if plan.a_index is None:
            index = operand_index(descriptor, M, types.k, bits, plan.major_a, by_k=False).index
            self.kernels.load(types.a, words(shared, bits), index, plan.negate_a, values, exponents)
        else:
            size = ROWS_PER_WARP * types.k
            for w, warp in enumerate(warps):
                part = slice(w * size, (w + 1) * size)
                index = plan.a_index[w].reshape(-1)
                frame = words(warp.frame.bytes, bits)
                self.kernels.load(types.a, frame, index, plan.negate_a, values[part], exponents[part])
        if self._a_part is not self.a:
            for whole, part in zip(self.a, self._a_part, strict=True):
                whole[:, 0, : types.k] = part

    def load_b(self, plan: Plan, shared: NDArray[np.uint8], descriptor: int) -> None:
        """Decode B from shared memory."""
        types = self.types
        bits = BITS[types.b]
        index = operand_index(descriptor, types.n, types.k, bits, plan.major_b, by_k=True).index
        values, exponents = (x.reshape(-1)[: index.size] for x in self.b)
        self.kernels.load(types.b, words(shared, bits), index, plan.negate_b, values, exponents)

    def run(self, plan: Plan, warps: list[Warp], accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        frames = [words(w.frame.bytes, self.types.d_bits) for w in warps]
        if accumulate:
            self.kernels.gather(*frames, plan.d_index, self.c)
        else:
            self.c[:] = 0
        self.multiply()
        self.kernels.scatter(*frames, plan.d_index, self.c)

    def multiply(self) -> None:
        """c = A·B + c."""
        self.kernels.dot_add(*self.a, *self.b, self.c, self.fraction, self.out)


def _zeros(shape: tuple[int, ...]) -> Operand:
    return np.zeros(shape, np.float32), np.full(shape, ZERO_EXPONENT, np.int16)


class IntegerMath:
    """What a product of integers with a sparse A begins with: exact sums, wrapped or clamped to 32 bits."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.a = np.zeros((M, 0))
        self.b = np.zeros((0, types.n))

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A, from registers or from shared memory."""
        types = self.types
        if plan.a_index is None:
            index = operand_index(descriptor, M, types.k, 8, "K", by_k=False).index
            raw = shared[index]
        else:
            parts = [w.frame.bytes[i.reshape(-1)] for w, i in zip(warps, plan.a_index, strict=True)]
            raw = np.concatenate(parts)
        self.a = _numbers(raw.reshape(M, types.k), types.a)

    def load_b(self, plan: Plan, shared: NDArray[np.uint8], descriptor: int) -> None:
        """Decode B from shared memory."""
        types = self.types
        index = operand_index(descriptor, types.n, types.depth, 8, "K", by_k=False).index
        self.b = _numbers(shared[index].reshape(types.n, types.depth), types.b).T

    def product(self) -> NDArray[np.float64]:
        """A·B, [64, N]: float64 holds every sum exactly, at most 256 products below 2^16."""
        return self.a @ self.b

    def run(self, plan: Plan, warps: list[Warp], accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        total = self.product().astype(np.int64).reshape(4, ROWS_PER_WARP, self.types.n)
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


class Math(Protocol):
    """D = A·B + D of one kind of instruction."""

    def load_a(self, plan: Plan, shared: NDArray[np.uint8], warps: list[Warp], descriptor: int) -> None:
        """Decode A, from registers or from shared memory."""
        ...

    def load_b(self, plan: Plan, shared: NDArray[np.uint8], descriptor: int) -> None:
        """Decode B from shared memory."""
        ...

    def run(self, plan: Plan, warps: list[Warp], accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        ...
