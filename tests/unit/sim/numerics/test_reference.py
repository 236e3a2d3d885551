"""The integer reference against what an H100 was seen to do, and vectors that tell implementations apart."""

from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np
import pytest

from sim.numerics.reference import fda, mma_fp8

TYPES = {
    "bf16": (ml_dtypes.bfloat16, np.uint16),
    "f16": (np.float16, np.uint16),
    "e4m3": (ml_dtypes.float8_e4m3fn, np.uint8),
    "e5m2": (ml_dtypes.float8_e5m2, np.uint8),
}
ONE = {"bf16": 0x3F80, "f16": 0x3C00, "e4m3": 0x38, "e5m2": 0x3C, "tf32": 0x3F800000}


def bits(type_: str, values: list[float]) -> list[int]:
    dtype, unsigned = TYPES[type_]
    array = np.array(values, np.float32).astype(dtype)
    assert [float(x) for x in array] == values, "the test's values must be exact"
    return [int(x) for x in array.view(unsigned)]


def f32(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def dot(type_: str, a: list[float], b: list[float], c: int = 0, **options: object) -> int:
    return fda(bits(type_, a), bits(type_, b), c, type_, **options)  # type: ignore[arg-type]


BIG = 2.0**127


@pytest.mark.parametrize(
    ("name", "result", "expected"),
    [
        ("zero products take no part in the maximum", lambda: dot("bf16", [0, 2.0**-30], [BIG, 1]), 0x30800000),
        ("floor on the exponent, c = +0", lambda: dot("bf16", [2.0**-76] * 16, [2.0**-76] * 16), 0x2),
        ("floor on the exponent, c = -0", lambda: dot("bf16", [2.0**-76] * 16, [2.0**-76] * 16, 1 << 31), 0x2),
        (
            "floor on the exponent, f16",
            lambda: dot("f16", [2.0**-11, 2.0**-24], [2.0**-14, 2.0**-24], out="f16"),
            0x0000,
        ),
        ("an underflowing negative sum is +0", lambda: dot("bf16", [-(2.0**-75)], [2.0**-75]), 0),
        ("all terms -0", lambda: dot("bf16", [-0.0], [1.0], 1 << 31), 0),
        ("mma fp8 keeps c", lambda: mma_fp8([0] * 32, [0] * 32, f32(1 + 2.0**-14), "e4m3", "e4m3"), 0x3F800200),
        (
            "wgmma fp8 cuts c",
            lambda: fda([0] * 32, [0] * 32, f32(1 + 2.0**-14), "e4m3", 13, keep=13),
            0x3F800000,
        ),
        (
            "mma e4m3 32 small and 64",
            lambda: mma_fp8(bits("e4m3", [2.0**-4] * 32), bits("e4m3", [2.0**-4] * 32), f32(64), "e4m3", "e4m3"),
            f32(64 + 32 * 2.0**-8),
        ),
        (
            "mma e5m2",
            lambda: mma_fp8(
                bits("e5m2", [1.75, 1.75, 2.0**-7] + [0.0] * 29),
                bits("e5m2", [1.75, 1.75, 2.0**-6] + [0.0] * 29),
                0,
                "e5m2",
                "e5m2",
            ),
            0x40C40100,
        ),
        (
            "wgmma e5m2",
            lambda: dot("e5m2", [1.75, 1.75, 2.0**-7], [1.75, 1.75, 2.0**-6], fraction=13, keep=13),
            0x40C40000,
        ),
        ("NaN in f32", lambda: fda([0xFFC0], [ONE["bf16"]], 0), 0x7FFFFFFF),
        ("NaN in f16", lambda: fda([0xFE01], [ONE["f16"]], 0, "f16", out="f16"), 0x7FFF),
        ("Inf times 0", lambda: fda([0x7F80], [0], f32(1)), 0x7FFFFFFF),
        ("Inf - Inf", lambda: fda([0x7F80, 0xFF80], [ONE["bf16"]] * 2, 0), 0x7FFFFFFF),
        ("Inf", lambda: fda([0xFF80], [ONE["bf16"]], f32(1)), 0xFF800000),
        ("e4m3 NaN", lambda: fda([0x7F], [ONE["e4m3"]], 0, "e4m3", 13, keep=13), 0x7FFFFFFF),
        ("tf32 drops a NaN's payload: Inf", lambda: fda([0x7F800001], [ONE["tf32"]], 0, "tf32"), 0x7F800000),
        ("tf32 drops low bits", lambda: fda([0x3F801FFF], [ONE["tf32"]], 0, "tf32"), 0x3F800000),
        ("25 fraction bits", lambda: dot("bf16", [1, 2.0**-13], [1, 2.0**-12], f32(-1)), 0x33000000),
        ("every term is cut", lambda: dot("bf16", [1.0] + [2.0**-13] * 15, [1.0] + [2.0**-13] * 15, f32(-1)), 0),
        ("products are not normalised", lambda: dot("bf16", [1.5, -1.5, 2.0**-13], [1.5, 1.5, 2.0**-12]), 0x33000000),
        (
            "one group of 16",
            lambda: dot("bf16", [1.0, 2.0**-12] + [0.0] * 6 + [-1.0], [1.0, 2.0**-13] + [0.0] * 6 + [1.0]),
            0x33000000,
        ),
        ("cut, not floor", lambda: dot("bf16", [1, -(2.0**-13)], [1, 2.0**-13]), 0x3F800000),
        ("toward zero", lambda: dot("bf16", [1, 2.0**-12, 2.0**-12], [1, 2.0**-12, 2.0**-13]), 0x3F800000),
        ("f16 to nearest", lambda: dot("f16", [1, 2.0**-6, 2.0**-12], [1, 2.0**-5, 2.0**-13], out="f16"), 0x3C01),
        (
            "f16 without a sticky bit",
            lambda: dot("f16", [1, 2.0**-6, 2.0**-13], [1, 2.0**-5, 2.0**-13], out="f16"),
            0x3C00,
        ),
        ("overflow", lambda: dot("bf16", [BIG, BIG], [1, 1]), 0x7F800000),
        ("cancelling beyond the range", lambda: dot("bf16", [BIG, -BIG], [4, 4], f32(1)), 0),
        ("f16 65504 + 16", lambda: dot("f16", [65504.0, 16], [1, 1], out="f16"), 0x7C00),
        ("f16 65504 + 15", lambda: dot("f16", [65504.0, 15], [1, 1], out="f16"), 0x7BFF),
        (
            "e4m3 32 small and 64 by wgmma",
            lambda: dot("e4m3", [2.0**-4] * 32, [2.0**-4] * 32, f32(64), fraction=13, keep=13),
            f32(64.0),
        ),
    ],
)
def test_vector(name: str, result: object, expected: int) -> None:
    assert hex(result()) == hex(expected), name  # type: ignore[operator]


def test_small_integers_are_exact() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        a, b = rng.integers(-16, 17, (2, 16)).astype(float).tolist()
        c = float(rng.integers(-1000, 1000))
        exact = math.fsum(x * y for x, y in zip(a, b, strict=True)) + c
        assert dot("bf16", a, b, f32(c)) == f32(exact + 0.0)


def test_subnormal_results_are_cut_at_the_least_exponent() -> None:
    assert dot("bf16", [1.5 * 2.0**-126], [2.0**-10]) == (3 << 22) >> 10
    assert dot("bf16", [2.0**-126], [2.0**-24]) == 0
