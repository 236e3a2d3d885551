"""The compiled kernels against the integer reference, bit for bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.sim.numerics import kernels
from ptxlab.sim.numerics.formats import FORMATS, SPECIAL_EXPONENT, ZERO_EXPONENT, Kind
from sim.numerics.reference import fda

M, N = 6, 24
# name, type of b, group K, fraction bits, result, short result
CASES = [
    ("bf16", "bf16", 16, 25, "f32", False),
    ("f16", "f16", 16, 25, "f32", False),
    ("f16", "f16", 16, 25, "f16", False),
    ("tf32", "tf32", 8, 25, "f32", False),
    ("e4m3", "e5m2", 32, 13, "f32", True),
    ("e5m2", "e4m3", 32, 13, "f16", False),
]
FILLS = ["full range", "near one", "mostly zero", "tiny", "huge", "no specials"]


def patterns(rng: np.random.Generator, name: str, shape: tuple[int, ...], fill: str) -> NDArray[np.unsignedinteger]:
    form = FORMATS[name]
    dtype = {8: np.uint8, 16: np.uint16, 32: np.uint32}[form.bits]
    out = rng.integers(0, 1 << form.bits, shape, dtype=np.uint64)
    top = (1 << form.exponent_bits) - 1
    low = form.bits - 1 - form.exponent_bits
    field = (out >> low) & top
    if fill == "near one":
        field = top // 2 - 3 + field % 6
    elif fill == "tiny":
        field = field % (top // 3 + 1)
    elif fill == "huge":
        field = top - 1 - field % 4
    elif fill == "no specials":
        field = np.minimum(field, top - 1)
    out = (out & ~np.uint64(top << low)) | (field.astype(np.uint64) << np.uint64(low))
    if fill == "mostly zero":
        out[rng.random(shape) < 0.85] &= 1 << (form.bits - 1)
    return out.astype(dtype)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize(("a_type", "b_type", "k", "fraction", "out", "short"), CASES)
def test_equals_the_reference(
    a_type: str, b_type: str, k: int, fraction: int, out: str, short: bool, fill: str
) -> None:
    rng = np.random.default_rng([FILLS.index(fill), k, len(out)])
    a, b = patterns(rng, a_type, (M, k), fill), patterns(rng, b_type, (k, N), fill)
    c = patterns(rng, out, (M, N), fill)
    got = kernels.matmul(a, b, c, a_type, b_type=b_type, out=out, fraction=fraction, short=short)
    keep = 13 if short else 23
    for i in range(M):
        for j in range(N):
            want = fda(a[i].tolist(), b[:, j].tolist(), int(c[i, j]), a_type, fraction, out, b_type=b_type, keep=keep)
            assert hex(got[i, j]) == hex(want), (i, j, a[i], b[:, j], c[i, j])


@pytest.mark.parametrize("name", ["bf16", "f16", "e4m3", "e5m2"])
@pytest.mark.parametrize("negate", [False, True])
def test_decode_every_pattern(name: str, negate: bool) -> None:
    form = FORMATS[name]
    all_bits = np.arange(1 << form.bits, dtype=np.uint16 if form.bits == 16 else np.uint8)
    values, exponents = kernels.decode(all_bits, name, negate)
    for bits, value, exponent in zip(all_bits.tolist(), values.tolist(), exponents.tolist(), strict=True):
        number = form.decode(bits)
        if number.kind is Kind.FINITE:
            exact = number.significand * 2.0 ** (number.exponent - form.fraction_bits)
            assert value == (-exact if number.negative != negate else exact)
            assert exponent == (number.exponent if number.significand else ZERO_EXPONENT)
        else:
            assert exponent == SPECIAL_EXPONENT
            assert (
                np.isnan(value)
                if number.kind is Kind.NAN
                else value == (-np.inf if number.negative != negate else np.inf)
            )


def test_integers_equal_numpy() -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(-8, 9, (64, 16)).astype(ml_dtypes.bfloat16)
    b = rng.integers(-8, 9, (16, 256)).astype(ml_dtypes.bfloat16)
    c = rng.integers(-100, 100, (64, 256)).astype(np.float32)
    got = kernels.matmul(a.view(np.uint16), b.view(np.uint16), c.view(np.uint32), "bf16").view(np.float32)
    assert np.array_equal(got, a.astype(np.float32) @ b.astype(np.float32) + c)
