"""Kernels whose constants cut one piece of work in several ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ptxlab as px

THREADS: Final = 256
TILE: Final = 32


@px.kernel(target="sm_90a", threads=THREADS)
def scaled(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32], *, per_thread: int, apart: bool) -> None:
    """y = 2 x: elements of a thread lie apart, or side by side."""
    first = k.ctaid.x * (THREADS * per_thread)
    for j in range(per_thread):
        i = first + (k.tid.x + THREADS * j if apart else k.tid.x * per_thread + j)
        k.st.global_.f32(y[i], k.ld.global_.f32(x[i]) * 2.0)


@px.kernel(target="sm_90a", threads=THREADS)
def transposed(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32], n: px.u32, *, tiles: int, pad: int) -> None:
    """The transpose of a square matrix: a CTA brings tiles through shared memory, whose rows are padded or not."""
    buf = k.smem(px.f32, TILE * (TILE + pad))
    column, row = k.tid.x & (TILE - 1), k.tid.x >> 5
    for tile in range(tiles):
        across, down = (k.ctaid.x * tiles + tile) * TILE, k.ctaid.y * TILE
        for j in range(0, TILE, THREADS // TILE):
            value = k.ld.global_.f32(x[(down + row + j) * n + across + column])
            k.st.shared.f32(buf[(row + j) * (TILE + pad) + column], value)
        k.bar.sync(0)
        for j in range(0, TILE, THREADS // TILE):
            value = k.ld.shared.f32(buf[column * (TILE + pad) + row + j])
            k.st.global_.f32(y[(across + row + j) * n + down + column], value)
        if tile + 1 < tiles:
            k.bar.sync(0)


KINDS: Final = ("scaled", "transposed")


def prepared(kind: str, empty: Callable[..., Any], n: int, **constants: Any) -> px.Launch:
    """A launch of one of the kernels above. empty: makes an array of zeros (shape, type)."""
    if kind == "scaled":
        args = [empty(n, "float32"), empty(n, "float32")]
        return scaled.prepare(grid=n // (THREADS * constants["per_thread"]), args=args, lints=False, **constants)
    args = [empty((n, n), "float32"), empty((n, n), "float32"), n]
    grid = (n // (TILE * constants["tiles"]), n // TILE)
    return transposed.prepare(grid=grid, args=args, lints=False, **constants)
