"""PTX's approximate instructions on f32, as ptxas builds them: scaled into the range of the special function unit, and back.

With .ftz they are the unit's own instruction. f32 in, f32 out.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlab.codegen.ir import Fn, Val
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled.floats import F32, F64
from ptxlab.sim.numerics.approximate import fixed, unit

_LEAST_NORMAL = 2.0**-126
_HUGE = 2.0**126
"""The reciprocals of larger numbers are subnormal."""
_UP_POWER = 24
_UP, _DOWN = 2.0**_UP_POWER, 0.25
_PER_RADIAN = 0.15915493667125702
"""1/2π in f32."""


def _asked(function: Callable[[Fn, Val], Val], fn: Fn, v: Val) -> Val:
    return function(fn, v.unsigned).floating


def _tiny(v: Val) -> Val:
    return fp.magnitude(v).floating.compare("lt", _LEAST_NORMAL)


def _huge(v: Val) -> Val:
    return fp.magnitude(v).floating.compare("gt", _HUGE)


def rcp(fn: Fn, a: Val, *, ftz: bool) -> Val:
    """`rcp.approx{.ftz}.f32`."""
    if ftz:
        return _asked(unit.rcp, fn, a)
    scale = fn.select(_huge(a), _DOWN, fn.select(_tiny(a), _UP, fn.const(1, a.t)))
    return fp.canonical(fn, scale * _asked(unit.rcp, fn, a * scale))


def _rooted(function: Callable[[Fn, Val], Val], back: float) -> Callable[..., Val]:
    def run(fn: Fn, a: Val, *, ftz: bool) -> Val:
        if ftz:
            return _asked(function, fn, a)
        tiny = _tiny(a)
        out = _asked(function, fn, fn.select(tiny, a * _UP, a))
        return fp.canonical(fn, fn.select(tiny, out * back, out))

    return run


rsqrt = _rooted(unit.rsqrt, 2.0**12)
sqrt = _rooted(unit.sqrt, 2.0**-12)


def ex2(fn: Fn, a: Val, *, ftz: bool) -> Val:
    """`ex2.approx{.ftz}.f32`: below −126 the square of 2^(a/2)."""
    if ftz:
        return _asked(unit.ex2, fn, a)
    low = a.compare("lt", -126.0)
    out = _asked(unit.ex2, fn, fn.select(low, a * 0.5, a))
    return fn.select(low, out * out, out)


def lg2(fn: Fn, a: Val, *, ftz: bool) -> Val:
    """`lg2.approx{.ftz}.f32`."""
    if ftz:
        return _asked(fixed.lg2, fn, a)
    tiny = _tiny(a)
    out = _asked(fixed.lg2, fn, fn.select(tiny, a * _UP, a))
    return fp.canonical(fn, fn.select(tiny, out - _UP_POWER, out))


def sin(fn: Fn, a: Val, *, ftz: bool) -> Val:
    """`sin.approx{.ftz}.f32`; .ftz changes nothing, as angles are dropped long before they are subnormal."""
    return _asked(fixed.sin, fn, _turns(a))


def cos(fn: Fn, a: Val, *, ftz: bool) -> Val:
    """`cos.approx{.ftz}.f32`."""
    return _asked(fixed.cos, fn, _turns(a))


def _turns(a: Val) -> Val:
    """a · 1/2π in f32, cut off."""
    exact = (a.to(F64) * _PER_RADIAN).unsigned
    return (exact & a.fn.const(-1 << 29, exact.t)).floating.to(F32)


def tanh(fn: Fn, a: Val, *, ftz: bool) -> Val:
    """`tanh.approx.f32`, which has no .ftz and keeps subnormal numbers."""
    return _asked(fixed.tanh, fn, a)


def div_approx(fn: Fn, a: Val, b: Val, *, ftz: bool) -> Val:
    """`div.approx{.ftz}.f32`: a times the reciprocal of b, which is zero above 2^126."""
    return _quotient(fn, a, b, (), ftz) if ftz else _quotient(fn, a, b, ((_tiny(b), _UP),), ftz)


def div_full(fn: Fn, a: Val, b: Val, *, ftz: bool) -> Val:
    """`div.full{.ftz}.f32`: the same, and both are scaled down where b is above 2^126."""
    scaled = ((_huge(b), _DOWN),) if ftz else ((_huge(b), _DOWN), (_tiny(b), _UP))
    return _quotient(fn, a, b, scaled, ftz)


def _quotient(fn: Fn, a: Val, b: Val, scaled: tuple[tuple[Val, float], ...], ftz: bool) -> Val:
    for where, factor in scaled:
        scale = fn.const(factor, a.t)
        a = fn.select(where, _product(fn, a, scale, ftz), a)
        b = fn.select(where, _product(fn, b, scale, ftz), b)
    return fp.canonical(fn, _product(fn, a, _asked(unit.rcp, fn, b), ftz))


def _product(fn: Fn, a: Val, b: Val, ftz: bool) -> Val:
    if not ftz:
        return a * b
    a, b = fp.flush(fn, a), fp.flush(fn, b)
    return fp.flush_tiny(fn, fp.flush(fn, a * b), a.to(F64) * b.to(F64))
