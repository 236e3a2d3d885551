"""Bounds beside arithmetic in the type that they speak of."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ptxlab.verification.numbers.bounded import Arithmetic, Bounded, Undecided, Unfollowed, bounded
from ptxlab.verification.numbers.formats import FORMATS

UNARY: dict[str, tuple[float, float]] = {
    "exp": (-40, 40), "exp2": (-40, 40), "expm1": (-20, 20), "log": (0.01, 1e6), "log2": (0.01, 1e6), "log10": (0.01, 1e6),
    "log1p": (-0.9, 1e6), "sqrt": (0, 1e6), "cbrt": (-1e6, 1e6), "sin": (-50, 50), "cos": (-50, 50), "tanh": (-5, 5),
    "arctan": (-50, 50), "square": (-1e6, 1e6), "reciprocal": (0.01, 100), "negative": (-9, 9), "absolute": (-9, 9),
}  # fmt: skip
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
SHAPED: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(axis=1),
    "mean": lambda x: x.mean(axis=0),
    "var": lambda x: np.var(x, axis=1),
    "cumsum": lambda x: np.cumsum(x, axis=1),
    "product": lambda x: x @ x.T,
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "norm": lambda x: np.linalg.norm(x, axis=1),
    "softmax": lambda x: np.exp(x - x.max(axis=1, keepdims=True)) / np.exp(x - x.max(axis=1, keepdims=True)).sum(1, keepdims=True),
    "chain": lambda x: 1 / (1 + np.exp(-(x * 3 - 1) / 2)) * x**2,
    "convolve": lambda x: np.convolve(x[0], x[1, :5]),
}  # fmt: skip


def within(name: str, values: Any, dtype: Any, computed: Callable[[Any], Any]) -> None:
    """What a type gives lies within the bound of what double precision gives."""
    arithmetic = Arithmetic(FORMATS[name])
    held = np.asarray(values).astype(dtype)
    found = computed(Bounded(held.astype(np.float64), 0, arithmetic))
    with np.errstate(all="ignore"):
        near = np.asarray(computed(held)).astype(np.float64)
    lost = np.abs(near - found.value)
    assert np.all((lost <= found.error) | ~np.isfinite(near)), (lost / found.error).max()
    assert np.isfinite(found.error).mean() > 0.5


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_number(name: str) -> None:
    values = np.random.default_rng().uniform(*UNARY[name], 2000)
    within("f32", values, np.float32, getattr(np, name))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(("form", "dtype"), [("f32", np.float32), ("f16", np.float16), ("f64", np.float64)])
def test_functions_of_two_numbers(name: str, form: str, dtype: Any) -> None:
    rng = np.random.default_rng()
    other = rng.uniform(0.5, 2, 2000).astype(dtype)
    within(form, rng.standard_normal(2000), dtype,
           lambda x: getattr(np, name)(x, other if not isinstance(x, Bounded) else other.astype(np.float64)))  # fmt: skip


@pytest.mark.parametrize("name", SHAPED)
def test_arrays(name: str) -> None:
    within("f32", np.random.default_rng().standard_normal((20, 33)), np.float32, SHAPED[name])


def test_double_precision_is_not_taken_for_exact() -> None:
    """A double holds whatever double precision gives: that proves nothing about how it came about."""
    rng, arithmetic = np.random.default_rng(), Arithmetic(FORMATS["f64"])
    a, b = (Bounded(rng.standard_normal(100), 0, arithmetic) for _ in range(2))
    assert (a * b).error.min() > 0
    assert (Bounded(np.arange(9.0), 0, arithmetic) * 3).error.max() == 0


def test_subnormal_operands_may_be_flushed() -> None:
    tiny = Bounded([1e-39], 0, Arithmetic())
    assert (tiny + 1e-38).error[0] >= 1e-39
    half = Bounded([1e-7], 0, Arithmetic(FORMATS["f16"]))
    assert (half + 0).error[0] < 1e-7


def test_quotients_are_exact_by_powers_of_two_alone() -> None:
    found = Bounded([6.0, 6.0, 0.0], 0, Arithmetic()) / Bounded([3.0, 4.0, 5.0], 0, Arithmetic())
    assert list(found.error == 0) == [False, True, True]


def test_what_is_not_known_is_said() -> None:
    x = Bounded([1.0, 1.0], [0.5, 0.5], Arithmetic())
    with pytest.raises(Unfollowed):
        np.sinh(x)
    with pytest.raises(Undecided):
        _ = x > 1.2
    assert bounded(0.1, Arithmetic()).error > 0
