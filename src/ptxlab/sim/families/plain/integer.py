"""Integer arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ptxlab.codegen.ir import T, Val, ty
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.memory import spill
from ptxlab.sim.engine.compiled.registry import meaning

S32 = T("s", 32)
U32 = T("u", 32)


def elementwise(e: Emitter, type_: str | None, fn: Callable[..., Val], *args: Val) -> Val:
    """Apply a function to values, or to the elements of packed pairs (`u16x2`, `f16x2`, …)."""
    if type_ is None or not type_.endswith("x2"):
        return fn(*args)
    element = ty(type_[:-2])
    whole = args[0].t
    return e.regroup(fn(*(e.regroup(a, element) for a in args)), whole)


_ELEMENTWISE: dict[str, Callable[[Emitter, Val, Val], Val]] = {
    "add": lambda e, a, b: a + b,
    "sub": lambda e, a, b: a - b,
    "min": lambda e, a, b: e.min(a, b),
    "max": lambda e, a, b: e.max(a, b),
    "min.relu": lambda e, a, b: e.max(e.min(a, b), 0),
    "max.relu": lambda e, a, b: e.max(e.max(a, b), 0),
}


def _on_elements(key: str, e: Emitter, a: Val, b: Val) -> Val:
    return elementwise(e, e.mod("type"), partial(_ELEMENTWISE[key], e), a, b)


for _key in _ELEMENTWISE:
    meaning(_key)(partial(_on_elements, _key))


@meaning("add.sat")
def add_sat(e: Emitter, a: Val, b: Val) -> Val:
    return e.intrinsic("sadd.sat", a, b)


@meaning("sub.sat")
def sub_sat(e: Emitter, a: Val, b: Val) -> Val:
    return e.intrinsic("ssub.sat", a, b)


@meaning("mul")
def product(e: Emitter, a: Val, b: Val) -> Val:
    """The half of the product that `.lo` or `.hi` names."""
    return a * b if e.mod("part") == "lo" else high_product(e, a, b)


def high_product(e: Emitter, a: Val, b: Val) -> Val:
    """The upper half of a product."""
    bits = a.t.bits
    if bits < 64:
        wide = T(a.t.kind, 2 * bits)
        return ((a.to(wide) * b.to(wide)) >> bits).to(a.t)
    high = _high64(a.unsigned, b.unsigned)
    if a.t.kind == "s":
        zero = e.const(0, high.t)
        high = high - e.select(a < 0, b.unsigned, zero) - e.select(b < 0, a.unsigned, zero)
    return high.as_(a.t)


def _high64(a: Val, b: Val) -> Val:
    low = 0xFFFF_FFFF
    a0, a1, b0, b1 = a & low, a >> 32, b & low, b >> 32
    middle = a1 * b0 + ((a0 * b0) >> 32)
    carry = (middle & low) + a0 * b1
    return a1 * b1 + (middle >> 32) + (carry >> 32)


@meaning("mad")
def mad(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return product(e, a, b) + c


@meaning("clmad")
def clmad(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    """The carryless product, bit by bit of `b`."""
    out, zero = e.fn.variable(e.fn.splat(c)), e.const(0, e.fn.splat(a).t)
    a, b = e.fn.splat(a), e.fn.splat(b)
    with e.fn.count(64) as i:
        step = e.fn.splat(i.to(T("u", 64)))
        shifted = a << step if e.mod("part") == "lo" else (a >> 1) >> (63 - step)
        out.set(out.get() ^ e.select((b >> step & 1) != 0, shifted, zero))
    return out.get()


@meaning("mad.hi.sat")
def mad_hi_sat(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return e.intrinsic("sadd.sat", high_product(e, a, b), c)


@meaning("mul.wide")
def mul_wide(e: Emitter, a: Val, b: Val) -> Val:
    wide = T(a.t.kind, 2 * a.t.bits)
    return a.to(wide) * b.to(wide)


@meaning("mad.wide")
def mad_wide(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    wide = T(a.t.kind, 2 * a.t.bits)
    return a.to(wide) * b.to(wide) + c.as_(wide)


@meaning("mul24")
def _product24(e: Emitter, a: Val, b: Val) -> Val:
    """Factors are the lower 24 bits; `.lo` gives bits 31 to 0 of the product, `.hi` bits 47 to 16."""
    wide = T(a.t.kind, 64)
    whole = ((a << 8) >> 8).to(wide) * ((b << 8) >> 8).to(wide)
    return (whole if e.mod("part") == "lo" else whole >> 16).to(a.t)


@meaning("mad24.hi.sat")
def mad24_hi_sat(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return e.intrinsic("sadd.sat", _product24(e, a, b), c)


@meaning("mad24")
def mad24(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return _product24(e, a, b) + c


# --- division: by zero the chip gives all ones --------------------------------------------------------------------------
def _quotient_narrow(a: Val, b: Val) -> Val:
    """Up to 32 bits: f64 holds both operands, and a quotient that is no integer stays clear of the next one."""
    f64 = T("f", 64)
    wide = T(a.t.kind, 64)
    return (a.to(wide).to(f64) / b.to(wide).to(f64)).to(wide).to(a.t)


def _by_lane(e: Emitter, word: str, a: Val, b: Val) -> Val:
    """64 bits: no vector unit divides them, so lane by lane."""
    rows = [spill(e, v) for v in (a, b)]
    with e.count(32) as lane:
        x, y = (e.load(row, a.t.scalar, lane * 8, 8) for row in rows)
        e.store(e.fn.op(word, a.t.scalar, x, y), rows[0], lane * 8, 8)
    return e.load(rows[0], a.t, align=64)


def _divide(e: Emitter, a: Val, b: Val, *, rest: bool) -> Val:
    zero = b == 0
    one = e.const(1, b.t)
    safe = e.select(zero, one, b)
    minus = None
    if a.t.kind == "s":  # the quotient of the least number and −1 does not fit: divide by 1 and negate
        minus = b == -1
        safe = e.select(minus, one, safe)
    if a.t.bits == 64:
        quotient = _by_lane(e, "sdiv" if a.t.kind == "s" else "udiv", a, safe)
    else:
        quotient = _quotient_narrow(a, safe)
    out = a - quotient * safe if rest else quotient
    if minus is not None and not rest:
        out = e.select(minus, -out, out)
    return e.select(zero, e.const(-1, out.t), out)


meaning("div")(partial(_divide, rest=False))
meaning("rem")(partial(_divide, rest=True))


# --- signs and extremes -------------------------------------------------------------------------------------------------
@meaning("abs")
def abs_(e: Emitter, a: Val) -> Val:
    return e.select(a < 0, -a, a)


@meaning("neg")
def neg(e: Emitter, a: Val) -> Val:
    return -a


@meaning("sad")
def sad(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return c + e.select(a < b, b - a, a - b)


def _part(v: Val, kind: str, bits: int, index: int) -> Val:
    """Field `index` of `bits` bits, extended to 32 by its kind."""
    return (v.unsigned >> index * bits).to(T(kind, bits)).to(T(kind, 32)).as_(U32)


@meaning("dp4a")
def dp4a(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    ka, kb = (e.mod("atype") or "")[0], (e.mod("btype") or "")[0]
    out = c.unsigned
    for i in range(4):
        out = out + _part(a, ka, 8, i) * _part(b, kb, 8, i)
    return out


@meaning("dp2a")
def dp2a(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    ka, kb = (e.mod("atype") or "")[0], (e.mod("btype") or "")[0]
    first = 0 if e.mod("part") == "lo" else 2
    out = c.unsigned
    for i in range(2):
        out = out + _part(a, ka, 16, i) * _part(b, kb, 8, first + i)
    return out
