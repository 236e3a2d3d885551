"""Error bounds hold for arithmetic in single precision, in whatever order it adds, and are not loose without need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ptxlab.verification.numbers.bounded import Arithmetic, Bounded, Undecided, Unfollowed
from ptxlab.verification.numbers.formats import FORMATS, format_of

Array = Any
FORMULAS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y * 0.999,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / (np.abs(y) + 0.1),
    "reciprocal": lambda x, y: np.reciprocal(np.abs(x) + 0.5),
    "power": lambda x, y: np.abs(x) ** 1.5 + x**3,
    "square": lambda x, y: np.square(x),
    "negative": lambda x, y: -x,
    "choose": lambda x, y: np.maximum(x, y) - np.minimum(x, y),
    "exp": lambda x, y: np.exp(x),
    "exp2": lambda x, y: np.exp2(x * 3),
    "expm1": lambda x, y: np.expm1(x),
    "log": lambda x, y: np.log(np.abs(x) + 0.01),
    "log2": lambda x, y: np.log2(np.abs(x) + 0.01),
    "log10": lambda x, y: np.log10(np.abs(x) + 0.01),
    "log1p": lambda x, y: np.log1p(np.abs(x)),
    "sqrt": lambda x, y: np.sqrt(np.abs(x)),
    "cbrt": lambda x, y: np.cbrt(np.abs(x) + 0.1),
    "sin": lambda x, y: np.sin(x * 10),
    "cos": lambda x, y: np.cos(x * 10),
    "tanh": lambda x, y: np.tanh(x),
    "arctan": lambda x, y: np.arctan(x * y),
    "rint": lambda x, y: np.rint(x * 3),
    "floor": lambda x, y: np.floor(x * 3) + np.ceil(y),
    "sum": lambda x, y: x.sum(axis=1),
    "cumsum": lambda x, y: np.cumsum(x, axis=1),
    "mean": lambda x, y: x.mean(axis=0),
    "var": lambda x, y: np.var(x, axis=1) + x.std(axis=1),
    "norm": lambda x, y: np.linalg.norm(x, axis=1),
    "prod": lambda x, y: np.prod(1 + x / 100, axis=1),
    "max": lambda x, y: np.max(x * y, axis=1) + np.min(x, axis=1),
    "matmul": lambda x, y: x @ y.T,
    "dot": lambda x, y: np.dot(x, y.T),
    "einsum": lambda x, y: np.einsum("ij,kj,j->ik", x, y, x[0]),
    "outer": lambda x, y: np.outer(x[0], y[0]),
    "softmax": lambda x, y: np.exp(x - x.max(1, keepdims=True)) / np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True),
    "attention": lambda x, y: _softmax(x @ y.T / 8) @ y,
    "layer norm": lambda x, y: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5),
    "gelu": lambda x, y: 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))),
    "silu": lambda x, y: x / (1 + np.exp(-x)),
    "where": lambda x, y: np.where(x > 0, x * y, y),
    "clip": lambda x, y: np.clip(x * 2, -1, 1),
    "sort": lambda x, y: np.sort(x * y, axis=1),
    "moved": lambda x, y: np.concatenate([np.roll(x * 3, 1, axis=0), y.T.T], axis=1).reshape(-1)[::2],
    "pad": lambda x, y: np.pad(x * y, 1)[1:, 1:] + 1,
    "convolve": lambda x, y: np.convolve(x[0], y[0], "same"),
    "half": lambda x, y: (x * y).astype("float16").astype("float32") + 1,
}  # fmt: skip


def _softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def exact(array: Array, within: Arithmetic | None = None) -> Bounded:
    return Bounded(array.astype(np.float64), 0, within or Arithmetic())


@pytest.mark.parametrize("name", FORMULAS)
def test_single_precision_stays_within(name: str) -> None:
    """NumPy's own functions in single precision, and the sums of NumPy, which add in pairs."""
    formula = FORMULAS[name]
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x, y = (rng.standard_normal((24, 96)).astype(np.float32) * 3 for _ in range(2))
        bounds, double = formula(exact(x), exact(y)), formula(x.astype(np.float64), y.astype(np.float64))
        single = np.asarray(formula(x, y)).astype(np.float64)
        assert bounds.shape == single.shape
        rounded = name == "half"
        np.testing.assert_allclose(
            bounds.value, double, rtol=1e-3 if rounded else 1e-12, atol=2e-2 if rounded else 1e-12
        )
        assert (np.abs(single - bounds.value) <= bounds.error).all()
        size = np.abs(bounds.value).max()
        assert np.median(bounds.error) <= (1 if name in ("rint", "floor") else 1e-3) * max(size, 1)


def test_sums_in_order_stay_within() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(0.5, 1, (2000, 8)).astype(np.float32)
    total = np.zeros(8, np.float32)
    for row in x:
        total += row
    bounds = exact(x).sum(axis=0)
    assert (np.abs(total - bounds.value) <= bounds.error).all()


@pytest.mark.parametrize("name", ["sum", "matmul", "dot", "mean"])
def test_small_integers_are_exact(name: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-8, 9, (64, 64)).astype(np.float32) for _ in range(2))
    assert not FORMULAS[name](exact(x), exact(y)).error.any()
    assert not (exact(x) * 0.25 + exact(y)).error.any()
    assert exact(np.full((1, 1 << 13), 4097.0)).sum(axis=1).error.all(), "the sum leaves the format"


def test_one_term_is_exact() -> None:
    row = np.zeros((1, 64), np.float32)
    row[0, 17] = 0.1
    assert not exact(row).sum(axis=1).error.any()


def test_what_is_not_finite_has_no_error() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1.0, 0.0], np.float32)
    one = exact(x)
    for found in (one + 1, one * 2, np.exp(one), 1 / one, one.sum(keepdims=True), np.maximum(one, 0), np.sqrt(one)):
        assert not found.error[~np.isfinite(found.value)].any()
        assert not np.isnan(found.error).any()


def test_an_overflow_leaves_everything_open() -> None:
    x = exact(np.array([1e30], np.float32))
    assert np.isinf((x * x).error).all()
    assert np.isinf((x * x * 1e-30).error).all()


def test_comparisons_that_rounding_turns_are_undecided() -> None:
    x = exact(np.array([0.1, 0.2, 0.3], np.float32))
    y = x * 1.1 - x * 0.1
    with pytest.raises(Undecided):
        np.where(y > x, 1, 0)
    with pytest.raises(Undecided):
        np.argmax(np.stack([y, x]), axis=0)
    assert (x > 0.15).tolist() == [False, True, True]


@pytest.mark.parametrize("call", [np.hypot, np.fft.fft, np.linalg.inv, lambda x, *_: np.median(x)])
def test_unknown_functions_say_so(call: Any) -> None:
    x = exact(np.eye(3, dtype=np.float32))
    with pytest.raises(Unfollowed):
        call(x, x) if call is np.hypot else call(x)


def test_arrays_of_numpy_do_not_swallow_numbers_with_bounds() -> None:
    x, plain = exact(np.ones(3, np.float32)), np.zeros(3)
    assert isinstance(plain + x, Bounded)
    with pytest.raises(Unfollowed):
        plain[:] = x  # pyright: ignore[reportArgumentType, reportCallIssue]
    with pytest.raises(Unfollowed):
        plain += x  # pyright: ignore[reportArgumentType]
    x[1] = 0.1
    assert x.error[1] > 0
    x += 1
    assert x.value.tolist() == [2, 1.1, 2]


def test_work_is_counted() -> None:
    within = Arithmetic()
    x = exact(np.ones((8, 16), np.float32), within)
    x @ x.T
    assert (within.multiply_adds, within.operations) == (8 * 8 * 16, 0)
    assert (x + 1).size == within.operations == 128


@pytest.mark.parametrize("name", ["f32", "f16", "bf16", "e4m3", "e5m2"])
def test_formats_hold_what_their_types_hold(name: str) -> None:
    dtype = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}.get(name) or getattr(
        ml_dtypes, {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}[name]
    )
    form = format_of(np.dtype(dtype))
    assert form is FORMATS[name]
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << (8 * np.dtype(dtype).itemsize), 4000).astype(f"u{np.dtype(dtype).itemsize}")
    with np.errstate(invalid="ignore"):
        values = bits.view(dtype).astype(np.float64)
    normal = np.isfinite(values) & ((np.abs(values) >= form.least) | (values == 0))
    assert form.holds(values[normal]).all()
    between = values[normal & (values != 0)] * (1 + form.unit / 3)
    assert not form.holds(between).any()
    assert float(ml_dtypes.finfo(dtype).max) == form.most
