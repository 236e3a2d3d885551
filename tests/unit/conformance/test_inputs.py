from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ptxlab.conformance.kernels import inputs
from ptxlab.conformance.kernels.digests import digest

MAKERS = {"integers": inputs.integers, "uniform": inputs.uniform, "bits": inputs.bits}

# The bytes must never change: digests recorded on a GPU are digests of what kernels make of these numbers.
FIXED = {
    "integers": "72fbc72de092f7f440c3b4b952e26134ad7b0a00e59d0b477e31e57d0719a0a5",
    "uniform": "fbe28fc478df9906859e1ba9f2ec3e46e8c424ce37bafcc2faa5b81ca9f174b9",
    "bits": "4b2457ef4a3675027ce810c7609efd84a7656832e5527dc835307b54fea77822",
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_numbers_stay_what_they_were_when_digests_were_recorded(name: str) -> None:
    made = MAKERS[name]((5, 7), ml_dtypes.bfloat16, seed=3)
    assert digest(made) == FIXED[name]


@pytest.mark.parametrize("name", MAKERS)
def test_seeds_give_different_numbers(name: str) -> None:
    assert digest(MAKERS[name]((64,), np.float32, seed=1)) != digest(MAKERS[name]((64,), np.float32, seed=2))


def test_integers_fill_their_range() -> None:
    made = inputs.integers((4096,), ml_dtypes.bfloat16, seed=1).astype(np.float64)
    assert set(made) == set(range(-8, 8))


def test_uniform_lies_around_zero() -> None:
    made = inputs.uniform((4096,), np.float32, seed=1)
    assert made.min() >= -1
    assert made.max() < 1
    assert abs(float(made.mean())) < 0.05


def test_bits_have_any_size() -> None:
    assert inputs.bits((3,), np.uint8, seed=1).shape == (3,)
    assert np.isnan(inputs.bits((100_000,), np.float32, seed=1)).any()
