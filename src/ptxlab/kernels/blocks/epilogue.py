"""What becomes of each sum before it is stored: functions of the builder and a register of f32, in the language itself.

`gemm(a, b, c, activation=relu)` takes any such function. It is called while the kernel is traced, once for each result of a thread:

    def leaky(k, x):
        return k.max.f32(x, k.mul.f32(x, 0.01))

A kernel is traced anew for each function, so give the same one for the same thing; `scaled` keeps those that it has made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import ptxlab as px

Epilogue: TypeAlias = Callable[[px.Builder, Any], Any]

LOG2_E = 1.4426950408889634


def relu(k: px.Builder, x: Any) -> Any:
    """max(x, 0); a NaN becomes 0."""
    return k.max.f32(x, 0.0)


def gelu(k: px.Builder, x: Any) -> Any:
    """GELU by its tanh, as `torch.nn.functional.gelu(x, approximate="tanh")`."""
    inner = k.mul.f32(x, k.fma.rn.f32(k.mul.f32(x, x), 0.044715 * 0.7978845608028654, 0.7978845608028654))
    half = k.mul.f32(x, 0.5)
    return k.fma.rn.f32(half, k.tanh.approx.f32(inner), half)


def silu(k: px.Builder, x: Any) -> Any:
    """x / (1 + e⁻ˣ)."""
    power = k.ex2.approx.ftz.f32(k.mul.f32(x, -LOG2_E))
    return k.mul.f32(x, k.rcp.approx.ftz.f32(k.add.f32(power, 1.0)))


@cache
def scaled(factor: float, then: Epilogue | None = None) -> Epilogue:
    """Each sum times `factor`, and then what another epilogue makes of it."""

    def scale(k: px.Builder, x: Any) -> Any:
        product = k.mul.f32(x, factor)
        return product if then is None else then(k, product)

    return scale
