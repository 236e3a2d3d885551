"""The fused dot-add of tensor cores as vector code: what `kernels.dot_add` does, for outputs side by side, 16 products a step.

Outputs whose sum needs integer arithmetic (Inf, NaN, exponents near the ends of float32's range) are flagged; somebody else
computes them.
"""

from __future__ import annotations

from ptxlab.sim import floats as fp
from ptxlab.sim.ir import Fn, T, Val
from ptxlab.sim.numerics.formats import FAST_MAX, FAST_MIN, NO_TERM, SPECIAL_EXPONENT, ZERO_EXPONENT

FRACTION = 25
_DROPPED = 29
"""Fraction bits that float64 has and float32 has not."""
_HALF_FLOOR = -21
"""The least exponent that terms are aligned to where the result is f16."""


class FusedSum:
    """Outputs while they are computed: the addend, the largest exponent, the sum so far.

    Attributes:
        unsafe: boolean vector: the outputs that need integer arithmetic; theirs are anything.
    """

    def __init__(self, fn: Fn, value: Val, exponent: Val, products: Val) -> None:
        """value, exponent: of the addend, f32 and s32, as `addend` gives them. products: the largest exponent, s16."""
        self.fn, self.value = fn, value
        largest = fn.max(products.to(exponent.t), exponent)
        self.unsafe = (largest > FAST_MAX) | ((largest < FAST_MIN) & (largest > NO_TERM))
        self.exponent = fn.min(fn.max(largest, FAST_MIN), FAST_MAX)
        self.scale = ((fn.const(127 + FRACTION, exponent.t) - self.exponent) << 23).as_(value.t)
        self.total = fn.const(0, exponent.t)

    def add(self, product: Val) -> None:
        """One more product, cut toward zero."""
        self.total = self.total + (product * self.scale).to(self.total.t)

    def _sum(self) -> Val:
        """The sum as f64, exact: 16 terms and the addend can pass 2^31."""
        lanes = self.total.t.lanes
        f64, s64 = T("f", 64, lanes), T("s", 64, lanes)
        addend = (self.value * self.scale).to(self.total.t)
        exact = self.total.to(f64) + addend.to(f64)
        return exact * ((self.exponent.to(s64) + (1023 - FRACTION)) << 52).as_(f64)

    def single(self) -> Val:
        """The results as f32, cut toward zero."""
        total = self._sum()
        return (total.unsigned & ~((1 << _DROPPED) - 1)).as_(total.t).to(self.value.t)

    def half(self) -> Val:
        """The results as bits of f16, to nearest even."""
        bits = self._sum().unsigned
        rest = (1 << _DROPPED) - 1
        sticky = self.fn.select((bits & rest) == 0, bits, bits | (1 << _DROPPED)) & ~rest
        return fp.narrow(self.fn, sticky.floating.to(self.value.t), "f16")


def addend(fn: Fn, bits: Val, type_: str) -> tuple[Val, Val]:
    """Value (f32) and exponent (s32) of addends: patterns of f32, or of f16 in words of 16 bits."""
    s32 = T("s", 32, bits.t.lanes)
    if type_ == "f32":
        field = (bits.unsigned >> 23 & 0xFF).signed
        zero = fn.const(ZERO_EXPONENT, s32)
        return bits.as_(T("f", 32, bits.t.lanes)), fn.select((bits & 0x7FFF_FFFF) == 0, zero, fn.max(field, 1) - 127)
    value, exponent = factor(fn, bits, "f16")
    return value, fn.max(exponent.to(s32), _HALF_FLOOR)


def factor(fn: Fn, bits: Val, type_: str) -> tuple[Val, Val]:
    """Value (f32) and exponent (s16) of elements of A or B: patterns of f16 or bf16 in 16 bits, of tf32 in 32.

    A subnormal number has the least exponent of its format.
    """
    lanes = bits.t.lanes
    width, fraction, top = _FACTORS[type_]
    bits = bits.unsigned
    if type_ == "tf32":
        bits = bits & fn.const(-(1 << 13), bits.t)
        value = bits.floating
    else:
        value = (bits.as_(T("f", 16, lanes)) if type_ == "f16" else bits.to(T("u", 32)) << 16).floating
        value = value.to(T("f", 32, lanes))
    field = (bits >> fraction & top).to(T("u", 16)).signed
    exponent = fn.max(field, 1) - top // 2
    exponent = fn.select(field == top, fn.const(SPECIAL_EXPONENT, exponent.t), exponent)
    none = (bits & ((1 << width - 1) - 1)) == 0
    return value, fn.select(none, fn.const(ZERO_EXPONENT, exponent.t), exponent)


_FACTORS = {"f16": (16, 10, 0x1F), "bf16": (16, 7, 0xFF), "tf32": (32, 23, 0xFF)}
"""Bits, fraction bits and the largest exponent field."""
