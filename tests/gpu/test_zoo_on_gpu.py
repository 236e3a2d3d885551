"""The right kernels of the bug zoo on a GPU: they end, and give what NumPy gives, time and again."""

from __future__ import annotations

import numpy as np
import pytest

from sanitizer import zoo
from sanitizer.on_gpu import results

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("kernel", [pytest.param(k, id=f"{k.family}/{k.name}") for k in zoo.kernels()])
def test_right_kernels_give_the_same_on_a_gpu(kernel: zoo.Right) -> None:
    for _ in range(20):
        for got, expected in results(kernel):
            np.testing.assert_array_equal(got, expected)
