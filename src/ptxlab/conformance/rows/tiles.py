"""Operands of matrix products: bit patterns that show what a tensor core does with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.rows.values import words

BITS: Final = {"bf16": 16, "f16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1}
"""Bits of an element in memory."""
KINDS: Final = ("bits", "finite", "near", "tiny", "cancel", "vectors", "sparse", "null")
"""Data of floating-point products. bits: any pattern. finite: the same without Inf and NaN. near: exponents close enough
to meet in a sum. tiny: subnormal operands and sums. cancel: terms that leave next to nothing. vectors: `VECTORS`.
sparse: seven of eight operands and addends are zeros of both signs. null: terms that leave nothing, and such addends.
Of 8-bit floats also small: every second e4m3 subnormal, all else finite, so that large factors meet it."""

_WORD: Final = {"bf16": np.uint16, "f16": np.uint16, "tf32": np.uint32}
_FORMAT: Final = {
    "bf16": (8, 7),
    "f16": (5, 10),
    "tf32": (8, 23),
    "f32": (8, 23),
    "f64": (11, 52),
    "e4m3": (4, 3),
    "e5m2": (5, 2),
}
_DTYPE: Final[dict[str, Any]] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "tf32": np.float32,
    "f32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
}
_ROWS: Final = 64
_SPREAD: Final = {"bf16": 14, "f16": 14, "tf32": 14, "e4m3": 10, "e5m2": 14, "f32": 24, "f64": 60}
_TINY: Final = {8: (76, 24), 11: (560, 64)}
"""Of types with so many exponent bits: how far below 1 factors lie whose products are tiny, and how widely."""

Tile = NDArray[Any]
Vector = tuple[Sequence[float], Sequence[float], float]

VECTORS: Final[tuple[Vector, ...]] = (
    ((1, 2**-13), (1, 2**-12), -1),
    ((1, *[2**-13] * 15), (1, *[2**-13] * 15), -1),
    ((1.5, -1.5, 2**-13), (1.5, 1.5, 2**-12), 0),
    ((1, 2**-13, 0, 0, 0, 0, 0, 0, -1), (1, 2**-12, 0, 0, 0, 0, 0, 0, 1), 0),
    ((1, -(2**-13)), (1, 2**-13), 0),
    ((1, 2**-12, 2**-12), (1, 2**-12, 2**-13), 0),
    ((1, 2**-5, 2**-12), (1, 2**-6, 2**-13), 0),
    ((1, 2**-5, 2**-13), (1, 2**-6, 2**-13), 0),
    ((2.0**127, 2.0**127), (1, 1), 0),
    ((2.0**65, -(2.0**65)), (2.0**64, 2.0**64), 1),
    ((65504, 16), (1, 1), 0),
    ((65504, 15), (1, 1), 0),
    ((65504, 1), (1, 1), 15),
    ((0, 2**-30), (2.0**127, 1), 0),
    ((0, 2**-11), (32768, 1), 0),
    ([2**-76] * 16, [2**-76] * 16, 0.0),
    ([2**-76] * 16, [2**-76] * 16, -0.0),
    ([2**-24] * 16, [2**-11] * 16, 0.0),
    ((2**-11, 2**-24), (2**-14, 2**-24), 0),
    ((-(2**-75),), (2**-75,), 0),
    ((-(2**-75),), (2**-75,), -0.0),
    ((-0.0, -0.0), (1, 1), -0.0),
    ([2**-4] * 32, [2**-4] * 32, 64),
    ([1] * 32, [2**-8] * 32, 64),
    ((1.75, 1.75), (1.75, 1.75), 2**-13),
    ((0,), (0,), 1 + 2**-14),
    ((0,), (0,), 1 + 2**-10),
    ((float("inf"), 1), (1, 1), 0),
    ((float("inf"), -float("inf")), (1, 1), 0),
    ((float("inf"), 1), (0, 1), 0),
    ((1,), (1,), float("-inf")),
    ((float("nan"),), (1,), 0),
)
"""Row of A, column of B and C of sums that tell implementations apart; what is left out is zero."""


def operands(
    a_type: str, b_type: str, d_type: str, n: int, kind: str, labels: tuple[object, ...], *, sparse: bool = False
) -> tuple[Tile, Tile, NDArray[np.uint32]]:
    """A [64, K], B [K, n] and C [64, n] as bits; K fills 32 bytes. One-bit elements come as bytes.

    Args:
        sparse: B has twice as many rows, and where terms cancel they are equal, whichever the metadata choose.
    """
    k = 256 // max(8, BITS[a_type])
    deep = 2 * k if sparse else k
    if kind == "vectors":
        return _vectors(a_type, b_type, d_type, n, k)
    a, b, c = (
        words(count, *labels, name).reshape(shape)
        for name, count, shape in (("a", 64 * k, (_ROWS, k)), ("b", deep * n, (deep, n)), ("c", 64 * n, (_ROWS, n)))
    )
    if a_type in ("s8", "u8", "b1"):
        limits = np.where(c & np.uint64(1) == 1, np.uint64(0x7FFF_FF80), np.uint64(0x8000_0080))
        return a.astype(np.uint8), b.astype(np.uint8), (limits if kind == "limits" else c).astype(np.uint32)
    made_a, made_b = drawn(a_type, kind, a), drawn(b_type, kind, b)
    if kind in ("cancel", "null"):
        _oppose(made_a, made_b, a_type, exactly=kind == "null")
    return made_a, made_b, _accumulator(made_a, made_b[:k], (a_type, b_type, d_type), kind, c)


def metadata(a_type: str, raw: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Words of metadata of a sparse A: every four bits two different places in increasing order; of tf32 one of two."""
    legal = np.array((0x4, 0xE) if a_type == "tf32" else (0x4, 0x8, 0xC, 0x9, 0xD, 0xE), np.uint64)
    out = np.zeros(raw.shape, np.uint64)
    for i in range(8):
        out |= legal[(raw >> np.uint64(8 * i) & np.uint64(255)) % np.uint64(len(legal))] << np.uint64(4 * i)
    return out.astype(np.uint32)


def filler(nbytes: int, *labels: object) -> NDArray[np.uint8]:
    """What lies in shared memory where no operand does."""
    return words(nbytes // 8, *labels, "filler").view(np.uint8)


def _vectors(a_type: str, b_type: str, d_type: str, n: int, k: int) -> tuple[Tile, Tile, NDArray[np.uint32]]:
    """Vector i in row i and column i; the other sums mix them. Rows from 32 on are those of vector i - 32, negated."""
    a, b, c = np.zeros((_ROWS, k)), np.zeros((k, n)), np.zeros((_ROWS, n))
    for i, (row, column, start) in enumerate(VECTORS[:n]):
        a[i, : len(row[:k])] = row[:k]
        b[: len(column[:k]), i] = column[:k]
        c[i, :] = start
        c[i + 32, :] = -start
    a[32:] = -a[:32]
    return _encode(a_type, a), _encode(b_type, b), _encode("f16" if d_type == "f16" else "f32", c).astype(np.uint32)


def _encode(type_: str, numbers: NDArray[np.float64]) -> Tile:
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = numbers.astype(_DTYPE[type_])
    return rounded.view(f"u{rounded.itemsize}")


def _decode(type_: str, bits: Tile) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        return bits.view(_DTYPE[type_]).astype(np.float64)


def drawn(type_: str, kind: str, raw: NDArray[np.uint64]) -> Tile:
    """Patterns of a type, exponents by the kind of data."""
    exponent, fraction = _FORMAT[type_]
    word = f"u{(exponent + fraction + 1) // 8}"
    if kind == "sparse":
        zero = raw >> np.uint64(63) << np.uint64(exponent + fraction)
        return np.where(raw >> np.uint64(24) & np.uint64(7) == 0, drawn(type_, "near", raw), zero).astype(word)
    if kind == "bits":
        return raw.astype(word)
    if kind == "small" and type_ in ("e4m3", "e5m2"):
        finite = drawn(type_, "finite", raw)
        below = (raw >> np.uint64(20) & np.uint64(1) == 1) & np.bool_(type_ == "e4m3")
        return np.where(below, finite & np.uint8(0x87), finite).astype(word)
    top = (1 << exponent) - 1
    bias = top >> 1
    above = raw >> np.uint64(32)
    if kind == "finite":
        exponents = above % np.uint64(top)
    elif kind == "tiny":
        exponents = above % np.uint64(3)
        if exponent in _TINY:  # products have to be tiny, not operands alone
            below, width = _TINY[exponent]
            own = above % np.uint64(width) + np.uint64(bias - below)
            exponents = np.where(above & np.uint64(64) == 0, exponents, own)
    else:
        spread = min(_SPREAD[type_], bias - 1)
        exponents = above % np.uint64(spread) + np.uint64(bias - spread // 2)
    sign = raw >> np.uint64(63) << np.uint64(exponent + fraction)
    return (sign | exponents << np.uint64(fraction) | raw & np.uint64((1 << fraction) - 1)).astype(word)


def _oppose(a: Tile, b: Tile, type_: str, *, exactly: bool) -> None:
    """Every second term takes back the one before, exactly or up to the last bit of a factor. In place."""
    sign = a.dtype.type(1 << sum(_FORMAT[type_]))
    a[:, 1::2] = a[:, 0::2] ^ sign ^ (a[:, 1::2] & a.dtype.type(not exactly))
    if len(b) == a.shape[1]:
        b[1::2] = b[0::2]
    else:
        b[:] = b[0]


def _accumulator(
    a: Tile, b: Tile, types: tuple[str, str, str], kind: str, raw: NDArray[np.uint64]
) -> NDArray[np.uint32]:
    """C of these types of A, B and D: of the kind of the operands; where terms cancel, half of it next to the negative sum."""
    a_type, b_type, d_type = types
    held = "f16" if d_type == "f16" else "f32"
    if kind == "tiny" and held == "f32":
        return (raw & np.uint64(0x8000_000F)).astype(np.uint32)
    made = drawn(held, "sparse" if kind == "null" else kind, raw).astype(np.uint32)
    if kind != "cancel":
        return made
    with np.errstate(over="ignore", invalid="ignore"):
        total = _encode(held, -(_decode(a_type, a) @ _decode(b_type, b))).astype(np.uint32)
    return np.where(raw >> np.uint64(40) & np.uint64(1) == 1, total ^ (made & 1), made)
