"""What attention should make of its arrays, in float64, and how far the roundings on the way may lead away from it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

BF16, F16 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)
HALF_ULP = {BF16: 2**-8, F16: 2**-11}
LEAST = {BF16: 0.0, F16: 2**-25}
"""What rounding costs a number at least."""


def check(
    found: tuple[np.ndarray, np.ndarray],
    given: tuple[np.ndarray, np.ndarray, np.ndarray],
    visible: np.ndarray,
    scale: float,
    *,
    score: Any = None,
    weights: np.dtype[Any] | None = None,
) -> None:
    """Compare with the reference.

    Args:
        found: O and lse. given: Q, K and V in float64, with a head of K and V for each of Q: batches × heads × rows × depth.
        visible: rows × keys. score: of scores, query, key, head, batch. weights: the type in which they are multiplied with V.
    """
    (o, found_lse), (q, k, v) = found, given
    weights = weights or o.dtype
    length, depth = k.shape[2:]
    s = q @ k.transpose(0, 1, 3, 2) * scale
    if score is not None:
        batch, head, query, key = np.indices(s.shape)
        s = score(s, query, key, head, batch)
    s = np.where(visible, s, -np.inf)
    top = s.max(axis=-1, keepdims=True, initial=-np.inf)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    shares = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
    with np.errstate(divide="ignore"):
        lse = (top + np.log(total))[..., 0]
    # scores: their sums in f32; exponentials, sums and products: f32, and weights are rounded to 16 bits before the product
    largest = (abs(q) @ abs(k).transpose(0, 1, 3, 2)).max(initial=0)
    moved = (depth + 8) * 2.0**-23 * abs(scale) * largest + (2**-10 if score is not None else 0)
    bound = shares @ abs(v) * (HALF_ULP[weights] + 2 * moved + (length + 64) * 2.0**-22)
    bound += LEAST[weights] * abs(v).sum(axis=-2, keepdims=True)
    bound += HALF_ULP[o.dtype] * abs(shares @ v) + LEAST[o.dtype]
    error = abs(o.astype(np.float64) - shares @ v)
    assert (error <= bound * 1.01).all(), (error / bound).max()
    hidden = np.isinf(lse)
    assert np.array_equal(hidden, np.isneginf(found_lse))
    allowed = 2 * moved + (length + 64) * 2.0**-23 + 2.0**-22 * abs(lse[~hidden])
    assert (abs(found_lse[~hidden] - lse[~hidden]) <= allowed).all()
    assert not o[np.broadcast_to(hidden[..., None], o.shape)].any()
