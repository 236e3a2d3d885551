"""Numbers as codes of residues, and back to what can be shown.

A constant of a program is a rounded number. It stands for the simplest one that is rounded to it: 0.333333343 for 1/3, 0.180336878
for log2(e)/8. No two floats of a type stand for the same number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.numerics import residues as r
from ptxlab.sim.numerics.residues import ARRAYS, MINUS, NAN, PLUS, STEP, Ops, P, Q

LOG2E: Final = 97 + STEP * 41
"""log2(e): residues that nothing relates to other numbers, as it is transcendental."""
_PI: Final = 201 + STEP * 18
HUGE: Final = 1e30
"""A constant from here on means infinity."""
_SIMPLE: Final = 1 << 12
"""Numerator times denominator of what a symbol is multiplied by."""
_PLAIN: Final = 1 << 15
"""The same of a number that no symbol explains better."""


def _inverse(code: int) -> int:
    return int(r.inverse(ARRAYS, np.uint32(code)))


def _root(code: int) -> int:
    return int(r.sqrt(ARRAYS, np.uint32(code)))


def _product(x: int, y: int) -> int:
    return int(r.mul(ARRAYS, np.uint32(x), np.uint32(y)))


_SYMBOLS: Final = (
    (math.log2(math.e), LOG2E),
    (math.log(2), _inverse(LOG2E)),
    (math.pi, _PI),
    (1 / math.pi, _inverse(_PI)),
)


def tanh(o: Ops, x: Any) -> Any:
    """1 − 2 / (2^(2 x log2 e) + 1)."""
    power = r.ex2(o, r.mul(o, x, x * 0 + _TWICE_LOG2E))
    return r.sub(o, x * 0 + r.ONE, r.mul(o, x * 0 + 2 * r.ONE, r.inverse(o, r.add(o, power, x * 0 + r.ONE))))


_TWICE_LOG2E: Final = _product(LOG2E, 2 * r.ONE)


def rational(value: Fraction | int) -> int:
    """The code of a rational number. A residue is not defined where the denominator has none."""
    n, d = Fraction(value).as_integer_ratio()
    a, b = (n * pow(d, -1, prime) % prime if d % prime else prime for prime in (P, Q))
    return a + STEP * b


def whole(values: Any) -> Any:
    """The codes of integers."""
    values = np.asarray(values)
    wide = values if values.dtype == np.uint64 else values.astype(np.int64)
    a, b = (np.asarray(wide % wide.dtype.type(prime)).astype(np.uint32) for prime in (P, Q))
    return r.joined(a, b)


def half_steps(value: float, kind: str) -> tuple[Fraction, Fraction]:
    """The numbers that are rounded to a positive one lie between these."""
    bits = {"f32": 24, "f16": 11, "bf16": 8, "f64": 53}[kind]
    fraction, exponent = math.frexp(value)
    least = {"f32": -149, "f16": -24, "bf16": -133, "f64": -1074}[kind]
    half = Fraction(2) ** (max(exponent - bits, least) - 1)
    below = half / 2 if fraction == 0.5 and exponent - bits > least else half  # floats below a power of two lie closer
    return Fraction(value) - below, Fraction(value) + half


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The number with the least denominator strictly between two positive ones."""
    floor = low.numerator // low.denominator
    if floor + 1 < high:
        return Fraction(floor + 1)
    rest_low, rest_high = low - floor, high - floor
    if rest_low == 0:
        return floor + 1 / Fraction(math.floor(1 / rest_high) + 1)
    return floor + 1 / simplest(1 / rest_high, 1 / rest_low)


def _candidates(low: Fraction, high: Fraction) -> Iterator[tuple[int, int]]:
    """What a number between these may stand for: how simple it is, and its code."""
    plain = simplest(low, high)
    yield plain.numerator * plain.denominator * _SIMPLE // _PLAIN, rational(plain)
    near, far = float(low), float(high)
    for size, code in ((1.0, rational(1)), *_SYMBOLS):
        for power in (1, 2):
            if size == 1.0 and power == 1:
                continue
            bounds = sorted(Fraction(x / size) ** power for x in (near, far))
            found = simplest(*bounds)
            factor = rational(found)
            if power == 2:
                factor = _root(factor)
            yield found.numerator * found.denominator, _product(code, factor)
        found = simplest(*(Fraction(x) ** 2 / Fraction(size) for x in (near, far)))
        yield found.numerator * found.denominator, _root(_product(code, rational(found)))


@lru_cache(maxsize=4096)
def constant(value: float, kind: str = "f32") -> int:
    """The code of a floating-point constant of a type."""
    if math.isnan(value):
        return NAN
    if value < 0 or abs(value) >= HUGE or value == 0:
        if abs(value) >= HUGE:
            return PLUS if value > 0 else MINUS
        return int(r.neg(ARRAYS, np.uint32(constant(-value, kind)))) if value else 0
    if value == int(value) and value < 1 << 53:
        return rational(int(value))
    low, high = half_steps(value, kind)
    found = sorted(_candidates(low, high))
    if found[0][0] <= _SIMPLE:
        return found[0][1]
    return rational(simplest(low, high))


def constants(values: Any) -> Any:
    """The codes of an array of numbers, each rounded to f32 first, but for integers."""
    numbers: Any = np.asarray(values, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        exact = (numbers == np.rint(numbers)) & (np.abs(numbers) < 1 << 53)
        single = cast("NDArray[np.float64]", np.where(exact, numbers, numbers.astype(np.float32)))
    distinct, where = np.unique(single, return_inverse=True)
    codes = np.array([constant(float(v)) for v in distinct], np.uint32)
    return codes[where].reshape(numbers.shape)


def code_of(words: Any) -> Any:
    """The codes that words of 16, 32 or 64 bits hold; NaN for what is none."""
    words = np.asarray(words)
    up = 8 * words.dtype.itemsize - 16
    codes = (words >> words.dtype.type(up)).astype(np.uint32)
    rest = words & words.dtype.type((1 << up) - 1)
    return np.where((rest != 0) | r.foreign(codes), np.uint32(NAN), codes)


def held(codes: Any, bits: int) -> Any:
    """Words of so many bits with these codes."""
    word = np.dtype(f"u{bits // 8}").type
    return np.asarray(codes).astype(word) << word(bits - 16)


def shown(code: int) -> str:
    """A code in words."""
    word = {PLUS: "inf", MINUS: "-inf", NAN: "nan"}.get(code)
    if word is not None:
        return word
    a, b = code % STEP, code // STEP
    return ", ".join(f"{n} mod {prime}" for n, prime in ((a, P), (b, Q)) if n < prime) or "nothing known"
