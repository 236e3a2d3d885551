"""cvt against exact rationals, NumPy and ml_dtypes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ...elementwise import apply
from .test_real import BF16, F16, F32, bits32, bits64, flush, rounded

RNG = np.random.default_rng(5)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32}
DTYPES: dict[str, Any] = {
    "f16": np.dtype("f2"),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype("f4"),
    "f64": np.dtype("f8"),
}
REGISTER = {"f16": "b16", "bf16": "b16", "f32": "f32", "f64": "f64"}


@np.errstate(invalid="ignore")
def sources(kind: str) -> NDArray[Any]:
    if kind == "f64":
        out = bits64(600)
        out[:300] = bits32(300).view("f4").astype("f8").view("u8") ^ RNG.integers(0, 2**30, 300, dtype=np.uint64)
        out[300:400] = (RNG.standard_normal(100) * 1e-6).view("u8")
        return out
    if kind == "f32":
        out = bits32(600)
        out[:100] = (RNG.standard_normal(100) * 1e-6).astype("f4").view("u4")
        return out
    return RNG.integers(0, 2**16, 600, dtype=np.uint16)


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize(
    ("to", "source"), [("f16", "f32"), ("bf16", "f32"), ("f32", "f64"), ("f16", "f64"), ("bf16", "f64")]
)
@np.errstate(invalid="ignore")
def test_narrowing_rounds_once(to: str, source: str, mode: str) -> None:
    a = sources(source)
    got = apply(f"cvt.{mode}.{to}.{source} d, a0;", REGISTER[to], REGISTER[source], a).view(DTYPES[to])
    for x, g in zip(a.view(DTYPES[source]).astype("f8").tolist(), got.astype("f8").tolist(), strict=True):
        if np.isfinite(x):
            assert g == rounded(Fraction(x), mode, *FORMATS[to]), (x, g)
        else:
            assert g == x or (g != g and x != x)
    nan = np.isnan(got.astype("f8"))
    want = carried(a[nan], to) if source == "f64" else (0x7FFFFFFF if to == "f32" else 0x7FFF)
    assert (got.view(f"u{got.itemsize}")[nan] == want).all()


def carried(nan: NDArray[np.uint64], to: str) -> NDArray[np.uint64]:
    """NaN of f64 in a narrower format: sign, quiet bit, the top of the payload."""
    bits, fraction = {"f16": (16, 10), "bf16": (16, 7), "f32": (32, 23)}[to]
    sign = nan >> np.uint64(63) << np.uint64(bits - 1)
    rest = (nan | np.uint64(1 << 51)) >> np.uint64(52 - fraction) & np.uint64((1 << bits - 1) - 1)
    return sign | rest


@pytest.mark.parametrize(("to", "source"), [("f32", "f16"), ("f32", "bf16"), ("f64", "f32"), ("f64", "f16")])
def test_widening_is_exact(to: str, source: str) -> None:
    a = sources(source)
    got = apply(f"cvt.{to}.{source} d, a0;", REGISTER[to], REGISTER[source], a).view(DTYPES[to])
    np.testing.assert_array_equal(got, a.view(DTYPES[source]).astype(DTYPES[to]))


def test_pairs_and_saturation_of_f32() -> None:
    a, b = sources("f32"), sources("f32")
    low = apply("cvt.rn.bf16.f32 d, a0;", "b16", "f32", b).astype("u4")
    high = apply("cvt.rn.bf16.f32 d, a0;", "b16", "f32", a).astype("u4")
    assert (apply("cvt.rn.bf16x2.f32 d, a0, a1;", "b32", "f32 f32", a, b) == (high << 16 | low)).all()
    got = apply("cvt.rn.relu.f16.f32 d, a0;", "b16", "f32", a).view("f2")
    with np.errstate(all="ignore"):
        want = a.view("f4").astype("f2")
    np.testing.assert_array_equal(got, np.where(np.isnan(want), want, np.where(want > 0, want, np.float16(0))))


def whole(x: float, mode: str) -> int:
    f = Fraction(x)
    down = f.numerator // f.denominator
    if mode == "rmi":
        return down
    if mode == "rpi":
        return -((-f.numerator) // f.denominator)
    return round(f) if mode == "rni" else int(f)


@pytest.mark.parametrize("mode", ["rni", "rzi", "rmi", "rpi"])
@pytest.mark.parametrize("source", ["f32", "f64", "f16"])
@pytest.mark.parametrize("to", ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"])
@np.errstate(invalid="ignore", over="ignore")
def test_float_to_integer_clamps(to: str, source: str, mode: str) -> None:
    a = sources(source)
    bits = int(to[1:])
    spread = (RNG.standard_normal(300) * 2.0 ** RNG.integers(0, bits + 2, 300)).astype(DTYPES[source])
    a[:300] = spread.view(a.dtype)
    held = max(16, bits)
    got = apply(f"cvt.{mode}.{to}.{source} d, a0;", f"b{held}", REGISTER[source], a)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    for x, g in zip(a.view(DTYPES[source]).astype("f8").tolist(), got.tolist(), strict=True):
        if x != x:
            want = 1 << (bits - 1) if source == "f64" or bits == 64 else 0
        elif x in (float("inf"), float("-inf")):
            want = high if x > 0 else low
        else:
            want = min(max(whole(x, mode), low), high)
        assert g == want & ((1 << held) - 1), (x, g, want)


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("to", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("source", ["u16", "s32", "u32", "s64", "u64"])
def test_integer_to_float(source: str, to: str, mode: str) -> None:
    bits = int(source[1:])
    a = RNG.integers(0, 2**63, 400, dtype=np.uint64) >> RNG.integers(0, 60, 400).astype("u8")
    a = (a * np.uint64(2) + RNG.integers(0, 2, 400).astype("u8")).astype(f"u{bits // 8}")
    got = apply(f"cvt.{mode}.{to}.{source} d, a0;", REGISTER[to], f"b{bits}", a).view(DTYPES[to]).astype("f8")
    format_ = FORMATS.get(to, (53, -1074, Fraction(np.finfo("f8").max.item())))
    values = a.view(f"i{bits // 8}") if source[0] == "s" else a
    for x, g in zip(values.tolist(), got.tolist(), strict=True):
        assert g == rounded(Fraction(x), mode, *format_), (x, g)


@np.errstate(invalid="ignore")
def test_rounding_to_integral() -> None:
    a = sources("f32")
    a[:300] = (RNG.standard_normal(300) * 50).astype("f4").view("u4")
    x = a.view("f4")
    for mode, fn in (("rni", np.rint), ("rzi", np.trunc), ("rmi", np.floor), ("rpi", np.ceil)):
        got = apply(f"cvt.{mode}.f32.f32 d, a0;", "f32", "f32", a)
        want = np.where(np.isnan(x), np.uint32(0x7FFFFFFF), fn(x).view("u4"))
        assert (got == want).all()
    got = apply("cvt.ftz.f32.f32 d, a0;", "f32", "f32", a)
    assert (got == np.where(np.isnan(x), np.uint32(0x7FFFFFFF), flush(a).view("u4"))).all()


def test_tf32() -> None:
    a = sources("f32")
    finite = np.isfinite(a.view("f4")) & ((a & 0x7FFFFFFF) < 0x7F000000)
    got = apply("cvt.rna.tf32.f32 d, a0;", "b32", "f32", a)
    assert (got[finite] == ((a + 0x1000) & 0xFFFFE000)[finite]).all()
    got = apply("cvt.rn.tf32.f32 d, a0;", "b32", "f32", a).view("f4")
    for x, g in zip(a.view("f4")[finite].tolist(), got[finite].tolist(), strict=True):
        assert g == rounded(Fraction(x), "rn", 11, -136, F32[2])


@pytest.mark.parametrize(("name", "dtype"), [("e4m3", ml_dtypes.float8_e4m3fn), ("e5m2", ml_dtypes.float8_e5m2)])
def test_8_bit_floats(name: str, dtype: Any) -> None:
    codes = np.arange(65536, dtype=np.uint16)
    got = apply(f"cvt.rn.f16x2.{name}x2 d, a0;", "b32", "b16", codes).view("f2")
    np.testing.assert_array_equal(got, codes.view("u1").view(dtype).astype("f2"))
    x = np.concatenate(
        [sources("f32").view("f4"), (RNG.standard_normal(2000) * np.exp(RNG.uniform(-12, 12, 2000))).astype("f4")]
    )
    x = np.append(x, codes.view("u1")[::7].view(dtype).astype("f4"))
    x = np.append(x, (x[-2000:-1] + x[-1999:]) / 2)
    got = apply(f"cvt.rn.satfinite.{name}x2.f32 d, a0, a1;", "b16", "f32 f32", x.view("u4"), x.view("u4"))
    assert (got >> 8 == got & 0xFF).all()
    largest = np.float32(ml_dtypes.finfo(dtype).max)
    with np.errstate(all="ignore"):
        want = np.clip(x, -largest, largest).astype(dtype)
    good = ~np.isnan(x)
    assert ((got & 0xFF).astype("u1")[good] == want.view("u1")[good]).all()
    assert ((got & 0xFF)[~good] == 0x7F).all()
