"""Gradients of RMSNorm and LayerNorm.

Means and scales are computed anew from x, which has to be read anyway. The gradient of a weight is a sum over all rows: each thread
keeps those of its columns in registers over all its rows, and a second kernel adds them up (`columns`), in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ptxlab import ArrayView, Launch, device_of
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.gemm_repack import LaunchSequence
from ptxlab.kernels.rows.call import layout_of, matrix, prepared, vector
from ptxlab.kernels.rows.columns import parts_of, summing
from ptxlab.kernels.rows.layout import SUMS, THREE_ROWS
from ptxlab.kernels.rows.norms import root, times, without_mean
from ptxlab.kernels.rows.numbers import dot, joined
from ptxlab.kernels.rows.skeleton import Body, Rows

READ = ("x", "dy", "dkept")
MOST = 16
"""Elements for each thread of the widest row: it has x, the gradient of y, weights and two sums of each."""


def rms_norm_backward(
    dy: Any,
    x: Any,
    dx: Any,
    weight: Any = None,
    *,
    dweight: Any = None,
    dkept: Any = None,
    eps: float = 1e-6,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """Gradients of `rms_norm`: of x, and of the weight.

    Args:
        dy: the gradient of y. x: what was normalized (`kept`, where there was a residual). dx: its gradient, a result.
        weight: as in `rms_norm`. dweight: its gradient, a result, where it is wanted.
        dkept: a gradient of x that came another way, as that of `kept`: it is added to dx.
        eps, device, stream: as in `rms_norm`.

    Matrices are rows × columns of bf16, f16 or f32, each of its own; dx may be dy or dkept. Sums have the same order in each run on
    GPUs with as many SMs. Without rows, the gradient of the weight is zero.

    Raises: Diagnostic PTX2308 for rows of more than 131,072 columns, and else as `rms_norm`.

    Example:
        from ptxlab.kernels.rows import rms_norm_backward

        dy, x, dx = (px.empty((4, 8), "f32") for _ in range(3))
        weight, dweight = px.empty(8, "f32"), px.empty(8, "f32")
        dy[...], x[...], weight[...] = 1, 3, 2
        rms_norm_backward(dy, x, dx, weight, dweight=dweight, eps=0.0)
        print(dx[0, 0], dweight[0])  # 0.0 4.0
    """
    prepare_rms_norm_backward(dy, x, dx, weight, dweight=dweight, dkept=dkept, eps=eps, device=device, stream=stream)()


def prepare_rms_norm_backward(
    dy: Any,
    x: Any,
    dx: Any,
    weight: Any = None,
    *,
    dweight: Any = None,
    dkept: Any = None,
    eps: float = 1e-6,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`rms_norm_backward`, checked, packed and loaded once. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_rms_norm_backward

        dy, x, dx, dkept = (px.empty((4, 8), "f32") for _ in range(4))
        dy[...], x[...], dkept[...] = 1, 3, 5
        launch = prepare_rms_norm_backward(dy, x, dx, dkept=dkept, eps=0.0)
        launch()
        print(dx[0, 0])  # 5.0
    """
    matrices = {"x": x, "dy": dy, "dx": dx, "dkept": dkept}
    gradients = {"dweight": dweight}
    return _backward(rms_norm_gradients, matrices, weight, gradients, eps=eps, device=device, stream=stream)


def layer_norm_backward(
    dy: Any,
    x: Any,
    dx: Any,
    weight: Any = None,
    *,
    dweight: Any = None,
    dbias: Any = None,
    dkept: Any = None,
    eps: float = 1e-5,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """Gradients of `layer_norm`: of x, of the weight and of the bias.

    Args:
        dy: the gradient of y. x: what was normalized (`kept`, where there was a residual). dx: its gradient, a result.
        weight: as in `layer_norm`. dweight, dbias: gradients of weight and bias, results, where they are wanted.
        dkept: a gradient of x that came another way, as that of `kept`: it is added to dx.
        eps, device, stream: as in `layer_norm`.

    Arrays and errors are as in `rms_norm_backward`.

    Raises: Diagnostic as `rms_norm_backward`.

    Example:
        from ptxlab.kernels.rows import layer_norm_backward

        dy, x, dx = (px.empty((4, 8), "f32") for _ in range(3))
        dbias = px.empty(8, "f32")
        dy[...], x[...] = 1, np.arange(8)
        layer_norm_backward(dy, x, dx, dbias=dbias)
        print(dx[0, 0], dbias[0])  # 0.0 4.0
    """
    prepare_layer_norm_backward(
        dy, x, dx, weight, dweight=dweight, dbias=dbias, dkept=dkept, eps=eps, device=device, stream=stream
    )()


def prepare_layer_norm_backward(
    dy: Any,
    x: Any,
    dx: Any,
    weight: Any = None,
    *,
    dweight: Any = None,
    dbias: Any = None,
    dkept: Any = None,
    eps: float = 1e-5,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`layer_norm_backward`, checked, packed and loaded once. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_layer_norm_backward

        dy, x, dx, dkept = (px.empty((4, 8), "f32") for _ in range(4))
        dy[...], x[...], dkept[...] = 1, np.arange(8), 5
        launch = prepare_layer_norm_backward(dy, x, dx, dkept=dkept)
        launch()
        print(dx[0, 0])  # 5.0
    """
    matrices = {"x": x, "dy": dy, "dx": dx, "dkept": dkept}
    gradients = {"dweight": dweight, "dbias": dbias}
    return _backward(layer_norm_gradients, matrices, weight, gradients, eps=eps, device=device, stream=stream)


def _backward(
    body: Body, matrices: dict[str, Any], weight: Any, gradients: dict[str, Any], *, eps: float, **options: Any
) -> Launch:
    x = matrix("x", matrices["x"])
    arrays = {name: matrix(name, a, x) for name, a in matrices.items() if a is not None}
    if weight is not None:
        arrays["weight"] = vector("weight", weight, x.shape[1])
    made = {name: vector(name, a, x.shape[1]) for name, a in gradients.items() if a is not None}
    if 0 in x.shape:
        zeros = [summing(parts_of(x, 1, x.shape[1]), a, **options) for a in made.values() if x.shape[1]]
        return LaunchSequence(zeros) if zeros else EmptyProduct(x)
    if not made:
        return prepared(body, arrays, {"eps": float(eps)}, layout=layout_of(arrays, THREE_ROWS, most=MOST), **options)
    layout = layout_of(arrays, SUMS, most=MOST, by_columns=True)
    parts = layout.clusters(x.shape[0], device_of(x).sm_count) * layout.rows
    sums: dict[str, ArrayView] = {f"{name}_parts": parts_of(x, parts, x.shape[1]) for name in made}
    first = prepared(body, arrays | sums, {"eps": float(eps)}, layout=layout, **options)
    return LaunchSequence([first, *(summing(sums[f"{name}_parts"], a, **options) for name, a in made.items())])


def rms_norm_gradients(r: Rows) -> None:
    """The kernel of `rms_norm_backward`."""
    k, weight, dweight = r.k, r.line("weight"), Sums(r, "dweight_parts")
    with r.loop(*READ):
        x = r.again(lambda: r.load("x"))
        squares, along = r.reduce(
            ("add", dot(k, ((a, a) for a in x()))),
            ("add", dot(k, zip(times(r, r.load("dy"), weight()), x(), strict=True))),
        )
        scale, mean = _scale_and_mean(r, squares, along)

        def dx() -> Iterable[Any]:
            for i, (a, dy, g) in enumerate(_with_gradients(r, x, weight)):
                unit = k.mul.rn.f32(a, scale)
                dweight.add(i, dy, unit)
                yield k.mul.rn.f32(k.fma.rn.f32(unit, mean, g), scale)

        r.store("dx", _with_kept(r, dx()))
    dweight.store()


def layer_norm_gradients(r: Rows) -> None:
    """The kernel of `layer_norm_backward`."""
    k, weight, dweight, dbias = r.k, r.line("weight"), Sums(r, "dweight_parts"), Sums(r, "dbias_parts")
    with r.loop(*READ):
        x = without_mean(r, lambda: r.load("x"))
        squares, along, level = r.reduce(
            ("add", dot(k, ((a, a) for a in x()))),
            ("add", dot(k, zip(times(r, r.load("dy"), weight()), x(), strict=True))),
            ("add", joined(k, "add", times(r, r.load("dy"), weight()))),
        )
        scale, mean = _scale_and_mean(r, squares, along)
        level = k.div.rn.f32(level, r.count)

        def dx() -> Iterable[Any]:
            for i, (a, dy, g) in enumerate(_with_gradients(r, x, weight)):
                unit = k.mul.rn.f32(a, scale)
                dweight.add(i, dy, unit)
                dbias.add(i, dy)
                yield k.mul.rn.f32(k.fma.rn.f32(unit, mean, k.sub.rn.f32(g, level)), scale)

        r.store("dx", _with_kept(r, dx()))
    dweight.store()
    dbias.store()


def _scale_and_mean(r: Rows, squares: Any, along: Any) -> tuple[Any, Any]:
    """dx = scale · (g - x · mean(g · x)) for x of mean square 1, of which `along` is the sum without its scale: scale and -mean.

    Behind the last row there is nothing to add to sums: 1 / √0 is infinite.
    """
    k = r.k
    scale = k.selp.f32(root(r, squares), 0.0, r.there)
    return scale, k.neg.f32(k.div.rn.f32(k.mul.rn.f32(along, scale), r.count))


def _with_gradients(r: Rows, x: Callable[[], Iterable[Any]], weight: Callable[[], Iterable[Any]]) -> Iterable[Any]:
    """x, dy, and dy · weight of each element."""
    k = r.k
    if "weight" not in r:
        return ((a, dy, dy) for a, dy in zip(x(), r.load("dy"), strict=True))
    return ((a, dy, k.mul.rn.f32(dy, w)) for a, dy, w in zip(x(), r.load("dy"), weight(), strict=True))


def _with_kept(r: Rows, dx: Iterable[Any]) -> Iterable[Any]:
    """dx, and dkept added where there is such a gradient."""
    return (r.k.add.rn.f32(a, b) for a, b in zip(dx, r.load("dkept"), strict=True)) if "dkept" in r else dx


class Sums:
    """Sums over the rows of a thread, one for each of its columns; nothing where the kernel has no such operand."""

    def __init__(self, r: Rows, name: str) -> None:
        self.r, self.name = r, name
        count = r.layout.vectors * r.layout.elements if name in r else 0
        self.values = [r.k.mov.f32(0.0) for _ in range(count)]

    def add(self, i: int, left: Any, right: Any = None) -> None:
        """Add a product, or a number, to one of the sums."""
        if not self.values:
            return
        k, total = self.r.k, self.values[i]
        if right is None:
            k.add.rn.f32(total, left, d=total)
        else:
            k.fma.rn.f32(left, right, total, d=total)

    def store(self) -> None:
        """Write them where those of this thread's rows belong."""
        if self.values:
            self.r.store(self.name, self.values, by_part=True)
