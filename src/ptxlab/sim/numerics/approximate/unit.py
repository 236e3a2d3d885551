"""The special function unit's instructions on f32, MUFU.RCP, .RSQ, .SQRT and .EX2, on bits: u32 in, u32 out.

They take subnormal numbers for zeros and give zeros for them; every NaN becomes the canonical one.
"""

from __future__ import annotations

from ptxlab.codegen.ir import Fn, Val
from ptxlab.sim.numerics.approximate.interpolate import ARGUMENT_BITS, interpolate
from ptxlab.sim.numerics.approximate.tables import EX2, RCP, RSQ, SQRT

SIGN = 0x8000_0000
INFINITY = 0x7F80_0000
NAN = 0x7FFF_FFFF
ONE = 0x3F80_0000
_FRACTION_BITS = 23
_FRACTION = (1 << _FRACTION_BITS) - 1
_LEAST_NORMAL = 1 << _FRACTION_BITS
_BIAS = 127


def parts(bits: Val) -> tuple[Val, Val, Val, Val]:
    """Sign, everything else, exponent and fraction."""
    size = bits & (SIGN - 1)
    return bits & SIGN, size, size >> _FRACTION_BITS, bits & _FRACTION


def within(fraction: Val) -> Val:
    """The argument in one of 64 segments."""
    return fraction & ((1 << ARGUMENT_BITS) - 1)


def rcp(fn: Fn, bits: Val) -> Val:
    """1/x. Its 128 segments leave 16 bits, which stand in the upper places of the argument."""
    sign, size, exponent, fraction = parts(bits)
    m = interpolate(fn, RCP, fraction >> 16, (fraction & 0xFFFF) << 1)
    out = ((252 - exponent) << _FRACTION_BITS) + m  # what has the value 2^24 moves up the exponent by itself
    out = fn.select(out.signed < _LEAST_NORMAL, 0, out)
    out = fn.select(exponent == 0, INFINITY, fn.select(size == INFINITY, 0, out))
    return fn.select(size > INFINITY, NAN, out | sign)


def _halved(exponent: Val) -> tuple[Val, Val]:
    """The exponent of the root, biased by 64 less than the bias, and the first segment: even powers of two come first."""
    return (exponent + 1) >> 1, (~exponent & 1) << 6


def rsqrt(fn: Fn, bits: Val) -> Val:
    """1/√x. Powers of four are exact."""
    sign, size, exponent, fraction = parts(bits)
    half, first = _halved(exponent)
    m = interpolate(fn, RSQ, first + (fraction >> ARGUMENT_BITS), within(fraction))
    m = fn.select((fraction | first) == 0, 2 << _FRACTION_BITS, m)
    out = ((125 + 64 - half) << _FRACTION_BITS) + m
    out = fn.select(exponent == 0, sign | INFINITY, fn.select(size == INFINITY, 0, out))
    invalid = (size > INFINITY) | ((sign != 0) & (exponent != 0))
    return fn.select(invalid, NAN, out)


def sqrt(fn: Fn, bits: Val) -> Val:
    """√x."""
    sign, size, exponent, fraction = parts(bits)
    half, first = _halved(exponent)
    m = interpolate(fn, SQRT, first + (fraction >> ARGUMENT_BITS), within(fraction))
    out = ((126 - 64 + half) << _FRACTION_BITS) + m
    out = fn.select(exponent == 0, sign, fn.select(size == INFINITY, INFINITY, out))
    invalid = (size > INFINITY) | ((sign != 0) & (exponent != 0))
    return fn.select(invalid, NAN, out)


def ex2(fn: Fn, bits: Val) -> Val:
    """2^x. The operand is cut off to 23 bits behind the point; negative ones are inverted, not negated."""
    sign, size, exponent, fraction = parts(bits)
    whole = fraction | _LEAST_NORMAL
    large = exponent >= _BIAS
    left = fn.min(fn.select(large, exponent - _BIAS, 0), 7)
    right = fn.min(fn.select(large, 0, _BIAS - exponent), 31)
    size_fixed = whole << left >> right
    fixed = size_fixed ^ (sign.signed >> 31).unsigned
    m = interpolate(fn, EX2, (fixed & _FRACTION) >> ARGUMENT_BITS, within(fixed))
    power = fixed.signed >> _FRACTION_BITS
    out = ((power + (_BIAS - 1)) << _FRACTION_BITS) + m.signed
    exact = (power + fn.const(_BIAS, power.t) + (sign >> 31).signed) << _FRACTION_BITS
    out = fn.select((size_fixed & _FRACTION) == 0, exact, out)
    low = fn.select(out < _LEAST_NORMAL, 0, out).unsigned
    limit = fn.select(sign == 0, fn.const(INFINITY, sign.t), 0)
    out = fn.select(exponent >= _BIAS + 7, limit, low)
    return fn.select(size > INFINITY, NAN, out)
