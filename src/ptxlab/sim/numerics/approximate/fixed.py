"""The special function unit's instructions whose results are numbers of fixed point first: MUFU.LG2, .SIN, .COS and .TANH.

Bits of f32 in, bits of f32 out, as in `unit`: u32. What the interpolator gives is cut off to 24 significant bits at the end.
"""

from __future__ import annotations

from ptxlab.codegen.ir import Fn, T, Val
from ptxlab.sim.engine.compiled.floats import F32, F64
from ptxlab.sim.numerics.approximate.fixed_tables import (
    LG2,
    LG2_PLACES,
    SIN,
    SIN_PLACES,
    TANH,
    TANH_LOW,
    TANH_PLACES,
    TANH_SPLIT,
)
from ptxlab.sim.numerics.approximate.interpolate import ARGUMENT_BITS, interpolated
from ptxlab.sim.numerics.approximate.unit import INFINITY, NAN, ONE, SIGN, parts, within

_FRACTION_BITS = 23
_LEAST_NORMAL = 1 << _FRACTION_BITS
_BIAS = 127
_SIGNIFICANT = 24
_QUARTER_BITS = 23
"""Steps of a quarter turn that sin and cos tell apart, as a power of two."""
_LG2_BITS = 36
"""Binary places of a logarithm before it is cut off to 24 bits."""


def _cut(fn: Fn, fixed: Val, places: int) -> Val:
    """The bits of an f32: a number of fixed point below 2^52, not negative, without what exceeds 24 significant bits."""
    exact = fixed.to(F64).unsigned
    kept = exact & fn.const(-1 << (53 - _SIGNIFICANT), exact.t)
    return (kept.floating.to(F32) * 2.0**-places).unsigned


def lg2(fn: Fn, bits: Val) -> Val:
    """log2 x: exponent and logarithm of the fraction are added as they are; a negative sum is inverted, not negated."""
    sign, size, exponent, fraction = parts(bits)
    places = interpolated(fn, LG2, fraction >> ARGUMENT_BITS, within(fraction)) >> (LG2_PLACES - _LG2_BITS)
    total = ((exponent.signed - _BIAS).to(T("s", 64)) << _LG2_BITS) + places
    below = total >> 63
    out = _cut(fn, total ^ below, _LG2_BITS) | (below.to(T("u", 32)) & SIGN)
    out = fn.select(bits == ONE, 0, fn.select(size == INFINITY, INFINITY, out))
    invalid = (size > INFINITY) | ((sign != 0) & (exponent != 0))
    return fn.select(exponent == 0, SIGN | INFINITY, fn.select(invalid, NAN, out))


def sin(fn: Fn, bits: Val) -> Val:
    """The sine of x turns."""
    return _circular(fn, bits, cosine=False)


def cos(fn: Fn, bits: Val) -> Val:
    """The cosine of x turns."""
    return _circular(fn, bits, cosine=True)


def _circular(fn: Fn, bits: Val, *, cosine: bool) -> Val:
    """Whole turns and what is below 2^-25 are dropped. Every other quarter is read backwards: its place is inverted."""
    sign, size, exponent, fraction = parts(bits)
    last = _BIAS - (_QUARTER_BITS + 2) + _FRACTION_BITS  # the exponent of numbers whose last bit is one step
    large = exponent >= last
    left = fn.min(fn.select(large, exponent - last, 0), 31)
    right = fn.min(fn.select(large, 0, last - exponent), 31)
    steps = (fraction | _LEAST_NORMAL) << left >> right
    quarter = (steps >> _QUARTER_BITS) + (1 if cosine else 0)
    place = (steps ^ -(quarter & 1)) & ((1 << _QUARTER_BITS) - 1)
    out = _cut(fn, interpolated(fn, SIN, place >> ARGUMENT_BITS, within(place)), SIN_PLACES)
    negative = (quarter & 2) << 30
    out = out | (negative if cosine else negative ^ sign)
    return fn.select(size >= INFINITY, NAN, out)


def tanh(fn: Fn, bits: Val) -> Val:
    """tanh x: x itself where it is small. Each power of two has segments of its own; bits below an argument of 17 are dropped."""
    sign, size, exponent, fraction = parts(bits)
    power = fn.min(fn.max(exponent, TANH_LOW), TANH_LOW + len(TANH_SPLIT) - 1) - TANH_LOW
    shapes = [((_FRACTION_BITS - ARGUMENT_BITS - split) << 8) | first for first, split in TANH_SPLIT]
    shape = fn.gather(fn.constants("ptxlab.tanh.shapes", shapes, power.t.scalar), power, power.t)
    place = fraction >> (shape >> 8)
    segment = (shape & 0xFF) + (place >> ARGUMENT_BITS)
    out = _cut(fn, interpolated(fn, TANH, segment, within(place)), TANH_PLACES)
    out = fn.select(exponent < TANH_LOW, size, fn.select(exponent >= TANH_LOW + len(TANH_SPLIT), ONE, out))
    return fn.select(size > INFINITY, NAN, out | sign)
