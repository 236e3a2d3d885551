"""Floating point as the chip does it: flushes, canonical NaNs, roundings, 16-bit formats. All exact, any number of lanes.

Numbers narrower than f32 are handled as bits; `widen` and `narrow` go between them and f32 by integer arithmetic, so that
no CPU's conversions and no library are needed. Rounding to a narrow format
starts from an f32 rounded to odd: it keeps enough bits and a sticky one, so that the second rounding is the only one.
"""

from __future__ import annotations

from ptxlab.codegen.ir import Fn, T, Val

F32, F64 = T("f", 32), T("f", 64)
CANONICAL = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFF_FFFF}
"""The NaN that arithmetic gives."""
QUIET64 = 0xFFF8 << 48
INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F80_0000}
_LEAST_NORMAL = {"f16": 0x0400, "bf16": 0x0080, "f32": 0x0080_0000, "f64": 0x0010 << 48}
_LEAST = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126}
_SIGN = {16: 0x8000, 32: 0x8000_0000, 64: 1 << 63}


def magnitude(v: Val) -> Val:
    """The bits without the sign."""
    return v.unsigned & (_SIGN[v.t.bits] - 1)


def is_nan(v: Val) -> Val:
    """Whether a float is NaN."""
    return v.compare("ne", v, unordered=True)


def flush(fn: Fn, v: Val, kind: str | None = None) -> Val:
    """Subnormal numbers become zeros of their sign. `kind` names the format of 16-bit patterns."""
    bits = v.unsigned
    tiny = magnitude(v) < _LEAST_NORMAL[kind or f"f{v.t.bits}"]
    return fn.select(tiny, bits & _SIGN[v.t.bits], bits).as_(v.t)


def flush_tiny(fn: Fn, v: Val, exact: Val, kind: str | None = None, mode: str = "rn") -> Val:
    """Zero of its sign where the result is tiny as the chip sees it under .ftz: after rounding without a least exponent.

    `exact` is the result before rounding, or rounded to odd: it tells what came to the least normal number from below.
    """
    name = kind or f"f{v.t.bits}"
    digits = _SHAPE[name][1] + 1
    least = _LEAST[name]
    size = magnitude(exact).as_(exact.t)
    if mode == "rn":
        tiny = size.compare("lt", least * (1 - 2.0 ** -(digits + 1)))
    else:  # away from zero: the other way the rounded result is subnormal itself
        tiny = size.compare("le", least * (1 - 2.0**-digits))
    bits = v.unsigned
    return fn.select(tiny, bits & _SIGN[v.t.bits], bits).as_(v.t)


def canonical(fn: Fn, v: Val) -> Val:
    """NaNs of f32 become the canonical one."""
    return fn.select(is_nan(v), fn.const(CANONICAL["f32"], v.t.unsigned_type()).as_(v.t), v)


def canonical16(fn: Fn, bits: Val, kind: str) -> Val:
    """NaNs among bits of f16 or bf16 become the canonical one."""
    return fn.select((bits & 0x7FFF) > INFINITY[kind], fn.const(CANONICAL[kind], bits.t), bits)


def canonical64(fn: Fn, v: Val, *sources: Val) -> Val:
    """f64: the first NaN among the sources, made quiet and with its sign, else the default NaN.

    Sources come in the order in which the chip takes their NaN: `b` before `a`, and of fma `b`, `c`, `a`.
    """
    u = T("u", 64, v.t.lanes)
    nan = fn.const(QUIET64, u)
    for s in reversed(sources):
        nan = fn.select(is_nan(s), s.unsigned | (1 << 51), nan)
    return fn.select(is_nan(v), nan.as_(v.t), v)


def saturate(fn: Fn, v: Val) -> Val:
    """Clamped to [0, 1]; NaN and negative numbers give +0."""
    zero, one = fn.const(0, v.t), fn.const(1, v.t)
    low = fn.select(v > 0, v, zero)
    return fn.select(low > 1, one, low)


def relu(fn: Fn, v: Val) -> Val:
    """Negative numbers and −0 become +0; NaN stays."""
    return fn.select(v > 0, v, fn.select(is_nan(v), v, fn.const(0, v.t)))


def minimum(fn: Fn, a: Val, b: Val, *, nan: bool = False, largest: bool = False) -> Val:
    """The lesser (or larger) number, −0 below +0; one NaN loses, or wins with `nan`; two give a NaN of `a`."""
    first = a.compare("gt" if largest else "lt", b)
    second = b.compare("gt" if largest else "lt", a)
    equal = ((a.unsigned & b.unsigned) if largest else (a.unsigned | b.unsigned)).as_(a.t)
    out = fn.select(first, a, fn.select(second, b, equal))
    if nan:
        return fn.select(is_nan(b), b, fn.select(is_nan(a), a, out))
    return fn.select(is_nan(b), a, fn.select(is_nan(a), b, out))


# --- rounding to odd ------------------------------------------------------------------------------------------------------
def odd32(fn: Fn, v: Val) -> Val:
    """f64 to f32, rounded to odd: cut off, and the last bit set where anything was lost."""
    near = v.to(F32)
    back = near.to(F64)
    bits = near.unsigned
    over = magnitude(back).compare("gt", magnitude(v))
    cut = fn.select(over, bits - 1, bits)
    exact = back.compare("eq", v) | is_nan(v)
    return fn.select(exact, bits, cut | 1).floating


def odd_sum(fn: Fn, a: Val, b: Val) -> Val:
    """a + b of f64, rounded to odd by the exact error of the sum."""
    total = a + b
    b_part = total - a
    error = (a - (total - b_part)) + (b - b_part)
    bits = total.unsigned
    # towards zero where the error opposes the sum; then sticky
    opposes = (error.unsigned ^ bits).signed < 0
    lost = error.compare("ne", 0) & ~is_nan(error)
    cut = fn.select(lost & opposes, bits - 1, bits)
    return fn.select(lost, cut | 1, bits).floating


_SHAPE = {"f16": (16, 10), "bf16": (16, 7), "f32": (32, 23)}  # bits, fraction bits


def carried_nan(v: Val, name: str) -> Val:
    """The bits of a NaN of f64 in a narrower format: sign, quiet, the top of its payload."""
    bits, fraction = _SHAPE[name]
    payload = (v.unsigned >> 52 - fraction) & ((1 << fraction) - 1)
    sign = (v.unsigned >> 63) << bits - 1
    return (payload | sign | INFINITY[name] | 1 << fraction - 1).to(T("u", bits))


# --- 16-bit formats -------------------------------------------------------------------------------------------------------
def widen(v: Val, name: str) -> Val:
    """f16 or bf16 as f32, exactly."""
    fn = v.fn
    bits = v.unsigned.to(T("u", 32, v.t.lanes))
    if name == "bf16":
        return (bits << 16).floating
    # with the exponent of f16 taken for one of f32 the number is 2^112 too small, subnormal ones too
    size = (bits & 0x7FFF) << 13
    scaled = (size.floating * 2.0**112).unsigned
    special = size | 0x7F80_0000
    return (fn.select(size >= 0x0F80_0000, special, scaled) | ((bits & 0x8000) << 16)).floating


def _nearest16(fn: Fn, v: Val) -> Val:
    """f32 to the nearest f16, ties to even; NaN gives anything."""
    bits = v.unsigned
    size = bits & 0x7FFF_FFFF
    # adding 0.5 leaves the multiples of 2^-24 in the lowest bits, rounded
    small = (size.floating + 0.5).unsigned - 0x3F00_0000
    normal = (size + (((size >> 13) & 1) + 0x0FFF) - (112 << 23)) >> 13
    out = fn.select(size < 0x3880_0000, small, fn.select(size >= 0x4780_0000, fn.const(0x7C00, size.t), normal))
    return (out | ((bits >> 16) & 0x8000)).to(T("u", 16))


def narrow(fn: Fn, v: Val, name: str, mode: str = "rn") -> Val:
    """f32 to the bits of f16 or bf16 under a rounding mode; NaN becomes canonical."""
    if name == "f16":
        near = _nearest16(fn, v)
    else:
        bits = v.unsigned
        near = ((bits + (((bits >> 16) & 1) + 0x7FFF)) >> 16).to(T("u", 16))
    out = near if mode == "rn" else _directed(fn, v, near, name, mode)
    return fn.select(is_nan(v), fn.const(CANONICAL[name], out.t), out)


def _directed(fn: Fn, v: Val, near: Val, name: str, mode: str) -> Val:
    """The neighbour of the nearest number that a directed rounding wants."""
    back = widen(near, name)
    negative = near.signed < 0
    away = magnitude(back) > magnitude(v)  # rounding went away from zero
    toward = magnitude(back) < magnitude(v)
    if mode == "rz":
        return fn.select(away, near - 1, near)
    grow = toward & (negative if mode == "rm" else ~negative)
    shrink = away & (~negative if mode == "rm" else negative)
    return fn.select(grow, near + 1, fn.select(shrink, near - 1, near))


def fma_odd32(fn: Fn, a: Val, b: Val, c: Val, name: str) -> Val:
    """a · b + c of 16-bit numbers as f32, rounded to odd: narrowing that rounds once."""
    x, y, z = (widen(v, name).to(F64) for v in (a, b, c))
    return odd32(fn, odd_sum(fn, x * y, z))


def fma16(fn: Fn, a: Val, b: Val, c: Val, name: str) -> Val:
    """a · b + c of 16-bit numbers, rounded once; the result is bits."""
    return narrow(fn, fma_odd32(fn, a, b, c, name), name)
