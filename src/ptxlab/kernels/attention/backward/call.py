"""The arguments of the backward pass, checked, beside those that the forward pass has as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, array_view
from ptxlab.kernels.attention.call import (
    LAYOUTS,
    TYPES,
    Options,
    Problem,
    bad,
    check_array,
    check_same,
    heads_first,
    logarithms,
    mapped,
    problem,
)
from ptxlab.kernels.attention.tiling import SPAN


@dataclass(frozen=True, slots=True)
class Gradients:
    """Attention backwards, whose arrays fit together, all with axes batches, heads, rows, depth.

    Attributes:
        forward: the problem whose gradients these are. d_o: the gradient of O. d_lse: that of the logarithms, or None.
        d_q, d_k, d_v: where gradients go; None for those that are not wanted.
    """

    forward: Problem
    lse: ArrayView
    d_o: ArrayView
    d_lse: ArrayView | None
    d_q: ArrayView | None
    d_k: ArrayView | None
    d_v: ArrayView | None

    def map(self, name: str, rows: int) -> px.BoundMap:
        """The tensor map by which so many rows are moved. Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
        f = self.forward
        known = {"Q": f.q, "K": f.k, "V": f.v, "O": f.o, "dO": self.d_o, "dQ": self.d_q, "dK": self.d_k, "dV": self.d_v}
        array = known[name]
        assert array is not None
        return mapped(name, array, rows, SPAN)


def gradients(given: tuple[Any, ...], lse: Any, d_lse: Any, wanted: tuple[Any, ...], options: Options) -> Gradients:
    """Attention backwards. Raises: Diagnostic PTX2112 where no gradient is wanted, and as `problem`.

    Args:
        given: dO, Q, K, V and O. wanted: dQ, dK and dV, each may be None.
    """
    d_o, *tensors = given
    if lse is None:
        raise bad("PTX2112", "lse is missing.", "give what attention(…, lse=…) has written")
    forward = problem(tensors, lse, options)
    check_same("K", "V", forward.k, forward.v)
    if forward.q.dtype not in TYPES:
        raise bad("PTX2307", f"Q is {forward.q}.", f"convert it to {' or '.join(TYPES)}")
    if all(x is None for x in wanted):
        raise bad("PTX2112", "No gradient is wanted.", "give dq=, dk= or dv=")

    def like(name: str, x: Any, of: str, model: ArrayView) -> ArrayView:
        seen = array_view(x)
        check_array(name, seen, (forward.q.dtype,), LAYOUTS[options.layout])
        seen = heads_first(seen, options.layout)
        check_same(of, name, model, seen)
        return seen

    models = {"dQ": ("Q", forward.q), "dK": ("K", forward.k), "dV": ("V", forward.v)}
    found = [None if x is None else like(name, x, *models[name]) for name, x in zip(models, wanted, strict=True)]
    assert forward.lse is not None
    d_logarithms = None if d_lse is None else logarithms("dlse", d_lse, forward.q.shape[:3])
    return Gradients(forward, forward.lse, like("dO", d_o, "O", forward.o), d_logarithms, *found)
