"""Fragments of matrices: CUDA C++ through nvcc against NumPy, and what is refused."""

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

RNG = np.random.default_rng(5)
Array = NDArray[Any]


@cache
def module() -> px.Module:
    return px.parse(compiler.compile_ptx("wmma.cu"), "wmma.cu")


def small(*shape: int, dtype: Any, low: int = -8, high: int = 8) -> Array:
    out = px.empty(shape, dtype)
    out[...] = RNG.integers(low, high, shape)
    return out


HALF, BF16 = np.float16, ml_dtypes.bfloat16
CASES: dict[str, tuple[Any, Any, Any, int, int, int, str, int, int, int]] = {
    # A and B, C, D, extents, which of A, B, C lie by rows, elements between their lines
    "half_row_col": (HALF, np.float32, np.float32, 16, 16, 16, "rcr", 16, 16, 16),
    "half_col_row": (HALF, np.float32, np.float32, 16, 16, 16, "crc", 24, 32, 20),
    "half_wide": (HALF, HALF, HALF, 8, 32, 16, "rrr", 16, 32, 32),
    "half_tall": (HALF, HALF, np.float32, 32, 8, 16, "rcr", 16, 16, 8),
    "bfloat": (BF16, np.float32, np.float32, 16, 16, 16, "rcr", 16, 16, 16),
    "bytes": (np.int8, np.int32, np.int32, 16, 16, 16, "rcr", 16, 16, 16),
    "bytes_tall": (np.uint8, np.int32, np.int32, 32, 8, 16, "crc", 32, 16, 32),
}


def stored(shape: tuple[int, int], by: str, step: int, dtype: Any) -> tuple[Array, Array]:
    """A random matrix in memory with lines that far apart: the memory, and the matrix as a view of it."""
    lines, length = shape if by == "r" else shape[::-1]
    low = 0 if np.dtype(dtype).kind == "u" else -8
    memory = small(lines, step, dtype=dtype, low=low)
    view = memory[:, :length]
    return memory, view if by == "r" else view.T


@pytest.mark.parametrize("name", CASES)
def test_products(name: str) -> None:
    ab, dc, dd, m, n, k, order, lda, ldb, ldc = CASES[name]
    (ma, a), (mb, b), (mc, c) = (
        stored((m, k), order[0], lda, ab),
        stored((k, n), order[1], ldb, ab),
        stored((m, n), order[2], ldc, dc),
    )
    md, d = stored((m, n), order[2], ldc, dd)
    around = md.copy()
    module()[name].launch(grid=1, block=32, args=[ma, mb, mc, md])
    assert np.array_equal(d, 2 * (a.astype(np.float64) @ b.astype(np.float64) + c.astype(np.float64)))
    length = n if order[2] == "r" else m
    assert np.array_equal(md[:, length:], around[:, length:])


def test_tiles_through_shared_memory() -> None:
    a, b, c = small(32, 64, dtype=HALF), small(64, 48, dtype=HALF), px.empty((32, 48), np.float32)
    module()["tiled"].launch(grid=(3, 2), block=32, args=[a, b, c, 64])
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_tf32() -> None:
    a, b, c = small(16, 8, dtype=np.float32), small(16, 8, dtype=np.float32), px.empty((16, 16), np.float32)
    module()["tf32"].launch(grid=1, block=32, args=[a, b, c])
    assert np.array_equal(c, a @ b.T + 1)


def nibbles(values: Array) -> Array:
    """Signed nibbles in words, the first lowest."""
    parts = (values.astype(np.uint32) & 15).reshape(len(values), -1, 8) << np.arange(0, 32, 4, dtype=np.uint32)
    return np.bitwise_or.reduce(parts, axis=-1).astype(np.uint32)


def test_nibbles() -> None:
    a, b = small(8, 32, dtype=np.int32), small(8, 32, dtype=np.int32)
    c = px.empty((8, 8), np.int32)
    module()["nibbles"].launch(grid=1, block=32, args=[nibbles(a), nibbles(b), c])
    assert np.array_equal(c, a @ b.T)


def test_single_bits() -> None:
    a, b = RNG.integers(0, 2**32, (2, 8, 4), dtype=np.uint32)
    differ, both = px.empty((8, 8), np.int32), px.empty((8, 8), np.int32)
    module()["bits"].launch(grid=1, block=32, args=[a, b, differ, both])
    rows, columns = (np.unpackbits(x.view(np.uint8), axis=1).astype(np.int32) for x in (a, b))
    assert np.array_equal(both, rows @ columns.T)
    assert np.array_equal(differ, (rows[:, None] != columns[None]).sum(-1))


def test_a_matrix_that_passes_the_end() -> None:
    a = small(15, 16, dtype=HALF)
    with pytest.raises(Diagnostic) as caught:
        module()["half_row_col"].launch(
            grid=1, block=32, args=[a, small(16, 16, dtype=HALF), *(px.empty((16, 16), np.float32) for _ in "cd")]
        )
    assert caught.value.code == "PTX9002"
    assert "wmma.load.a" in str(caught.value)


def test_half_a_warp() -> None:
    args = [small(16, 16, dtype=HALF), small(16, 16, dtype=HALF), *(px.empty((16, 16), np.float32) for _ in "cd")]
    with pytest.raises(Diagnostic) as caught:
        module()["half_row_col"].launch(grid=1, block=16, args=args)
    assert caught.value.code == "PTX9130"
