"""RMSNorm and LayerNorm: rows of a matrix, brought to a root mean square of 1 and scaled.

Numbers are f32 from memory to memory, rounded once when they are stored. What a kernel sums it sums in the same order in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ptxlab import Diagnostic, Launch, user_span
from ptxlab.kernels.rows.call import layout_of, matrix, prepared, vector
from ptxlab.kernels.rows.layout import LIGHT, ONE_ROW
from ptxlab.kernels.rows.numbers import dot, joined, rounded
from ptxlab.kernels.rows.skeleton import Body, Rows


def rms_norm(
    x: Any,
    y: Any,
    weight: Any = None,
    *,
    eps: float = 1e-6,
    residual: Any = None,
    kept: Any = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """y = x / √(mean(x²) + eps) · weight, row by row; with a residual of kept = x + residual in place of x.

    Args:
        x: rows × columns of bf16, f16 or f32. y: the result, of the same shape and any of these types.
        weight: as many as there are columns; left out, ones.
        residual, kept: of the shape of x. What is normalized is `kept` as it is stored, the same as by an addition of its own.
        device, stream: as in `Kernel.launch`.

    Rows have neighbouring elements and may be padded. y may be x, and kept may be x or residual. Without rows or columns, nothing
    is done.

    Raises: Diagnostic PTX2307 for other dtypes, PTX2308 for shapes that do not belong together and rows of more than 262,144
        columns, PTX2309 for elements that are not neighbours, PTX2112 for one of residual and kept without the other, and what
        `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.rows import rms_norm

        x, y, weight = px.empty((3, 1000), "bf16"), px.empty((3, 1000), "bf16"), px.empty(1000, "bf16")
        x[...], weight[...] = 3, 2
        rms_norm(x, y, weight)
        print((y == 2).all())  # True
    """
    prepare_rms_norm(x, y, weight, eps=eps, residual=residual, kept=kept, device=device, stream=stream)()


def prepare_rms_norm(
    x: Any,
    y: Any,
    weight: Any = None,
    *,
    eps: float = 1e-6,
    residual: Any = None,
    kept: Any = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`rms_norm`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_rms_norm

        x, y = px.empty((3, 1000), "f32"), px.empty((3, 1000), "f32")
        x[...] = 3
        launch = prepare_rms_norm(x, y, eps=0.0)
        launch()
        print((y == 1).all())  # True
    """
    matrices = {"x": x, "y": y, "residual": residual, "kept": kept}
    return _forward(rms_norm_rows, matrices, {"weight": weight}, eps=eps, device=device, stream=stream)


def layer_norm(
    x: Any,
    y: Any,
    weight: Any = None,
    bias: Any = None,
    *,
    eps: float = 1e-5,
    residual: Any = None,
    kept: Any = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """y = (x - mean(x)) / √(variance(x) + eps) · weight + bias, row by row; with a residual of kept = x + residual in place of x.

    Args:
        x: rows × columns of bf16, f16 or f32. y: the result, of the same shape and any of these types.
        weight, bias: as many as there are columns; left out, ones and zeros.
        residual, kept: of the shape of x. What is normalized is `kept` as it is stored, the same as by an addition of its own.
        device, stream: as in `Kernel.launch`.

    Arrays and errors are as in `rms_norm`. The variance is the mean of squares of what is left without the mean.

    Raises: Diagnostic as `rms_norm`.

    Example:
        from ptxlab.kernels.rows import layer_norm

        x, y = px.empty((3, 1000), "bf16"), px.empty((3, 1000), "bf16")
        x[...] = 10
        x[:, ::2] = 14
        layer_norm(x, y)
        print(y[0, 0], y[0, 1])  # 1 -1
    """
    prepare_layer_norm(x, y, weight, bias, eps=eps, residual=residual, kept=kept, device=device, stream=stream)()


def prepare_layer_norm(
    x: Any,
    y: Any,
    weight: Any = None,
    bias: Any = None,
    *,
    eps: float = 1e-5,
    residual: Any = None,
    kept: Any = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`layer_norm`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_layer_norm

        x, y, bias = px.empty((3, 1000), "bf16"), px.empty((3, 1000), "bf16"), px.empty(1000, "f32")
        x[...], bias[...] = 3, 5
        launch = prepare_layer_norm(x, y, None, bias)
        launch()
        print((y == 5).all())  # True
    """
    matrices = {"x": x, "y": y, "residual": residual, "kept": kept}
    return _forward(layer_norm_rows, matrices, {"weight": weight, "bias": bias}, eps=eps, device=device, stream=stream)


def _forward(
    body: Body, matrices: dict[str, Any], lines: dict[str, Any], *, eps: float, device: str, stream: Any
) -> Launch:
    if (matrices["residual"] is None) != (matrices["kept"] is None):
        given, missing = sorted(("residual", "kept"), key=lambda name: matrices[name] is None)
        raise Diagnostic(
            "PTX2112",
            f"There is {given}=, and no {missing}=.",
            help="give both: kept becomes x + residual; it may be one of the two",
            origin=user_span(),
        )
    x = matrix("x", matrices["x"])
    arrays = {name: matrix(name, a, x) for name, a in matrices.items() if a is not None}
    arrays |= {name: vector(name, a, x.shape[1]) for name, a in lines.items() if a is not None}
    layout = layout_of(arrays, LIGHT if body is rms_norm_rows else ONE_ROW)
    return prepared(body, arrays, {"eps": float(eps)}, layout=layout, device=device, stream=stream)


def rms_norm_rows(r: Rows) -> None:
    """The kernel of `rms_norm`."""
    k, weight = r.k, r.line("weight")
    with r.loop("x", "residual"):
        x = normalized(r)
        scale = root(r, r.reduce(("add", dot(k, ((a, a) for a in x()))))[0])
        r.store("y", times(r, (k.mul.rn.f32(a, scale) for a in x()), weight()))


def layer_norm_rows(r: Rows) -> None:
    """The kernel of `layer_norm`."""
    k, weight, bias = r.k, r.line("weight"), r.line("bias")
    with r.loop("x", "residual"):
        x = normalized(r)
        x = without_mean(r, x)
        scale = root(r, r.reduce(("add", dot(k, ((a, a) for a in x()))))[0])
        y = times(r, (k.mul.rn.f32(a, scale) for a in x()), weight())
        r.store("y", (k.add.rn.f32(a, b) for a, b in zip(y, bias(), strict=True)) if "bias" in r else y)


def normalized(r: Rows) -> Callable[[], Iterable[Any]]:
    """x, or x + residual as it is kept."""
    if "residual" not in r:
        return r.again(lambda: r.load("x"))

    def total() -> Iterable[Any]:
        return (r.k.add.rn.f32(a, b) for a, b in zip(r.load("x"), r.load("residual"), strict=True))

    r.store("kept", total())
    return r.again(lambda: rounded(r.k, total(), r.operands["kept"].kind))


def without_mean(r: Rows, x: Callable[[], Iterable[Any]]) -> Callable[[], Iterable[Any]]:
    """x without its mean."""
    k = r.k
    mean = k.div.rn.f32(r.reduce(("add", joined(k, "add", x())))[0], r.count)
    return r.again(lambda: r.masked(k.sub.rn.f32(a, mean) for a in x()))


def root(r: Rows, squares: Any) -> Any:
    """1 / √(mean + eps) for a sum over the row."""
    k = r.k
    return k.rcp.rn.f32(k.sqrt.rn.f32(k.add.rn.f32(k.div.rn.f32(squares, r.count), r.given["eps"])))


def times(r: Rows, x: Iterable[Any], weight: Iterable[Any]) -> Iterable[Any]:
    """x · weight, or x where there is none."""
    return (r.k.mul.rn.f32(a, w) for a, w in zip(x, weight, strict=True)) if "weight" in r else x
