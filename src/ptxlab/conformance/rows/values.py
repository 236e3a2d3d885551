"""Operand values that tell implementations apart: corners, any bit patterns, ties of roundings, operands that cancel.

Like `inputs`, everything comes from raw words of PCG64 alone: a record made once must find the same values for ever.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ptxlab.isa.types import ScalarType

Words: TypeAlias = NDArray[np.uint64]
"""Values of up to 64 bits, each in the low bits of its word."""

# Exponent and fraction bits.
_FORMATS: Final = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
# Fraction bits that conversions to narrower types cut off: where the ties lie.
_CUTS: Final = {"f16": (7, 8), "bf16": (3, 4), "f32": (13, 16, 20, 21), "f64": (29, 42, 45)}
_NUMBERS: Final = (
    *(1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 0.5, 0.25, 0.75, 127.5, 128.5, 254.5, 255.5, 32767.5, 32768.5, 65534.5, 65535.5),
    *(2.0**n for n in (7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 126, 127)),
    *(240.0, 448.0, 464.0, 57344.0, 61440.0, 65504.0, 65520.0, 2.0**-6, 2.0**-9, 2.0**-10, 2.0**-14, 2.0**-24),
)
_OOB_NAN: Final = 0x7FF7  # what tensor maps write out of bounds, and fma.oob reads as zero


def words(count: int, *labels: object) -> Words:
    """Random words, the same for the same labels."""
    seed = hashlib.sha256(":".join(map(str, labels)).encode()).digest()[:16]
    return np.random.PCG64(int.from_bytes(seed, "little")).random_raw(count)


def column(type_: ScalarType, count: int, *labels: object) -> Words:
    """Values of a type: half of them corners, the others random bits, small integers or ties of roundings.

    Of floating-point corners three quarters are zeros, subnormals, infinities, NaN and their neighbours.

    Packed types get both elements like that; types of 128 bits are asked for in halves.
    """
    if type_.kind == "x":
        return _packed(type_, count, *labels)
    raw, choice = words(count, *labels, "bits"), words(count, *labels, "choice")
    specials, numbers = _corners(type_.name, type_.bits)
    special, number = (c[(raw >> np.uint64(8)) % np.uint64(len(c))] for c in (specials, numbers))
    other = _float_values(type_.name, raw) if type_.name in _FORMATS else _integers(raw)
    kind = choice % np.uint64(8)
    drawn = np.select([kind < 3, kind < 4, kind < 6], [special, number, raw], other)
    return drawn & mask(type_.bits)


def mask(bits: int) -> np.uint64:
    """So many ones."""
    return np.uint64((1 << min(bits, 64)) - 1)


def _packed(type_: ScalarType, count: int, *labels: object) -> Words:
    from ptxlab.isa.types import TYPES

    element = TYPES[type_.name.removesuffix("x2")]
    low, high = (column(element, count, *labels, half) for half in (0, 1))
    return low | high << np.uint64(element.bits)


@cache
def _corners(name: str, bits: int) -> tuple[Words, Words]:
    if name in _FORMATS:
        return _float_corners(name)
    numbers = set(range(4)) | set(range(bits - 1, bits + 2))
    numbers |= {0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA, 0x0123_4567_89AB_CDEF}
    for power in (4, 5, 7, 8, 15, 16, 23, 24, 31, 32, 63, 64):
        if power <= bits:
            numbers |= {(1 << power) - 1, 1 << power, (1 << power) + 1, -(1 << power), -(1 << power) - 1}
    numbers |= {-1, -2, -3, (1 << bits - 1) - 1, 1 << bits - 1}
    made = np.array(sorted({n & (1 << bits) - 1 for n in numbers}), np.uint64)
    return made, made


def _float_corners(name: str) -> tuple[Words, Words]:
    """Special values and those next to them; numbers where conversions turn."""
    exponent, fraction = _FORMATS[name]
    infinity = (1 << exponent) - 1 << fraction
    quiet = 1 << fraction - 1
    sizes = {0, 1, 2, quiet, (1 << fraction) - 1, 1 << fraction, (1 << fraction) + 1, infinity - 1, infinity}
    payloads = (1, quiet, quiet | 5, quiet - 1, (1 << fraction) - 1, 0x2AAA_AAAA_AAAA_AAAA & quiet - 1 or 1)
    sizes |= {infinity | p for p in payloads}
    if exponent + fraction == 15:
        sizes.add(_OOB_NAN)
    numbers = encode(name, np.array(_NUMBERS))
    turns = {int(bits) + step for bits in numbers[numbers < infinity] for step in (-1, 0, 1)}
    return _signed(sizes, exponent + fraction), _signed(turns, exponent + fraction)


def _signed(sizes: set[int], sign: int) -> Words:
    return np.array(sorted(sizes | {s | 1 << sign for s in sizes}), np.uint64)


def encode(name: str, numbers: NDArray[np.float64]) -> Words:
    """Numbers as bits of a floating-point type, rounded to nearest even."""
    import ml_dtypes

    kind = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}[name]
    with np.errstate(over="ignore"):
        rounded = numbers.astype(kind)
    return rounded.view(f"u{rounded.itemsize}").astype(np.uint64)


def decode(name: str, bits: Words) -> NDArray[np.float64]:
    """Bits of a floating-point type as numbers; exact."""
    import ml_dtypes

    kind = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}[name]
    with np.errstate(invalid="ignore"):
        return bits.astype(f"u{np.dtype(kind).itemsize}").view(kind).astype(np.float64)


def _integers(raw: Words) -> Words:
    """Small numbers of both signs: shift counts, divisors."""
    return raw % np.uint64(140) - np.uint64(36)


def _float_values(name: str, raw: Words) -> Words:
    """Exponents near 0, so that operands meet, half of the fractions a tie of a narrower type or next to one."""
    exponent, fraction = _FORMATS[name]
    bias = (1 << exponent - 1) - 1
    spread = min(2 * fraction, bias)
    shifted = np.uint64(bias - spread // 2) + (raw >> np.uint64(2)) % np.uint64(spread)
    sign = (raw >> np.uint64(63)) << np.uint64(exponent + fraction)
    bits = raw >> np.uint64(10) & mask(fraction)
    cuts = np.array(_CUTS[name], np.uint64)[(raw >> np.uint64(1)) % np.uint64(len(_CUTS[name]))]
    kept = bits >> cuts << cuts
    tie = kept + (np.uint64(1) << cuts - np.uint64(1)) + raw % np.uint64(3) - np.uint64(1)
    tied = np.where(raw >> np.uint64(62) & np.uint64(1) == 1, tie & mask(fraction), bits)
    return sign | shifted << np.uint64(fraction) | tied


def relate(columns: list[Words], types: list[ScalarType], *labels: object) -> None:
    """Bring operands of one type together in a quarter of the lanes: equal, opposite, next to each other, a·b ≈ −c. In place."""
    for i in range(1, len(columns)):
        if types[i] != types[0] or types[0].bits > 64:
            continue
        choice = words(len(columns[i]), *labels, "relation", i)
        columns[i][:] = np.where(
            choice % np.uint64(4) == 0, _near(columns, types[0], i, choice >> np.uint64(2)), columns[i]
        )


def _near(columns: list[Words], type_: ScalarType, i: int, choice: Words) -> Words:
    base = _product(columns, type_) if i == 2 and type_.name in _FORMATS else columns[0]
    step = np.array([0, 0, 1, -1], np.int64).astype(np.uint64)[choice % np.uint64(4)]
    sign = (choice >> np.uint64(2) & np.uint64(1)) << np.uint64(type_.bits - 1)
    if type_.kind == "x":
        sign |= sign >> np.uint64(type_.bits // 2)
    return (base + step ^ sign) & mask(type_.bits)


def _product(columns: list[Words], type_: ScalarType) -> Words:
    with np.errstate(all="ignore"):
        return encode(type_.name, decode(type_.name, columns[0]) * decode(type_.name, columns[1]))


def edges(type_: ScalarType, formula: str, count: int, *labels: object) -> list[Words]:
    """Operands whose result lies within a few steps of the least normal number: `formula` is a·b, a/b or a·b + c.

    There the result of a directed rounding, and what .ftz flushes, depend on whether numbers count as tiny before or after
    rounding.
    """
    if type_.kind != "x":
        return _edges(type_.name, formula, words(count, *labels, "edge"))
    element = type_.name.removesuffix("x2")
    low, high = (_edges(element, formula, words(count, *labels, "edge", half)) for half in (0, 1))
    return [a | b << np.uint64(type_.bits // 2) for a, b in zip(low, high, strict=True)]


def _edges(name: str, formula: str, raw: Words) -> list[Words]:
    exponent, fraction = _FORMATS[name]
    least = 2 - (1 << exponent - 1)
    size = 1 + (raw >> np.uint64(12)) * 2.0**-52
    fine = ((raw >> np.uint64(4) & np.uint64(3)) + raw % np.uint64(2)).astype(np.int64)
    if formula == "a/b":
        numbers = [np.ldexp(size, 5 + least), np.ldexp(size, 5)]
    elif formula == "a·b":
        numbers = [np.ldexp(size, least // 2), np.ldexp(1 / size, least - least // 2)]
    else:
        half = (least - fraction) // 2 - 2
        numbers = [
            np.ldexp(size, half),
            np.ldexp(1 / size, least - fraction - half - fine),
            np.ldexp(1.0, least) + 0 * size,
        ]
    columns = [encode(name, n) for n in numbers]
    columns[-1] += raw >> np.uint64(8) & np.uint64(3)
    columns[-1] -= np.uint64(1)
    sign = np.uint64(1) << np.uint64(exponent + fraction)
    return [
        c | np.where(raw >> np.uint64(i + 1) & np.uint64(1) == 1, sign, np.uint64(0)) for i, c in enumerate(columns)
    ]


def warp_values(column: Words, warps: int) -> Words:
    """Few different values in a warp, so that lanes agree: one in warp 0, then two, and so on."""
    lanes = column.reshape(warps, -1)
    kinds = np.arange(1, warps + 1, dtype=np.uint64)[:, None]
    picked = (lanes >> np.uint64(3)) % kinds
    return np.take_along_axis(lanes, picked.astype(np.int64), axis=1).reshape(-1)
