"""Numbers of rows in registers: from their types in memory to f32 and back, sums, and exponentials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import ptxlab as px

LOG2_E = 1.4426950408889634
LOG2_E_REST = 1.925963033500011e-08
"""What f32 leaves of log2 e."""
LEAST_EXPONENT = -150.0
"""e to the power of this is 0 in f32."""
EVEN = (-0.130310059, -0.121483512, -0.166846126, -0.249996200)
ODD = (0.140869141, 0.139814854, 0.200120345)
"""Coefficients of the logarithm around 1."""
TWO_THIRDS, EXPONENT = 0x3F2AAAAB, 0xFF800000
"""Bits of f32: the number from which on mantissas belong to the next power of two, and where the exponent is."""
CHAINS = 4
"""Sums that a thread adds up side by side."""

Values = Sequence[Any]


def unpacked(k: px.Builder, words: Values, kind: str) -> list[Any]:
    """f32 of words of memory: f32 themselves, .b32 with two elements, or one .b16."""
    if kind == "f32":
        return list(words)
    parts = [part for word in words for part in (k.unpack(word, px.b16) if word.scalar.bits == 32 else [word])]
    convert = getattr(k.cvt.f32, kind)
    return [convert(part) for part in parts]


def packed(k: px.Builder, values: Values, kind: str) -> list[Any]:
    """Words for memory, see `unpacked`; fp8 in .b32 with four elements, or a .b16 with one or two."""
    if kind == "f32":
        return list(values)
    if kind == "e4m3":
        zero = [k.mov.f32(0.0)] if len(values) == 1 else []
        return _joined(k, _pairs(k.cvt.rn.satfinite.e4m3x2.f32, [*values, *zero]))
    if len(values) == 1:
        return [getattr(k.cvt.rn, kind).f32(values[0])]
    return _pairs(getattr(k.cvt.rn, f"{kind}x2").f32, values)


def _pairs(convert: Any, values: Values) -> list[Any]:
    return [convert(values[i + 1], values[i]) for i in range(0, len(values), 2)]


def _joined(k: px.Builder, halves: list[Any]) -> list[Any]:
    return halves if len(halves) == 1 else [k.mov.b32(halves[i : i + 2]) for i in range(0, len(halves), 2)]


def rounded(k: px.Builder, values: Iterable[Any], kind: str) -> Iterable[Any]:
    """The values as memory holds them."""
    values = iter(values)
    while some := list(islice(values, 2)):
        yield from unpacked(k, packed(k, some, kind), kind)


def joined(k: px.Builder, how: str, values: Iterable[Any]) -> Any:
    """The sum ("add") or the largest ("max", NaN where there is one): some chains side by side, as the values come."""
    one, chains = joiner(k, how), list[Any]()
    for i, value in enumerate(values):
        if i < CHAINS:
            chains.append(value)
        else:
            chains[i % CHAINS] = one(chains[i % CHAINS], value)
    return _tree(one, chains)


def _tree(one: Any, values: list[Any]) -> Any:
    while len(values) > 1:
        pairs = [one(values[i], values[i + 1]) for i in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) - len(values) % 2 :]
    return values[0]


def joiner(k: px.Builder, how: str) -> Any:
    """The instruction that joins two."""
    return k.add.rn.f32 if how == "add" else k.max.NaN.f32


def dot(k: px.Builder, pairs: Iterable[tuple[Any, Any]]) -> Any:
    """The sum of products."""
    chains: list[Any] = []
    for i, (x, y) in enumerate(pairs):
        if i < CHAINS:
            chains.append(k.mul.rn.f32(x, y))
        else:
            chains[i % CHAINS] = k.fma.rn.f32(x, y, chains[i % CHAINS])
    return _tree(joiner(k, "add"), chains)


def exponential(k: px.Builder, x: Any, *, exact: bool) -> Any:
    """e to the power of x, which is at most 0, or NaN: to the last bit or two of f32; or for bf16 and f16, 0 below 2⁻¹²⁶."""
    if not exact:
        return k.ex2.approx.ftz.f32(k.mul.rn.f32(x, LOG2_E))
    bounded = k.max.NaN.f32(x, LEAST_EXPONENT)
    whole = k.cvt.rni.f32.f32(k.mul.rn.f32(bounded, LOG2_E))
    rest = k.fma.rn.f32(bounded, LOG2_E, k.neg.f32(whole))
    rest = k.fma.rn.f32(bounded, LOG2_E_REST, rest)
    return k.mul.rn.f32(k.ex2.approx.ftz.f32(rest), k.ex2.approx.f32(whole))


def logarithm(k: px.Builder, x: Any) -> Any:
    """The natural logarithm of x, which is at least 1 and finite, or NaN: a polynomial around 1, to an error of one unit of f32."""
    bits = k.mov.b32(x)
    exponent = k.and_.b32(k.sub.s32(bits, TWO_THIRDS), EXPONENT)
    near = k.mov.b32(k.sub.s32(bits, exponent))
    f = k.sub.rn.f32(near, 1.0)
    square = k.mul.rn.f32(f, f)
    even, odd = k.mov.f32(EVEN[0]), k.mov.f32(ODD[0])
    for c in EVEN[1:]:
        even = k.fma.rn.f32(even, square, c)
    for c in ODD[1:]:
        odd = k.fma.rn.f32(odd, square, c)
    rest = k.fma.rn.f32(odd, f, even)
    for c in (0.333331972, -0.5):
        rest = k.fma.rn.f32(rest, f, c)
    rest = k.fma.rn.f32(rest, square, f)
    power = k.mul.rn.f32(k.cvt.rn.f32.s32(exponent), 2.0**-23)
    made = k.fma.rn.f32(power, 0.6931471805599453, rest)
    return k.selp.f32(made, x, x < float("inf"))
