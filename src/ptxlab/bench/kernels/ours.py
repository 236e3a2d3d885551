"""ptxlab's own kernels, through their public calls. What is not there yet says so."""

from __future__ import annotations

import inspect
from typing import Any, Final, Literal

from ptxlab.bench.kernels.contest import NotThere
from ptxlab.bench.kernels.timing import Call

Layout = Literal["kn", "nk"]
_SCALES: Final = (("scale_a", "scale_b"), ("a_scale", "b_scale"))


def gemm(a: Any, b: Any, c: Any, layout: Layout, **options: Any) -> Call:
    """The product. `options` are others of `gemm.prepare`, such as an epilogue. Raises: NotThere where it does not have them."""
    from ptxlab.kernels.gemm import prepare

    taken = inspect.signature(prepare).parameters
    for name in options:
        if name not in taken:
            raise NotThere(f"gemm takes no {name}= yet")
    return prepare(a, b, c, b_layout=layout, **options)


def scaled(a: Any, b: Any, c: Any, scales: tuple[Any, Any]) -> Call:
    """The product of fp8 matrices with scales, B as N × K. Raises: NotThere where gemm takes none."""
    from ptxlab.kernels.gemm import prepare

    taken = inspect.signature(prepare).parameters
    names = next((pair for pair in _SCALES if all(name in taken for name in pair)), None)
    if names is None:
        raise NotThere("gemm takes no scales yet")
    return gemm(a, b, c, "nk", **dict(zip(names, scales, strict=True)))


def fused(matrices: tuple[Any, Any, Any], epilogue: str, more: tuple[Any, ...]) -> Call:
    """A product with one of the epilogues of `works`. `more`: what it reads beside the matrices."""
    from ptxlab.kernels.blocks.epilogue import bias, gelu, residual, swiglu

    chosen = swiglu if epilogue == "SwiGLU" else bias(*more) | gelu if epilogue == "bias + GELU" else residual(*more)
    return gemm(*matrices, "kn", epilogue=chosen)


def grouped(problems: list[tuple[Any, Any, Any]], layout: Layout = "kn") -> Call:
    """Many products in one launch."""
    from ptxlab.kernels.grouped_gemm import prepare

    return prepare(problems, b_layout=layout)


def packed(form: str, matrices: tuple[Any, Any, Any], numbers: Any, **options: Any) -> Call:
    """Groups in one matrix: `form` is "rows", "masked" or "depth"."""
    from ptxlab.kernels import grouped_packed

    return getattr(grouped_packed, f"prepare_{form}")(*matrices, numbers, **options)


def decode(*arrays: Any, **options: Any) -> Call:
    """Attention over a cache: Q, K, V, O and lengths."""
    from ptxlab.kernels.decode import prepare

    return prepare(*arrays, **options)
