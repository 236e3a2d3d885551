"""The common tensor-core product, written for the vector unit: 16-bit and tf32 operands, 16 products a step, f32 results.

It does what `kernels.dot_add` does and is what runs often. Outputs that need integer arithmetic are left alone and flagged; the
caller has `kernels` compute those. Accumulators are read and written where the warps keep them.
"""

from __future__ import annotations

import ctypes
import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ptxlab.sim.ir import I32, I64, PTR, Fn, T, Val
from ptxlab.sim.numerics.formats import SPECIAL_EXPONENT, STEP, ZERO_EXPONENT
from ptxlab.sim.numerics.fused import FusedSum
from ptxlab.sim.numerics.fused import addend as fused_addend

ROWS = 64
ROWS_PER_WARP = 16
WIDE, NARROW = 16, 8
"""Columns computed side by side; N is a multiple of NARROW."""


@dataclass(frozen=True, slots=True)
class Native:
    """The compiled functions.

    decode: by format; (memory, index, count, flip, values, exponents): see `kernels.load_bf16`; count is a multiple of 8.
    multiply: (values_a, exponents_a, values_b, exponents_b, frames, starts, n, accumulate, flags) → flagged outputs.
        `frames` points to the four warps' frames; `starts` int64 [n / 2]: where the registers of the accumulator lie in each;
        `flags` int8 [64, n] is written where one is set, and the addend stands where the result should.
    """

    decode: dict[str, Any]
    multiply: Any


@lru_cache(maxsize=1)
def native() -> Native:
    """The functions, compiled or taken from the cache."""
    from ptxlab.sim.compile import code

    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    names = [_decode_name(form) for form in _DECODERS] + ["ptxlab_multiply"]
    addresses = code().library(f"tensor-{digest}", _text, names)
    pointer = ctypes.c_void_p
    decode = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int64, ctypes.c_int32, pointer, pointer)
    multiply = ctypes.CFUNCTYPE(ctypes.c_int32, *[pointer] * 6, ctypes.c_int64, ctypes.c_int32, pointer)
    return Native(
        {form: decode(addresses[_decode_name(form)]) for form in _DECODERS},
        multiply(addresses["ptxlab_multiply"]),
    )


def _text() -> str:
    functions = [*(_decode(form) for form in _DECODERS), _multiply()]
    declared = sorted(set[str]().union(*(f.declared for f in functions)))
    return "\n".join([*declared, *(f.text() for f in functions)])


# --- operands ---------------------------------------------------------------------------------------------------------
def _decode_name(form: str) -> str:
    return f"ptxlab_decode_{form}"


def _bf16(fn: Fn, raw: Val) -> Val:
    return raw << 16


def _tf32(fn: Fn, raw: Val) -> Val:
    return raw & fn.const(-(1 << 13), raw.t)


def _f16(fn: Fn, raw: Val) -> Val:
    """The bits of the same value as float32; a subnormal becomes normal, its exponent is taken from the pattern."""
    half = raw.to(T("u", 16, raw.t.lanes)).as_(T("f", 16, raw.t.lanes))
    return half.to(T("f", 32, raw.t.lanes)).as_(raw.t)


# widening; bits of a word; fraction bits; exponent bits
_DECODERS: dict[str, tuple[Any, int, int, int]] = {
    "bf16": (_bf16, 16, 7, 8),
    "f16": (_f16, 16, 10, 5),
    "tf32": (_tf32, 32, 23, 8),
}


def _decode(form: str) -> Fn:
    widen, bits, fraction, exponent = _DECODERS[form]
    fn = Fn(_decode_name(form), "void", (PTR, PTR, I64, I32, PTR, PTR))
    memory, index, count, flip, values, exponents = fn.args
    word = T("u", 32, NARROW)
    with fn.count((count / NARROW).to(I32)) as step:
        at = step.to(I64) * NARROW
        raw = fn.undef(T("u", bits, NARROW))
        for lane in range(NARROW):
            where = fn.load(index, T("s", 32, 0), (at + lane) * 4, 4).to(T("s", 64, 0)) * (bits // 8)
            raw = fn.insert(raw, fn.load(memory, T("u", bits, 0), where, bits // 8), lane)
        pattern = raw.to(word)
        fn.store(widen(fn, pattern) ^ flip, values, at * 4, 4)
        top = (1 << exponent) - 1
        field = (pattern >> fraction) & top
        e = fn.max(field.signed, 1) - (top // 2)
        e = fn.select(field == top, fn.const(SPECIAL_EXPONENT, e.t), e)
        magnitude = pattern & ((1 << fraction + exponent) - 1)
        if form == "tf32":
            magnitude = magnitude & fn.const(-(1 << 13), word)
        e = fn.select(magnitude == 0, fn.const(ZERO_EXPONENT, e.t), e)
        fn.store(e.to(T("s", 16, NARROW)), exponents, at * 2, 2)
    fn.ret_void()
    return fn


# --- the product ------------------------------------------------------------------------------------------------------
def _multiply() -> Fn:
    fn = Fn("ptxlab_multiply", "i32", (*[PTR] * 6, I64, I32, PTR))
    n, flagged = fn.args[6], fn.variable(fn.const(0, I32))
    with fn.count(ROWS) as number:
        row = number.to(I64)
        with fn.count((n / WIDE).to(I32)) as block:
            _tile(fn, WIDE, row, block.to(I64) * WIDE, flagged)
        with fn.if_((n & NARROW) != 0):
            _tile(fn, NARROW, row, n - NARROW, flagged)
    fn.ret(flagged.get())
    return fn


def _tile(fn: Fn, lanes: int, row: Val, column: Val, flagged: Any) -> None:
    """`lanes` outputs of a row."""
    values_a, exponents_a, values_b, exponents_b, _, _, n, accumulate, _ = fn.args
    s16, s32, f32 = T("s", 16, lanes), T("s", 32, lanes), T("f", 32, lanes)
    registers = _registers(fn, lanes, row, column)
    addend = fn.variable(fn.null(s32))
    with fn.if_(accumulate != 0):
        addend.set(_columns(fn, registers))
    largest = fn.const(-30000, s16)
    for k in range(STEP):
        a = fn.load(exponents_a, T("s", 16, 0), row * (2 * STEP) + 2 * k, 2)
        b = fn.load(exponents_b, s16, (n * k + column) * 2, 2)
        largest = fn.max(largest, b + fn.splat(a, lanes))
    output = FusedSum(fn, *fused_addend(fn, addend.get(), "f32"), largest)
    for k in range(STEP):
        a = fn.load(values_a, T("f", 32, 0), row * (4 * STEP) + 4 * k, 4)
        b = fn.load(values_b, f32, (n * k + column) * 4, 4)
        output.add(b * fn.splat(a, lanes))
    # where the result needs integer arithmetic the addend stays
    _put_columns(fn, registers, fn.select(output.unsafe, addend.get(), output.single().as_(s32)))
    _flag(fn, output.unsafe, row * n + column, flagged)


def _flag(fn: Fn, unsafe: Val, at: Val, flagged: Any) -> None:
    mask = fn.mask(unsafe)
    with fn.if_(mask != 0):
        fn.store(unsafe.to(T("u", 8, unsafe.t.lanes)), fn.args[8], at, 1)
        flagged.set(flagged.get() + fn.intrinsic("ctpop", mask).to(I32))


def _registers(fn: Fn, lanes: int, row: Val, column: Val) -> list[Val]:
    """Where the outputs of a row lie: four lanes of two registers hold even and odd columns of every eight.

    Row 16 w + 8 h + g is in lanes 4 g to 4 g + 3 of warp w; columns 8 j to 8 j + 7 are in registers 4 j + 2 h and 4 j + 2 h + 1.
    """
    frames, starts = fn.args[4], fn.args[5]
    frame = fn.at(fn.load(frames, PTR, (row / ROWS_PER_WARP) * 8, 8), (row & 7) * 16)
    first = column / 2 + ((row >> 3) & 1) * 2
    out: list[Val] = []
    for j in range(lanes // 8):
        for odd in range(2):
            out.append(fn.at(frame, fn.load(starts, I64, (first + (4 * j + odd)) * 8, 8)))
    return out


def _columns(fn: Fn, registers: list[Val]) -> Val:
    """The outputs in the order of their columns."""
    parts = [fn.load(r, T("s", 32, 4), 0, 4) for r in registers]
    eights = [fn.shuffle(a, b, (0, 4, 1, 5, 2, 6, 3, 7)) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return eights[0] if len(eights) == 1 else fn.shuffle(eights[0], eights[1], range(16))


def _put_columns(fn: Fn, registers: list[Val], out: Val) -> None:
    for number, register in enumerate(registers):
        first = number // 2 * 8 + number % 2
        fn.store(fn.shuffle(out, None, range(first, first + 8, 2)), register, 0, 4)
