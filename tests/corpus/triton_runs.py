"""What launches each of Triton's and Gluon's kernels at a small size, and compares what it wrote with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import ptxlab as px

Array = NDArray[Any]
RNG = np.random.default_rng(7)
RUNS: dict[str, Callable[[px.TritonKernel], None]] = {}


def run(*names: str) -> Callable[[Callable[[px.TritonKernel], None]], Callable[[px.TritonKernel], None]]:
    """Enter what launches the kernels of these names and compares."""

    def register(fn: Callable[[px.TritonKernel], None]) -> Callable[[px.TritonKernel], None]:
        RUNS.update(dict.fromkeys(names, fn))
        return fn

    return register


def reals(*shape: int, dtype: Any = np.float32) -> Array:
    """Random values in an array that tensor maps can describe."""
    out = px.empty(shape, dtype)
    out[...] = RNG.standard_normal(shape).astype(dtype)
    return out


def integers(*shape: int, low: int = -100, high: int = 100, dtype: Any = np.int32) -> Array:
    out = px.empty(shape, dtype)
    out[...] = RNG.integers(low, high, shape)
    return out


def zeros(*shape: int, dtype: Any = np.float32) -> Array:
    out = px.empty(shape, dtype)
    out[...] = 0
    return out


def close(got: Array, want: Array, *, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=atol)


@run("add", "add_bf16")
def _add(k: px.TritonKernel) -> None:
    dtype = ml_dtypes.bfloat16 if "bf16" in k.parameters[0].type else np.float32
    x, y, out = reals(2000, dtype=dtype), reals(2000, dtype=dtype), zeros(2048, dtype=dtype)
    k[2,](x, y, out, 2000)
    assert np.array_equal(out[:2000], x + y)
    assert not out[2000:].any()


@run("gelu")
def _gelu(k: px.TritonKernel) -> None:
    from math import erf

    x, out = reals(992, dtype=np.float16), zeros(992, dtype=np.float16)
    k[lambda constants: (-(-992 // constants["BLOCK"]),)](x, out, 992)
    v = x.astype(np.float64)
    close(out, 0.5 * v * (1 + np.vectorize(erf)(v * 0.70710678)), rtol=1e-3, atol=1e-3)


@run("softmax")
def _softmax(k: px.TritonKernel) -> None:
    x, out = reals(3, 1600), zeros(3, 1600)
    k[3](x, out, 1600, n=1600)
    e = np.exp(x - x.max(1, keepdims=True))
    close(out, e / e.sum(1, keepdims=True))


@run("layer_norm")
def _layer_norm(k: px.TritonKernel) -> None:
    x, w, b, out = (
        reals(4, 768, dtype=ml_dtypes.bfloat16),
        reals(768),
        reals(768),
        zeros(4, 768, dtype=ml_dtypes.bfloat16),
    )
    k[4](x, w, b, out, 768, 1e-5)
    v = x.astype(np.float64)
    close(out, (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-5) * w + b, rtol=1e-2, atol=1e-2)


@run("total")
def _total(k: px.TritonKernel) -> None:
    x, out = integers(8000).astype(np.float32), zeros(1)
    k[2](x, out, 8000)
    assert out[0] == x.sum()


@run("histogram")
def _histogram(k: px.TritonKernel) -> None:
    x, out = integers(2048, low=0, high=256), zeros(256, dtype=np.int32)
    k[2](x, out, 2048)
    assert np.array_equal(out, np.bincount(x, minlength=256))


@run("atomics")
def _atomics(k: px.TritonKernel) -> None:
    x, out, locks = integers(256), integers(256), zeros(16, dtype=np.int32)
    want = np.maximum(x, out)
    k[3](x, out, locks)
    assert np.array_equal(out, want)
    assert locks[0] == 0


@run("prefix_sum")
def _prefix_sum(k: px.TritonKernel) -> None:
    x, out = integers(512).astype(np.float32), zeros(512)
    k[1](x, out)
    assert np.array_equal(out, np.cumsum(x))


@run("sort")
def _sort(k: px.TritonKernel) -> None:
    x, out = integers(64, low=-(2**31), high=2**31 - 1), zeros(64, dtype=np.int32)
    k[1](x, out)
    assert np.array_equal(out, np.sort(x))


def _philox(seed: int, offsets: Array) -> Array:
    """The first word of Philox 4×32-10, as Triton's `tl.rand` counts: the offset is the first word of the counter."""
    c = [offsets.astype(np.uint64), *(np.zeros(len(offsets), np.uint64) for _ in range(3))]
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> shift) ^ c[1] ^ k0, b & low, (a >> shift) ^ c[3] ^ k1, a & low]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return c[0].astype(np.uint32)


@run("dropout")
def _dropout(k: px.TritonKernel) -> None:
    x, out, seed, p = reals(1000), zeros(1000), 16 * 123_456_789_012, np.float32(0.3)
    k[2](x, out, 992, seed, p)
    word = _philox(seed, np.arange(992)).view(np.int32)
    uniform = np.where(word < 0, -word - 1, word).astype(np.float32) * np.float32(4.6566127342e-10)
    assert np.array_equal(out[:992] != 0, uniform > p)
    close(out[:992], np.where(uniform > p, x[:992] / (1 - p), np.float32(0)), rtol=2**-22, atol=0)  # div.full


@run("transpose")
def _transpose(k: px.TritonKernel) -> None:
    x, out = reals(112, 80, dtype=np.float16), zeros(80, 112, dtype=np.float16)
    k[2, 2](x, out, 112, 80)
    assert np.array_equal(out, x.T)


@run("quantise_e4m3", "quantise_e5m2")
def _quantise(k: px.TritonKernel) -> None:
    dtype = ml_dtypes.float8_e4m3fn if "e4" in k.parameters[1].type else ml_dtypes.float8_e5m2
    x, out, scales = reals(2048), zeros(2048, dtype=dtype), zeros(16)
    k[2](x, out, scales, 2048)
    blocks = x.reshape(2, 1024)
    want = (np.abs(blocks).max(1) / np.float32(448)).astype(np.float32)
    close(scales[:2], want, rtol=1e-6)
    close(out.reshape(2, 1024), blocks / want[:, None], rtol=0.13, atol=0.01)


@run("matmul_f16", "matmul_tf32", "matmul_fp8", "matmul_mma_sync")
def _matmul(k: px.TritonKernel) -> None:
    types = {"fp16": np.float16, "fp32": np.float32, "bf16": ml_dtypes.bfloat16}
    types |= {"fp8e4nv": ml_dtypes.float8_e4m3fn, "fp8e5": ml_dtypes.float8_e5m2}
    da, db, dc = (types[p.type[1:]] for p in k.parameters[:3])
    m, n, depth = 128, 64, 112  # only the depth has a mask
    a, b, c = reals(m, depth, dtype=da), reals(depth, n, dtype=db), zeros(m, n, dtype=dc)
    sizes = {p.name: p.value for p in k.parameters if p.constant}
    k[-(-m // sizes["M"]), -(-n // sizes["N"])](a, b, c, m, n, depth)
    loose = 1e-2 if dc != np.float32 else 2e-2
    close(c, a.astype(np.float64) @ b.astype(np.float64), rtol=loose, atol=5 * loose)


@run("matmul_int8")
def _matmul_int8(k: px.TritonKernel) -> None:
    a, b = integers(64, 128, dtype=np.int8), integers(32, 128, dtype=np.int8)
    c = zeros(64, 32, dtype=np.int32)
    k[1](a, b, c, 128)
    assert np.array_equal(c, a.astype(np.int32) @ b.astype(np.int32).T)


@run("matmul_tma_host")
def _matmul_tma(k: px.TritonKernel) -> None:
    a, b, c = reals(256, 192, dtype=np.float16), reals(128, 192, dtype=np.float16), zeros(256, 128, dtype=np.float16)
    k[2, 1](a, b, c, 192)
    close(c, a.astype(np.float64) @ b.astype(np.float64).T, rtol=1e-2, atol=2e-2)


@run("copy_tma_device")
def _copy_tma(k: px.TritonKernel) -> None:
    x, out = reals(96, 128, dtype=np.float16), zeros(96, 128, dtype=np.float16)
    k[2, 2](x, out, 96, 128)
    assert np.array_equal(out, x * np.float16(2))


@run("reduce_tma")
def _reduce_tma(k: px.TritonKernel) -> None:
    x, out = reals(128, 32), reals(128, 32)
    want = out + x
    k[2](x, out)
    assert np.array_equal(out, want)


@run("attention")
def _attention(k: px.TritonKernel) -> None:
    n, d = 128, 64
    q, keys, v, out = (reals(n, d, dtype=np.float16) for _ in range(4))
    scale = 1.4426950408889634 / d**0.5
    k[n // 64](q, keys, v, out, n, scale)
    s = q.astype(np.float64) @ keys.astype(np.float64).T * scale
    s = np.where(np.arange(n)[:, None] >= np.arange(n), s, -np.inf)
    p = np.exp2(s - s.max(1, keepdims=True))
    close(out, p @ v.astype(np.float64) / p.sum(1, keepdims=True), rtol=1e-2, atol=5e-3)


@run("gluon_copy")
def _gluon_copy(k: px.TritonKernel) -> None:
    x, out = reals(1000), zeros(1008)
    k[2](x, out, 992)
    assert np.array_equal(out[:992], x[:992])
    assert not out[992:].any()


@run("gluon_tma")
def _gluon_tma(k: px.TritonKernel) -> None:
    x, out = reals(64, 64, dtype=np.float16), zeros(64, 192, dtype=np.float16)
    k[1](x, out)
    assert np.array_equal(out[:, 64:128], x)
    assert not out[:, :64].any()


@run("gluon_wgmma")
def _gluon_wgmma(k: px.TritonKernel) -> None:
    a, b, out = reals(64, 128, dtype=np.float16), reals(128, 64, dtype=np.float16), zeros(64, 64)
    k[1](a, b, out, 128)
    close(out, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)


@run("gluon_specialised")
def _gluon_specialised(k: px.TritonKernel) -> None:
    x, out = reals(16 * 64, 64, dtype=np.float16), zeros(64, 64)
    k[1](x, out, 16)
    close(out, x.astype(np.float64).reshape(16, 64, 64).sum(0), rtol=1e-5, atol=1e-5)


@run("gluon_ring")
def _gluon_ring(k: px.TritonKernel) -> None:
    x, out = reals(16 * 64, 64, dtype=np.float16), zeros(64, 64, dtype=np.float16)
    k[1](x, out, 16)
    tiles = x.astype(np.float64).reshape(16, 64, 64)
    close(out, np.sum([t @ t for t in tiles], 0), rtol=1e-2, atol=0.1)


@run("gluon_cp_async")
def _gluon_cp_async(k: px.TritonKernel) -> None:
    x, out = reals(512), zeros(512)
    k[1](x, out)
    assert np.array_equal(out, 2 * x)
