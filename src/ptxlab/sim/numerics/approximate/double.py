"""Approximate functions of f64, MUFU.RCP64H and .RSQ64H: of the upper words alone, u32 in, u32 out.

They are those of f32 with an exponent of 11 bits; the 20 bits of the fraction that the word holds are what is left of 23.
"""

from __future__ import annotations

from ptxlab.codegen.ir import Fn, Val
from ptxlab.sim.numerics.approximate.interpolate import ARGUMENT_BITS, interpolate
from ptxlab.sim.numerics.approximate.tables import RCP, RSQ
from ptxlab.sim.numerics.approximate.unit import NAN, SIGN

INFINITY = 0x7FF0_0000
_FRACTION_BITS = 20
_FRACTION = (1 << _FRACTION_BITS) - 1
_LEAST_NORMAL = 1 << _FRACTION_BITS
_DROPPED = 3
"""Bits of the interpolator's result that find no room."""


def rcp(fn: Fn, word: Val) -> Val:
    """1/x."""
    sign, size = word & SIGN, word & (SIGN - 1)
    exponent, fraction = size >> _FRACTION_BITS, word & _FRACTION
    m = interpolate(fn, RCP, fraction >> 13, (fraction & 0x1FFF) << 4) >> _DROPPED
    out = ((2044 - exponent) << _FRACTION_BITS) + m
    out = fn.select(out.signed < _LEAST_NORMAL, 0, out)
    out = fn.select(exponent == 0, INFINITY, fn.select(size == INFINITY, 0, out))
    return fn.select(size > INFINITY, NAN, out | sign)


def rsqrt(fn: Fn, word: Val) -> Val:
    """1/√x. Powers of four are exact."""
    sign, size = word & SIGN, word & (SIGN - 1)
    exponent, fraction = size >> _FRACTION_BITS, word & _FRACTION
    first = (~exponent & 1) << 6
    x = (fraction << _DROPPED) & ((1 << ARGUMENT_BITS) - 1)
    m = interpolate(fn, RSQ, first + (fraction >> (ARGUMENT_BITS - _DROPPED)), x) >> _DROPPED
    m = fn.select((fraction | first) == 0, 2 << _FRACTION_BITS, m)
    out = ((1021 + 512 - ((exponent + 1) >> 1)) << _FRACTION_BITS) + m
    out = fn.select(exponent == 0, sign | INFINITY, fn.select(size == INFINITY, 0, out))
    invalid = (size > INFINITY) | ((sign != 0) & (exponent != 0))
    return fn.select(invalid, NAN, out)
