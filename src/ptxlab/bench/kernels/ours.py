"""ptxlab's own kernels, through their public calls. What is not there yet says so."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any, Final, Literal

from ptxlab.bench.kernels.contest import NotThere
from ptxlab.bench.kernels.timing import Call

Layout = Literal["kn", "nk"]
_SCALES: Final = (("scale_a", "scale_b"), ("a_scale", "b_scale"))


def on_current_stream(torch: ModuleType, prepared: Any) -> Call:
    """A prepared launch on torch's stream of the moment, as graphs that are being recorded want it."""
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    device = torch.cuda.current_device()
    if raw is not None:
        return lambda: prepared(stream=raw(device))
    return lambda: prepared(stream=torch.cuda.current_stream())


def gemm(torch: ModuleType, a: Any, b: Any, c: Any, layout: Layout, **options: Any) -> Call:
    """The product. `options` are others of `gemm.prepare`, such as an epilogue. Raises: NotThere where it does not have them."""
    from ptxlab.kernels.gemm import prepare

    taken = inspect.signature(prepare).parameters
    for name in options:
        if name not in taken:
            raise NotThere(f"gemm takes no {name}= yet")
    return on_current_stream(torch, prepare(a, b, c, b_layout=layout, **options))


def scaled(torch: ModuleType, a: Any, b: Any, c: Any, scales: tuple[Any, Any]) -> Call:
    """The product of fp8 matrices with scales, B as N × K. Raises: NotThere where gemm takes none."""
    from ptxlab.kernels.gemm import prepare

    taken = inspect.signature(prepare).parameters
    names = next((pair for pair in _SCALES if all(name in taken for name in pair)), None)
    if names is None:
        raise NotThere("gemm takes no scales yet")
    return gemm(torch, a, b, c, "nk", **dict(zip(names, scales, strict=True)))


def fused(torch: ModuleType, matrices: tuple[Any, Any, Any], epilogue: str, more: tuple[Any, ...]) -> Call:
    """A product with one of the epilogues of `works`. `more`: what it reads beside the matrices."""
    from ptxlab.kernels.blocks.epilogue import bias, gelu, residual, swiglu

    chosen = swiglu if epilogue == "SwiGLU" else bias(*more) | gelu if epilogue == "bias + GELU" else residual(*more)
    return gemm(torch, *matrices, "kn", epilogue=chosen)


def grouped(torch: ModuleType, problems: list[tuple[Any, Any, Any]], layout: Layout = "kn") -> Call:
    """Many products in one launch."""
    from ptxlab.kernels.grouped_gemm import prepare

    return on_current_stream(torch, prepare(problems, b_layout=layout))


def packed(torch: ModuleType, form: str, matrices: tuple[Any, Any, Any], numbers: Any, **options: Any) -> Call:
    """Groups in one matrix: `form` is "rows", "masked" or "depth"."""
    from ptxlab.kernels import grouped_packed

    return on_current_stream(torch, getattr(grouped_packed, f"prepare_{form}")(*matrices, numbers, **options))
