"""The floating-point formats that tensor cores take, as exact integers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

# Exponents that stand for "no term" and "Inf or NaN" where exponents are added as int16. A sum of two of them stays in
# range, a zero beside any number stays far below every real exponent, and a special beside a zero far above.
ZERO_EXPONENT = -3000
SPECIAL_EXPONENT = 12000
NO_TERM = -1000
"""Below every real exponent, above every sum that holds a ZERO_EXPONENT."""
FAST_MAX, FAST_MIN = 120, -100
"""Exponents that the fast paths are safe for: no result overflows or becomes subnormal, and every scale is a normal float32."""
STEP = 16
"""Products that fit one int32 sum: 16 terms below 2^27. K is padded with zeros to a multiple of it."""


class Kind(Enum):
    """What a bit pattern stands for."""

    FINITE = "finite"
    INF = "inf"
    NAN = "nan"


@dataclass(frozen=True, slots=True)
class Number:
    """A decoded value: `sign · significand · 2^(exponent - fraction bits)`; the significand of a subnormal is not normalised."""

    kind: Kind
    negative: bool
    significand: int
    exponent: int


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format.

    `dropped`: low fraction bits that the tensor core ignores (tf32). `has_inf` is false for e4m3, whose only special
    values are the two NaNs.
    """

    name: str
    exponent_bits: int
    fraction_bits: int
    has_inf: bool = True
    dropped: int = 0

    @property
    def bits(self) -> int:
        """Width of a pattern in bits, dropped ones included."""
        return 1 + self.exponent_bits + self.fraction_bits + self.dropped

    @property
    def least(self) -> int:
        """The least exponent, which subnormals share."""
        return 2 - (1 << (self.exponent_bits - 1))

    def decode(self, bits: int) -> Number:
        """The value behind a bit pattern."""
        bits >>= self.dropped
        fraction = bits & ((1 << self.fraction_bits) - 1)
        top = (1 << self.exponent_bits) - 1
        field = (bits >> self.fraction_bits) & top
        negative = bool((bits >> (self.fraction_bits + self.exponent_bits)) & 1)
        full = fraction == (1 << self.fraction_bits) - 1
        if field == top and (self.has_inf or full):
            kind = Kind.INF if self.has_inf and fraction == 0 else Kind.NAN
            return Number(kind, negative, 0, 0)
        if field == 0:
            return Number(Kind.FINITE, negative, fraction, self.least)
        return Number(Kind.FINITE, negative, fraction | (1 << self.fraction_bits), field - 1 + self.least)


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("f32", 8, 23),
        Format("bf16", 8, 7),
        Format("f16", 5, 10),
        Format("tf32", 8, 10, dropped=13),
        Format("e4m3", 4, 3, has_inf=False),
        Format("e5m2", 5, 2),
    )
}


def table(name: str) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
    """Values and exponents of every pattern of an 8-bit format, for the kernels: float32[256] and int16[256]."""
    form = FORMATS[name]
    values = np.zeros(1 << form.bits, np.float32)
    exponents = np.zeros(1 << form.bits, np.int16)
    for bits in range(1 << form.bits):
        number = form.decode(bits)
        sign = -1.0 if number.negative else 1.0
        if number.kind is not Kind.FINITE:
            values[bits] = sign * np.inf if number.kind is Kind.INF else np.nan
            exponents[bits] = SPECIAL_EXPONENT
        else:
            values[bits] = sign * number.significand * 2.0 ** (number.exponent - form.fraction_bits)
            exponents[bits] = number.exponent if number.significand else ZERO_EXPONENT
    return values, exponents
