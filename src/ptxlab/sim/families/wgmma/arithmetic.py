"""The arithmetic of a wgmma on operands whose places are known: exact and native.

In wgmma.sp, A has the elements that its metadata name, and B twice as many rows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.layout.sparse import metadata_places, tf32_rows, tf32_table
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.families.wgmma.plan import BITS, FLOATS, ROWS_PER_WARP, OperandIndex, Operands, Plan, Types
from ptxlab.sim.numerics import native
from ptxlab.sim.numerics.native import Kind

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.resident import Warp

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
        return Kind("ones" if types.a == "b1" else "s32", types.k, sparse=types.sparse)
    out = "f16" if types.d == "f16" else "f32"
    if BITS[types.a] == 8:
        return Kind(out, types.k, 13, 13, sparse=types.sparse)
    return Kind(out, types.k, sparse=types.sparse)


class Place:
    """Where a warpgroup keeps its operands: shared memory, and the frames of its warps; `…_at`, `frames`: addresses."""

    def __init__(self, shared: NDArray[np.uint8], warps: list[Warp]) -> None:
        self.shared, self.warps = shared, warps
        self.shared_at = int(shared.ctypes.data)
        self.frames = [w.frame.address for w in warps]
        self._table = np.array(self.frames, np.uint64)
        self.frames_at = int(self._table.ctypes.data)


class Math:
    """D = A·B + D of one kind of instruction. Buffers are kept between calls."""

    def __init__(self, types: Types) -> None:
        self.types, self.kind = types, _kind(types)
        self._multiply = native.multiply(self.kind)
        self._decode_a, self._decode_b = native.decode(types.a, twice=True), native.decode(types.b)
        self.a = np.zeros((M, types.k), np.float32), np.zeros((M, types.k, 2), np.int16)
        self.b = flat(types.depth * types.n)
        self.flags = np.zeros((M, types.n), np.int8)
        self._a_places: list[int] = [x.ctypes.data for x in self.a]
        self.b_places: list[int] = [x.ctypes.data for x in self.b]
        self._flags_place = self.flags.ctypes.data
        self.chosen_place: int | None = None

    def words(self, plan: Plan, accumulate: int) -> dict[int, int]:
        """What `ptxlab_product` takes of 32 bits, by place in READY."""
        return {
            F.Y_FLIP_A: _SIGN if plan.negate_a else 0,
            F.Y_FLIP_B: _SIGN if plan.negate_b else 0,
            F.Y_OPTIONS: self._options(plan, bool(accumulate)),
        }

    def fields(self, plan: Plan, operands: Operands) -> dict[int, int]:
        """What it takes of 64 bits."""
        a, b = operands
        return {
            F.Y_DECODE_A: native.place_of(self._decode_a),
            F.Y_DECODE_B: native.place_of(self._decode_b),
            F.Y_MULTIPLY: native.place_of(self._multiply),
            F.Y_CHOOSE: 0,
            F.Y_INDEX_A: plan.a_at if a is None else a.address,
            F.Y_INDEX_B: b.address,
            F.Y_COUNT_A: (ROWS_PER_WARP if a is None else M) * self.types.k,
            F.Y_COUNT_B: self.types.n * self.types.depth,
            F.Y_VALUES_A: self._a_places[0],
            F.Y_EXPONENTS_A: self._a_places[1],
            F.Y_VALUES_B: self.b_places[0],
            F.Y_EXPONENTS_B: self.b_places[1],
            F.Y_STARTS: plan.starts_at,
            F.Y_N: self.types.n,
            F.Y_FLAGS: self._flags_place,
            F.Y_CHOSEN: self.chosen_place or 0,
            F.Y_DEPTH: self.b[0].size // self.types.n,
        }

    def load_a(self, plan: Plan, place: Place, operand: OperandIndex | None) -> None:
        """Decode A, from registers or from shared memory."""
        flip = _SIGN if plan.negate_a else 0
        values, exponents = self._a_places
        if operand is not None:
            self._decode_a(place.shared_at, operand.address, M * self.types.k, flip, values, exponents)
            return
        size = ROWS_PER_WARP * self.types.k
        for w, frame in enumerate(place.frames):
            where = plan.a_at + 4 * size * w
            self._decode_a(frame, where, size, flip, values + 4 * size * w, exponents + 4 * size * w)

    def load_b(self, plan: Plan, place: Place, operand: OperandIndex) -> None:
        """Decode B from shared memory."""
        flip = _SIGN if plan.negate_b else 0
        count = self.types.n * self.types.depth
        self._decode_b(place.shared_at, operand.address, count, flip, *self.b_places)

    def run(self, plan: Plan, place: Place, accumulate: bool) -> None:
        """Multiply and add into the warps' accumulators."""
        factors = (*self._a_places, *self.b_places)
        spare = (self._flags_place, self.chosen_place, self.b[0].size // self.types.n)
        options = self._options(plan, accumulate)
        flagged = self._multiply(*factors, place.frames_at, plan.starts_at, self.types.n, options, *spare)
        if flagged:
            self.repair(plan, place.warps)

    def _options(self, plan: Plan, accumulate: bool) -> int:
        return accumulate | (native.SATURATE if plan.saturate else 0)

    def repair_ready(self, plan: Plan, warps: list[Warp]) -> None:
        """The same as `repair`, where compiled code has carried the product out."""
        self.repair(plan, warps)

    def repair(self, plan: Plan, warps: list[Warp]) -> None:
        """Outputs with Inf, NaN or extreme exponents: their registers hold the addends."""
        from ptxlab.sim.numerics import kernels

        bits = self.types.d_bits
        parts = [words(w.frame.bytes, bits)[i] for w, i in zip(warps, plan.d_index, strict=True)]
        c = np.concatenate(parts).astype(np.uint32)
        out = kernels.OUT_F16 if bits == 16 else kernels.OUT_F32 if self.kind.keep == 23 else kernels.OUT_F32_SHORT
        self.exactly(c.view(np.int32), out)
        for w, warp in enumerate(warps):
            words(warp.frame.bytes, bits)[plan.d_index[w]] = c[ROWS_PER_WARP * w : ROWS_PER_WARP * (w + 1)]
        self.flags[:] = 0

    def exactly(self, c: NDArray[np.int32], out: int) -> None:
        """The flagged outputs by integers alone, in place of their addends [64, N]."""
        from ptxlab.sim.numerics import kernels

        values_b, exponents_b = self.matrix_b()
        a = self.a[0][:, None], self.exponents_a()[:, None]
        kernels.repair(*a, values_b[None], exponents_b[None], c, self.kind.fraction, out, self.flags)

    def exponents_a(self) -> NDArray[np.int16]:
        """Those of A, [64, k]."""
        return np.ascontiguousarray(self.a[1][:, :, 0])

    def matrix_b(self) -> Operand:
        """B, by rows."""
        values, exponents = self.b
        return native.unblocked(values, self.types.n), native.unblocked(exponents, self.types.n)


def flat(size: int) -> Operand:
    """Room for values and exponents."""
    return np.zeros(size, np.float32), np.zeros(size, np.int16)


class _Places:
    """Where metadata lie: lanes and shifts of each group; `pointers` to them, and how many groups there are."""

    def __init__(self, bits: int, depth: int, selector: int) -> None:
        self._held = [np.ascontiguousarray(x, np.int32) for x in metadata_places(bits, depth, selector)]
        lanes, shifts = (int(x.ctypes.data) for x in self._held)
        self.pointers = lanes, shifts, self._held[0].shape[1]


_places = lru_cache(maxsize=64)(_Places)


class SparseMath(Math):
    """D = A·B + D of a sparse A: each of its rows is multiplied by rows of B of its own."""

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
        flip = _SIGN if plan.negate_b else 0
        native.decode("tf32")(made.ctypes.data, where.ctypes.data, made.size, flip, *self.b_places)

    def exactly(self, c: NDArray[np.int32], out: int) -> None:
        """The flagged outputs by integers alone."""
        from ptxlab.sim.numerics import kernels

        a = self.a[0], self.exponents_a()
        kernels.sparse_repair(*a, *self.matrix_b(), self.chosen, c, self.kind.fraction, out, self.flags)
