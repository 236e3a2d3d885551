"""Triton's and Gluon's kernels write the same bytes on a GPU as in the simulator; close to them where a chip approximates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import triton_compiler
from numpy.typing import NDArray
from triton_runs import RUNS

import ptxlab as px
from ptxlab.cuda.array import GpuArray

pytestmark = [pytest.mark.corpus, pytest.mark.gpu]

Array = NDArray[Any]
APPROXIMATE: Final = {"softmax": 1e-5, "dropout": 1e-6, "attention": 1e-2}
"""Kernels that call approximate functions, and how far results may be apart."""


class OnBoth:
    """A kernel that runs in the simulator and then on the GPU, on copies of the same arrays, and is to write the same.

    Attributes:
        apart: how far results may be apart; 0 for equal bytes. launches: how often it has run.
    """

    def __init__(self, kernel: px.TritonKernel, apart: float) -> None:
        self.kernel, self.apart, self.launches = kernel, apart, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def launch(*args: Any, **named: Any) -> None:
            copies = [GpuArray(a) if isinstance(a, np.ndarray) else a for a in args]
            self.kernel[grid](*args, **named)
            self.kernel[grid](*copies, **named)
            for ours, there in zip(args, copies, strict=True):
                if isinstance(there, GpuArray):
                    self._compare(ours, there.numpy())
            self.launches += 1

        return launch

    def _compare(self, ours: Array, chip: Array) -> None:
        if not self.apart:
            assert ours.tobytes() == chip.tobytes()
            return
        x, y = (v.astype(np.float64) for v in (ours, chip))
        np.testing.assert_allclose(x, y, rtol=self.apart, atol=self.apart / 10)


@pytest.mark.parametrize("name", triton_compiler.names())
def test_the_gpu_writes_what_the_simulator_writes(name: str) -> None:
    both = OnBoth(px.triton(triton_compiler.compiled(name)), APPROXIMATE.get(name, 0.0))
    RUNS[name](both)
    assert both.launches


def test_most_kernels_are_compared_bit_for_bit() -> None:
    names = triton_compiler.names()
    assert set(APPROXIMATE) < set(names)
    assert len(names) - len(APPROXIMATE) >= 26
