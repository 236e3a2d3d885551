"""A map that a kernel has changed loads what a map of the host with the same parameters loads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import rebound

import ptxlab as px
from ptxlab.layout import TensorMap, tensor_map

_HALF = 64  # bytes of a map that tensormap.replace can change


def _same(array: Any) -> Any:
    return array


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("name", rebound.CASES)
def test_every_field(name: str, staged: bool) -> None:
    case = rebound.CASES[name]
    loaded, made, expected, born = rebound.run(
        case, _same, _same, lambda a: a.ctypes.data, staged=staged, scope="gpu" if staged else "cta"
    )
    assert loaded == expected
    assert any(loaded)
    assert TensorMap.decode(made) == TensorMap.decode(born)
    if case.changes.get("rank", 2) >= 2:  # else the stride that there was stays
        assert made[:_HALF] == born[:_HALF]


BOX = (8, 32)


@px.kernel(threads=32)
def load_twice(
    k: px.Builder, like: px.TensorMap, maps: px.Ptr[px.TensorMap], src: px.Ptr[px.f32], dst: px.Ptr[px.f32],
    rows: px.u32, columns: px.u32, *, staged: bool, scope: str,
) -> None:  # fmt: skip
    """Each CTA rebinds its own map twice, by registers, and loads a box through it each time."""
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


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("scope", ["cta", "gpu"])
def test_again_and_again_without_a_seed(staged: bool, scope: str) -> None:
    ctas, columns = 3, 64
    data = px.empty((20, columns), np.float32, align=256)
    data[:] = np.arange(data.size).reshape(data.shape)
    template = px.empty((4, 32), np.float32, align=128)
    maps = rebound.aligned_zeros(ctas * 128)
    out = np.zeros((ctas, 2, *BOX), np.float32)
    load_twice[ctas](
        px.tensor_map(template, box=BOX, swizzle="128B"), maps, data, out, np.uint32(20), np.uint32(columns),
        staged=staged, scope=scope,
    )  # fmt: skip
    padded = np.zeros((40, columns + 32), np.float32)
    padded[:20, :columns] = data
    for turn in range(2):
        rows = padded[turn : turn + ctas * 8, 8:40].reshape(ctas, *BOX)
        assert np.array_equal(out[:, turn], rows)
    born = tensor_map(data[1:], box=BOX, swizzle="128B").encode()
    assert maps.tobytes() == ctas * born
