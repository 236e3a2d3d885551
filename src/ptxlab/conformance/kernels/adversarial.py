"""Numbers that break careless arithmetic: huge, tiny, cancelling, without a value; reproducible as those of `inputs`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels import inputs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

CLASSES: Final = ("uniform", "huge", "cancelling", "subnormal", "negative zero", "any bits", "one NaN", "one infinity")
"""What the rows of a matrix hold, in turn. Rows of A meet rows of B of every class."""


def rows(shape: tuple[int, ...], dtype: DTypeLike, seed: int) -> np.ndarray:
    """Rows of `CLASSES` in turn; of integers any bits, their extremes among them. An array of one dimension is a column."""
    import numpy as np

    wanted: np.dtype[Any] = np.dtype(dtype)
    if len(shape) == 1:
        return rows((shape[0], 1), wanted, seed).reshape(shape)
    count, length = math.prod(shape[:-1]), shape[-1]
    if not count * length:
        return np.zeros(shape, wanted)
    out = inputs.bits((count, length), wanted, seed)
    if not _floats(wanted):
        limits: Any = np.iinfo(wanted)  # type: ignore[call-overload]
        extremes = np.array([limits.min, limits.max], wanted)
        out[::2] = extremes[(inputs.bits((count, length), np.uint8, seed) & 1)[::2]]
        return out.reshape(shape)
    plain = inputs.uniform((count, length), wanted, seed + 1000)
    for i in range(count):
        out[i] = _row(CLASSES[i % len(CLASSES)], i, plain[i], out[i])
    return out.reshape(shape)


def _row(kind: str, number: int, plain: np.ndarray, any_bits: np.ndarray) -> np.ndarray:
    """One row, made of uniform numbers and of random bits of the same type."""
    import numpy as np

    dtype, at = plain.dtype, number * 37 % len(plain)
    limits = facts(dtype)
    out = plain.copy()
    if kind == "huge":
        sign = np.where(plain.astype(np.float64) < 0, -1.0, 1.0)
        out[:] = sign * (0.5 + np.abs(plain.astype(np.float64)) / 2) * float(limits.max)
    elif kind == "cancelling":
        # Neighbours take each other away but for small numbers between them, which only an exact sum keeps.
        large = np.repeat(plain.astype(np.float64)[::2], 2)[: len(plain)] * float(limits.max) ** 0.5
        out[:] = np.where(np.arange(len(plain)) % 2, -large, large)
        out[:: max(2, len(plain) // 5)] = plain[:: max(2, len(plain) // 5)]
    elif kind == "subnormal":
        out[:] = plain.astype(np.float64) * float(limits.smallest_normal)
    elif kind == "negative zero":
        out[:] = np.where(np.arange(len(plain)) % 16 == 3, 0.0, -0.0)
    elif kind == "any bits":
        return any_bits
    elif kind == "one NaN":
        out[at] = math.nan
    elif kind == "one infinity":
        # e4m3 has none: its largest number stands there
        infinite = np.array(math.inf).astype(dtype)
        out[at] = infinite if np.isinf(infinite.astype(np.float64)) else limits.max
    return out


def _floats(dtype: np.dtype[Any]) -> bool:
    return dtype.kind not in "iu"


def facts(dtype: np.dtype[Any]) -> Any:
    """The limits of a floating-point type, as NumPy's `finfo` has them."""
    import ml_dtypes

    return ml_dtypes.finfo(dtype)  # pyright: ignore[reportUnknownVariableType]
