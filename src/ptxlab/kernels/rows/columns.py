"""Sums over the columns of a matrix of f32, in a fixed order: the last step of a weight's gradient."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Launch
from ptxlab.kernels.gemm_call import zeroed
from ptxlab.kernels.rows.call import KINDS
from ptxlab.kernels.rows.numbers import packed

WARPS, WARP = 32, 32
BATCH = 8
"""Rows that a warp loads before it adds them up."""
WIDEST_VECTOR = 8
"""Elements: parts lie at multiples of these."""


@cache
def _kernel(kind: str) -> px.Kernel:
    """The sums in a type."""

    @px.kernel(target="sm_90a", threads=WARPS * WARP, strided=("parts",), name="sum_columns")
    def sum_columns(
        k: px.Builder, parts: px.Ptr[px.f32], out: px.Ptr[px.b8], rows: px.u32, columns: px.u32, pitch: px.u64
    ) -> None:
        """A lane has a column, and a warp each 32nd row; the first warp adds up what the others have."""
        k.griddepcontrol.wait()
        k.griddepcontrol.launch_dependents()
        lane = k.tid.x % WARP
        column = k.mad.lo.u32(k.ctaid.x, WARP, lane)
        inside = column < columns
        total = k.mov.f32(0.0)
        with k.loop(rows, start=k.warp, step=WARPS * BATCH) as row:
            loaded: list[Any] = []
            for i in range(BATCH):
                value = k.mov.f32(0.0)
                start = k.mad.lo.u64(k.cvt.u64.u32(row + i * WARPS), pitch, parts)
                at = px.Address.of(k.mad.wide.u32(column, 4, start), space="global")
                k.ld.global_.f32(at, d=value, pred=(row + i * WARPS < rows) & inside)
                loaded.append(value)
            for value in loaded:
                total += value
        sums = k.smem(px.f32, WARPS * WARP)
        k.st.shared.f32(sums.at(k.tid.x * 4), total)
        k.bar.sync(0)
        with k.if_(k.tid.x < WARP):
            total = k.mov.f32(0.0)
            for warp in range(WARPS):
                total += k.ld.shared.f32(sums.at(lane * 4) + warp * WARP * 4)
            word = packed(k, [total], kind)[0]
            store = k.st.global_.f32 if kind == "f32" else k.st.global_.b16
            size = 4 if kind == "f32" else 2
            store(px.Address.of(k.mad.wide.u32(column, size, out), space="global"), word, pred=inside)

    return sum_columns


def parts_of(near: ArrayView, rows: int, columns: int) -> ArrayView:
    """Memory for sums of so many threads, on the device of `near`."""
    room = zeroed(near, (rows, -(-columns // WIDEST_VECTOR) * WIDEST_VECTOR), "f32")
    return replace(room, shape=(rows, columns))


def summing(parts: ArrayView, out: ArrayView, **options: Any) -> Launch:
    """The launch that sums the columns of `parts`."""
    rows, columns = parts.shape
    args = [parts, out, rows, columns, parts.strides[0]]
    return _kernel(KINDS[out.dtype]).prepare(grid=(-(-columns // WARP), 1, 1), args=args, **options)
