"""CUDA C++ through nvcc, simulated at small sizes and compared with NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import compiler
import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.diag import Diagnostic

pytestmark = pytest.mark.corpus

Array = NDArray[Any]
RNG = np.random.default_rng(11)


@cache
def module(source: str, *options: str) -> px.Module:
    return px.parse(compiler.compile_ptx(source, *options), source)


def kernel(name: str) -> px.Kernel:
    return module("kernels.cu")[name]


def test_saxpy() -> None:
    x, y = RNG.standard_normal((2, 1000)).astype(np.float32)
    want = (np.float64(2.5) * x + y).astype(np.float32)
    kernel("saxpy").launch(grid=3, block=128, args=[np.float32(2.5), x, y, 1000])
    assert np.array_equal(y, want)


def test_block_sums() -> None:
    x, sums = RNG.integers(-(2**31), 2**31, 5000, dtype=np.int32), np.zeros(4, np.int64)
    kernel("block_sums").launch(grid=4, block=256, args=[x, sums, 5000])
    assert sums.sum() == x.astype(np.int64).sum()


def test_matmul() -> None:
    a, b, c = RNG.integers(-9, 9, (40, 50)), RNG.integers(-9, 9, (50, 35)), np.zeros((40, 35), np.float32)
    kernel("matmul").launch(
        grid=(3, 3), block=(16, 16), args=[a.astype(np.float32), b.astype(np.float32), c, 40, 35, 50]
    )
    assert np.array_equal(c, a @ b)


def test_histogram() -> None:
    x, bins = RNG.integers(0, 256, 3000, dtype=np.uint8), np.zeros(256, np.uint32)
    kernel("histogram").launch(grid=3, block=192, args=[x, bins, 3000])
    assert np.array_equal(bins, np.bincount(x, minlength=256))


def test_scan() -> None:
    x, out = RNG.integers(-99, 99, (3, 160), dtype=np.int32), np.zeros((3, 160), np.int32)
    kernel("scan").launch(grid=3, block=160, shared=2 * 160 * 4, args=[x, out])
    assert np.array_equal(out, np.cumsum(x, 1))


def test_groups() -> None:
    x = RNG.integers(0, 99, 64, dtype=np.int32)
    sums, ranks, before = np.zeros((3, 64), np.int32)
    kernel("groups").launch(grid=1, block=64, args=[x, sums, ranks, before])
    tiles = x.reshape(8, 8)
    assert np.array_equal(sums.reshape(8, 8), np.repeat(tiles.sum(1, keepdims=True), 8, 1))
    assert np.array_equal(before.reshape(8, 8), np.cumsum(tiles, 1) - tiles)
    for warp in range(2):
        odd = [i for i in range(32 * warp, 32 * warp + 32) if x[i] & 1]
        want = {i: 100 * rank + len(odd) for rank, i in enumerate(odd)}
        assert [ranks[i] for i in range(32 * warp, 32 * warp + 32)] == [
            want.get(i, -1) for i in range(32 * warp, 32 * warp + 32)
        ]


def test_halves() -> None:
    x, w = RNG.standard_normal((100, 2)).astype(np.float16), RNG.standard_normal(100).astype(ml_dtypes.bfloat16)
    out, wide = np.zeros((100, 2), np.float16), np.zeros(100, np.float32)
    kernel("halves").launch(grid=2, block=64, args=[x, w, out, wide, 100])
    assert np.array_equal(out, (x.astype(np.float64) ** 2 + 0.5).astype(np.float16))
    assert np.array_equal(wide, w.astype(np.float32) * 2 + np.maximum(x[:, 0], 0).astype(np.float32))


def test_pipelined() -> None:
    x, out = RNG.standard_normal((5, 64, 4)).astype(np.float32), np.zeros((5, 64, 4), np.float32)
    for schedule in ("eager", "late"):
        px.simulate(kernel("pipelined"), grid=1, block=64, args=[x, out, 5], schedule=schedule)
        assert np.array_equal(out, x[:, ::-1, ::-1])


def test_relay() -> None:
    x, out = RNG.integers(-99, 99, (7, 96), dtype=np.int32), np.zeros((7, 96), np.int32)
    kernel("relay").launch(grid=1, block=128, args=[x, out, 7])
    assert np.array_equal(out, 3 * x[:, ::-1])


def test_last_block() -> None:
    x = RNG.integers(-9, 9, (6, 96)).astype(np.float32)
    parts, count, total = np.zeros(6, np.float32), np.zeros(1, np.uint32), np.zeros(1, np.float32)
    kernel("last_block").launch(grid=6, block=96, args=[x, parts, count, total])
    assert total[0] == x.sum()
    assert count[0] == 6


def test_mandelbrot() -> None:
    steps = np.zeros((40, 60), np.int32)
    kernel("mandelbrot").launch(grid=(8, 5), block=(8, 8), args=[steps, 60, 40])
    c = (-2 + 3.0 * np.arange(60) / 60) + 1j * (-1.5 + 3.0 * np.arange(40) / 40)[:, None]
    z, want = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(50):
        inside = z.real**2 + z.imag**2 < 4
        want += inside
        z = np.where(inside, z * z + c, z)
    assert (steps != want).mean() < 0.01  # a fused product may end a step earlier or later
    assert steps.max() == 50


def test_variables_by_name() -> None:
    whole = module("kernels.cu")
    x, y = RNG.integers(-9, 9, 200).astype(np.float32), np.zeros(200, np.float32)
    taps = np.array([1, 2, 3, 4, 5], np.float32)
    whole.symbol("taps", np.float32)[:] = taps
    before = int(whole.symbol("visits")[...])
    whole["convolve"].launch(grid=2, block=128, args=[x, y, 200])
    assert np.array_equal(y, np.convolve(np.pad(x, 2), taps[::-1], "valid"))
    assert int(whole.symbol("visits")[...]) == before + 200
    with pytest.raises(Diagnostic, match="no float64"):
        whole.symbol("taps", "f64")


def test_cluster_sums() -> None:
    x, out = RNG.integers(-99, 99, (8, 64), dtype=np.int32), np.zeros((8, 64), np.int32)
    kernel("cluster_sums").launch(grid=8, block=64, args=[x, out])
    sums = x.reshape(2, -1).sum(1)
    assert np.array_equal(out, np.repeat([sums[c // 4] + c % 4 for c in range(8)], 64).reshape(8, 64))


def test_functions() -> None:
    from math import erf

    x, out = RNG.uniform(-3, 3, 200).astype(np.float32), np.zeros((200, 8), np.float32)
    kernel("functions").launch(grid=2, block=128, args=[x, out, 200])
    v = x.astype(np.float64)
    a = np.abs(v)
    want = [
        np.sin(v),
        np.exp(v),
        np.log(a),
        a**1.7,
        np.tanh(v),
        np.vectorize(erf)(v),
        np.sqrt(a),
        np.fmod(v, np.float32(0.3)),
    ]
    np.testing.assert_allclose(out, np.stack(want, 1), rtol=2e-6, atol=2e-7)


def test_doubles() -> None:
    x, out = RNG.uniform(-20, 20, 200), np.zeros((200, 4))
    kernel("doubles").launch(grid=2, block=128, args=[x, out, 200])
    np.testing.assert_allclose(
        out, np.stack([x / 3, np.sqrt(np.abs(x)), np.exp(x), np.cos(x)], 1), rtol=4e-16, atol=2e-16
    )


# --- functions that are called


@cache
def called(*options: str) -> px.Module:
    return module("calls.cu", "-rdc=true", *options)


MIXED = np.dtype([("a", "i4"), ("b", "f4"), ("c", "f8")])


@pytest.mark.parametrize("options", [(), ("-G",)], ids=["optimised", "debug"])
def test_recursion_and_structures(options: tuple[str, ...]) -> None:
    fib, nest, s = np.zeros(64, np.int32), np.zeros(64, np.int32), np.zeros(64, MIXED)
    s["a"], s["b"], s["c"] = np.arange(64), np.arange(64) / 4, np.arange(64) * 3
    before = s.copy()
    called(*options)["calls"].launch(grid=1, block=64, args=[fib, nest, s, 5])

    def nested(up: list[int], n: int) -> int:
        return sum(up) if n == 0 else nested([n, n + 1, n + 2, n + 3], n - 1) + sum(up)

    numbers = [0, 1]
    while len(numbers) < 11:
        numbers.append(numbers[-1] + numbers[-2])
    assert fib.tolist() == [numbers[i % 11] for i in range(64)]
    assert nest.tolist() == [nested([i] * 4, i % 5) for i in range(64)]
    assert np.array_equal(s["a"], before["a"] + 5)
    assert np.array_equal(s["b"], before["b"] * 2)
    assert np.array_equal(s["c"], before["c"] - 5)


def test_quicksort() -> None:
    x = RNG.integers(-999, 999, (40, 50), dtype=np.int32)
    want = np.sort(x, 1)
    called()["sort_rows"].launch(grid=1, block=40, args=[x, 50])
    assert np.array_equal(x, want)


def test_function_pointers() -> None:
    which, x, out = RNG.integers(0, 3, 64, dtype=np.int32), np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    called()["by_pointer"].launch(grid=1, block=64, args=[which, x, out])
    assert np.array_equal(out, np.choose(which, [x + 3, x * 3, x - 3]))


def test_virtual_methods() -> None:
    i, out = np.arange(64), np.zeros(64, np.float32)
    called()["by_virtual"].launch(grid=1, block=64, args=[out])
    assert np.array_equal(out, np.where(i % 3, i * i, 3 * i * i))


def test_a_list_on_the_heap() -> None:
    heads, sums = np.zeros(32, np.uint64), np.zeros(32, np.int32)
    report = px.simulate(called()["build"], grid=1, block=32, args=[heads, 5])
    assert [d.code for d in report.findings] == ["PTX9020"]
    called()["take_down"].launch(grid=1, block=32, args=[heads, sums])
    assert np.array_equal(sums, 50 * np.arange(32) + 10)


def test_printf(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.arange(8, dtype=np.float32) / 3
    called()["speak"].launch(grid=1, block=32, args=[x, 8])
    want = [
        f"{i:02}|{'odd' if i & 1 else 'even':6}|{x[i]:8.3f}|{f'{17 * i:#x}' if i else '0'}|{-i << 40}%\n"
        for i in range(8)
    ]
    assert capsys.readouterr().out == "".join(want)


def test_assert() -> None:
    x = np.where(np.arange(32) == 21, -1, 1).astype(np.int32)
    with pytest.raises(Diagnostic) as caught:
        called()["check"].launch(grid=1, block=32, args=[x])
    assert caught.value.code == "PTX9018"
    for words in ("x[threadIdx.x] >= 0", "calls.cu:", "void check(const int *)", "thread (21, 0, 0)"):
        assert words in str(caught.value)


def test_files_compiled_apart() -> None:
    """The kernels of both files in one module, each with what it needs."""
    whole = px.link([called(), module("kernels.cu", "-rdc=true")])
    out = np.zeros(64, np.float32)
    whole["by_virtual"].launch(grid=1, block=64, args=[out])
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    whole["saxpy"].launch(grid=1, block=64, args=[np.float32(2), x, y, 64])
    assert y.sum() == 128
    assert out[1] == 1
