"""Operators that the tests of all libraries share."""

from __future__ import annotations

import math
from typing import Any

import ptxlab as px


@px.kernel(threads=128)
def scale_kernel(k: px.Builder, x: px.Ptr[px.f64], out: px.Ptr[px.f64], n: px.u32, factor: px.f64) -> None:
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        k.st.global_.f64(out[i], k.mul.f64(k.ld.global_.f64(x[i]), factor))


@px.kernel(threads=128)
def product_kernel(
    k: px.Builder, x: px.Ptr[px.f64], y: px.Ptr[px.f64], both: px.Ptr[px.f64], sums: px.Ptr[px.f64], n: px.u32
) -> None:
    i = k.ctaid.x * 128 + k.tid.x
    with k.if_(i < n):
        u, v = k.ld.global_.f64(x[i]), k.ld.global_.f64(y[i])
        k.st.global_.f64(both[i], k.mul.f64(u, v))
        k.st.global_.f64(sums[i], k.add.f64(u, v))


@px.kernel(threads=32)
def hanging_kernel(k: px.Builder, x: px.Ptr[px.f64], out: px.Ptr[px.f64]) -> None:
    full = k.mbarrier(count=1)
    k.init_barriers()
    full.wait(0)


@px.operator("ptxlab_tests::scale")
def scale(x: px.Array, factor: float = 2.0) -> px.Array:
    """x times a number."""
    out = px.empty_like(x)
    n = math.prod(x.shape)
    scale_kernel[-(-n // 128)](x, out, n, factor)
    return out


@scale.gradient
def _(d_out: Any, factor: float) -> Any:
    return scale(d_out, factor)


@px.operator("ptxlab_tests::product_and_sum")
def product_and_sum(x: px.Array, y: px.Array) -> tuple[px.Array, px.Array]:
    """x · y and x + y."""
    both, sums = px.empty_like(x), px.empty_like(x)
    n = math.prod(x.shape)
    product_kernel[-(-n // 128)](x, y, both, sums, n)
    return both, sums


@product_and_sum.gradient
def _(d_both: Any, d_sums: Any, x: Any, y: Any, needs: frozenset[str]) -> tuple[Any, Any]:
    d_x = product_and_sum(product_and_sum(d_both, y)[0], d_sums)[1] if "x" in needs else None
    d_y = product_and_sum(product_and_sum(d_both, x)[0], d_sums)[1] if "y" in needs else None
    return d_x, d_y


@px.operator("ptxlab_tests::scale_into", mutates=("out",))
def scale_into(x: px.Array, out: px.Array, factor: float) -> None:
    """Writes x times a number."""
    n = math.prod(x.shape)
    scale_kernel[-(-n // 128)](x, out, n, factor)


@px.operator("ptxlab_tests::hanging")
def hanging(x: px.Array) -> px.Array:
    """Waits for what nobody does."""
    out = px.empty_like(x)
    hanging_kernel[1](x, out)
    return out


@px.operator("ptxlab_tests::undeclared")
def undeclared(x: px.Array) -> px.Array:
    """Writes its argument, and does not say so."""
    out = px.empty_like(x)
    scale_kernel[1](out, x, x.shape[0], 2.0)
    return out
