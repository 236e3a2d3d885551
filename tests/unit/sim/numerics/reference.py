"""The fused dot-add of Hopper's tensor cores in plain integers: slow, and meant to be read.

All products of a group and the addend are aligned to their largest exponent, cut toward zero to `fraction` bits, summed
exactly and rounded once. `kernels` must give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from ptxlab.sim.numerics.formats import FORMATS, Kind, Number

Out = Literal["f32", "f16"]

NAN_BITS: dict[Out, int] = {"f32": 0x7FFFFFFF, "f16": 0x7FFF}
INF_BITS: dict[Out, int] = {"f32": 0x7F800000, "f16": 0x7C00}
SIGN_BIT: dict[Out, int] = {"f32": 1 << 31, "f16": 1 << 15}
EXPONENT_FLOOR: dict[Out, int] = {"f32": -133, "f16": -21}


def fda(
    a: Sequence[int],
    b: Sequence[int],
    c: int,
    type: str = "bf16",
    fraction: int = 25,
    out: Out = "f32",
    *,
    b_type: str | None = None,
    keep: int = 23,
) -> int:
    """One fused dot-add over a group: `c + Σ a[k]·b[k]`.

    Args:
        a, b: bit patterns of one group (16 for f16 and bf16, 8 for tf32, 32 for fp8 wgmma), of format `type` and `b_type`.
        c: bit pattern of the addend, in the format `out`.
        fraction: fraction bits kept when terms are aligned (25; 13 for fp8 wgmma).
        keep: fraction bits of an f32 result (23; 13 for fp8 wgmma).

    Returns: the bit pattern of the result. ISA: "Matrix multiply-accumulate operation".
    """
    form_a, form_b = FORMATS[type], FORMATS[b_type or type]
    left, right = [form_a.decode(x) for x in a], [form_b.decode(x) for x in b]
    addend = FORMATS[out].decode(c)
    special = _special(left, right, addend, out)
    if special is not None:
        return special
    fraction_bits = form_a.fraction_bits + form_b.fraction_bits
    terms = [
        _term(x.negative != y.negative, x.significand * y.significand, x.exponent + y.exponent, fraction_bits)
        for x, y in zip(left, right, strict=True)
    ]
    terms.append(_term(addend.negative, addend.significand, addend.exponent, FORMATS[out].fraction_bits))
    largest = max([EXPONENT_FLOOR[out], *(e for value, e in terms if value)])
    unit = Fraction(2) ** (fraction - largest)
    total = sum(int(value * unit) for value, _ in terms)  # int() cuts a Fraction toward zero
    return _round(Fraction(total) / unit, out, keep)


def mma_fp8(a: Sequence[int], b: Sequence[int], c: int, a_type: str, b_type: str, out: Out = "f32") -> int:
    """mma.sync m16n8k32 of fp8: two f16 steps over the k with k mod 4 < 2 and the others, then one addition of c.

    Operands become f16, so that a subnormal e4m3 is aligned by its own exponent and not by the format's least one.

    Args: 32 patterns each in `a` and `b`; `c` in the format `out`. Returns: the bit pattern of the result.
    """
    total = 0
    left, right = [_half(x, a_type) for x in a], [_half(x, b_type) for x in b]
    for low in (0, 2):
        group = [k for k in range(len(a)) if k % 4 in (low, low + 1)]
        total = fda([left[k] for k in group], [right[k] for k in group], total, "f16", 25, out)
    return _add(total, c, out)


def _half(bits: int, type_: str) -> int:
    """The f16 pattern of an 8-bit float."""
    form = FORMATS[type_]
    found = form.decode(bits)
    sign = SIGN_BIT["f16"] if found.negative else 0
    if found.kind is not Kind.FINITE:
        return sign | (NAN_BITS if found.kind is Kind.NAN else INF_BITS)["f16"]
    value = _term(False, found.significand, found.exponent, form.fraction_bits)[0]
    return sign | _round(value, "f16", 10)


def _term(negative: bool, significand: int, exponent: int, fraction_bits: int) -> tuple[Fraction, int]:
    """A term's exact value and the exponent that it is aligned by."""
    value = Fraction(significand) * Fraction(2) ** (exponent - fraction_bits)
    return (-value if negative else value), exponent


def _special(left: Sequence[Number], right: Sequence[Number], addend: Number, out: Out) -> int | None:
    """The result when a NaN or an Inf takes part, else None."""
    signs: set[bool] = set()
    for x, y in zip(left, right, strict=True):
        if Kind.NAN in (x.kind, y.kind):
            return NAN_BITS[out]
        if Kind.INF in (x.kind, y.kind):
            if any(z.kind is Kind.FINITE and z.significand == 0 for z in (x, y)):
                return NAN_BITS[out]
            signs.add(x.negative != y.negative)
    if addend.kind is Kind.NAN:
        return NAN_BITS[out]
    if addend.kind is Kind.INF:
        signs.add(addend.negative)
    if not signs:
        return None
    if len(signs) == 2:
        return NAN_BITS[out]
    return INF_BITS[out] | (SIGN_BIT[out] if signs.pop() else 0)


def _round(value: Fraction, out: Out, keep: int, *, nearest: bool = False) -> int:
    """f32: toward zero to `keep` fraction bits, unless `nearest`. f16: to nearest even. A zero is +0."""
    if value == 0:
        return 0
    form = FORMATS[out]
    sign = SIGN_BIT[out] if value < 0 else 0
    magnitude = abs(value)
    bits = keep if out == "f32" else form.fraction_bits
    exponent = max(_log2(magnitude), form.least)
    scaled = magnitude / Fraction(2) ** (exponent - bits)
    count = int(scaled) if out == "f32" and not nearest else round(scaled)  # round() of a Fraction is to nearest even
    if count == 0:
        return 0
    if count == 1 << (bits + 1):
        count, exponent = 1 << bits, exponent + 1
    if exponent > -form.least + 1:
        return sign | INF_BITS[out]
    field = exponent - form.least + 1 if count >> bits else 0
    return sign | field << form.fraction_bits | (count & ((1 << bits) - 1)) << (form.fraction_bits - bits)


def _log2(value: Fraction) -> int:
    """Floor of the binary logarithm of a positive value."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if value >= Fraction(2) ** guess else guess - 1


def _add(x: int, y: int, out: Out) -> int:
    """x + y rounded once, to nearest even; the last step of an fp8 mma. Two zeros of −0 stay one."""
    form = FORMATS[out]
    left, right = form.decode(x), form.decode(y)
    one = Number(Kind.FINITE, False, 1 << form.fraction_bits, 0)
    special = _special([left], [one], right, out)
    if special is not None:
        return special
    values = [_term(z.negative, z.significand, z.exponent, form.fraction_bits)[0] for z in (left, right)]
    if left.significand == right.significand == 0 and left.negative and right.negative:
        return SIGN_BIT[out]
    return _round(values[0] + values[1], out, 23, nearest=True)
