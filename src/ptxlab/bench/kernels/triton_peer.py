"""A matrix product in Triton, tuned by Triton for each shape: what a user of Triton writes in an hour."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl

_CONFIGS = [
    triton.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP": 8}, num_stages=stages, num_warps=warps)
    for bm, bn, bk, stages, warps in (
        (128, 256, 64, 3, 8),
        (128, 256, 64, 4, 8),
        (256, 128, 64, 3, 8),
        (128, 128, 64, 4, 8),
        (128, 128, 64, 4, 4),
        (64, 256, 64, 4, 4),
        (64, 128, 64, 5, 4),
        (64, 64, 128, 4, 4),
        (64, 32, 128, 5, 4),
    )
]


@triton.autotune(configs=_CONFIGS, key=["m", "n", "k"])
@triton.jit
def _product(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """C = A · Bᵀ with contiguous rows; tiles go in groups of GROUP rows."""
    tile = tl.program_id(0)
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = tile // (GROUP * columns)
    first = group * GROUP
    high = min(rows - first, GROUP)
    row = first + tile % (GROUP * columns) % high
    column = tile % (GROUP * columns) // high
    at_m = row * BM + tl.arange(0, BM)
    at_n = column * BN + tl.arange(0, BN)
    at_k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(tl.cdiv(k, BK)):
        left = k - step * BK
        x = tl.load(
            a + at_m[:, None].to(tl.int64) * k + at_k[None, :], (at_m[:, None] < m) & (at_k[None, :] < left), 0.0
        )
        y = tl.load(
            b + at_n[None, :].to(tl.int64) * k + at_k[:, None], (at_n[None, :] < n) & (at_k[:, None] < left), 0.0
        )
        total = tl.dot(x, y, total)
        a += BK
        b += BK
    place = c + at_m[:, None].to(tl.int64) * n + at_n[None, :]
    tl.store(place, total.to(tl.bfloat16), (at_m[:, None] < m) & (at_n[None, :] < n))


def call(a: Any, bt: Any, c: Any) -> Callable[[], Any]:
    """C = A · Bᵀ."""
    (m, k), n = a.shape, bt.shape[0]

    def grid(chosen: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(m, chosen["BM"]) * triton.cdiv(n, chosen["BN"]),)

    return lambda: _product[grid](a, bt, c, m, n, k)
