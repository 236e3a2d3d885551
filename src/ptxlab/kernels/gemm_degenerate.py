"""Degenerate products: an empty C, and K = 0, for which C is all zeros."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ptxlab import ArrayView, Diagnostic, user_span
from ptxlab.kernels.gemm_call import Problem, zeroed

STEPS = 16
"""Steps along K of the zeros that stand in: 16 bytes of any type are the least that TMA can address."""


class EmptyProduct:
    """The launch of a product without elements: it does nothing. It takes the arguments of other launches."""

    def __init__(self, c: ArrayView) -> None:
        self.record: Any = None
        self._c = c

    def __call__(self, stream: Any = None, **options: Any) -> None:
        """Do nothing. Raises: Diagnostic PTX2314 for a stream in the simulator."""
        if stream is not None and self._c.device == "cpu":
            raise Diagnostic(
                "PTX2314",
                "The simulator has no streams.",
                help="leave stream= out, or give CUDA arrays",
                origin=user_span(),
            )


def zero_depth(p: Problem) -> Problem:
    """The product for K = 0: a few steps of zeros instead, one row of each operand. TMA reads zeros beyond that row."""
    zeros = [zeroed(p.c, (1, STEPS), x.dtype) for x in (p.a, p.b)]
    return replace(p, a=zeros[0], b=zeros[1], a_major="K", b_major="K", steps=STEPS)
