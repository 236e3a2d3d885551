"""Carry chains against Python's integers: wide numbers made of words, in every lane its own."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ...elementwise import apply
from ...launching import launch

DICE = random.Random(11)
WORDS = {32: "u32", 64: "u64"}


def words(bits: int, n: int = 200) -> np.ndarray:
    edges = [0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << bits) - 2]
    return np.array([DICE.choice([DICE.choice(edges), DICE.getrandbits(bits)]) for _ in range(n)], f"u{bits // 8}")


def ints(column: np.ndarray) -> list[int]:
    return [int(v) for v in column]


@pytest.mark.parametrize("bits", WORDS)
@pytest.mark.parametrize("name", ["add", "sub"])
@pytest.mark.parametrize("word", [0, 1, 2])
def test_three_words(name: str, bits: int, word: int) -> None:
    a, b = [words(bits) for _ in range(3)], [words(bits) for _ in range(3)]
    t = f"s{bits}" if word == 1 else f"u{bits}"
    lines = [f"{name}.cc.{t} w0, a0, a3;", f"{name}c.cc.{t} w1, a1, a4;", f"{name}c.{t} w2, a2, a5;"]
    text = f".reg .b{bits} w0, w1, w2; {' '.join(lines)} mov.b{bits} d, w{word};"
    got = apply(text, f"b{bits}", " ".join([f"b{bits}"] * 6), *a, *b)
    sign = 1 if name == "add" else -1
    for lane in range(len(a[0])):
        x, y = (sum(int(column[lane]) << bits * i for i, column in enumerate(v)) for v in (a, b))
        assert int(got[lane]) == ((x + sign * y) >> bits * word) & ((1 << bits) - 1)


@pytest.mark.parametrize("bits", WORDS)
@pytest.mark.parametrize("kind", ["u", "s"])
@pytest.mark.parametrize("part", ["lo", "hi"])
def test_multiply_and_add_keep_the_carry(kind: str, bits: int, part: str) -> None:
    a, b, c, more = (words(bits) for _ in range(4))
    t, whole = f"{kind}{bits}", (1 << bits) - 1
    text = (
        f".reg .b{bits} one; add.cc.{t} one, a3, a3; madc.{part}.cc.{t} one, a0, a1, a2; addc.{t} d, 0, 0;"
        f" mad.{part}.cc.{t} one, a0, a1, a2; madc.{part}.{t} one, a3, a1, a2; shl.b{bits} d, d, 1;"
        f" mad.{part}.cc.{t} one, a0, a1, a2; addc.{t} d, d, 0;"
    )
    got = apply(text, f"b{bits}", " ".join([f"b{bits}"] * 4), a, b, c, more)
    for x, y, z, m, found in zip(*map(ints, (a, b, c, more, got)), strict=True):
        signed = [v - (1 << bits) if kind == "s" and v >> (bits - 1) else v for v in (x, y)]
        product = signed[0] * signed[1]
        half = (product if part == "lo" else product >> bits) & whole
        first = (half + z + (2 * m >> bits)) >> bits
        assert found == 2 * first + ((half + z) >> bits)


@pytest.mark.parametrize("part", ["lo", "hi"])
def test_the_sum_of_a_product_and_the_carry(part: str) -> None:
    a, b, c, more = (words(32) for _ in range(4))
    text = f".reg .b32 one; add.cc.u32 one, a3, a3; madc.{part}.u32 d, a0, a1, a2;"
    got = apply(text, "b32", "b32 b32 b32 b32", a, b, c, more)
    for x, y, z, m, found in zip(*map(ints, (a, b, c, more, got)), strict=True):
        product = x * y if part == "lo" else x * y >> 32
        assert found == (product + z + (2 * m >> 32)) & 0xFFFF_FFFF


def test_lanes_keep_their_own_carry_where_they_diverge() -> None:
    """Odd lanes add what carries, then even lanes what does not; each then reads its own."""
    out = np.full(32, 7, np.uint32)
    text = """.visible .entry k(.param .u64 out) {
        .reg .b32 t, odd, x; .reg .b64 at; .reg .pred p;
        mov.u32 t, %tid.x; and.b32 odd, t, 1; setp.eq.b32 p, odd, 1;
        @p add.cc.u32 x, -1, 1;
        @!p add.cc.u32 x, 1, 1;
        addc.u32 x, 0, 0;
        ld.param.u64 at, [out]; mad.wide.u32 at, t, 4, at; st.global.u32 [at], x;
        ret; }"""
    launch(text, [out], grid=(1, 1, 1), block=(32, 1, 1))
    assert out.tolist() == [lane & 1 for lane in range(32)]


@pytest.mark.parametrize("kind", ["u", "s"])
@pytest.mark.parametrize("part", ["lo", "hi"])
def test_half_words_are_multiplied_in_words(kind: str, part: str) -> None:
    """The upper part is what stands above 32 bits, as an H200 gives it."""
    a, b, c = (words(16) for _ in range(3))
    text = f".reg .b32 x; mov.b32 x, -1; add.cc.u32 x, x, 1; madc.{part}.{kind}16 d, a0, a1, a2;"
    got = apply(text, "b16", "b16 b16 b16", a, b, c)
    for x, y, z, found in zip(*map(ints, (a, b, c, got)), strict=True):
        signed = [v - (1 << 16) if kind == "s" and v >> 15 else v for v in (x, y)]
        product = signed[0] * signed[1]
        assert found == ((product if part == "lo" else product >> 32) + z + 1) & 0xFFFF
