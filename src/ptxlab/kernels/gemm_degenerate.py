"""Products without elements: nothing to compute where C is empty, sums of nothing where K is 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.kernels.gemm_call import Problem
from ptxlab.launch.arrays import CPU, ArrayView, dtype_of, on_device_of, view

STEPS = 16
"""Along K of the zeros that are multiplied where there is nothing: 16 bytes of any type are what TMA can address."""


class EmptyProduct:
    """A launch that has nothing to do. It takes what other launches take."""

    def __init__(self, c: ArrayView) -> None:
        self.record: Any = None
        self._c = c

    def __call__(self, stream: Any = None, **options: Any) -> None:
        """Do nothing. Raises: Diagnostic PTX2314 for a stream in the simulator."""
        if stream is not None and self._c.device == CPU:
            raise Diagnostic(
                "PTX2314",
                "The simulator has no streams.",
                help="leave stream= out, or give CUDA arrays",
                origin=user_span(),
            )


def zero_depth(p: Problem) -> Problem:
    """A product of the same result: K = 0 becomes a few steps of zeros, of one row each. TMA reads zeros beyond that row."""
    import numpy as np

    zeros = [view(on_device_of(p.c, np.zeros((1, STEPS), dtype_of(x.dtype)))) for x in (p.a, p.b)]
    return replace(p, a=zeros[0], b=zeros[1], a_major="K", b_major="K", steps=STEPS)
