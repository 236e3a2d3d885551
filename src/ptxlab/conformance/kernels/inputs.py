"""Arrays of reproducible numbers.

All of them come from the raw 64-bit words of PCG64, which NumPy promises never to change; how its `Generator` turns words
into numbers may change from release to release, and a digest recorded once must hold for ever.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike


def _words(count: int, seed: int) -> np.ndarray:
    import numpy as np

    return np.random.PCG64(seed).random_raw(count)


def integers(shape: tuple[int, ...], dtype: DTypeLike, seed: int, limit: int = 8) -> np.ndarray:
    """Integers from -limit to limit - 1 as numbers of `dtype`; `limit` is a power of two."""
    import numpy as np

    shift = np.uint64(64 - (2 * limit - 1).bit_length())
    values = (_words(math.prod(shape), seed) >> shift).astype(np.int64) - limit
    return values.astype(np.float32).astype(dtype).reshape(shape)


def uniform(shape: tuple[int, ...], dtype: DTypeLike, seed: int) -> np.ndarray:
    """Numbers spread evenly over [-1, 1) in steps of 2^-23, rounded to `dtype`."""
    import numpy as np

    steps = (_words(math.prod(shape), seed) >> np.uint64(40)).astype(np.int64) - (1 << 23)
    return (steps.astype(np.float64) / (1 << 23)).astype(np.float32).astype(dtype).reshape(shape)


def bits(shape: tuple[int, ...], dtype: DTypeLike, seed: int) -> np.ndarray:
    """Any bit patterns, NaNs and denormals included: a copy must keep them all."""
    import numpy as np

    wanted = np.dtype(dtype)
    nbytes = math.prod(shape) * wanted.itemsize
    raw = _words(-(-nbytes // 8), seed).astype("<u8").view(np.uint8)[:nbytes]
    return raw.view(wanted).reshape(shape)
