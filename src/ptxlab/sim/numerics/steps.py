"""Products that the tensor cores of an H100 do not do in one fused step: 8-bit floats of mma."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.numerics.formats import table
from ptxlab.sim.numerics.kernels import matmul, sparse_matmul

Patterns = NDArray[np.unsignedinteger[Any]]
_NAN32, _NAN16 = np.uint32(0x7FFF_FFFF), np.uint16(0x7FFF)


def odd_sum(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """x + y, rounded to odd: narrowing it then rounds once."""
    with np.errstate(all="ignore"):
        total = x + y
        part = total - x
        error = (x - (total - part)) + (y - part)
        lost = np.isfinite(total) & (error != 0)
        bits = total.view(np.int64)
        toward = np.where(np.signbit(error) != np.signbit(total), bits - 1, bits)
        return np.where(lost, toward | 1, bits).view(np.float64)


def patterns(x: NDArray[np.float64], out: str) -> Patterns:
    """Rounded to f32 or f16, nearest even, NaN canonical."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if out == "f16":
            return np.where(np.isnan(x), _NAN16, x.astype(np.float16).view(np.uint16))
        return np.where(np.isnan(x), _NAN32, x.astype(np.float32).view(np.uint32))


def numbers(x: Patterns, type_: str) -> NDArray[np.float64]:
    """Values of patterns of f16 or f32."""
    with np.errstate(invalid="ignore"):
        if type_ == "f16":
            return x.astype(np.uint16).view(np.float16).astype(np.float64)
        return x.astype(np.uint32).view(np.float32).astype(np.float64)


def add(x: Patterns, y: Patterns, out: str) -> Patterns:
    """x + y of one type, rounded once, to nearest even."""
    return patterns(odd_sum(numbers(x, out), numbers(y, out)), out)


@cache
def _as_halves(type_: str) -> NDArray[np.uint16]:
    """The f16 pattern of every pattern of an 8-bit format: subnormal e4m3 become normal, aligned by their own exponent."""
    with np.errstate(invalid="ignore"):
        return table(type_)[0].astype(np.float16).view(np.uint16)


def fp8_matmul(a: Patterns, b: Patterns, c: Patterns, types: tuple[str, str], out: str) -> Patterns:
    """D = A·B + C of 8-bit floats: fused steps in f16 over the k with k mod 4 below 2 and over the others, then one addition.

    Args: patterns a [M, K], b [K, N], c [M, N] of `out`, "f32" or "f16"; types: of A and B.
    """
    a, b = _as_halves(types[0])[a], _as_halves(types[1])[b]
    total: Patterns = np.zeros(c.shape, np.uint32)
    for low in (0, 2):
        group = np.flatnonzero(np.arange(int(a.shape[1])) // 2 % 2 == low // 2)
        total = matmul(a[:, group], b[group], total, "f16", out=out)
    return add(total, c, out)


def fp8_sparse(
    a: Patterns, b: Patterns, c: Patterns, index: NDArray[np.int64], types: tuple[str, str], out: str
) -> Patterns:
    """The same with a sparse A [M, K / 2], whose elements stand in the columns `index`."""
    a, b = _as_halves(types[0])[a], _as_halves(types[1])[b]
    total: Patterns = np.zeros(c.shape, np.uint32)
    for low in (0, 2):
        group = np.flatnonzero(np.arange(int(a.shape[1])) // 2 % 2 == low // 2)
        total = sparse_matmul(a[:, group], b, total, index[:, group], "f16", out=out)
    return add(total, c, out)
