"""Softmax of the rows of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ptxlab import Launch
from ptxlab.kernels.rows.call import matrix, prepared
from ptxlab.kernels.rows.numbers import exponential, joined
from ptxlab.kernels.rows.skeleton import NEUTRAL, Rows


def softmax(x: Any, y: Any, *, device: str = "auto", stream: Any = None) -> None:
    """y = exp(x - max(x)) / Σ exp(x - max(x)), row by row.

    Args:
        x: rows × columns of bf16, f16 or f32. y: the result, of the same shape and any of these types.
        device, stream: as in `Kernel.launch`.

    Rows have neighbouring elements and may be padded; y may be x. Without rows or columns, nothing is done. A row with a NaN or an
    infinity, or of nothing but -inf, becomes NaN; other -inf become 0. In bf16 results below 2⁻¹²⁶ may be 0.

    Raises: Diagnostic PTX2307 for other dtypes, PTX2308 for shapes that differ and rows of more than 262,144 columns, PTX2309
        for elements that are not neighbours, and what `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.rows import softmax

        x, y = px.empty((2, 4), "f32"), px.empty((2, 4), "f32")
        x[...] = 5
        x[1, 2:] = -np.inf
        softmax(x, y)
        print(y[0], y[1])  # [0.25 0.25 0.25 0.25] [0.5 0.5 0.  0. ]
    """
    prepare_softmax(x, y, device=device, stream=stream)()


def prepare_softmax(x: Any, y: Any, *, device: str = "auto", stream: Any = None) -> Launch:
    """`softmax`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_softmax

        x, y = px.empty((2, 4), "f32"), px.empty((2, 4), "f32")
        x[...] = 5
        launch = prepare_softmax(x, y)
        launch()
        print(y[1])  # [0.25 0.25 0.25 0.25]
    """
    arrays = {"x": matrix("x", x)}
    arrays["y"] = matrix("y", y, arrays["x"])
    return prepared(softmax_rows, arrays, device=device, stream=stream)


def softmax_rows(r: Rows) -> None:
    """The kernel of `softmax`."""
    k, exact = r.k, r.operands["y"].kind == "f32"
    with r.loop("x", neutral=NEUTRAL["max"]):
        powers, total = powers_of(r, exact=exact)
        if exact:
            r.store("y", (k.div.rn.f32(p, total) for p in powers()))
        else:
            scale = k.rcp.rn.f32(total)
            r.store("y", (k.mul.rn.f32(p, scale) for p in powers()))


def powers_of(r: Rows, *, exact: bool) -> tuple[Callable[[], Iterable[Any]], Any]:
    """exp(x - the row's largest), and the sum of these over the row."""
    k = r.k
    largest = r.reduce(("max", joined(k, "max", r.load("x", NEUTRAL["max"]))))[0]
    powers = r.again(
        lambda: (exponential(k, k.sub.rn.f32(a, largest), exact=exact) for a in r.load("x", NEUTRAL["max"]))
    )
    return powers, r.reduce(("add", joined(k, "add", powers())))[0]
