"""Which lane holds which element of a wmma fragment. The manual leaves it to the machine; this is what an H100 does.

A fragment is made of those of mma: of sixteen rows (or eight) of A, of eight columns of B, of both in C and D. m8n32k16 is the
product of the transposed matrices. Memory order (.row, .col) makes no difference.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from ptxlab.layout.fragments import Fragment, IntArray, mma_a, mma_b, mma_d

Letter = Literal["a", "b", "c", "d"]
_TILE_COLUMNS = 8


@lru_cache
def wmma(letter: Letter, shape: tuple[int, int, int], element_bits: int) -> Fragment:
    """The elements of a matrix A, B, C or D that each lane holds, in the order of its registers, none twice.

    Args:
        letter: which matrix. shape: M, N, K. element_bits: of A and B; C and D lie alike whatever they are.

    Where a fragment has more registers (A and B of f16), the elements follow again and again. ISA: "wmma.load".
    """
    m, n, k = shape
    if n > m and m == _TILE_COLUMNS:
        other: Letter = "b" if letter == "a" else "a" if letter == "b" else letter
        turned = wmma(other, (n, m, k), element_bits)
        return Fragment(turned.cols, turned.rows, (turned.shape[1], turned.shape[0]))
    if letter == "a":
        return tiled(mma_a(element_bits), (m, k))
    return tiled(mma_b(element_bits) if letter == "b" else mma_d(), (k, n) if letter == "b" else (m, n))


def tiled(tile: Fragment, extent: tuple[int, int]) -> Fragment:
    """Fragments of mma side by side, then below each other; of a small matrix, the registers that it needs."""
    rows, cols = (min(e, t) for e, t in zip(extent, tile.shape, strict=True))
    count = rows * cols // tile.threads
    own = tile.rows[:, :count], tile.cols[:, :count]
    parts = [(own[0] + i, own[1] + j) for i in range(0, extent[0], rows) for j in range(0, extent[1], cols)]
    return Fragment(_joined([p[0] for p in parts]), _joined([p[1] for p in parts]), extent)


def _joined(parts: list[IntArray]) -> IntArray:
    out = np.concatenate(parts, axis=1)
    out.flags.writeable = False
    return out
