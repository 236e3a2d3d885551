"""Triton's and Gluon's kernels write the same bytes on a GPU as in the simulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import triton_compiler
from triton_runs import RUNS

import ptxlab as px
from ptxlab.cuda.array import GpuArray

pytestmark = [pytest.mark.corpus, pytest.mark.gpu]


class OnBoth:
    """A kernel that runs in the simulator and then on the GPU, on copies of the same arrays, and is to write the same.

    Attributes:
        launches: how often it has run.
    """

    def __init__(self, kernel: px.TritonKernel) -> None:
        self.kernel, self.launches = kernel, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def launch(*args: Any, **named: Any) -> None:
            copies = [GpuArray(a) if isinstance(a, np.ndarray) else a for a in args]
            self.kernel[grid](*args, **named)
            self.kernel[grid](*copies, **named)
            for ours, there in zip(args, copies, strict=True):
                if isinstance(there, GpuArray):
                    assert ours.tobytes() == there.numpy().tobytes()
            self.launches += 1

        return launch


@pytest.mark.parametrize("name", triton_compiler.names())
def test_the_gpu_writes_what_the_simulator_writes(name: str) -> None:
    both = OnBoth(px.triton(triton_compiler.compiled(name)))
    RUNS[name](both)
    assert both.launches
