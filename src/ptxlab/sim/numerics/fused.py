"""The fused dot-add of tensor cores as vector code: what `kernels.dot_add` does, for outputs side by side, 16 products a step.

Outputs whose sum needs integer arithmetic (Inf, NaN, exponents near the ends of float32's range) are flagged; somebody else
computes them.
"""

from __future__ import annotations

from ptxlab.codegen.ir import Fn, T, Val
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.numerics.formats import FAST_MAX, FAST_MIN, NO_TERM, SPECIAL_EXPONENT, ZERO_EXPONENT

FRACTION = 25
"""Fraction bits that are kept when terms are aligned; 13 for the 8-bit floats of wgmma."""
_FRACTION64 = 52
_HALF_FLOOR = -21
"""The least exponent that terms are aligned to where the result is f16."""


class FusedSum:
    """Outputs while they are computed: the addend, the largest exponent, the sum so far.

    Attributes:
        unsafe: boolean vector: the outputs that need integer arithmetic; theirs are anything.
    """

    def __init__(self, fn: Fn, value: Val, exponent: Val, products: Val, fraction: int = FRACTION) -> None:
        """value, exponent: of the addend, f32 and s32, as `addend` gives them. products: the largest exponent, s16."""
        self.fn, self.value, self.fraction = fn, value, fraction
        largest = fn.max(products.to(exponent.t), exponent)
        self.unsafe = (largest > FAST_MAX) | ((largest < FAST_MIN) & (largest > NO_TERM))
        self.exponent = fn.min(fn.max(largest, FAST_MIN), FAST_MAX)
        self.scale = ((fn.const(127 + fraction, exponent.t) - self.exponent) << 23).as_(value.t)
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
        return exact * ((self.exponent.to(s64) + (1023 - self.fraction)) << 52).as_(f64)

    def single(self, keep: int = 23) -> Val:
        """The results as f32, cut toward zero to so many fraction bits."""
        total = self._sum()
        return (total.unsigned & ~((1 << _FRACTION64 - keep) - 1)).as_(total.t).to(self.value.t)

    def half(self) -> Val:
        """The results as bits of f16, to nearest even; what rounds to zero is +0."""
        bits = self._sum().unsigned
        last = 1 << _FRACTION64 - 23
        sticky = self.fn.select((bits & (last - 1)) == 0, bits, bits | last) & ~(last - 1)
        out = fp.narrow(self.fn, sticky.floating.to(self.value.t), "f16")
        return self.fn.select((out & 0x7FFF) == 0, self.fn.const(0, out.t), out)


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
