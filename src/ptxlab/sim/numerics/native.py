"""Tensor-core products of a warpgroup, written for the vector unit: A [64, K] and B [K, N], or rows of B that A chooses.

They do what `kernels.dot_add` does. Outputs that need integer arithmetic are left alone and flagged; the caller has `kernels`
compute those. Accumulators are read and written where the warps keep them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.codegen.ir import I32, I64, PTR, Fn, T, Val
from ptxlab.sim.numerics.formats import SPECIAL_EXPONENT, ZERO_EXPONENT
from ptxlab.sim.numerics.fused import FusedSum
from ptxlab.sim.numerics.fused import addend as fused_addend

ROWS = 64
ROWS_PER_WARP = 16
WIDTHS = (32, 16, 8)
"""Columns computed side by side; N is a multiple of the last."""
NARROW = WIDTHS[-1]


def blocks(n: int) -> list[tuple[int, int]]:
    """First column and width of what is computed side by side of n columns. B lies block by block, each by rows."""
    out: list[tuple[int, int]] = []
    while (first := sum(width for _, width in out)) < n:
        out.append((first, next(width for width in WIDTHS if width <= n - first)))
    return out


def blocked(matrix: NDArray[Any]) -> NDArray[Any]:
    """A matrix [K, n] in the order of `multiply`, flat."""
    return np.concatenate([matrix[:, first : first + width].reshape(-1) for first, width in blocks(matrix.shape[1])])


def unblocked(flat: NDArray[Any], n: int) -> NDArray[Any]:
    """The matrix [K, n] again."""
    depth = flat.size // n
    parts = [flat[depth * first : depth * (first + width)].reshape(depth, width) for first, width in blocks(n)]
    return np.concatenate(parts, axis=1)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of product: what it adds up in, over how many terms at once: 16, or 32 with 13 fraction bits, fit an int32 sum.

    out: "f32", "f16", or "s32" and "ones" of integers: of words of 32 bits, one for each byte of the operands, products or the
    number of ones in both. fraction: bits of the alignment; keep: of an f32 result.
    sparse: every row of A says which rows of B it meets.
    """

    out: str
    k: int
    fraction: int = 25
    keep: int = 23
    sparse: bool = False

    @property
    def name(self) -> str:
        """Of its function."""
        return f"ptxlab_multiply_{self.out}_{self.k}_{self.fraction}{'_sparse' * self.sparse}"


SATURATE = 2
"""Beside 1 for accumulating: clamp integers instead of wrapping them."""


@lru_cache(maxsize=64)
def multiply(kind: Kind) -> Any:
    """The function of a kind of product, compiled or taken from the cache.

    It takes (values_a, exponents_a, values_b, exponents_b, frames, starts, n, options, flags, chosen, depth): values [64, K]
    and [depth, n], the latter `blocked`, f32, or s32 for integers, which have no exponents; exponents s16, those of A twice
    each. `frames` points to the four warps' frames; `starts` int64: where the registers of the accumulator lie in each;
    `options`: 1 to accumulate, and SATURATE; `flags` int8 [64, n] is written where one is set, and the addend stands where
    the result should. `chosen` int32 [64, K]: the rows of B that a sparse A meets; others need none. It returns the number of
    outputs flagged.
    """
    pointer = ctypes.c_void_p
    takes = (*[pointer] * 6, ctypes.c_int64, ctypes.c_int32, pointer, pointer, ctypes.c_int64)
    return ctypes.CFUNCTYPE(ctypes.c_int32, *takes)(address_of(kind.name, lambda: _multiply(kind)))


@lru_cache(maxsize=16)
def decode(form: str, *, twice: bool = False) -> Any:
    """The function that decodes a format: (memory, index, count, flip, values, exponents), as `kernels.load_bf16` does.

    `count` is a multiple of 8. Integers become words of 32 bits, and have no exponents. twice: write each exponent twice.
    """
    pointer = ctypes.c_void_p
    name = f"ptxlab_decode_{form}{'_twice' * twice}"
    return ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int64, ctypes.c_int32, pointer, pointer)(
        address_of(name, lambda: _bytes(form, name) if form in _BYTES else _decode(form, name, twice))
    )


@lru_cache(maxsize=4)
def choose(each: int) -> Any:
    """The function that reads which rows of B a sparse A meets, `each` elements of every group of twice as many columns.

    It takes (frames, metadata, lanes, shifts, groups, chosen): `metadata`: where the register lies in a frame, bytes; `lanes`
    and `shifts` int32 [16, groups], groups a multiple of 8: where the four bits of a group lie in it. Of two elements they are
    the places; of one, 0b0100 stands for the first and 0b1110 for the second. `chosen` int32 [64, groups · each]. It returns
    whether others were there.
    """
    pointer = ctypes.c_void_p
    return ctypes.CFUNCTYPE(ctypes.c_int32, pointer, ctypes.c_int64, pointer, pointer, ctypes.c_int64, pointer)(
        address_of(f"ptxlab_choose_{each}", lambda: _choose(each))
    )


def place_of(function: Any) -> int:
    """The address of one of the functions above."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def address_of(name: str, build: Callable[[], Fn]) -> int:
    """The address of a function, compiled or taken from the cache."""
    from ptxlab.sim.engine.compiled.compile import code

    def text() -> str:
        fn = build()
        return "\n".join([*sorted(fn.declared), fn.text()])

    return code().library(name, text, [name])[name]


# --- operands ---------------------------------------------------------------------------------------------------------
def _bf16(fn: Fn, raw: Val) -> Val:
    return raw << 16


def _tf32(fn: Fn, raw: Val) -> Val:
    return raw & fn.const(-(1 << 13), raw.t)


def _f16(fn: Fn, raw: Val) -> Val:
    """The bits of the same value as float32; a subnormal becomes normal, its exponent is taken from the pattern."""
    half = raw.to(T("u", 16, raw.t.lanes)).as_(T("f", 16, raw.t.lanes))
    return half.to(T("f", 32, raw.t.lanes)).as_(raw.t)


def _e5m2(fn: Fn, raw: Val) -> Val:
    return _f16(fn, raw << 8)


def _e4m3(fn: Fn, raw: Val) -> Val:
    """Shifted into an f16 it is 2^8 too small."""
    scaled = (_f16(fn, (raw & 0x7F) << 7).floating * 256.0).unsigned
    return fn.select((raw & 0x7F) == 0x7F, fn.const(0x7FC0_0000, raw.t), scaled) | ((raw & 0x80) << 24)


# widening; bits of a word; fraction bits; exponent bits
_DECODERS: dict[str, tuple[Callable[[Fn, Val], Val], int, int, int]] = {
    "bf16": (_bf16, 16, 7, 8),
    "f16": (_f16, 16, 10, 5),
    "tf32": (_tf32, 32, 23, 8),
    "e4m3": (_e4m3, 8, 3, 4),
    "e5m2": (_e5m2, 8, 2, 5),
}
_BYTES = {"s8": "s", "u8": "u", "b1": "u"}


def _taken(fn: Fn, memory: Val, index: Val, at: Val, bits: int) -> Val:
    """The words memory[index[at]] and those behind it, as a vector."""
    raw = fn.undef(T("u", bits, NARROW))
    for lane in range(NARROW):
        where = fn.load(index, T("s", 32, 0), (at + lane) * 4, 4).to(T("s", 64, 0)) * (bits // 8)
        raw = fn.insert(raw, fn.load(memory, T("u", bits, 0), where, bits // 8), lane)
    return raw


def _bytes(form: str, name: str) -> Fn:
    fn = Fn(name, "void", (PTR, PTR, I64, I32, PTR, PTR))
    memory, index, count, _, values, _ = fn.args
    with fn.count((count / NARROW).to(I32)) as step:
        at = step.to(I64) * NARROW
        raw = _taken(fn, memory, index, at, 8)
        fn.store(raw.as_(T(_BYTES[form], 8, NARROW)).to(T("s", 32)), values, at * 4, 4)
    fn.ret_void()
    return fn


def _decode(form: str, name: str, twice: bool) -> Fn:
    widen, bits, fraction, exponent = _DECODERS[form]
    fn = Fn(name, "void", (PTR, PTR, I64, I32, PTR, PTR))
    memory, index, count, flip, values, exponents = fn.args
    word = T("u", 32, NARROW)
    with fn.count((count / NARROW).to(I32)) as step:
        at = step.to(I64) * NARROW
        pattern = _taken(fn, memory, index, at, bits).to(word)
        fn.store(widen(fn, pattern) ^ flip, values, at * 4, 4)
        top = (1 << exponent) - 1
        field = (pattern >> fraction) & top
        magnitude = pattern & ((1 << fraction + exponent) - 1)
        special = magnitude == 0x7F if form == "e4m3" else field == top
        e = fn.max(field.signed, 1) - (top // 2)
        e = fn.select(special, fn.const(SPECIAL_EXPONENT, e.t), e)
        if form == "tf32":
            magnitude = magnitude & fn.const(-(1 << 13), word)
        e = fn.select(magnitude == 0, fn.const(ZERO_EXPONENT, e.t), e)
        if twice:
            fn.store((e & 0xFFFF) | (e << 16), exponents, at * 4, 4)
        else:
            fn.store(e.to(T("s", 16, NARROW)), exponents, at * 2, 2)
    fn.ret_void()
    return fn


def _choose(each: int) -> Fn:
    fn = Fn(f"ptxlab_choose_{each}", "i32", (PTR, I64, PTR, PTR, I64, PTR))
    frames, metadata, lanes, shifts, groups, chosen = fn.args
    word, wrong = T("u", 32, NARROW), fn.variable(fn.const(0, I32))
    with fn.count(ROWS) as number:
        row = number.to(I64)
        words = fn.at(fn.load(frames, PTR, row / ROWS_PER_WARP * 8, 8), metadata)
        with fn.count((groups / NARROW).to(I32)) as count:
            group = count.to(I64) * NARROW
            at = (row % ROWS_PER_WARP * groups + group) * 4
            held = fn.undef(word)
            for i in range(NARROW):
                held = fn.insert(held, fn.load(words, I32, fn.load(lanes, I32, at + 4 * i, 4).to(I64) * 4, 4), i)
            four = held >> fn.load(shifts, word, at, 4) & 15
            base = fn.iota(word, 2 * each) + count * (2 * each * NARROW)
            if each == 2:
                picks = [i + NARROW * second for i in range(NARROW) for second in range(2)]
                rows = fn.shuffle(base + (four & 3), base + (four >> 2), picks)
            else:
                rows = base + (four >> 3)
                wrong.set(wrong.get() | fn.mask((four != 0b0100) & (four != 0b1110)).to(I32))
            fn.store(rows, chosen, (row * groups + group) * (4 * each), 4)
    fn.ret(wrong.get())
    return fn


# --- the product ------------------------------------------------------------------------------------------------------
def _multiply(kind: Kind) -> Fn:
    fn = Fn(kind.name, "i32", (*[PTR] * 6, I64, I32, PTR, PTR, I64))
    tile = _sums if kind.out in ("s32", "ones") else _tile
    n, flagged = fn.args[6], fn.variable(fn.const(0, I32))
    with fn.count((n / WIDTHS[0]).to(I32)) as block:
        _column(fn, kind, WIDTHS[0], block.to(I64) * WIDTHS[0], tile, flagged)
    for width in WIDTHS[1:]:
        with fn.if_((n & width) != 0):
            _column(fn, kind, width, n & ~(2 * width - 1), tile, flagged)
    fn.ret(flagged.get())
    return fn


def _column(fn: Fn, kind: Kind, lanes: int, column: Val, tile: Callable[..., None], flagged: Any) -> None:
    """All rows of a block of columns: B's part of it stays at hand."""
    with fn.count(ROWS) as number:
        tile(fn, kind, lanes, number.to(I64), column, flagged)


def _tile(fn: Fn, kind: Kind, lanes: int, row: Val, column: Val, flagged: Any) -> None:
    """`lanes` outputs of a row, of floats."""
    values_a, exponents_a, values_b, exponents_b, *_ = fn.args
    s16, f32 = T("s", 16, lanes), T("f", 32, lanes)
    out = _Place(fn, kind, lanes, row, column)
    addend = fn.variable(fn.null(out.t))
    with fn.if_((fn.args[7] & 1) != 0):
        addend.set(out.get())
    largest = fn.const(-30000, s16)
    places = _met(fn, kind, lanes, row, column)
    for k, place in enumerate(places):
        pair = fn.load(exponents_a, I32, (row * kind.k + k) * 4, 4)
        a = fn.regroup(fn.splat(pair, lanes // 2), s16)
        largest = fn.max(largest, fn.load(exponents_b, s16, place * 2, 2) + a)
    total = FusedSum(fn, *fused_addend(fn, addend.get(), kind.out), largest, kind.fraction)
    for k, place in enumerate(places):
        a = fn.load(values_a, T("f", 32, 0), (row * kind.k + k) * 4, 4)
        total.add(fn.load(values_b, f32, place * 4, 4) * fn.splat(a, lanes))
    result = total.half() if kind.out == "f16" else total.single(kind.keep).unsigned
    # where the result needs integer arithmetic the addend stays
    out.put(fn.select(total.unsafe, addend.get(), result))
    _flag(fn, total.unsafe, row * fn.args[6] + column, flagged)


def _met(fn: Fn, kind: Kind, lanes: int, row: Val, column: Val) -> list[Val]:
    """Where the elements of B begin that each element of a row of A meets, in elements."""
    chosen, depth = fn.args[9:11]
    begin = depth * column
    if not kind.sparse:
        return [begin + k * lanes for k in range(kind.k)]
    rows = [fn.load(chosen, T("s", 32, 0), (row * kind.k + k) * 4, 4) for k in range(kind.k)]
    return [begin + r.to(T("s", 64, 0)).unsigned * lanes for r in rows]


def _sums(fn: Fn, kind: Kind, lanes: int, row: Val, column: Val, flagged: Any) -> None:
    """`lanes` outputs of a row, of integers: exact; none is flagged."""
    del flagged
    values_a, values_b, options = fn.args[0], fn.args[2], fn.args[7]
    s32 = T("s", 32, lanes)
    out = _Place(fn, kind, lanes, row, column)
    total = fn.const(0, s32)
    for k, place in enumerate(_met(fn, kind, lanes, row, column)):
        a = fn.load(values_a, T("s", 32, 0), (row * kind.k + k) * 4, 4)
        b = fn.load(values_b, s32, place * 4, 4)
        total = total + (b * a if kind.out == "s32" else fn.intrinsic("ctpop", b & a))
    addend = fn.variable(fn.null(s32))
    with fn.if_((options & 1) != 0):
        addend.set(out.get().signed)
    held = addend.get()
    clamped = fn.intrinsic("sadd.sat", held, total)
    out.put(fn.select((options & SATURATE) != 0, clamped, held + total).unsigned)


def _flag(fn: Fn, unsafe: Val, at: Val, flagged: Any) -> None:
    mask = fn.mask(unsafe)
    with fn.if_(mask != 0):
        fn.store(unsafe.to(T("u", 8, unsafe.t.lanes)), fn.args[8], at, 1)
        flagged.set(flagged.get() + fn.intrinsic("ctpop", mask).to(I32))


class _Place:
    """Where outputs of a row lie: in four lanes of a register, or of two with the even and the odd columns of every eight.

    Row 16 w + 8 h + g is in lanes 4 g to 4 g + 3 of warp w. Columns 8 j to 8 j + 7 of 32 bits are in registers 4 j + 2 h and
    4 j + 2 h + 1, of f16 side by side in register 2 j + h.
    """

    def __init__(self, fn: Fn, kind: Kind, lanes: int, row: Val, column: Val) -> None:
        self.fn, self.packed = fn, kind.out == "f16"
        self.t = T("u", 16 if self.packed else 32, lanes)
        frames, starts = fn.args[4], fn.args[5]
        frame = fn.at(fn.load(frames, PTR, (row / ROWS_PER_WARP) * 8, 8), (row & 7) * 16)
        each = 1 if self.packed else 2
        first = column / (8 // (2 * each)) + ((row >> 3) & 1) * each
        numbers = [first + (2 * each * j + odd) for j in range(lanes // 8) for odd in range(each)]
        self.registers = [fn.at(frame, fn.load(starts, I64, number * 8, 8)) for number in numbers]

    def get(self) -> Val:
        """The outputs in the order of their columns."""
        fn = self.fn
        if self.packed:
            eights = [fn.load(r, T("u", 16, 8), 0, 4) for r in self.registers]
        else:
            parts = [fn.load(r, T("u", 32, 4), 0, 4) for r in self.registers]
            eights = [fn.shuffle(a, b, (0, 4, 1, 5, 2, 6, 3, 7)) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        while len(eights) > 1:
            lanes = eights[0].t.lanes
            eights = [fn.shuffle(a, b, range(2 * lanes)) for a, b in zip(eights[::2], eights[1::2], strict=True)]
        return eights[0]

    def put(self, out: Val) -> None:
        """Write outputs in the order of their columns."""
        for number, register in enumerate(self.registers):
            if self.packed:
                picks = range(8 * number, 8 * number + 8)
            else:
                first = number // 2 * 8 + number % 2
                picks = range(first, first + 8, 2)
            self.fn.store(self.fn.shuffle(out, None, picks), register, 0, 4)
