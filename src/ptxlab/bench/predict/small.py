"""Small kernels that are bound by one thing each: latency, issue, special functions, shared memory, barriers, atomics,
divergence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import ptxlab as px

THREADS = 256


@px.kernel(target="sm_90a", threads=THREADS)
def fma(k: px.Builder, x: px.Ptr[px.f32], steps: px.u32, *, chains: int) -> None:
    """Chains of f32 products that wait for nothing but themselves."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    v = k.ld.global_.f32(x[i])
    sums = [k.mov.f32(float(c)) for c in range(chains)]
    with k.loop(steps):
        for s in sums:
            k.fma.rn.f32(s, v, v, d=s)
    for s in sums[1:]:
        k.add.rn.f32(sums[0], s, d=sums[0])
    k.st.global_.f32(x[i], sums[0])


@px.kernel(target="sm_90a", threads=THREADS)
def doubles(k: px.Builder, x: px.Ptr[px.f64], steps: px.u32, *, chains: int) -> None:
    """The same in double precision."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    v = k.ld.global_.f64(x[i])
    sums = [k.mov.f64(float(c)) for c in range(chains)]
    with k.loop(steps):
        for s in sums:
            k.fma.rn.f64(s, v, v, d=s)
    for s in sums[1:]:
        k.add.rn.f64(sums[0], s, d=sums[0])
    k.st.global_.f64(x[i], sums[0])


@px.kernel(target="sm_90a", threads=THREADS)
def exponentials(k: px.Builder, x: px.Ptr[px.f32], steps: px.u32) -> None:
    """Exponentials and their sum."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    v, total = k.ld.global_.f32(x[i]), k.mov.f32(0.0)
    with k.loop(steps):
        k.add.rn.f32(v, 0.25, d=v)
        k.add.rn.f32(total, k.ex2.approx.ftz.f32(v), d=total)
    k.st.global_.f32(x[i], total)


@px.kernel(target="sm_90a", threads=THREADS)
def divisions(k: px.Builder, x: px.Ptr[px.u32], steps: px.u32) -> None:
    """Divisions of integers, each of the last result."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    v = k.ld.global_.u32(x[i])
    with k.loop(steps):
        k.add.u32(k.div.u32(v | 0x7000_0000, (v & 63) + 3), i, d=v)
    k.st.global_.u32(x[i], v)


@px.kernel(target="sm_90a", threads=THREADS)
def conflicts(k: px.Builder, x: px.Ptr[px.u32], steps: px.u32, *, stride: int) -> None:
    """Each thread reads a word of shared memory, as far from its neighbour's as `stride` words."""
    buf = k.smem(px.u32, 32 * stride)
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    with k.if_(k.tid.x < 32 * stride):
        k.st.shared.u32(buf[k.tid.x], i)
    k.bar.sync(0)
    at, total = buf[(k.tid.x & 31) * stride], k.mov.u32(0)
    with k.loop(steps):
        k.add.u32(total, k.ld.volatile.shared.u32(at), d=total)
        k.add.u32(total, k.ld.volatile.shared.u32(at), d=total)
        k.add.u32(total, k.ld.volatile.shared.u32(at), d=total)
        k.add.u32(total, k.ld.volatile.shared.u32(at), d=total)
    k.st.global_.u32(x[i], total)


@px.kernel(target="sm_90a", threads=THREADS)
def barriers(k: px.Builder, x: px.Ptr[px.u32], steps: px.u32) -> None:
    """Neighbours hand numbers round in shared memory, a barrier before and behind each."""
    buf = k.smem(px.u32, THREADS)
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    v = k.ld.global_.u32(x[i])
    mine, other = buf[k.tid.x], buf[k.tid.x ^ 1]
    with k.loop(steps):
        k.st.shared.u32(mine, v)
        k.bar.sync(0)
        k.add.u32(v, k.ld.shared.u32(other), d=v)
        k.bar.sync(0)
    k.st.global_.u32(x[i], v)


@px.kernel(target="sm_90a", threads=THREADS)
def shuffles(k: px.Builder, x: px.Ptr[px.u32], steps: px.u32) -> None:
    """Sums over a warp by shuffles."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    v = k.ld.global_.u32(x[i])
    with k.loop(steps):
        for apart in (16, 8, 4, 2, 1):
            k.add.u32(v, k.shfl.sync.bfly.b32(v, apart, 31, -1), d=v)
    k.st.global_.u32(x[i], v)


@px.kernel(target="sm_90a", threads=THREADS)
def divergence(k: px.Builder, x: px.Ptr[px.f32], steps: px.u32) -> None:
    """Odd and even threads go different ways."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    v = k.ld.global_.f32(x[i])
    with k.loop(steps):
        with k.if_((k.tid.x & 1) == 0):
            k.st.global_.f32(x[i], v)
            for _ in range(8):
                k.fma.rn.f32(v, v, 0.5, d=v)
        with k.else_():
            for _ in range(8):
                k.ex2.approx.ftz.f32(v, d=v)
            k.st.global_.f32(x[i], v)
    k.st.global_.f32(x[i], v)


@px.kernel(target="sm_90a", threads=THREADS)
def stream(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32], steps: px.u32, *, width: int) -> None:
    """y = 2 x + 1, `width` elements a thread at a time."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x) * width
    apart = k.nctaid.x * (THREADS * width)
    with k.loop(steps):
        if width == 1:
            k.st.global_.f32(y[i], k.fma.rn.f32(k.ld.global_.f32(x[i]), 2.0, 1.0))
        else:
            values = k.ld.global_.v4.f32(x[i])
            k.st.global_.v4.f32(y[i], [k.fma.rn.f32(v, 2.0, 1.0) for v in values])
        k.add.u32(i, apart, d=i)


@px.kernel(target="sm_90a", threads=THREADS)
def strided(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32], *, stride: int) -> None:
    """Threads read elements that lie apart, and write neighbouring ones."""
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    k.st.global_.f32(y[i], k.ld.global_.f32(x[i * stride]))


_OF_STEPS: Final[Mapping[str, tuple[px.Kernel, str]]] = {
    "fma": (fma, "float32"),
    "doubles": (doubles, "float64"),
    "exponentials": (exponentials, "float32"),
    "divisions": (divisions, "uint32"),
    "conflicts": (conflicts, "uint32"),
    "barriers": (barriers, "uint32"),
    "shuffles": (shuffles, "uint32"),
    "divergence": (divergence, "float32"),
}
"""Kernels that take an array with an element for each thread, and how many steps they make."""


def prepared(kind: str, empty: Callable[..., Any], ctas: int, count: int = 1, **constants: int) -> px.Launch:
    """A launch of one of them. empty: makes an array of zeros (elements, type); count: steps."""
    args: list[Any]
    if kind in _OF_STEPS:
        kernel, dtype = _OF_STEPS[kind]
        args = [empty(ctas * THREADS, dtype), count]
    elif kind == "stream":
        kernel, each = stream, ctas * THREADS * constants["width"] * count
        args = [empty(each, "float32"), empty(each, "float32"), count]
    else:
        kernel = strided
        args = [empty(ctas * THREADS * constants["stride"], "float32"), empty(ctas * THREADS, "float32")]
    return kernel.specialize(**constants).prepare(grid=ctas, args=args, lints=False)
