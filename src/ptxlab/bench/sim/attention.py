"""Attention forward in Triton, compiled for sm_90a without a GPU. Import it only where triton is."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import os

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # said, so that it is no warning

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import ptxlab as px
from ptxlab.bench.sim.work import Work

QUERIES, KEYS = 64, 64
_LOG2_E = 1.4426950408889634


@triton.jit
def attention(q, k, v, out, n, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * n * D
    i, d, j = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D), tl.arange(0, N)
    queries = tl.load(q + head + i[:, None] * D + d[None, :])
    top = tl.full((M,), -float("inf"), tl.float32)
    below = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    for start in range(0, n, N):
        keys = tl.load(k + head + (start + j)[None, :] * D + d[:, None])
        s = tl.dot(queries, keys) * scale
        high = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - high[:, None])
        shrink = tl.exp2(top - high)
        below, top = below * shrink + tl.sum(p, 1), high
        values = tl.load(v + head + (start + j)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(values.dtype), values, acc * shrink[:, None])
    tl.store(out + head + i[:, None] * D + d[None, :], (acc / below[:, None]).to(out.dtype.element_ty))


def work(heads: int, n: int, d: int) -> Work:
    """softmax(Q·Kᵀ / √d)·V of `heads` × n × d f16, without a mask; the result may differ from NumPy's by 2^-8."""
    import numpy as np

    rng = np.random.default_rng(9)
    q, k, v, out = (px.empty((heads, n, d), np.float16) for _ in range(4))
    for x in (q, k, v):
        x[...] = rng.standard_normal(x.shape)
    scale = _LOG2_E / d**0.5
    kernel, grid = px.triton(_compiled(d)), (n // QUERIES, heads)
    launch = kernel.kernel.prepare(grid=grid, args=kernel.arguments(grid, [q, k, v, out, n, scale]))
    exact = [_exact(q[h], k[h], v[h], scale) for h in range(heads)]
    return Work(
        launch,
        2 * heads * n * n * d,
        grid[0] * heads * 128,
        lambda: out.fill(0),
        lambda: bool(np.abs(out - np.stack(exact)).max() < 2**-8),
    )


def _exact(q, k, v, scale):
    import numpy as np

    s = q.astype(np.float64) @ k.astype(np.float64).T * scale
    p = np.exp2(s - s.max(1, keepdims=True))
    return p @ v.astype(np.float64) / p.sum(1, keepdims=True)


def _compiled(d: int):
    types = dict.fromkeys("qkv", "*fp16") | {"out": "*fp16", "n": "i32", "scale": "fp32"}
    constants = {"M": QUERIES, "N": KEYS, "D": d}
    order = attention.arg_names
    source = ASTSource(
        attention,
        types | dict.fromkeys(constants, "constexpr"),
        {(order.index(name),): value for name, value in constants.items()},
        {(i,): [["tt.divisibility", 16]] for i in range(5)},
    )
    return triton.compile(
        source, target=GPUTarget("cuda", 90, 32), options={"ptx_version": 87, "num_warps": 4, "num_stages": 2}
    )
