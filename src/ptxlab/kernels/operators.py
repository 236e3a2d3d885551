"""Kernels of this package as operators of PyTorch and JAX, with gradients: see `px.operator`."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, user_span
from ptxlab.kernels import rows
from ptxlab.kernels.attention import attention as attend
from ptxlab.kernels.attention import softcap as capped
from ptxlab.kernels.attention.backward.call import gradients
from ptxlab.kernels.attention.backward.launch import prepared
from ptxlab.kernels.attention.backward.memory import Memory
from ptxlab.kernels.attention.backward.scores import gradient_of
from ptxlab.kernels.attention.backward.tiling import choose as backward_tiling
from ptxlab.kernels.attention.call import Options
from ptxlab.kernels.gemm import gemm
from ptxlab.kernels.grouped_packed import grouped_depth, grouped_rows

_INTEGERS: Final = ("int8", "uint8")


@px.operator("ptxlab::matmul")
def matmul(
    a: px.Array, b: px.Array, *, transpose_a: bool = False, transpose_b: bool = False, dtype: str | None = None
) -> px.Array:
    """The product of two matrices by `ptxlab.kernels.gemm`, as an operator: A · B, with its gradients.

    Args:
        a: M × K, with `transpose_a` K × M; of bf16, f16, f32 (multiplied as tf32), int8, uint8 or fp8.
        b: K × N, with `transpose_b` N × K; of the same type.
        transpose_a, transpose_b: whether the matrix is stored transposed. Nothing is copied for that where types have 16 bits.
        dtype: of the result; left out, that of A, for integers int32.

    Returns: an array of M × N.

    Raises: Diagnostic PTX2308 where ranks or shapes do not fit, PTX2307 for dtypes, and what `gemm` raises.

    Example:
        from ptxlab.kernels.operators import matmul

        x, w = np.ones((4, 16), np.float32), np.full((8, 16), 2, np.float32)
        print(matmul(x, w, transpose_b=True).shape)  # (4, 8)
    """
    rows, depth = _extents("a", a, turned=transpose_a)
    steps, columns = _extents("b", b, turned=transpose_b)
    if depth != steps:
        raise Diagnostic(
            "PTX2308",
            f"a has {depth} steps along K, and b has {steps}.",
            help="transpose_a= and transpose_b= say which of them is stored transposed",
            origin=user_span(),
        )
    integers = str(a.dtype).rpartition(".")[2] in _INTEGERS
    c = px.empty_like(a, shape=(rows, columns), dtype=dtype or ("int32" if integers else None))
    if not px.launches_left_out():
        gemm(_turned(a, turned=transpose_a), _turned(b, turned=transpose_b), c)
    return c


@matmul.gradient
def _(d_c: Any, a: Any, b: Any, transpose_a: bool, transpose_b: bool, needs: Collection[str]) -> tuple[Any, Any]:
    d_c = _as(d_c, a.dtype)
    d_a = d_b = None
    if "a" in needs and transpose_a:
        d_a = matmul(b, d_c, transpose_a=transpose_b, transpose_b=True)
    elif "a" in needs:
        d_a = matmul(d_c, b, transpose_b=not transpose_b)
    if "b" in needs and transpose_b:
        d_b = matmul(d_c, a, transpose_a=True, transpose_b=transpose_a)
    elif "b" in needs:
        d_b = matmul(a, d_c, transpose_a=not transpose_a)
    return d_a, d_b


@px.operator("ptxlab::grouped_matmul")
def grouped_matmul(
    x: px.Array, w: px.Array, offsets: px.Array, *, transpose_w: bool = False, dtype: str | None = None
) -> px.Array:
    """The product of each group of rows with a matrix of its own by `grouped_rows`, as an operator with its gradients.

    Args:
        x: tokens × K, sorted by group; bf16 or f16 where gradients are wanted, else as `grouped_rows` takes it.
        w: groups × K × N, with `transpose_w` groups × N × K.
        offsets: where groups begin and end, int32 or int64, as of `grouped_rows`; on the device of `x`.
        transpose_w: whether the matrices are stored transposed. dtype: of the result; left out, that of `x`.

    Returns: an array of tokens × N; zeros for rows of no group.

    Raises: Diagnostic PTX2308 where ranks do not fit, and what `grouped_rows` raises.

    Example:
        from ptxlab.kernels.operators import grouped_matmul

        x, w = px.empty((10, 64), "bf16"), px.empty((2, 64, 32), "bf16")
        x[...], w[0], w[1] = 1, 1, 2
        out = grouped_matmul(x, w, np.array([0, 4, 10], np.int32), dtype="float32")
        print(out[0, 0], out[9, 0])  # 64.0 128.0
    """
    if len(x.shape) != 2 or len(w.shape) != 3:
        raise _rank(
            "x and w", f"{len(x.shape)} and {len(w.shape)}", "groups are products of x in two dimensions and w in three"
        )
    out = px.zeros_like(x, shape=(x.shape[0], w.shape[1 if transpose_w else 2]), dtype=dtype)
    if not px.launches_left_out():
        grouped_rows(x, w, out, offsets, b_layout="nk" if transpose_w else "kn")
    return out


@px.operator("ptxlab::grouped_outer")
def grouped_outer(a: px.Array, b: px.Array, offsets: px.Array, groups: int, *, dtype: str | None = None) -> px.Array:
    """Aᵀ · B over the rows of each group by `grouped_depth`, as an operator: what the weights of experts have as gradients.

    Args:
        a: tokens × M. b: tokens × N. Both bf16, or both f16. offsets: as of `grouped_matmul`. groups: their number.
        dtype: of the result; left out, that of `a`.

    Returns: an array of groups × M × N. It has no gradient.

    Raises: Diagnostic PTX2308 where ranks do not fit, and what `grouped_depth` raises.

    Example:
        from ptxlab.kernels.operators import grouped_outer

        x, dy = px.empty((10, 64), "bf16"), px.empty((10, 32), "bf16")
        x[...], dy[...] = 1, 2
        print(grouped_outer(x, dy, np.array([0, 4, 10], np.int32), 2)[:, 0, 0])  # [8 12]
    """
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise _rank("a and b", f"{len(a.shape)} and {len(b.shape)}", "both are matrices, a row for each token")
    out = px.empty_like(a, shape=(groups, a.shape[1], b.shape[1]), dtype=dtype)
    if not px.launches_left_out():
        grouped_depth(a, b, out, offsets)
    return out


@grouped_matmul.gradient
def _(d_out: Any, x: Any, w: Any, offsets: Any, transpose_w: bool, needs: Collection[str]) -> tuple[Any, Any, None]:
    d_out = _as(d_out, x.dtype)
    d_x = grouped_matmul(d_out, w, offsets, transpose_w=not transpose_w) if "x" in needs else None
    d_w = None
    if "w" in needs:
        pair = (d_out, x) if transpose_w else (x, d_out)
        d_w = grouped_outer(*pair, offsets, w.shape[0])
    return d_x, d_w, None


@px.operator("ptxlab::attention")
def attention(
    q: px.Array,
    k: px.Array,
    v: px.Array,
    *,
    causal: bool = False,
    left: int | None = None,
    right: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    layout: str = "bhsd",
) -> tuple[px.Array, px.Array]:
    """softmax(Q · Kᵀ · scale) · V by `ptxlab.kernels.attention`, as an operator with its gradients.

    Args:
        q, k, v: bf16 or f16, as `attention` takes them.
        causal, scale, layout: as of `attention`. left, right: its window, how many keys a query sees to either side; None: all.
        softcap: scores stay between -softcap and softcap; None: they stay what they are.

    Returns: the results, of q's shape, and the natural logarithm of each row's sum of exponentials, float32, batches × heads ×
        rows. Both have gradients.

    Raises: Diagnostic as `attention`.

    Example:
        from ptxlab.kernels.operators import attention

        q, k, v = (px.empty((1, 2, 16, 64), "bf16") for _ in range(3))
        q[...], k[...], v[...] = 1, 0, 2
        o, lse = attention(q, k, v, causal=True)
        print(o[0, 0, 5, 0], round(float(lse[0, 0, 15]), 3))  # 2 2.773
    """
    if len(q.shape) != 4:
        raise _rank("q", str(len(q.shape)), "give batches, heads, rows and depth")
    o = px.empty_like(q)
    lse = px.empty_like(q, shape=_of_queries(q.shape, layout)[:3], dtype="float32")
    if not px.launches_left_out():
        score = None if softcap is None else capped(softcap)
        attend(q, k, v, o, lse=lse, causal=causal, window=(left, right), scale=scale, score=score, layout=layout)  # type: ignore[arg-type]
    return o, lse


@px.operator("ptxlab::attention_gradients")
def attention_gradients(
    d_o: px.Array,
    q: px.Array,
    k: px.Array,
    v: px.Array,
    o: px.Array,
    lse: px.Array,
    d_lse: px.Array | None = None,
    *,
    causal: bool = False,
    left: int | None = None,
    right: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    layout: str = "bhsd",
) -> tuple[px.Array, px.Array, px.Array]:
    """Gradients of `attention` by `attention_backward`, as an operator: the same bits in each run.

    Args:
        d_o, d_lse: gradients of o and of lse. q, k, v, o, lse: what `attention` has taken and given. Others: as there.

    Returns: the gradients of q, k and v. They have none themselves.

    Raises: Diagnostic as `attention_backward`.

    Example:
        from ptxlab.kernels.operators import attention, attention_gradients

        q, k, v, d_o = (px.empty((1, 2, 16, 64), "bf16") for _ in range(4))
        q[...], k[...], v[...], d_o[...] = 1, 1, 2, 1
        o, lse = attention(q, k, v)
        d_q, d_k, d_v = attention_gradients(d_o, q, k, v, o, lse)
        print(d_v[0, 0, 5, 0], d_k.any())  # 1 False
    """
    found = tuple(px.empty_like(x) for x in (q, k, v))
    tiling = backward_tiling(q.shape[-1], scored=softcap is not None)
    memory = Memory.of(_of_queries(q.shape, layout), tiling)
    room = px.empty_like(q, shape=(1, memory.numbers), dtype="float32")
    if not px.launches_left_out():
        score = None if softcap is None else capped(softcap)
        functions = {"score": score, "gradient": gradient_of(score, None)}
        options = Options(layout, causal, (left, right), scale)
        prepared(gradients((d_o, q, k, v, o), lse, d_lse, found, options), tiling, functions, array_view(room))()
    return found


@attention.gradient
def _(
    d_o: Any,
    d_lse: Any,
    q: Any,
    k: Any,
    v: Any,
    causal: Any,
    left: Any,
    right: Any,
    scale: Any,
    softcap: Any,
    layout: Any,
    results: Any,
) -> Any:
    return attention_gradients(
        _as(d_o, q.dtype),
        q,
        k,
        v,
        *results,
        d_lse=d_lse,
        causal=causal,
        left=left,
        right=right,
        scale=scale,
        softcap=softcap,
        layout=layout,
    )


@px.operator("ptxlab::rms_norm")
def rms_norm(x: px.Array, weight: px.Array, *, eps: float = 1e-6) -> px.Array:
    """x / √(mean of x² + eps) · weight along the last axis by `ptxlab.kernels.rows`, as an operator with its gradients.

    Args:
        x: bf16, f16 or f32, … × columns; contiguous where it has other than two axes. weight: a number for each column.
        eps: what keeps rows of zeros finite.

    Returns: an array like x.

    Raises: Diagnostic PTX2308 and PTX2309 where axes do not fit, and as `rows.rms_norm`.

    Example:
        from ptxlab.kernels.operators import rms_norm

        x, weight = np.full((2, 3, 8), 3, np.float32), np.full(8, 2, np.float32)
        print(rms_norm(x, weight, eps=0.0)[1, 2, 0])  # 2.0
    """
    y = px.empty_like(x)
    if not px.launches_left_out():
        rows.rms_norm(_matrix("x", x), _matrix("y", y), weight, eps=eps)
    return y


@px.operator("ptxlab::rms_norm_gradients")
def rms_norm_gradients(d_y: px.Array, x: px.Array, weight: px.Array, *, eps: float = 1e-6) -> tuple[px.Array, px.Array]:
    """Gradients of `rms_norm` by `rows.rms_norm_backward`, as an operator. They have none themselves.

    Args:
        d_y: the gradient of the result. x, weight, eps: as of `rms_norm`.

    Returns: the gradients of x and of the weight.

    Raises: Diagnostic as `rms_norm`.

    Example:
        from ptxlab.kernels.operators import rms_norm_gradients

        d_y, x, weight = np.ones((4, 8), np.float32), np.full((4, 8), 3, np.float32), np.full(8, 2, np.float32)
        d_x, d_weight = rms_norm_gradients(d_y, x, weight, eps=0.0)
        print(d_x[0, 0], d_weight[0])  # 0.0 4.0
    """
    d_x, d_weight = px.empty_like(x), px.empty_like(weight)
    if not px.launches_left_out():
        given = (_matrix("d_y", d_y), _matrix("x", x), _matrix("d_x", d_x))
        rows.rms_norm_backward(*given, weight, dweight=d_weight, eps=eps)
    return d_x, d_weight


@rms_norm.gradient
def _(d_y: Any, x: Any, weight: Any, eps: Any) -> Any:
    return rms_norm_gradients(d_y, x, weight, eps=eps)


@px.operator("ptxlab::layer_norm")
def layer_norm(x: px.Array, weight: px.Array, bias: px.Array, *, eps: float = 1e-5) -> px.Array:
    """(x - mean) / √(variance + eps) · weight + bias along the last axis by `ptxlab.kernels.rows`, with its gradients.

    Args:
        x, weight, eps: as of `rms_norm`. bias: a number for each column.

    Returns: an array like x.

    Raises: Diagnostic as `rms_norm`.

    Example:
        from ptxlab.kernels.operators import layer_norm

        x, weight, bias = np.array([[1, 3]], np.float32), np.ones(2, np.float32), np.full(2, 5, np.float32)
        print(layer_norm(x, weight, bias, eps=0.0))  # [[4. 6.]]
    """
    y = px.empty_like(x)
    if not px.launches_left_out():
        rows.layer_norm(_matrix("x", x), _matrix("y", y), weight, bias, eps=eps)
    return y


@px.operator("ptxlab::layer_norm_gradients")
def layer_norm_gradients(
    d_y: px.Array, x: px.Array, weight: px.Array, *, eps: float = 1e-5
) -> tuple[px.Array, px.Array, px.Array]:
    """Gradients of `layer_norm` by `rows.layer_norm_backward`, as an operator. They have none themselves.

    Args:
        d_y: the gradient of the result. x, weight, eps: as of `layer_norm`.

    Returns: the gradients of x, of the weight and of the bias, of the type of the weight.

    Raises: Diagnostic as `rms_norm`.

    Example:
        from ptxlab.kernels.operators import layer_norm_gradients

        d_y, x, weight = np.ones((4, 2), np.float32), np.full((4, 2), [1, 3], np.float32), np.ones(2, np.float32)
        d_x, d_weight, d_bias = layer_norm_gradients(d_y, x, weight, eps=0.0)
        print(d_x.any(), d_weight, d_bias)  # False [-4.  4.] [4. 4.]
    """
    d_x, d_weight, d_bias = px.empty_like(x), px.empty_like(weight), px.empty_like(weight)
    if not px.launches_left_out():
        given = (_matrix("d_y", d_y), _matrix("x", x), _matrix("d_x", d_x))
        rows.layer_norm_backward(*given, weight, dweight=d_weight, dbias=d_bias, eps=eps)
    return d_x, d_weight, d_bias


@layer_norm.gradient
def _(d_y: Any, x: Any, weight: Any, bias: Any, eps: Any) -> Any:
    d_x, d_weight, d_bias = layer_norm_gradients(d_y, x, weight, eps=eps)
    return d_x, d_weight, _as(d_bias, bias.dtype)


@px.operator("ptxlab::cross_entropy")
def cross_entropy(x: px.Array, targets: px.Array, *, ignore_index: int = -100) -> px.Array:
    """log Σ exp(x) - x[target] of each row by `ptxlab.kernels.rows`, as an operator with its gradient.

    Args:
        x: bf16, f16 or f32, rows × columns. targets: a column for each row, int32 or int64.
        ignore_index: the target of rows that do not count.

    Returns: float32, a loss for each row; the mean, over rows that count, is the caller's.

    Raises: Diagnostic as `rows.cross_entropy`.

    Example:
        from ptxlab.kernels.operators import cross_entropy

        print(cross_entropy(np.zeros((2, 4), np.float32), np.array([2, -100])))  # [1.3862944 0.       ]
    """
    loss = px.empty_like(x, shape=x.shape[:1], dtype="float32")
    if not px.launches_left_out():
        rows.cross_entropy(x, targets, loss, ignore_index=ignore_index)
    return loss


@px.operator("ptxlab::cross_entropy_gradient")
def cross_entropy_gradient(d_loss: px.Array, x: px.Array, targets: px.Array, *, ignore_index: int = -100) -> px.Array:
    """The gradient of `cross_entropy` by `rows.cross_entropy_backward`, as an operator. It has none itself.

    Args:
        d_loss: the gradient of the loss, float32. x, targets, ignore_index: as of `cross_entropy`.

    Returns: the gradient of x.

    Raises: Diagnostic as `rows.cross_entropy_backward`.

    Example:
        from ptxlab.kernels.operators import cross_entropy_gradient

        x, d_loss = np.zeros((2, 4), np.float32), np.ones(2, np.float32)
        print(cross_entropy_gradient(d_loss, x, np.array([2, -100]))[0])  # [ 0.25  0.25 -0.75  0.25]
    """
    d_x = px.empty_like(x)
    if not px.launches_left_out():
        rows.cross_entropy_backward(d_loss, x, targets, None, d_x, ignore_index=ignore_index)
    return d_x


@cross_entropy.gradient
def _(d_loss: Any, x: Any, targets: Any, ignore_index: Any) -> Any:
    return cross_entropy_gradient(d_loss, x, targets, ignore_index=ignore_index), None


def _matrix(name: str, x: Any) -> ArrayView:
    """An array as rows along its last axis."""
    seen = array_view(x)
    if len(seen.shape) == 2:
        return seen
    if not seen.shape or not seen.contiguous:
        raise Diagnostic(
            "PTX2309",
            f"{name} has strides of {', '.join(map(str, seen.strides))} bytes.",
            help="give two dimensions, or a contiguous array",
            origin=user_span(),
        )
    columns = seen.shape[-1]
    shape = (math.prod(seen.shape[:-1]), columns)
    return replace(seen, shape=shape, strides=(columns * seen.itemsize, seen.itemsize))


def _of_queries(shape: Any, layout: str) -> tuple[Any, ...]:
    """Batches, heads, rows and depth."""
    first, second, third, depth = shape
    return (first, third, second, depth) if layout == "bshd" else (first, second, third, depth)


def _rank(names: str, have: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2308", f"{names} have {have} dimensions.", help=help, origin=user_span())


def _extents(name: str, matrix: Any, *, turned: bool) -> tuple[Any, Any]:
    if len(matrix.shape) != 2:
        raise Diagnostic(
            "PTX2308",
            f"{name} has {len(matrix.shape)} dimensions, and a product is of matrices.",
            help="reshape it to two dimensions",
            origin=user_span(),
        )
    first, second = matrix.shape
    return (second, first) if turned else (first, second)


def _turned(matrix: Any, *, turned: bool) -> ArrayView:
    seen = array_view(matrix)
    return replace(seen, shape=seen.shape[::-1], strides=seen.strides[::-1]) if turned else seen


def _as(array: Any, dtype: Any) -> Any:
    """The array in another dtype, by its own library."""
    if array.dtype == dtype:
        return array
    return array.to(dtype) if hasattr(array, "to") else array.astype(dtype)
