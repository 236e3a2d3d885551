"""Copies through shared memory, one for each way that Hopper has: cp.async, cp.async.bulk, and TMA with a tensor map.

Each kernel copies f32 from global to shared memory and back; the function beside it launches it on arrays of any device.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab import Diagnostic, Launch, user_span

THREADS = 256
TILE = 32
"""Rows and columns of the tiles of `tma_2d`."""


@px.kernel(target="sm_90a", threads=THREADS)
def cp_async_4(k: px.Builder, src: px.Ptr[px.f32], dst: px.Ptr[px.f32], n: px.u32) -> None:
    """Every thread copies 4 bytes: through L1 (.ca), the only way for less than 16."""
    buf = k.smem(px.f32, THREADS)
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x)
    with k.if_(i < n):
        mine = buf[k.tid.x]
        k.cp.async_.ca.shared.global_.L2__128B(mine, src[i], 4)
        k.cp.async_.commit_group()
        k.cp.async_.wait_all()
        k.st.global_.f32(dst[i], k.ld.shared.f32(mine))


@px.kernel(target="sm_90a", threads=THREADS)
def cp_async_16(k: px.Builder, src: px.Ptr[px.f32], dst: px.Ptr[px.f32], n: px.u32) -> None:
    """Every thread copies 16 bytes past L1 (.cg). What is left behind the last whole 16 bytes goes by 4.

    A source size of less than 16 would do as well: the chip reads no more than that. compute-sanitizer counts all 16, though.
    """
    buf = k.smem(px.f32, (THREADS, 4), align=16)
    i = k.mad.lo.u32(k.ctaid.x, THREADS, k.tid.x) * 4
    with k.if_(i < n):
        mine, left = buf[k.tid.x], n - i
        with k.if_(left >= 4):
            k.cp.async_.cg.shared.global_.L2__128B(mine, src[i], 16)
        with k.else_():
            for e in range(3):
                k.cp.async_.ca.shared.global_(mine[e], src[i] + 4 * e, 4, pred=left > e)
        k.cp.async_.commit_group()
        k.cp.async_.wait_all()
        with k.if_(left >= 4):
            k.st.global_.v4.f32(dst[i], k.ld.shared.v4.f32(mine))
        with k.else_():
            for e in range(3):
                there = left > e
                v = k.ld.shared.f32(mine[e], pred=there)
                k.st.global_.f32(dst[i] + 4 * e, v, pred=there)


def _share(k: px.Builder, n: px.u32) -> tuple[Any, Any, Any]:
    """This CTA's first element, how many are its own, and how many of these whole chunks of 16 bytes hold."""
    start = k.ctaid.x * THREADS
    count = k.min.u32(n - start, THREADS)
    return start, count, count & ~3


@px.kernel(target="sm_90a", threads=THREADS)
def bulk(k: px.Builder, src: px.Ptr[px.f32], dst: px.Ptr[px.f32], n: px.u32) -> None:
    """One thread starts a bulk copy; all threads arrive on the mbarrier and wait by the state that this gives them."""
    buf = k.smem(px.f32, THREADS, align=16)
    mbar = k.mbarrier(THREADS)
    k.init_barriers()
    start, count, whole = _share(k, n)
    nbytes, some = whole * 4, whole != 0
    first = k.tid.x == 0
    with k.if_(first):
        mbar.expect_tx(nbytes)
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(buf, src[start], nbytes, mbar, pred=some)
    k.bar.sync(0)  # nobody arrives before the bytes are expected
    state = k.mbarrier.arrive.shared__cta.b64(mbar)
    with k.while_(lambda: ~k.mbarrier.try_wait.shared__cta.b64(mbar, state)):
        pass
    with k.if_(first):
        k.cp.async_.bulk.global_.shared__cta.bulk_group(dst[start], buf, nbytes, pred=some)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group.read(0)
    _copy_rest(k, src, dst, start, whole, count)


@px.kernel(target="sm_90a", threads=THREADS)
def bulk_expect_tx(k: px.Builder, src: px.Ptr[px.f32], dst: px.Ptr[px.f32], n: px.u32) -> None:
    """One thread expects the bytes and arrives in one instruction; all wait for the parity of the phase."""
    buf = k.smem(px.f32, THREADS, align=16)
    mbar = k.mbarrier(1)
    k.init_barriers()
    start, count, whole = _share(k, n)
    with k.if_(k.tid.x == 0):
        nbytes, some = whole * 4, whole != 0
        mbar.arrive_expect_tx(nbytes)
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(buf, src[start], nbytes, mbar, pred=some)
    mbar.wait(0)
    with k.if_(k.tid.x < whole):
        k.st.global_.f32(dst[start + k.tid.x], k.ld.shared.f32(buf[k.tid.x]))
    _copy_rest(k, src, dst, start, whole, count)


def _copy_rest(k: px.Builder, src: Any, dst: Any, start: Any, whole: Any, count: Any) -> None:
    """The up to three elements behind the last 16 bytes, which no bulk copy can move alone."""
    with k.if_(k.and_.pred(k.tid.x >= whole, k.tid.x < count)):
        i = start + k.tid.x
        k.st.global_.f32(dst[i], k.ld.global_.f32(src[i]))


@px.kernel(target="sm_90a", threads=THREADS)
def tma_1d(k: px.Builder, src: px.TensorMap, dst: px.TensorMap) -> None:
    """A box of 256 elements through TMA and back; what lies beyond the end is neither read nor written."""
    _through_shared(k, k.smem(px.f32, THREADS, align=128), src, dst, (k.ctaid.x * THREADS,))


@px.kernel(target="sm_90a", threads=THREADS)
def tma_2d(k: px.Builder, src: px.TensorMap, dst: px.TensorMap) -> None:
    """A tile of 32 × 32 elements through TMA and back. Coordinates are innermost first: column, row."""
    tile = k.smem(px.f32, (TILE, TILE), align=128)
    _through_shared(k, tile, src, dst, (k.ctaid.x * TILE, k.ctaid.y * TILE))


def _through_shared(k: px.Builder, tile: px.Tile, src: Any, dst: Any, coords: tuple[Any, ...]) -> None:
    mbar = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        mbar.arrive_expect_tx(tile.nbytes)
        k.tma_load(tile, src, coords, mbar)
        mbar.wait(0)
        # both copies run in the async proxy, and the barrier orders them: no fence between
        k.tma_store(dst, coords, tile)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group.read(0)


@px.kernel(target="sm_90a", threads=THREADS)
def swizzled_tile(
    k: px.Builder, src: px.TensorMap, out: px.Ptr[px.b32], *, rows: int, columns: int, swizzle: str
) -> None:
    """Load the tile at (0, 0) under a swizzle and write shared memory out as it lies there."""
    tile = k.smem(px.f32, (rows, columns), align=1024, swizzle=swizzle, name="tile")  # type: ignore[arg-type]
    mbar = k.mbarrier(1)
    words = tile.footprint // 4
    with k.loop(words, start=k.tid.x, step=THREADS) as i:
        k.st.shared.b32(tile.at(i * 4), 0)
    k.fence.proxy.async_.shared__cta()  # the zeros before what TMA writes
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        mbar.arrive_expect_tx(tile.nbytes)
        k.tma_load(tile, src, (0, 0), mbar)
    mbar.wait(0)
    with k.loop(words, start=k.tid.x, step=THREADS) as i:
        k.st.global_.b32(out[i], k.ld.shared.b32(tile.at(i * 4)))


LINEAR = {"cp.async 4 B": cp_async_4, "cp.async 16 B": cp_async_16, "bulk": bulk, "bulk, expect_tx": bulk_expect_tx}
"""The kernels that copy any number of elements, by what a report calls them."""


def copy_linear(kernel: Any, src: Any, dst: Any, **options: Any) -> None:
    """Copy `src` to `dst` by one of `LINEAR`.

    Args:
        src, dst: f32 arrays of one size (NumPy, or CUDA arrays of one GPU), contiguous, aligned to 16 bytes.
        options: passed to `launch`, e.g. device=.

    Example:
        from ptxlab.kernels.copies import bulk, copy_linear

        a, b = px.empty(1000, np.float32), px.empty(1000, np.float32)
        a[:] = 5
        copy_linear(bulk, a, b)  # or cp_async_4, cp_async_16, bulk_expect_tx
        print((a == b).all())  # True
    """
    if math.prod(src.shape):
        prepare_linear(kernel, src, dst, **options)()


def prepare_linear(kernel: Any, src: Any, dst: Any, **options: Any) -> Launch:
    """As `copy_linear`, but only prepared: the launch is what it returns. `src` is not empty.

    Example:
        from ptxlab.kernels.copies import cp_async_16, prepare_linear

        a, b = px.empty(1000, np.float32), px.empty(1000, np.float32)
        a[:] = 5
        launch = prepare_linear(cp_async_16, a, b)
        launch()
        print((a == b).all())  # True
    """
    n = math.prod(src.shape)
    per_cta = THREADS * (4 if kernel is cp_async_16 else 1)
    return kernel.prepare(grid=(-(-n // per_cta), 1, 1), args=[src, dst, np.uint32(n)], **options)


def copy_tma(src: Any, dst: Any, **options: Any) -> None:
    """Copy `src` to `dst` by TMA.

    Args:
        src, dst: f32 arrays of one shape with one or two dimensions, contiguous, aligned to 16 bytes, rows a multiple of 16
            bytes. options: passed to `launch`.

    Raises: Diagnostic PTX2119 for rows that are not a multiple of 16 bytes: TMA would write beyond their end.

    Example:
        from ptxlab.kernels.copies import copy_tma

        a, b = px.empty((64, 64), np.float32), px.empty((64, 64), np.float32)
        a[:], b[:] = 3, 4

        copy_tma(a, b)
        print((a == b).all())  # True
    """
    prepare_tma(src, dst, **options)()


def prepare_tma(src: Any, dst: Any, **options: Any) -> Launch:
    """As `copy_tma`, but only prepared: the launch is what it returns.

    Example:
        from ptxlab.kernels.copies import prepare_tma

        a, b = px.empty((64, 64), np.float32), px.empty((64, 64), np.float32)
        a[:], b[:] = 3, 4

        launch = prepare_tma(a, b)
        launch()
        print((a == b).all())  # True
    """
    columns = int(src.shape[-1])
    if columns % 4:
        raise Diagnostic(
            "PTX2119",
            f"rows of {columns} f32 are not a multiple of 16 bytes, the least that a TMA store writes",
            help="use a multiple of 4 columns, or copy with copy_linear",
            origin=user_span(),
        )
    if len(src.shape) == 1:
        kernel, box, grid = tma_1d, (THREADS,), (-(-columns // THREADS), 1, 1)
    else:
        kernel, box, grid = tma_2d, (TILE, TILE), (-(-columns // TILE), -(-int(src.shape[0]) // TILE), 1)
    return kernel.prepare(grid=grid, args=[px.tensor_map(a, box=box) for a in (src, dst)], **options)


def dump_swizzled(src: Any, out: Any, *, rows: int, columns: int, swizzle: str = "none", **options: Any) -> None:
    """Load the first `rows` × `columns` elements of a matrix under a swizzle and write shared memory to `out` as it is.

    Args:
        src: f32 matrix, contiguous, aligned to 16 bytes.
        out: f32, `rows` × the larger of `columns` and the swizzle's span in elements (`dump_shape`).
        swizzle: "none", "32B", "64B" or "128B"; `columns` f32 are at most its span. options: passed to `launch`.

    Example:
        from ptxlab.kernels.copies import dump_shape, dump_swizzled

        a = px.empty((8, 32), np.float32)
        a[:] = np.arange(32)
        out = px.empty(dump_shape(8, 32, "128B"), np.float32)
        dump_swizzled(a, out, rows=8, columns=32, swizzle="128B")
        print(out[1, :8])  # [4. 5. 6. 7. 0. 1. 2. 3.]
    """
    prepare_swizzled(src, out, rows=rows, columns=columns, swizzle=swizzle, **options)()


def prepare_swizzled(src: Any, out: Any, *, rows: int, columns: int, swizzle: str = "none", **options: Any) -> Launch:
    """As `dump_swizzled`, but only prepared: the launch is what it returns.

    Example:
        from ptxlab.kernels.copies import prepare_swizzled

        a, out = px.empty((8, 32), np.float32), px.empty((8, 32), np.float32)
        launch = prepare_swizzled(a, out, rows=8, columns=32, swizzle="128B")
        launch()
    """
    chosen = swizzled_tile.specialize(rows=rows, columns=columns, swizzle=swizzle)
    box = px.tensor_map(src, box=(rows, columns), swizzle=swizzle)
    return chosen.prepare(grid=(1, 1, 1), args=[box, out], **options)


def dump_shape(rows: int, columns: int, swizzle: str = "none") -> tuple[int, int]:
    """Rows and columns of what `dump_swizzled` writes.

    Example:
        from ptxlab.kernels.copies import dump_shape

        print(dump_shape(8, 4, "128B"))  # (8, 32)
    """
    span = 0 if swizzle == "none" else int(swizzle.removesuffix("B"))
    return rows, max(columns, span // 4)
