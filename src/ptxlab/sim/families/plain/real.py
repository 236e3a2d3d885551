"""Floating-point arithmetic: f32, f64, f16, bf16."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ptxlab.codegen.ir import Fn, T, Val
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.floats import F32, F64
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.numerics.approximate import double, fixed, single, unit

_PLAIN: dict[str, Callable[..., Val]] = {
    "fadd": Val.__add__,
    "fsub": Val.__sub__,
    "fmul": Val.__mul__,
    "fdiv": Val.__truediv__,
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


def enter16(e: Emitter, kind: str, *bits: Val) -> tuple[Val, ...]:
    """Bits of f16 or bf16, flushed where the instruction says .ftz."""
    return tuple(fp.flush(e.fn, b, kind) for b in bits) if e.has("ftz") else bits


def leave(e: Emitter, v: Val) -> Val:
    """A result of f32: flushed, saturated, NaN made canonical."""
    if e.has("ftz"):
        v = fp.flush(e.fn, v)
    if e.has("sat"):
        return fp.saturate(e.fn, v)
    return fp.canonical(e.fn, v)


def _single(e: Emitter, name: str, *args: Val) -> Val:
    """An operation on f32, from its operands' flush to its result's."""
    args = enter(e, *args)
    out = _compute(e, name, *args)
    if e.has("ftz") and name in ("fmul", "fma"):
        x, y, *z = (a.to(F64) for a in args)
        exact = fp.odd_sum(e.fn, x * y, z[0]) if z else x * y
        out = fp.flush_tiny(e.fn, out, exact, mode=e.mod("rnd") or "rn")
    return leave(e, out)


# Whose NaN a result of f64 takes over: the adder and the multiplier look at `b` first, division (software) at `a`.
_NAN_ORDER = {"fadd": (1, 0), "fsub": (1, 0), "fmul": (1, 0), "fma": (1, 2, 0), "fdiv": (0, 1), "sqrt": (0,)}


def _double(e: Emitter, name: str, *args: Val) -> Val:
    return fp.canonical64(e.fn, _compute(e, name, *args), *(args[i] for i in _NAN_ORDER[name]))


def _pair32(e: Emitter, name: str, *args: Val) -> Val:
    parts = [e.regroup(a, F32) for a in args]
    return e.regroup(_single(e, name, *parts), args[0].t)


def _named(function: Callable[..., Val], name: str) -> Callable[..., Val]:
    """A function of an operation's name, for that operation."""

    def run(e: Emitter, *args: Val) -> Val:
        return function(e, name, *args)

    return run


for _name, _op in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("fma", "fma"), ("mad", "fma")):
    meaning(f"{_name}.f32")(_named(_single, _op))
    meaning(f"{_name}.f64")(_named(_double, _op))
    if _name != "mad":
        meaning(f"{_name}.f32x2")(_named(_pair32, _op))
meaning("div.f64")(_named(_double, "fdiv"))
meaning("sqrt.f64")(_named(_double, "sqrt"))


@meaning("rcp.f64")
def rcp_f64(e: Emitter, a: Val) -> Val:
    return fp.canonical64(e.fn, _compute(e, "fdiv", e.const(1, a.t), a), a)


# --- 16 bits --------------------------------------------------------------------------------------------------------------
def halves(e: Emitter, fn: Callable[..., Val], *args: Val) -> Val:
    """Apply a function on a kind and bits of f16 or bf16 to scalars or to both halves of pairs."""
    kind = e.mods["type"].removesuffix("x2")
    bits = [e.regroup(a, T("u", 16)) for a in args]
    return e.regroup(fn(kind, *bits), args[0].t.unsigned_type())


def _leave16(e: Emitter, kind: str, bits: Val) -> Val:
    """A result of 16 bits: flushed, saturated, cut off at zero."""
    fn = e.fn
    if e.has("ftz"):
        bits = fp.flush(fn, bits, kind)
    if e.has("sat") or e.mod("bound") == "sat":
        return fp.narrow(fn, fp.saturate(fn, fp.widen(bits, kind)), kind)
    if e.has("relu") or e.mod("bound") == "relu":
        return fp.narrow(fn, fp.relu(fn, fp.widen(bits, kind)), kind)
    return bits


def _narrow16(e: Emitter, kind: str, wide: Val) -> Val:
    """The bits of an f32 that is exact, or rounded to odd."""
    bits = fp.narrow(e.fn, wide, kind)
    return fp.flush_tiny(e.fn, bits, wide, kind) if e.has("ftz") else bits


def _half(name: str) -> Callable[..., Val]:
    """add, sub, mul: f32 holds enough bits that rounding twice is rounding once."""

    def run(e: Emitter, *args: Val) -> Val:
        def one(kind: str, *bits: Val) -> Val:
            wide = _PLAIN[name](*(fp.widen(b, kind) for b in enter16(e, kind, *bits)))
            return _leave16(e, kind, _narrow16(e, kind, wide))

        return halves(e, one, *args)

    return run


for _name, _op in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul")):
    meaning(f"{_name}.f16", f"{_name}.bf16")(_half(_op))


@meaning("fma.f16", "fma.bf16")
def fma_half(e: Emitter, *args: Val) -> Val:
    def one(kind: str, *bits: Val) -> Val:
        a, b, c = enter16(e, kind, *bits)
        return _leave16(e, kind, _narrow16(e, kind, fp.fma_odd32(e.fn, a, b, c, kind)))

    return halves(e, one, *args)


OOB_NAN = 0x7FF7
"""What tensor maps that fill with NaN write into 16-bit elements out of bounds."""


@meaning("fma.oob")
def fma_oob(e: Emitter, *args: Val) -> Val:
    """+0, whatever `c` is, where `a` or `b` is the out-of-bounds NaN of either sign."""

    def one(kind: str, a: Val, b: Val, c: Val) -> Val:
        out = _leave16(e, kind, fp.fma16(e.fn, a, b, c, kind))
        outside = (fp.magnitude(a) == OOB_NAN) | (fp.magnitude(b) == OOB_NAN)
        return e.select(outside, e.const(0, out.t), out)

    return halves(e, one, *args)


# --- signs and extremes ---------------------------------------------------------------------------------------------------
def _sign_changed(e: Emitter, a: Val, out: Val) -> Val:
    """abs and neg are arithmetic: NaN keeps its sign as f64, and is the canonical one as f32."""
    return fp.canonical(e.fn, out) if a.t.bits == 32 else fp.canonical64(e.fn, out, a)


@meaning("abs.f32", "abs.f64")
def abs_(e: Emitter, a: Val) -> Val:
    (a,) = enter(e, a)
    return _sign_changed(e, a, fp.magnitude(a).as_(a.t))


@meaning("neg.f32", "neg.f64")
def neg(e: Emitter, a: Val) -> Val:
    (a,) = enter(e, a)
    return _sign_changed(e, a, -a)


def _sign_half(change: Callable[[Val], Val]) -> Callable[[Emitter, Val], Val]:
    """A 16-bit float with another sign."""

    def run(e: Emitter, a: Val) -> Val:
        def one(kind: str, bits: Val) -> Val:
            return fp.canonical16(e.fn, change(enter16(e, kind, bits)[0]), kind)

        return halves(e, one, a)

    return run


meaning("abs.f16", "abs.bf16")(_sign_half(lambda bits: bits & 0x7FFF))
meaning("neg.f16", "neg.bf16")(_sign_half(lambda bits: bits ^ 0x8000))


@meaning("copysign.f32", "copysign.f64")
def copysign(e: Emitter, a: Val, b: Val) -> Val:
    return ((a.unsigned ^ fp.magnitude(a)) | fp.magnitude(b)).as_(a.t)


def _extreme(e: Emitter, largest: bool, *args: Val, xorsign: bool = False) -> Val:
    """min or max of two or three; magnitudes with .abs, and the product of the signs with .xorsign.abs."""
    out = args[0]
    absolute = xorsign or e.has("abs")
    parts = [fp.magnitude(a).as_(a.t) if absolute else a for a in args]
    out = parts[0]
    for part in parts[1:]:
        out = fp.minimum(e.fn, out, part, nan=e.has("NaN"), largest=largest)
    if xorsign:
        sign = (args[0].unsigned ^ args[1].unsigned) & ~e.const((1 << out.t.bits - 1) - 1, out.t.unsigned_type())
        out = (out.unsigned | sign).as_(out.t)
    return out


def _extreme32(largest: bool, *, xorsign: bool = False) -> Callable[..., Val]:
    def run(e: Emitter, *args: Val) -> Val:
        return fp.canonical(e.fn, _extreme(e, largest, *enter(e, *args), xorsign=xorsign))

    return run


def _extreme16(largest: bool, *, xorsign: bool = False) -> Callable[..., Val]:
    def run(e: Emitter, *args: Val) -> Val:
        def one(kind: str, *bits: Val) -> Val:
            wide = [fp.widen(b, kind) for b in enter16(e, kind, *bits)]
            return fp.narrow(e.fn, _extreme(e, largest, *wide, xorsign=xorsign), kind)

        return halves(e, one, *args)

    return run


for _name, _largest in (("min", False), ("max", True)):
    meaning(f"{_name}.f32", f"{_name}.f32.3")(_extreme32(_largest))
    meaning(f"{_name}.f32.xorsign")(_extreme32(_largest, xorsign=True))
    meaning(f"{_name}.f16", f"{_name}.bf16")(_extreme16(_largest))
    meaning(f"{_name}.f16.xorsign", f"{_name}.bf16.xorsign")(_extreme16(_largest, xorsign=True))


def _extreme64(e: Emitter, a: Val, b: Val, *, largest: bool) -> Val:
    return fp.canonical64(e.fn, _extreme(e, largest, a, b), b, a)


meaning("min.f64")(partial(_extreme64, largest=False))
meaning("max.f64")(partial(_extreme64, largest=True))


# --- division and functions -----------------------------------------------------------------------------------------------
@meaning("div.f32")
def div_f32(e: Emitter, a: Val, b: Val) -> Val:
    mode = e.mod("rnd")
    if mode == "approx":
        return single.div_approx(e.fn, a, b, ftz=e.has("ftz"))
    if mode == "full":
        return single.div_full(e.fn, a, b, ftz=e.has("ftz"))
    a, b = enter(e, a, b)
    out = _compute(e, "fdiv", a, b)
    if e.has("ftz") and mode in ("rm", "rp"):  # division to nearest flushes after rounding
        out = fp.flush_tiny(e.fn, out, e.rounded("fdiv", "rz", a.t, a, b).to(F64), mode="rm")
    return leave(e, out)


@meaning("rcp.f32")
def rcp_f32(e: Emitter, a: Val) -> Val:
    if e.mod("rnd") == "approx":
        return single.rcp(e.fn, a, ftz=e.has("ftz"))
    (a,) = enter(e, a)
    out = _compute(e, "fdiv", e.const(1, a.t), a)
    if e.has("ftz"):  # what lies below the least normal number is flushed even where it would round up to it
        small = fp.magnitude(a).as_(a.t) > 2.0**126
        out = e.select(small, (a.unsigned & 0x8000_0000).as_(a.t), out)
    return leave(e, out)


@meaning("sqrt.f32")
def sqrt_f32(e: Emitter, a: Val) -> Val:
    if e.mod("rnd") == "approx":
        return single.sqrt(e.fn, a, ftz=e.has("ftz"))
    (a,) = enter(e, a)
    # by bits of the operand: LLVM takes a NaN that is chosen by the sign, or by the root, for the root's own
    invalid = (a.unsigned > fp.INFINITY["f32"]) & (a.unsigned != 0x8000_0000)
    nan = e.const(fp.CANONICAL["f32"], a.t.unsigned_type()).as_(a.t)
    return e.select(invalid, nan, _compute(e, "sqrt", a))


def _single_function(function: Callable[..., Val]) -> Callable[[Emitter, Val], Val]:
    def run(e: Emitter, a: Val) -> Val:
        return function(e.fn, a, ftz=e.has("ftz"))

    return run


for _name in ("rsqrt", "sin", "cos", "lg2", "ex2", "tanh"):
    meaning(f"{_name}.f32")(_single_function(getattr(single, _name)))


def _cut(function: Callable[[Fn, Val], Val]) -> Callable[[Emitter, Val], Val]:
    """A function of the special function unit on f16 or bf16: the result of f32, cut off to fewer bits."""

    def run(e: Emitter, a: Val) -> Val:
        def one(kind: str, bits: Val) -> Val:
            wide = function(e.fn, fp.widen(bits, kind).unsigned).floating
            out = fp.narrow(e.fn, wide, kind, "rz")
            return e.select(wide >= (2.0**16 if kind == "f16" else float("inf")), fp.INFINITY[kind], out)

        return halves(e, one, a)

    return run


meaning("ex2.f16", "ex2.bf16")(_cut(unit.ex2))
meaning("tanh.f16", "tanh.bf16")(_cut(fixed.tanh))


def _upper_word(function: Callable[[Fn, Val], Val]) -> Callable[[Emitter, Val], Val]:
    """An approximation that reads and writes the upper word of an f64 only."""

    def run(e: Emitter, a: Val) -> Val:
        word = function(e.fn, (a.unsigned >> 32).to(T("u", 32)))
        return (word.to(T("u", 64)) << 32).as_(a.t)

    return run


meaning("rcp.approx.f64")(_upper_word(double.rcp))
meaning("rsqrt.approx.f64")(_upper_word(double.rsqrt))


@meaning("rsqrt.approx.f64.full")
def rsqrt_f64(e: Emitter, a: Val) -> Val:
    """The coarse approximation, refined by one step of the third order."""
    fn = e.fn
    tiny = fp.magnitude(a) < 0x0010 << 48
    near = e.select(tiny, a * 2.0**54, a)
    seed = _upper_word(double.rsqrt)(e, near)
    error = e.intrinsic("fma", near, -(seed * seed), e.const(1, a.t))
    factor = e.intrinsic("fma", error, e.const(0.375, a.t), e.const(0.5, a.t))
    out = e.intrinsic("fma", factor, error * seed, seed)
    out = e.select(tiny, out * 2.0**27, out)
    zero, infinite = fp.magnitude(a) == 0, a.unsigned == 0x7FF0 << 48
    out = e.select(zero, (a.unsigned | 0x7FF0 << 48).as_(a.t), e.select(infinite, e.const(0, a.t), out))
    # the square root of a negative number is NaN: its NaN, or the operand's
    return e.select((a < 0) | fp.is_nan(a), fp.canonical64(fn, e.intrinsic("sqrt", a), a), out)


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
        "normal": lambda: ((size < infinite) & (size >= least)) | (size == 0),  # zero counts as normal
        "subnormal": lambda: (size < least) & (size != 0),
    }
    return answers[e.mod("op") or ""]()
