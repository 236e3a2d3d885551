"""Kernels of this package as operators of PyTorch and JAX, with gradients: see `px.operator`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, user_span
from ptxlab.kernels.gemm import gemm

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
