"""cvt in all its forms."""

from __future__ import annotations

from ptxlab.codegen.ir import T, Val, ty
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.floats import F32, F64
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.families.plain.real import enter

U16, U32 = T("u", 16), T("u", 32)
_HALVES = ("f16", "bf16")


def _limits(t: T) -> tuple[int, int]:
    if t.kind == "s":
        return -(1 << (t.bits - 1)), (1 << (t.bits - 1)) - 1
    return 0, (1 << t.bits) - 1


def clamp(e: Emitter, v: Val, to: T) -> Val:
    """An integer clamped to the range of another type, still of its own type."""
    low, high = _limits(v.t)
    least, most = _limits(to)
    if least > low:
        v = e.max(v, least)
    return e.min(v, most) if most < high else v


@meaning("cvt")
def cvt(e: Emitter, a: Val) -> Val:
    to = e.type("d")
    return (clamp(e, a, to) if e.has("sat") else a).to(to)


_TO_INTEGRAL = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


def _as_float(e: Emitter, a: Val, name: str) -> Val:
    """The source as f32 or f64, flushed where asked; numbers of f64 stay as they are."""
    if name == "f64":
        return a
    return enter(e, fp.widen(a, name) if name in _HALVES else a)[0]


@meaning("cvt.to_int")
def cvt_to_int(e: Emitter, a: Val) -> Val:
    name, to = e.mod("type") or "", e.type("d")
    whole = e.intrinsic(_TO_INTEGRAL[e.mod("rnd") or ""], _as_float(e, a, name))
    word = f"llvm.fpto{'s' if to.kind == 's' else 'u'}i.sat.{to.suffix}.{whole.t.suffix}"
    out = e.call(word, to, whole)
    if name == "f64" or to.bits == 64:  # there NaN gives the middle of the range, elsewhere zero
        out = e.select(fp.is_nan(whole), e.const(1 << (to.bits - 1), to), out)
    return out


def _round_to(e: Emitter, v: Val, name: str, mode: str) -> Val:
    """A float of f32 or f64 as the named type (16-bit ones as bits)."""
    if name == "f64":
        return v.to(F64)
    if name == "f32":
        if v.t.bits == 32:
            return v
        return v.to(F32) if mode == "rn" else e.rounded("fptrunc", mode, F32, v)
    return fp.narrow(e.fn, fp.odd32(e.fn, v) if v.t.bits == 64 else v, name, mode)


def _clamp01(e: Emitter, v: Val, name: str) -> Val:
    if not e.has("sat"):
        return v
    if name in _HALVES:
        return fp.narrow(e.fn, fp.saturate(e.fn, fp.widen(v, name)), name)
    return fp.saturate(e.fn, v)


@meaning("cvt.from_int")
def cvt_from_int(e: Emitter, a: Val) -> Val:
    name, mode = e.mod("dtype") or "", e.mod("rnd") or "rn"
    if name in ("f32", "f64"):
        to = ty(name)
        return _clamp01(e, a.to(to) if mode == "rn" else _from_int(e, a, to, mode), name)
    return _clamp01(e, fp.narrow(e.fn, _odd_from_int(e, a), name, mode), name)


def _from_int(e: Emitter, a: Val, to: T, mode: str) -> Val:
    """An integer as a float under a rounding mode."""
    out = e.rounded("sitofp" if a.t.kind == "s" else "uitofp", mode, to, a)
    if a.t.kind == "u" and mode == "rm":
        # processors without AVX-512 subtract equal numbers for 0, which gives -0 where results are rounded down
        return e.select(a == 0, e.fn.null(out.t), out)
    return out


def _odd_from_int(e: Emitter, a: Val) -> Val:
    """An integer as f32, rounded to odd: cut off towards zero, the last bit set where anything was lost."""
    if a.t.bits <= 32:
        return fp.odd32(e.fn, a.to(F64))
    cut, down, up = (_from_int(e, a, F32, mode) for mode in ("rz", "rm", "rp"))
    return e.select(down.compare("eq", up), cut.unsigned, cut.unsigned | 1).floating


@meaning("cvt.integral")
def cvt_integral(e: Emitter, a: Val) -> Val:
    name = e.mod("dtype") or ""
    whole = e.intrinsic(_TO_INTEGRAL[e.mod("rnd") or ""], _as_float(e, a, name))
    out = _clamp01(e, _round_to(e, whole, name, "rn"), name)
    if name == "f32":
        return fp.canonical(e.fn, out)
    return fp.canonical64(e.fn, out, whole) if name == "f64" else out


@meaning("cvt.float")
def cvt_float(e: Emitter, a: Val) -> Val:
    source, name, mode = e.mod("type") or "", e.mod("dtype") or "", e.mod("rnd") or "rn"
    if (source, name) in _MOVES and not (e.has("ftz") or e.has("sat")):
        return fp.widen(a, source) if source == "bf16" else a
    if source == "f64":
        return _clamp01(e, _from_f64(e, a, name, mode), name)
    # .ftz means nothing to a conversion to f16: a directed rounding of a subnormal f32 finds the least f16
    wide = fp.widen(a, source) if source in _HALVES else a
    if e.has("ftz") and name != "f16":  # the flush is an addition of f32, with its NaN
        wide = fp.canonical(e.fn, fp.flush(e.fn, wide))
    out = _clamp01(e, _round_to(e, wide, name, mode), name)
    if name == "f32":
        return fp.canonical(e.fn, out)
    return fp.canonical64(e.fn, out, wide.to(F64)) if name == "f64" else out


# Conversions that move bits: NaN stays what it is, and signalling.
_MOVES = frozenset((("f32", "f32"), ("f64", "f64"), ("bf16", "f32")))


def _from_f64(e: Emitter, v: Val, name: str, mode: str) -> Val:
    """f64 in a narrower type; NaN keeps its sign and the top of its payload."""
    out = _round_to(e, v, name, mode)
    if e.has("ftz"):
        zero = ((v.unsigned >> 32).to(U32) & 0x8000_0000).floating
        out = e.select(_below_normal(e, v, mode), zero, out)
    return e.select(fp.is_nan(v), fp.carried_nan(v, name).as_(out.t), out) if name != "f64" else out


def _below_normal(e: Emitter, v: Val, mode: str) -> Val:
    """Whether an f64 rounded to the 24 bits of f32 (exponents of any size) stays below 2^-126: that is what .ftz flushes."""
    size = fp.magnitude(v).floating
    least, step = 2.0**-126, 2.0**-150
    cut = size < least
    if mode == "rz":
        return cut
    if mode == "rn":
        return size < least - step / 2
    away = size <= least - step
    negative = v.signed < 0
    return e.select(negative, away, cut) if mode == "rm" else e.select(negative, cut, away)


# --- f32 to narrow formats ------------------------------------------------------------------------------------------------


def _narrowed(e: Emitter, v: Val, name: str) -> Val:
    """f32 to 16 bits under .rn or .rz, .relu and .satfinite."""
    if e.has("relu"):
        v = fp.relu(e.fn, v)
    bits = fp.narrow(e.fn, v, name, e.mod("rnd") or "rn")
    if e.has("satfinite"):
        bits = e.select((bits & 0x7FFF) == fp.INFINITY[name], bits - 1, bits)
    return bits


@meaning("cvt.narrow")
def cvt_narrow(e: Emitter, a: Val) -> Val:
    return _narrowed(e, a, e.mod("dtype") or "")


@meaning("cvt.pair")
def cvt_pair(e: Emitter, a: Val, b: Val) -> Val:
    name = (e.mod("dtype") or "").removesuffix("x2")
    high, low = (_narrowed(e, v, name).to(U32) for v in (a, b))
    return low | (high << 16)


_TF32 = 0xFFFF_E000
"""The bits that tf32 has of f32."""


@meaning("cvt.tf32.rna")
def cvt_tf32_rna(e: Emitter, a: Val) -> Val:
    """NaN is cut off like a number, to infinity if nothing is left; .satfinite takes one step from both."""
    bits = e.select(fp.is_nan(a), a.unsigned, a.unsigned + 0x1000) & _TF32
    if e.has("satfinite"):
        bits = e.select((bits & 0x7FFF_FFFF) >= fp.INFINITY["f32"], bits - 0x2000, bits)
    return bits


@meaning("cvt.tf32")
def cvt_tf32(e: Emitter, a: Val) -> Val:
    if e.has("relu"):
        a = fp.relu(e.fn, a)
    bits = a.unsigned
    out = bits + (((bits >> 13) & 1) + 0x0FFF) if e.mod("rnd") == "rn" else bits
    out = out & _TF32
    if e.has("satfinite"):
        infinite = (out & 0x7FFF_FFFF) == fp.INFINITY["f32"]
        out = e.select(infinite, (out & 0x8000_0000) | 0x7F7F_E000, out)
    return e.select(fp.is_nan(a), e.const(fp.CANONICAL["f32"] & _TF32, U32), out)


# --- 8-bit floats: (mantissa bits, exponent bias, largest finite code, NaN code) ----------------------------------------
_FP8 = {"e4m3x2": (3, 7, 0x7E, 0x7F), "e5m2x2": (2, 15, 0x7B, 0x7F)}


def _to_fp8(e: Emitter, v: Val, format_: str) -> Val:
    """f32 to the code of an 8-bit float in u16, nearest even, clamped to the largest finite number."""
    mantissa, bias, largest, nan = _FP8[format_]
    if e.has("relu"):
        v = fp.relu(e.fn, v)
    size = fp.magnitude(v)
    drop = 23 - mantissa
    rounded = size + (((size >> drop) & 1) + ((1 << (drop - 1)) - 1))
    normal = ((rounded >> drop).signed - ((127 - bias) << mantissa)).unsigned
    # below the least normal number the codes are equally spaced: an integer, rounded
    spacing = 2.0 ** (mantissa + bias - 1)
    least = e.const(2.0 ** (1 - bias), F32)
    small = size.floating < least
    clamped = e.select(small, size.floating, least)
    tiny = e.intrinsic("roundeven", clamped * spacing).to(U32)
    code = e.min(e.select(small, tiny, e.select(size > 0x7F00_0000, e.const(largest, U32), normal)), largest)
    code = e.select(fp.is_nan(v), e.const(nan, U32), code | ((v.unsigned >> 24) & 0x80))
    return code.to(U16)


@meaning("cvt.fp8")
def cvt_fp8(e: Emitter, a: Val, b: Val) -> Val:
    high, low = (_to_fp8(e, v, e.mod("dtype") or "") for v in (a, b))
    return low | (high << 8)


@meaning("cvt.fp8.f16x2")
def cvt_fp8_f16x2(e: Emitter, a: Val) -> Val:
    low, high = (_to_fp8(e, fp.widen((a >> up).to(U16), "f16"), e.mod("dtype") or "") for up in (0, 16))
    return low | (high << 8)


@meaning("cvt.from_fp8")
def cvt_from_fp8(e: Emitter, a: Val) -> Val:
    """e5m2 is the upper half of an f16; e4m3 shifted into an f16 is 2^8 too small, and the product normalises it."""
    parts: list[Val] = []
    for up in (0, 8):
        code = (a >> up) & 0xFF
        sign, size = (code & 0x80) << 8, code & 0x7F
        if e.mod("type") == "e5m2x2":
            bits = size << 8
            nan = bits > 0x7C00
        else:
            bits = fp.narrow(e.fn, fp.widen(size << 7, "f16") * 256.0, "f16")
            nan = size == 0x7F
        out = e.select(nan, e.const(0x7FFF, U16), bits | sign)
        if e.has("relu"):
            out = e.select(~nan & (sign != 0), e.const(0, U16), out)
        parts.append(out.to(U32))
    return parts[0] | (parts[1] << 16)


# --- packed integers ------------------------------------------------------------------------------------------------------
def _packed(e: Emitter, v: Val, kind: str, bits: int) -> Val:
    return clamp(e, v, T(kind, bits)).unsigned & ((1 << bits) - 1)


@meaning("cvt.pack.16")
def cvt_pack_16(e: Emitter, a: Val, b: Val) -> Val:
    kind = (e.mod("dtype") or "")[0]
    return (_packed(e, a, kind, 16) << 16) | _packed(e, b, kind, 16)


@meaning("cvt.pack.8")
def cvt_pack_8(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    name = e.mod("dtype") or ""
    bits = int(name[1:])
    pair = (_packed(e, a, name[0], bits) << bits) | _packed(e, b, name[0], bits)
    return pair | (c << 2 * bits)
