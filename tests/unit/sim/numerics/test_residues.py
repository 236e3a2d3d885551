"""Codes of residues: the laws that they keep, and what constants stand for."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxlab.sim.numerics import coded as c
from ptxlab.sim.numerics import residues as r
from ptxlab.sim.numerics.residues import ARRAYS as O
from ptxlab.sim.numerics.residues import MINUS, NAN, NO_A, NO_B, PLUS, STEP, P, Q

full = st.builds(lambda a, b: np.uint32(a + STEP * b), st.integers(0, P - 1), st.integers(0, Q - 1))
part = st.builds(lambda a, b: np.uint32(a + STEP * b), st.integers(0, NO_A), st.integers(0, NO_B))
special = st.sampled_from([np.uint32(x) for x in (PLUS, MINUS, NAN)])
any_code = st.one_of(part, part, special)


def const(value: float) -> np.uint32:
    return np.uint32(c.constant(float(np.float32(value))))


@given(any_code, any_code, any_code)
def test_sums_and_products_come_in_any_order(x: np.uint32, y: np.uint32, z: np.uint32) -> None:
    assert r.add(O, x, y) == r.add(O, y, x)
    assert r.add(O, r.add(O, x, y), z) == r.add(O, x, r.add(O, y, z))
    assert r.mul(O, x, y) == r.mul(O, y, x)


@given(full, full, full)
def test_finite_numbers_are_a_ring(x: np.uint32, y: np.uint32, z: np.uint32) -> None:
    assert r.mul(O, r.mul(O, x, y), z) == r.mul(O, x, r.mul(O, y, z))
    assert r.mul(O, x, r.add(O, y, z)) == r.add(O, r.mul(O, x, y), r.mul(O, x, z))
    assert r.sub(O, x, x) == 0
    assert r.add(O, r.sub(O, x, y), y) == x
    assert r.fma(O, x, y, z) == r.add(O, r.mul(O, x, y), z)
    assert r.mul(O, x, np.uint32(r.ONE)) == x
    assert r.neg(O, x) == r.mul(O, x, np.uint32(r.MINUS_ONE))


@given(full, full)
def test_quotients_lead_back(x: np.uint32, y: np.uint32) -> None:
    a, b = (int(v) for v in r.parts(O, y))
    back = r.mul(O, r.div(O, x, y), y)
    if a and b:
        assert back == x
    elif y:
        assert [int(n) for n in r.parts(O, r.inverse(O, y))] == [
            pow(a, -1, P) if a else NO_A, pow(b, -1, Q) if b else NO_B
        ]  # fmt: skip
    else:
        assert r.inverse(O, y) == PLUS


@given(full, full)
def test_exponentials_are_a_homomorphism(x: np.uint32, y: np.uint32) -> None:
    assert r.ex2(O, r.add(O, x, y)) == r.mul(O, r.ex2(O, x), r.ex2(O, y))
    assert int(r.parts(O, r.lg2(O, r.ex2(O, x)))[1]) == int(r.parts(O, x)[1])
    if int(x) % STEP and int(y) % STEP:
        assert r.lg2(O, r.mul(O, x, y)) == r.add(O, r.lg2(O, x), r.lg2(O, y))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 20])
def test_powers_of_two(n: int) -> None:
    assert int(r.parts(O, r.ex2(O, np.uint32(c.rational(n))))[0]) == c.rational(1 << n) % STEP


@given(full, full)
def test_roots_are_multiplicative(x: np.uint32, y: np.uint32) -> None:
    root = r.sqrt(O, x)
    square = r.mul(O, root, root)
    for mine, other, prime in zip(r.parts(O, square), r.parts(O, x), (P, Q), strict=True):
        assert int(mine) in (int(other), (prime - int(other)) % prime)
    assert r.sqrt(O, r.mul(O, x, y)) == r.mul(O, root, r.sqrt(O, y))
    assert r.rsqrt(O, x) == r.inverse(O, root)


@given(any_code, any_code, any_code)
def test_maxima_come_in_any_order(x: np.uint32, y: np.uint32, z: np.uint32) -> None:
    for function in (r.maximum, r.minimum):
        assert function(O, x, x) == x
        assert function(O, x, y) == function(O, y, x)
        assert function(O, function(O, x, y), z) == function(O, x, function(O, y, z))
    if NAN not in (x, y):
        assert r.minimum(O, x, y) == r.neg(O, r.maximum(O, r.neg(O, x), r.neg(O, y)))
        assert bool(r.less(O, x, y)) == bool(r.less(O, r.neg(O, y), r.neg(O, x)))
        assert r.absolute(O, x) == r.absolute(O, r.neg(O, x))


def test_the_order_is_total_and_zero_lies_within() -> None:
    codes = np.array([a + STEP * b for a in range(P) for b in range(Q)] + [PLUS, MINUS], np.uint32)
    keys = r.key(O, codes)
    assert len(np.unique(keys)) == len(codes)
    assert 0.4 < (keys > r.key(O, np.uint32(0))).mean() < 0.6
    assert keys.argmax() == len(codes) - 2
    assert keys.argmin() == len(codes) - 1


@pytest.mark.parametrize("value", [*range(1, 9), 0.5, 0.25, math.log2(math.e)])
def test_some_constants_have_their_sign(value: float) -> None:
    assert r.less(O, np.uint32(0), const(value))
    assert r.less(O, const(-value), np.uint32(0))


@given(st.one_of(full, part))
def test_infinities(x: np.uint32) -> None:
    plus, minus = np.uint32(PLUS), np.uint32(MINUS)
    assert r.add(O, x, plus) == PLUS
    assert r.sub(O, x, plus) == MINUS
    assert r.add(O, plus, minus) == NAN
    assert r.maximum(O, x, minus) == x
    assert r.ex2(O, minus) == 0
    assert r.mul(O, x, np.uint32(0)) == 0
    assert r.mul(O, plus, np.uint32(0)) == NAN
    assert r.inverse(O, minus) == 0


@given(part)
def test_functions_keep_their_symmetry(x: np.uint32) -> None:
    for name in r.ODD:
        assert r.unknown(O, r.neg(O, x), name) == r.neg(O, r.unknown(O, x, name))
    for name in r.EVEN:
        assert r.unknown(O, r.neg(O, x), name) == r.unknown(O, x, name)


@given(full)
def test_tanh_is_made_of_exponentials(x: np.uint32) -> None:
    power = r.ex2(O, r.mul(O, x, np.uint32(c.LOG2E)))
    other = r.inverse(O, power)
    wanted = r.div(O, r.sub(O, power, other), r.add(O, power, other))
    a, b = int(r.parts(O, c.tanh(O, x))[0]), int(r.parts(O, wanted)[0])
    assert a == b or NO_A in (a, b)


@given(st.lists(any_code, min_size=1, max_size=9), st.data())
def test_products_of_matrices_are_sums_of_products(row: list[np.uint32], data: st.DataObject) -> None:
    column = data.draw(st.lists(full, min_size=len(row), max_size=len(row)))
    row = [x if x < r.SPECIAL else np.uint32(3) for x in row]
    found = r.dot(np.array([row]), np.array([column]).T)[0, 0]
    wanted = r.total(np.array([r.mul(O, x, y) for x, y in zip(row, column, strict=True)], np.uint32))
    for mine, other, prime in zip(r.parts(O, found), r.parts(O, wanted), (P, Q), strict=True):
        assert int(mine) in (int(other), prime)  # a product with zero is known, whatever the other factor is


@given(st.integers(1, 4000), st.integers(1, 4000))
def test_a_rounded_quotient_stands_for_the_quotient(n: int, d: int) -> None:
    assert c.constant(float(np.float32(n / d))) == c.rational(Fraction(n, d))
    assert c.constant(-float(np.float32(n / d))) == int(r.neg(O, np.uint32(c.rational(Fraction(n, d)))))


@pytest.mark.parametrize(("kind", "dtype"), [("f16", np.float16), ("f32", np.float32)])
@pytest.mark.parametrize("value", [0.1, 1 / 3, 3.0, 0.2, 1 / 7])
def test_what_a_number_stands_for_does_not_depend_on_its_type(kind: str, dtype: type, value: float) -> None:
    assert c.constant(float(dtype(value)), kind) == c.rational(Fraction(value).limit_denominator(100))


@pytest.mark.parametrize("n", [1, 2, 8, 64, 80, 128])
def test_scales_of_scores(n: int) -> None:
    scale, log2e = 1 / math.sqrt(n), math.log2(math.e)
    root = r.sqrt(O, np.uint32(c.rational(Fraction(1, n))))
    whole = math.isqrt(n)
    assert const(scale) == (np.uint32(c.rational(Fraction(1, whole))) if whole * whole == n else root)
    assert const(scale * log2e) == r.mul(O, const(scale), const(log2e))
    assert const(math.log(2)) == r.inverse(O, const(log2e))


@given(st.floats(2.0**-20, 2.0**20, width=32), st.floats(2.0**-20, 2.0**20, width=32))
def test_constants_that_differ_stand_for_different_numbers(x: float, y: float) -> None:
    low, high = (c.simplest(*c.half_steps(v, "f32")) for v in sorted((x, y)))
    assert float(np.float32(float(low))) == min(x, y)
    assert (low == high) == (x == y)


def test_integers() -> None:
    values = np.array([0, 1, -1, P * Q, -P, 2**31 - 1, -(2**31)], np.int32)
    assert c.whole(values).tolist() == [c.rational(int(v)) for v in values]
    big = np.array([2**64 - 1], np.uint64)
    assert c.whole(big).tolist() == [c.rational(2**64 - 1)]
    assert c.constants(np.array([1e10, 2.0**40 + 1])).tolist() == [c.rational(10**10), c.rational(2**40 + 1)]


def test_words_hold_codes() -> None:
    codes = np.array([0, 1, r.LOST, PLUS, NAN], np.uint32)
    for bits in (16, 32, 64):
        assert c.code_of(c.held(codes, bits)).tolist() == codes.tolist()
    assert c.code_of(np.array([0x3F80_0001, 0xFE00_0000], np.uint32)).tolist() == [NAN, NAN]
