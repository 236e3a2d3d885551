"""Kernels that load through a map that they have changed, and through one of the host: for tests on both devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.layout import TensorMap, tile_box

BUFFER = 8192
THREADS = 32


def _load(k: px.Builder, map: Any, dst: px.Ptr[px.b32], coords: tuple[int, ...], nbytes: int) -> None:
    """Load a box into zeroed shared memory, and write all of that out."""
    buffer, mbar = k.smem(px.b32, BUFFER // 4, align=1024), k.mbarrier(1)
    with k.loop(BUFFER // 4, start=k.tid.x, step=THREADS) as i:
        k.st.shared.b32(buffer[i], 0)
    k.fence.proxy.async_.shared__cta()
    k.init_barriers()
    slot = map() if callable(map) else map
    with k.elect():
        mbar.arrive_expect_tx(nbytes)
        opcode = f"cp.async.bulk.tensor.{len(coords)}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        k.emit(opcode, (buffer, slot, coords, mbar))
    mbar.wait(0)
    with k.loop(BUFFER // 4, start=k.tid.x, step=THREADS) as i:
        k.st.global_.b32(dst[i], k.ld.shared.b32(buffer[i]))


@px.kernel(threads=THREADS)
def load_rebound(
    k: px.Builder, like: px.TensorMap, maps: px.Ptr[px.TensorMap], src: px.Ptr[px.b8], dst: px.Ptr[px.b32], *,
    changes: tuple[tuple[str, Any], ...], coords: tuple[int, ...], nbytes: int, staged: bool, scope: str,
) -> None:  # fmt: skip
    """Through a map that starts as `like`, with all of `changes`."""

    def rebound() -> Any:
        slot = k.tensormap(maps[0], like=like, staged=staged)
        slot.rebind(address=src, scope=scope, **dict(changes))
        return slot

    _load(k, rebound, dst, coords, nbytes)


@px.kernel(threads=THREADS)
def load_given(
    k: px.Builder, map: px.TensorMap, src: px.Ptr[px.b8], dst: px.Ptr[px.b32], *, coords: tuple[int, ...], nbytes: int
) -> None:
    """Through a map of the host."""
    _load(k, map, dst, coords, nbytes)


@dataclass(frozen=True)
class Case:
    """What is changed of a map of 64 × 64 f32 in boxes of 16 × 8, and where a box is loaded then."""

    changes: dict[str, Any]
    coords: tuple[int, ...] = (4, 3)

    def born(self, address: int) -> TensorMap:
        """The map that the host makes of the same parameters."""
        return TensorMap.tiled(**TEMPLATE | {n: v for n, v in self.changes.items() if n != "rank"}, address=address)


TEMPLATE: dict[str, Any] = {"dtype": "f32", "dims": (64, 64), "strides": (256,), "box": (16, 8)}
_CUBE: dict[str, Any] = {
    "rank": 3, "dims": (32, 16, 5), "strides": (128, 2560), "box": (8, 4, 2), "element_strides": (1, 1, 1)
}  # fmt: skip
CASES: dict[str, Case] = {
    "geometry": Case({"dims": (40, 7), "strides": (512,)}),
    "box": Case({"box": (32, 5)}),
    "larger box": Case({"box": (64, 16)}, (-8, 60)),
    "swizzle 32B": Case({"box": (8, 8), "swizzle": "32B"}),
    "swizzle 64B": Case({"swizzle": "64B"}),
    "swizzle 128B": Case({"box": (32, 16), "swizzle": "128B"}),
    "nan": Case({"oob_fill": "nan"}, (56, 60)),
    "bytes": Case({"dtype": "u8", "box": (64, 8), "dims": (256, 64)}, (16, 60)),
    "halves": Case({"dtype": "bf16", "dims": (128, 64), "oob_fill": "nan"}, (120, 0)),
    "doubles": Case({"dtype": "f64", "dims": (32, 64)}),
    "steps": Case({"element_strides": (1, 2)}, (4, 58)),
    "steps along rows": Case({"element_strides": (2, 1), "box": (32, 4)}),
    "three dimensions": Case(_CUBE, (4, 14, 3)),
    "one dimension": Case({"rank": 1, "dims": (1000,), "strides": (), "box": (256,), "element_strides": (1,)}, (900,)),
    "five dimensions": Case(
        {"rank": 5, "dims": (16, 4, 4, 3, 3), "strides": (64, 256, 1024, 4096), "box": (8, 3, 2, 2, 2),
         "element_strides": (1, 1, 1, 1, 1), "swizzle": "32B"},
        (8, 2, 1, 1, 2),
    ),
}  # fmt: skip


def run(
    case: Case, put: Callable[[Any], Any], get: Callable[[Any], Any], address: Callable[[Any], int], **how: Any
) -> tuple[bytes, bytes, bytes, bytes]:
    """Load on one device. `put` and `get` bring arrays there and back, `address` is where one lies.

    Returns: the shared memory and the map's bytes, of the rebound map and of that of the host.
    """
    data = px.empty((64, 64), np.float32, align=256)
    data[:] = np.random.default_rng(1).permutation(data.size).reshape(data.shape)
    src, template = put(data), put(px.empty((64, 64), np.float32, align=256))
    maps, outs = put(aligned_zeros(128)), [put(aligned_zeros(BUFFER).view(np.uint32)) for _ in range(2)]
    made = case.born(address(src))
    shared = {"coords": case.coords, "nbytes": tile_box(made).nbytes}
    load_rebound[1](
        TensorMap.tiled(**TEMPLATE, address=address(template)), maps, src, outs[0],
        changes=tuple(case.changes.items()), **shared, **how,
    )  # fmt: skip
    load_given[1](made, src, outs[1], **shared)
    return get(outs[0]).tobytes(), get(maps).tobytes(), get(outs[1]).tobytes(), made.encode()


TILE = (8, 32)
TURNS = 4


@px.kernel(threads=32)
def load_again(
    k: px.Builder, like: px.TensorMap, maps: px.Ptr[px.TensorMap], src: px.Ptr[px.f32], dst: px.Ptr[px.f32],
    rows: px.u32, columns: px.u32, *, staged: bool, scope: str,
) -> None:  # fmt: skip
    """Each CTA rebinds its own map again and again, by registers, and loads a box through it each time."""
    tile = k.smem(px.f32, TILE, swizzle="128B")
    mbar = k.mbarrier(1)
    k.init_barriers()
    slot = k.tensormap(maps[k.ctaid.x], like=like, staged=staged)
    pitch = columns * 4
    for turn in range(TURNS):
        slot.rebind(
            address=src.at(turn * 256), dims=(columns, rows - turn), strides=(k.cvt.u64.u32(pitch),),
            seed=turn == 0, scope=scope,
        )  # fmt: skip
        with k.elect():
            mbar.arrive_expect_tx(tile.nbytes)
            k.tma_load(tile, slot, (8, k.cvt.s32.u32(k.ctaid.x * 8)), mbar)
        mbar.wait(turn % 2)
        for r in range(TILE[0]):
            row = k.ctaid.x * (TURNS * TILE[0]) + turn * TILE[0] + r
            k.st.global_.f32(dst[row * 32 + k.tid.x], k.ld.shared.f32(tile.locate(r, k.tid.x)))
        k.fence.proxy.async_.shared__cta()  # the next box is written by the async proxy, where this one was just read
        k.bar.warp.sync(0xFFFFFFFF)


def run_again(
    ctas: int, put: Callable[[Any], Any], get: Callable[[Any], Any], address: Callable[[Any], int], **how: Any
) -> tuple[Any, Any, bytes, bytes]:
    """Load through a map that each of `ctas` CTAs rebinds several times. Devices as for `run`.

    Returns: what was loaded, what should have been, the bytes of all maps, and of one that the host makes like the last.
    """
    rows, columns = 8 * ctas - 4, 64
    data = px.empty((rows, columns), np.float32, align=256)
    data[:] = np.arange(data.size).reshape(data.shape)
    src, out = put(data), put(np.zeros((ctas, TURNS, *TILE), np.float32))
    maps = put(aligned_zeros(ctas * 128))
    fixed: dict[str, Any] = {"dtype": "f32", "strides": (columns * 4,), "box": TILE[::-1], "swizzle": "128B"}
    template = TensorMap.tiled(**fixed, dims=(32, 8), address=address(src))
    load_again[ctas](template, maps, src, out, np.uint32(rows), np.uint32(columns), **how)
    padded = np.zeros((rows + 8 + TURNS, columns), np.float32)
    padded[:rows] = data
    expected = np.stack([padded[t : t + 8 * ctas, 8:40].reshape(ctas, *TILE) for t in range(TURNS)], axis=1)
    last = TURNS - 1
    born = TensorMap.tiled(**fixed, dims=(columns, rows - last), address=address(src) + last * columns * 4)
    return get(out), expected, get(maps).tobytes(), born.encode()


def aligned_zeros(nbytes: int) -> Any:
    """Zeros at a multiple of 128 bytes."""
    out = px.empty((nbytes,), np.uint8, align=128)
    out[:] = 0
    return out
