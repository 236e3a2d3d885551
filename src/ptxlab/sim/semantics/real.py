"""Floating-point arithmetic: f32, f64, f16, bf16."""

from __future__ import annotations

from collections.abc import Callable

from ptxlab.sim import floats as fp
from ptxlab.sim.emit import Emitter
from ptxlab.sim.floats import F32, F64
from ptxlab.sim.ir import T, Val
from ptxlab.sim.registry import meaning

_PLAIN: dict[str, Callable[..., Val]] = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": lambda a, b: a / b,
}


def _compute(e: Emitter, name: str, *args: Val) -> Val:
    """An IEEE operation under the instruction's rounding."""
    mode = e.mod("rnd") or "rn"
    if mode in ("rz", "rm", "rp"):
        return e.rounded(name, mode, args[0].t, *args)
    return _PLAIN[name](*args) if name in _PLAIN else e.intrinsic(name, *args)


def enter(e: Emitter, *args: Val) -> tuple[Val, ...]:
    """Operands, flushed where the instruction says .ftz."""
    return tuple(fp.flush(e.fn, a) for a in args) if e.has("ftz") else args


def leave(e: Emitter, v: Val) -> Val:
    """A result of f32: flushed, saturated, NaN made canonical."""
    if e.has("ftz"):
        v = fp.flush(e.fn, v)
    if e.has("sat"):
        return fp.saturate(e.fn, v)
    return fp.canonical(e.fn, v)


def _f32(name: str) -> Callable[..., Val]:
    def run(e: Emitter, *args: Val) -> Val:
        return leave(e, _compute(e, name, *enter(e, *args)))

    return run


def _f64(name: str) -> Callable[..., Val]:
    def run(e: Emitter, *args: Val) -> Val:
        return fp.canonical64(e.fn, _compute(e, name, *args), *args)

    return run


def _pair32(name: str) -> Callable[..., Val]:
    def run(e: Emitter, *args: Val) -> Val:
        parts = [e.regroup(a, F32) for a in args]
        return e.regroup(leave(e, _compute(e, name, *enter(e, *parts))), args[0].t)

    return run


for _name, _op in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("fma", "fma"), ("mad", "fma")):
    meaning(f"{_name}.f32")(_f32(_op))
    meaning(f"{_name}.f64")(_f64(_op))
    if _name != "mad":
        meaning(f"{_name}.f32x2")(_pair32(_op))
meaning("div.f64")(_f64("fdiv"))
meaning("sqrt.f64")(_f64("sqrt"))


@meaning("rcp.f64")
def rcp_f64(e: Emitter, a: Val) -> Val:
    return fp.canonical64(e.fn, _compute(e, "fdiv", e.const(1, a.t), a), a)


# --- 16 bits --------------------------------------------------------------------------------------------------------------
def halves(e: Emitter, fn: Callable[..., Val], *args: Val) -> Val:
    """Apply a function on bits of f16 or bf16 to scalars or to both halves of pairs."""
    kind = (e.mod("type") or e.handler.key.split(".")[1]).removesuffix("x2")
    bits = [e.regroup(a, T("u", 16)) for a in args]
    return e.regroup(fn(kind, *bits), args[0].t.unsigned_type())


def _leave16(e: Emitter, kind: str, bits: Val) -> Val:
    """A result of 16 bits: flushed, saturated, cut off at zero."""
    fn = e.fn
    if e.has("ftz"):
        bits = fp.flush(fn, bits)
    if e.has("sat") or e.mod("bound") == "sat":
        return fp.narrow(fn, fp.saturate(fn, fp.widen(bits, kind)), kind)
    if e.has("relu") or e.mod("bound") == "relu":
        return fp.narrow(fn, fp.relu(fn, fp.widen(bits, kind)), kind)
    return bits


def _half(name: str) -> Callable[..., Val]:
    """add, sub, mul: f32 holds enough bits that rounding twice is rounding once."""

    def run(e: Emitter, *args: Val) -> Val:
        def one(kind: str, *bits: Val) -> Val:
            wide = [fp.widen(b, kind) for b in enter(e, *bits)]
            return _leave16(e, kind, fp.narrow(e.fn, _PLAIN[name](*wide), kind))

        return halves(e, one, *args)

    return run


for _name, _op in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul")):
    meaning(f"{_name}.f16", f"{_name}.bf16")(_half(_op))


@meaning("fma.f16", "fma.bf16")
def fma_half(e: Emitter, *args: Val) -> Val:
    def one(kind: str, *bits: Val) -> Val:
        a, b, c = enter(e, *bits)
        return _leave16(e, kind, fp.fma16(e.fn, a, b, c, kind))

    return halves(e, one, *args)


OOB_NAN = 0x7FF7
"""What tensor maps that fill with NaN write into 16-bit elements out of bounds."""


@meaning("fma.oob")
def fma_oob(e: Emitter, *args: Val) -> Val:
    def one(kind: str, a: Val, b: Val, c: Val) -> Val:
        out = _leave16(e, kind, fp.fma16(e.fn, a, b, c, kind))
        return e.select((a == OOB_NAN) | (b == OOB_NAN), e.const(0, out.t), out)

    return halves(e, one, *args)


# --- signs and extremes ---------------------------------------------------------------------------------------------------
@meaning("abs.f32", "abs.f64")
def abs_(e: Emitter, a: Val) -> Val:
    (a,) = enter(e, a)
    out = fp.magnitude(a).as_(a.t)
    return fp.canonical(e.fn, out) if a.t.bits == 32 else out


@meaning("neg.f32", "neg.f64")
def neg(e: Emitter, a: Val) -> Val:
    (a,) = enter(e, a)
    return fp.canonical(e.fn, -a) if a.t.bits == 32 else -a


@meaning("abs.f16", "abs.bf16")
def abs_half(e: Emitter, a: Val) -> Val:
    return halves(e, lambda _, b: enter(e, b)[0] & 0x7FFF, a)


@meaning("neg.f16", "neg.bf16")
def neg_half(e: Emitter, a: Val) -> Val:
    return halves(e, lambda _, b: enter(e, b)[0] ^ 0x8000, a)


@meaning("copysign.f32", "copysign.f64")
def copysign(e: Emitter, a: Val, b: Val) -> Val:
    return ((a.unsigned ^ fp.magnitude(a)) | fp.magnitude(b)).as_(a.t)


def _extreme(e: Emitter, largest: bool, *args: Val) -> Val:
    """min or max of two or three; magnitudes with .abs, and the product of the signs with .xorsign.abs."""
    out = args[0]
    xorsign = e.handler.key.endswith("xorsign") or e.has("xorsign.abs")
    absolute = xorsign or e.has("abs")
    parts = [fp.magnitude(a).as_(a.t) if absolute else a for a in args]
    out = parts[0]
    for part in parts[1:]:
        out = fp.minimum(e.fn, out, part, nan=e.has("NaN"), largest=largest)
    if xorsign:
        sign = (args[0].unsigned ^ args[1].unsigned) & ~e.const((1 << out.t.bits - 1) - 1, out.t.unsigned_type())
        out = (out.unsigned | sign).as_(out.t)
    return out


def _extreme32(largest: bool) -> Callable[..., Val]:
    def run(e: Emitter, *args: Val) -> Val:
        return fp.canonical(e.fn, _extreme(e, largest, *enter(e, *args)))

    return run


def _extreme16(largest: bool) -> Callable[..., Val]:
    def run(e: Emitter, *args: Val) -> Val:
        def one(kind: str, *bits: Val) -> Val:
            wide = [fp.widen(b, kind) for b in enter(e, *bits)]
            return fp.narrow(e.fn, _extreme(e, largest, *wide), kind)

        return halves(e, one, *args)

    return run


for _name, _largest in (("min", False), ("max", True)):
    meaning(f"{_name}.f32", f"{_name}.f32.3")(_extreme32(_largest))
    meaning(f"{_name}.f32.xorsign")(_extreme32(_largest))
    meaning(f"{_name}.f16", f"{_name}.bf16")(_extreme16(_largest))
    meaning(f"{_name}.f16.xorsign", f"{_name}.bf16.xorsign")(_extreme16(_largest))


@meaning("min.f64")
def min_f64(e: Emitter, a: Val, b: Val) -> Val:
    return fp.canonical64(e.fn, _extreme(e, False, a, b), a, b)


@meaning("max.f64")
def max_f64(e: Emitter, a: Val, b: Val) -> Val:
    return fp.canonical64(e.fn, _extreme(e, True, a, b), a, b)


# --- division and functions -----------------------------------------------------------------------------------------------
@meaning("div.f32")
def div_f32(e: Emitter, a: Val, b: Val) -> Val:
    """`full` and `approx` are exact here; `approx` also gives 0 (NaN for infinite `a`) for |b| above 2^126."""
    a, b = enter(e, a, b)
    out = _compute(e, "fdiv", a, b)
    if e.mod("rnd") == "approx":
        size = fp.magnitude(b)
        huge = (size > 0x7E80_0000) & (size < 0x7F80_0000)
        infinite = fp.magnitude(a) == 0x7F80_0000
        special = e.select(infinite, e.const(fp.CANONICAL["f32"], size.t), e.const(0, size.t)).floating
        out = e.select(huge & ~fp.is_nan(a), special, out)
    return leave(e, out)


@meaning("rcp.f32")
def rcp_f32(e: Emitter, a: Val) -> Val:
    (a,) = enter(e, a)
    return leave(e, _compute(e, "fdiv", e.const(1, a.t), a))


meaning("sqrt.f32")(_f32("sqrt"))


def _through64(fn: Callable[[Emitter, Val], Val]) -> Callable[[Emitter, Val], Val]:
    def run(e: Emitter, a: Val) -> Val:
        (a,) = enter(e, a)
        return leave(e, fn(e, a.to(F64)).to(F32))

    return run


def _rsqrt(e: Emitter, a: Val) -> Val:
    return e.const(1, a.t) / e.intrinsic("sqrt", a)


def _nan_for_infinite(e: Emitter, a: Val, v: Val) -> Val:
    finite = fp.magnitude(a) < 0x7FF0 << 48
    return e.select(finite, v, e.const(fp.QUIET64, v.t.unsigned_type()).as_(v.t))


def _log2(e: Emitter, a: Val) -> Val:
    normal = (a > 0) & (a < float("inf"))
    out = fp.log2(e.fn, e.select(normal, a, e.const(1, a.t)))
    # 0 → −inf, negative → NaN, +inf and NaN stay
    out = e.select(normal, out, e.select(a == 0, e.const(float("-inf"), a.t), a))
    return e.select(a < 0, e.const(fp.QUIET64, a.t.unsigned_type()).as_(a.t), out)


def _exp2(e: Emitter, a: Val) -> Val:
    return e.select(fp.is_nan(a), a, fp.exp2(e.fn, a))


def _tanh(e: Emitter, a: Val) -> Val:
    """1 − 2/(1 + e^2x), and x − x³/3 where that loses digits."""
    grown = fp.exp2(e.fn, a * (2 / 0.6931471805599453))
    out = e.const(1, a.t) - e.const(2, a.t) / (grown + 1)
    small = fp.magnitude(a).as_(a.t) < 0.01
    out = e.select(small, a * (e.const(1, a.t) - a * a * (1 / 3)), out)
    return e.select(fp.is_nan(a), a, out)


meaning("rsqrt.f32")(_through64(_rsqrt))
meaning("sin.f32")(_through64(lambda e, a: _nan_for_infinite(e, a, fp.sine(e.fn, a, cosine=False))))
meaning("cos.f32")(_through64(lambda e, a: _nan_for_infinite(e, a, fp.sine(e.fn, a, cosine=True))))
meaning("lg2.f32")(_through64(_log2))
meaning("ex2.f32")(_through64(_exp2))
meaning("tanh.f32")(_through64(_tanh))


def _half_function(fn: Callable[[Emitter, Val], Val]) -> Callable[[Emitter, Val], Val]:
    def run(e: Emitter, a: Val) -> Val:
        def one(kind: str, bits: Val) -> Val:
            (bits,) = enter(e, bits)
            out = fp.narrow(e.fn, fp.odd32(e.fn, fn(e, fp.widen(bits, kind).to(F64))), kind)
            return fp.flush(e.fn, out) if e.has("ftz") else out

        return halves(e, one, a)

    return run


meaning("tanh.f16", "tanh.bf16")(_half_function(_tanh))
meaning("ex2.f16", "ex2.bf16")(_half_function(_exp2))


def _coarse64(fn: Callable[[Emitter, Val], Val]) -> Callable[[Emitter, Val], Val]:
    """Approximations that read and write the upper word of an f64 only."""

    def run(e: Emitter, a: Val) -> Val:
        top = 0xFFFF_FFFF << 32
        seen = fp.flush(e.fn, (a.unsigned & top).as_(a.t))
        out = fp.flush(e.fn, fp.canonical64(e.fn, fn(e, seen), seen))
        return (out.unsigned & top).as_(a.t)

    return run


meaning("rcp.approx.f64")(_coarse64(lambda e, a: e.const(1, a.t) / a))
meaning("rsqrt.approx.f64")(_coarse64(_rsqrt))


# --- kinds ----------------------------------------------------------------------------------------------------------------
@meaning("testp.f32", "testp.f64")
def testp(e: Emitter, a: Val) -> Val:
    size = fp.magnitude(a)
    infinite = 0x7F80_0000 if a.t.bits == 32 else 0x7FF0 << 48
    least = 0x0080_0000 if a.t.bits == 32 else 0x0010 << 48
    answers: dict[str, Callable[[], Val]] = {
        "finite": lambda: size < infinite,
        "infinite": lambda: size == infinite,
        "number": lambda: size <= infinite,
        "notanumber": lambda: size > infinite,
        "normal": lambda: (size < infinite) & (size >= least),
        "subnormal": lambda: (size < least) & (size != 0),
    }
    return answers[e.mod("op") or ""]()
