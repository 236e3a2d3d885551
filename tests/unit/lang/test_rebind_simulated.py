"""A map that a kernel has changed loads what a map of the host with the same parameters loads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.layout import tensor_map

BOX = (8, 32)


@px.kernel(threads=32)
def load_rebound(
    k: px.Builder, like: px.TensorMap, maps: px.Ptr[px.TensorMap], src: px.Ptr[px.f32], dst: px.Ptr[px.f32],
    rows: px.u32, columns: px.u32, *, staged: bool, scope: str,
) -> None:  # fmt: skip
    """Each CTA rebinds its own map twice, and loads a box through it each time."""
    tile = k.smem(px.f32, BOX, swizzle="128B")
    mbar = k.mbarrier(1)
    k.init_barriers()
    slot = k.tensormap(maps[k.ctaid.x], like=like, staged=staged)
    pitch = columns * 4
    for turn in range(2):
        k.rebind(
            slot, address=src.at(turn * 256), dims=(columns, rows - turn), strides=(k.cvt.u64.u32(pitch),),
            seed=turn == 0, scope=scope,
        )  # fmt: skip
        with k.elect():
            mbar.arrive_expect_tx(tile.nbytes)
            k.tma_load(tile, slot, (8, k.cvt.s32.u32(k.ctaid.x * 8)), mbar)
        mbar.wait(turn)
        for r in range(BOX[0]):
            row = k.ctaid.x * (2 * BOX[0]) + turn * BOX[0] + r
            k.st.global_.f32(dst[row * 32 + k.tid.x], k.ld.shared.f32(tile.locate(r, k.tid.x)))
        k.bar.warp.sync(0xFFFFFFFF)


@px.kernel(threads=32)
def load_given(k: px.Builder, map: px.TensorMap, dst: px.Ptr[px.f32]) -> None:
    tile = k.smem(px.f32, BOX, swizzle="128B")
    mbar = k.mbarrier(1)
    k.init_barriers()
    with k.elect():
        mbar.arrive_expect_tx(tile.nbytes)
        k.tma_load(tile, map, (8, k.cvt.s32.u32(k.ctaid.x * 8)), mbar)
    mbar.wait(0)
    for r in range(BOX[0]):
        k.st.global_.f32(dst[(k.ctaid.x * BOX[0] + r) * 32 + k.tid.x], k.ld.shared.f32(tile.locate(r, k.tid.x)))


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("scope", ["cta", "gpu"])
def test_a_rebound_map_loads_as_one_of_the_host(staged: bool, scope: str) -> None:
    ctas, columns = 3, 64
    data = px.empty((20, columns), np.float32, align=256)
    data[:] = np.arange(data.size).reshape(data.shape)
    template = px.empty((4, 32), np.float32, align=128)
    maps = px.empty((ctas, 128), np.uint8, align=128)
    maps[:] = 0
    out = np.zeros((ctas, 2, *BOX), np.float32)
    load_rebound[ctas](
        px.tensor_map(template, box=BOX, swizzle="128B"), maps, data, out, np.uint32(20), np.uint32(columns),
        staged=staged, scope=scope,
    )  # fmt: skip
    for turn in range(2):
        shifted: Any = data[turn:]
        expected = np.zeros((ctas, *BOX), np.float32)
        load_given[ctas](px.tensor_map(shifted, box=BOX, swizzle="128B"), expected)
        assert np.array_equal(out[:, turn], expected)
    born = tensor_map(data[1:], box=BOX, swizzle="128B").encode()
    assert all(row.tobytes() == born for row in maps)
