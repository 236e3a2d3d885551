"""Floating-point instructions against exact rationals and NumPy."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ...elementwise import apply

RNG = np.random.default_rng(11)
N = 400
EDGES32 = [0, 0x80000000, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x3F800000, 0xBF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000]
EDGES32 += [0xFF800000, 0x7FC00000, 0xFFFFFFFF, 0x7F800001, 0x33800000, 0x34000001, 0x00800001]


def bits32(n: int = N) -> NDArray[np.uint32]:
    """Edges and random bits; a third near 1 so that sums cancel."""
    out = RNG.integers(0, 2**32, n, dtype=np.uint32)
    near = RNG.standard_normal(n // 3).astype("f4").view("u4")
    out[: len(near)] = near
    out[-len(EDGES32) :] = EDGES32
    RNG.shuffle(out)
    return out


def bits64(n: int = N) -> NDArray[np.uint64]:
    out = RNG.integers(0, 2**64, n, dtype=np.uint64)
    out[: n // 2] = RNG.standard_normal(n // 2).view("u8")
    out[-4:] = [0, 1 << 63, 0x7FF << 52, 1]
    RNG.shuffle(out)
    return out


def spacing(exponent: int, digits: int, least: int) -> Fraction:
    return Fraction(2) ** max(exponent - digits + 1, least)


def rounded(value: Fraction, mode: str, digits: int, least: int, largest: Fraction) -> float:
    """A rational rounded to a format of so many digits whose least positive number is 2^least; the sign of 0 is lost."""
    if value == 0:
        return 0.0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    while Fraction(2) ** exponent > size:
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= size:
        exponent += 1
    unit = spacing(exponent, digits, least)
    down, rest = divmod(size, unit)
    up = {
        "rn": rest * 2 > unit or (rest * 2 == unit and down % 2 == 1),
        "rz": False,
        "rm": rest > 0 and value < 0,
        "rp": rest > 0 and value > 0,
    }[mode]
    out = (down + up) * unit
    if out > largest:
        away = mode == "rn" or (mode == "rm" and value < 0) or (mode == "rp" and value > 0)
        out = Fraction(0) if away else largest
        if away:
            return float("-inf") if value < 0 else float("inf")
    return float(-out if value < 0 else out)


F32 = (24, -149, Fraction(np.finfo("f4").max.item()))
F16 = (11, -24, Fraction(65504))
BF16 = (8, -133, Fraction(float(ml_dtypes.finfo("bfloat16").max)))
EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c,
}


def same_numbers(got: NDArray[np.floating], want: list[float | None]) -> None:
    """Equal where the rational is known (None: not finite or a division by zero, checked elsewhere)."""
    for i, (g, w) in enumerate(zip(got.tolist(), want, strict=True)):
        assert w is None or g == w, (i, g, w)


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("name", EXACT)
def test_f32_is_exact_in_every_rounding(name: str, mode: str) -> None:
    count = 3 if name == "fma" else 2
    columns = [bits32() for _ in range(count)]
    sources = ", ".join(f"a{i}" for i in range(count))
    got = apply(f"{name}.{mode}.f32 d, {sources};", "f32", " ".join(["f32"] * count), *columns).view("f4")
    want: list[float | None] = []
    for row in zip(*(c.view("f4") for c in columns), strict=True):
        if not np.isfinite(row).all() or (name == "div" and row[1] == 0):
            want.append(None)
            continue
        want.append(rounded(EXACT[name](*(Fraction(float(x)) for x in row)), mode, *F32))
    same_numbers(got, want)
    nans = np.isnan(got)
    assert (got.view("u4")[nans] == 0x7FFFFFFF).all()


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("name", ["add", "mul", "div", "fma"])
def test_f64_is_exact_in_every_rounding(name: str, mode: str) -> None:
    count = 3 if name == "fma" else 2
    columns = [bits64() for _ in range(count)]
    sources = ", ".join(f"a{i}" for i in range(count))
    got = apply(f"{name}.{mode}.f64 d, {sources};", "f64", " ".join(["f64"] * count), *columns).view("f8")
    want: list[float | None] = []
    for row in zip(*(c.view("f8") for c in columns), strict=True):
        if not np.isfinite(row).all() or (name == "div" and row[1] == 0):
            want.append(None)
            continue
        exact = EXACT[name](*(Fraction(float(x)) for x in row))
        want.append(rounded(exact, mode, 53, -1074, Fraction(np.finfo("f8").max.item())))
    same_numbers(got, want)


def test_nan_zero_and_infinity_of_f32() -> None:
    a, b = bits32(), bits32()
    x, y = a.view("f4"), b.view("f4")
    with np.errstate(all="ignore"):
        for name, fn in (("add", np.add), ("mul", np.multiply), ("sub", np.subtract)):
            got = apply(f"{name}.f32 d, a0, a1;", "f32", "f32 f32", a, b)
            want = fn(x, y)
            assert (got == np.where(np.isnan(want), np.uint32(0x7FFFFFFF), want.view("u4"))).all()


def flush(bits: NDArray[np.uint32]) -> NDArray[np.float32]:
    return np.where((bits & 0x7FFFFFFF) < 0x800000, bits & np.uint32(0x80000000), bits).astype("u4").view("f4")


def test_flush_and_saturation() -> None:
    a, b = bits32() & np.uint32(0x81FFFFFF), bits32() & np.uint32(0x81FFFFFF)
    got = apply("add.ftz.f32 d, a0, a1;", "f32", "f32 f32", a, b)
    want = flush((flush(a) + flush(b)).view("u4")).view("u4")
    assert (got == want).all()
    a, b = bits32(), bits32()
    with np.errstate(all="ignore"):
        want = np.clip(np.nan_to_num(a.view("f4") + b.view("f4"), nan=0, posinf=1, neginf=0), 0, 1)
    got = apply("add.sat.f32 d, a0, a1;", "f32", "f32 f32", a, b)
    assert (got.view("f4") == want).all()
    assert (got != 0x80000000).all()


@pytest.mark.parametrize("name", ["add", "sub", "mul", "fma"])
@pytest.mark.parametrize(("kind", "format_"), [("f16", F16), ("bf16", BF16)])
@np.errstate(invalid="ignore")
def test_16_bit_arithmetic_rounds_once(name: str, kind: str, format_: tuple[int, int, Fraction]) -> None:
    dtype = np.dtype("f2") if kind == "f16" else np.dtype(ml_dtypes.bfloat16)
    count = 3 if name == "fma" else 2
    columns = [RNG.integers(0, 2**16, 800, dtype=np.uint16) for _ in range(count)]
    for c in columns[:2]:  # of ordinary size, so that much does not overflow; the third may be tiny beside the product
        c[:400] = RNG.standard_normal(400).astype(dtype).view("u2")
    sources = ", ".join(f"a{i}" for i in range(count))
    got = apply(f"{name}.rn.{kind} d, {sources};", "b16", " ".join(["b16"] * count), *columns).view(dtype).astype("f8")
    want: list[float | None] = []
    for row in zip(*(c.view(dtype).astype("f8") for c in columns), strict=True):
        finite = np.isfinite(row).all()
        want.append(rounded(EXACT[name](*map(Fraction, row)), "rn", *format_) if finite else None)
    same_numbers(got, want)


def test_pairs_are_two_halves() -> None:
    a, b, c = (RNG.integers(0, 2**16, (2 * N,), dtype=np.uint16) for _ in range(3))
    whole = apply("fma.rn.f16x2 d, a0, a1, a2;", "b32", "b32 b32 b32", a.view("u4"), b.view("u4"), c.view("u4"))
    assert (whole.view("u2") == apply("fma.rn.f16 d, a0, a1, a2;", "b16", "b16 b16 b16", a, b, c)).all()


def test_min_and_max() -> None:
    a, b = bits32(), bits32()
    b[::7] = a[::7] ^ np.uint32(0x80000000)
    x, y = a.view("f4"), b.view("f4")
    got = apply("min.f32 d, a0, a1;", "f32", "f32 f32", a, b)
    want = np.fmin(x, y)
    both_zero = (x == 0) & (y == 0)
    bits = np.where(both_zero, a | b, want.view("u4"))
    assert (got == np.where(np.isnan(want), np.uint32(0x7FFFFFFF), bits)).all()
    got = apply("max.NaN.f32 d, a0, a1;", "f32", "f32 f32", a, b)
    want = np.maximum(x, y)
    bits = np.where(both_zero, a & b, want.view("u4"))
    assert (got == np.where(np.isnan(want), np.uint32(0x7FFFFFFF), bits)).all()
    got = apply("max.xorsign.abs.f32 d, a0, a1;", "f32", "f32 f32", a, b)
    good = ~np.isnan(x) & ~np.isnan(y)
    assert (np.abs(got.view("f4"))[good] == np.maximum(np.abs(x), np.abs(y))[good]).all()
    assert ((got >> 31)[good] == ((a ^ b) >> 31)[good]).all()


COMPARISONS: dict[str, Callable[..., NDArray[np.bool_]]] = {
    "lt": np.less,
    "geu": lambda x, y: ~np.less(x, y),
    "ne": lambda x, y: np.less(x, y) | np.greater(x, y),
    "neu": np.not_equal,
    "equ": lambda x, y: ~(np.less(x, y) | np.greater(x, y)),
    "num": lambda x, y: ~np.isnan(x) & ~np.isnan(y),
    "nan": lambda x, y: np.isnan(x) | np.isnan(y),
}


@pytest.mark.parametrize("cmp", COMPARISONS)
@pytest.mark.parametrize("kind", ["f32", "f16", "bf16", "f64"])
@np.errstate(invalid="ignore")
def test_comparisons(cmp: str, kind: str) -> None:
    dtype = {"f32": np.dtype("f4"), "f64": np.dtype("f8"), "f16": np.dtype("f2"), "bf16": np.dtype(ml_dtypes.bfloat16)}[
        kind
    ]
    unsigned = f"u{dtype.itemsize}"
    a, b = (RNG.integers(0, 2**63, N, dtype=np.uint64).astype(unsigned) for _ in range(2))
    b[::3] = a[::3]
    a[:4] = np.array([np.nan, 1, np.nan, 0], dtype).view(unsigned)
    b[:4] = np.array([1, np.nan, np.nan, -0.0], dtype).view(unsigned)
    t = {"f16": "b16", "bf16": "b16"}.get(kind, kind)
    got = apply(f"setp.{cmp}.{kind} d, a0, a1;", "pred", f"{t} {t}", a, b)
    x, y = a.view(dtype).astype("f8"), b.view(dtype).astype("f8")
    assert (got == COMPARISONS[cmp](x, y)).all()


# name: (inputs, function, absolute error, relative error), as the manual bounds them
APPROXIMATE: dict[str, tuple[NDArray[np.float64], Callable[..., NDArray[np.float64]], float, float]] = {
    "ex2.approx": (RNG.uniform(-140, 127, N), np.exp2, 1e-45, 2**-22),
    "lg2.approx": (np.exp(RNG.uniform(-80, 80, N)), np.log2, 2**-22, 2**-22),
    "rcp.approx": (RNG.uniform(-50, 50, N), lambda x: 1 / x, 0, 2**-23),
    "rsqrt.approx": (np.exp(RNG.uniform(-80, 80, N)), lambda x: 1 / np.sqrt(x), 0, 2**-22.9),
    "sqrt.approx": (np.exp(RNG.uniform(-80, 80, N)), np.sqrt, 0, 2**-23),
    "sin.approx": (RNG.uniform(-np.pi, np.pi, N), np.sin, 2**-20.5, 0),
    "cos.approx": (RNG.uniform(-np.pi, np.pi, N), np.cos, 2**-20.5, 0),
    "tanh.approx": (RNG.uniform(-6, 6, N) ** 3, np.tanh, 0, 2**-11),
}


@pytest.mark.parametrize("name", APPROXIMATE)
def test_approximations_stay_within_the_manuals_bounds(name: str) -> None:
    inputs, fn, absolute, relative = APPROXIMATE[name]
    x = inputs.astype("f4")
    got = apply(f"{name}.f32 d, a0;", "f32", "f32", x).view("f4").astype("f8")
    want = fn(x.astype("f8"))
    assert (np.abs(got - want) <= absolute + relative * np.abs(want)).all()


def test_approximations_of_special_numbers() -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0], "f4")
    nan = np.nan
    table = {
        "ex2.approx": [1, 1, np.inf, 0, nan, 0.5],
        "lg2.approx": [-np.inf, -np.inf, np.inf, nan, nan, nan],
        "rcp.approx": [np.inf, -np.inf, 0, -0.0, nan, -1],
        "rsqrt.approx": [np.inf, -np.inf, 0, nan, nan, nan],
        "sin.approx": [0, -0.0, nan, nan, nan, np.sin(np.float32(-1))],
        "tanh.approx": [0, -0.0, 1, -1, nan, np.tanh(np.float32(-1))],
    }
    for name, want in table.items():
        got = apply(f"{name}.f32 d, a0;", "f32", "f32", x).view("f4")
        np.testing.assert_allclose(got, want, rtol=1e-3, err_msg=name)
        assert (np.signbit(got) == np.signbit(want))[np.isfinite(want)].all(), name
