"""Maps, tiles, coordinates, byte counts, descriptors and matrix loads that do not agree: both sides are named, and the fix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracing import fails, instructions

import ptxlab as px
from ptxlab.lang.kernel import KernelFunction
from ptxlab.layout import Im2col, TensorMap


def traced(fn: Any, **constants: Any) -> Any:
    return KernelFunction(fn, threads=128).trace(**constants)


# --- where tiles start ---------------------------------------------------------------------------------------------------
def test_a_swizzled_tile_begins_where_its_pattern_does() -> None:
    def kernel(k):
        k.smem(px.bf16, (64, 64), swizzle="128B", align=128)  # here

    found = fails(kernel, "PTX2210")
    assert found.message == (
        "a tile with swizzle 128B starts at a multiple of 1024 bytes, where the pattern begins, not of 128"
    )
    assert found.help == "leave align out, or use align=1024"


@pytest.mark.parametrize(
    ("dtype", "shape", "swizzle", "wanted"),
    [
        (px.f32, (8, 32), "none", 128), (px.f32, (8, 8), "32B", 256), (px.f32, (8, 16), "64B", 512),
        (px.bf16, (8, 64), "128B", 1024),
    ],
)  # fmt: skip
def test_tiles_are_aligned_as_copies_want(dtype: Any, shape: tuple[int, int], swizzle: str, wanted: int) -> None:
    def kernel(k, t: px.TensorMap):
        tile = k.smem(dtype, (3, *shape), swizzle=swizzle, align=max(16, wanted if swizzle != "none" else 16))
        bar = k.mbarrier(1)
        k.init_barriers()
        k.tma_load(tile.part(1, shape[0] // 2, axis=1)[0] if swizzle != "none" else tile[0], t, (0, 0), bar)  # here

    found = fails(kernel, "PTX2211")
    assert f"a tensor copy with swizzle {swizzle} wants one of {wanted}" in found.message
    assert (found.help or "").startswith("take parts of whole" if swizzle != "none" else "declare it with align=128")


def test_an_instruction_wants_the_alignment_too() -> None:
    def kernel(k, t: px.TensorMap):
        buf, bar = k.smem(px.f32, 64, align=16), k.mbarrier(1)
        k.init_barriers()
        k.cp.async_.bulk.tensor._1d.shared__cluster.global_.mbarrier__complete_tx__bytes(buf, t, (0,), bar)  # here

    assert "wants one of 128" in fails(kernel, "PTX2211").message


def test_places_within_a_pattern_are_not_known() -> None:
    def located(k, row: px.u32):
        k.smem(px.bf16, (8, 4, 64), swizzle="128B")[1].locate(row, 0)  # here

    def described(k):
        k.smem(px.bf16, (8, 4, 64), swizzle="128B")[1].descriptor()  # here

    for kernel in (located, described):
        assert "within the pattern of swizzle 128B, which repeats every 1024" in fails(kernel, "PTX2210").message


# --- maps ----------------------------------------------------------------------------------------------------------------
@px.kernel(threads=32)
def tile_copy(k: px.Builder, t: px.TensorMap) -> None:
    tile, bar = k.smem(px.bf16, (32, 64), swizzle="128B"), k.mbarrier(1)
    k.init_barriers()
    with k.elect():
        bar.arrive_expect_tx(tile.nbytes)
        k.tma_load(tile, t, (0, 0), bar)
    bar.wait(0)


def launched_with(made: Any, kernel: Any = tile_copy) -> Any:
    with pytest.raises(px.Diagnostic) as caught:
        kernel[1](made)
    return caught.value


def image_map() -> TensorMap:
    return TensorMap.im2col(
        dtype="bf16", address=0x1000, dims=(64, 8, 8, 2), strides=(128, 1024, 8192), lower=(0, 0), upper=(0, 0),
        channels=64, pixels=32, swizzle="128B",
    )  # fmt: skip


def test_maps_that_a_launch_must_not_pass() -> None:
    array = px.empty((64, 64), "bfloat16", align=128)
    assert launched_with(px.tensor_map(array, box=(32, 64))).help == "swizzle='128B'"
    found = launched_with(px.tensor_map(array, box=(16, 64), swizzle="128B"))
    assert "has box (16, 64); the kernel expects (32, 64)" in found.message
    single = px.empty((64, 64), np.float32, align=128)
    assert launched_with(px.tensor_map(single, box=(32, 32), swizzle="128B")).code == "PTX2307"
    deep = px.empty((4, 64, 64), "bfloat16", align=128)
    assert launched_with(px.tensor_map(deep, box=(1, 32, 64), swizzle="128B")).code == "PTX2308"


def test_im2col_maps_go_with_im2col_copies() -> None:
    found = launched_with(image_map())
    assert found.code == "PTX2317"
    assert found.message.endswith("is an im2col map; the kernel copies through a tiled map.")
    assert found.help == "make it with px.tensor_map(array, box=…)"

    @px.kernel(threads=32)
    def image_copy(k: px.Builder, t: px.TensorMap) -> None:
        tile, bar = k.smem(px.bf16, (48, 64), swizzle="128B"), k.mbarrier(1)
        k.init_barriers()
        with k.elect():
            bar.arrive_expect_tx(tile.nbytes)
            k.tma_load_im2col(tile, t, (0, 0, 0, 0), (0, 0), bar)
        bar.wait(0)

    found = launched_with(px.tensor_map(px.empty((64, 64), "bfloat16"), box=(32, 64), swizzle="128B"), image_copy)
    assert found.help == "make it with px.TensorMap.im2col(…)"
    found = launched_with(image_map(), image_copy)
    assert found.message.endswith("takes 64 channels of 32 pixels a copy; the kernel expects 64 of 48.")
    assert isinstance(image_map().window, Im2col)


def test_an_instruction_binds_the_mode_and_the_swizzle_of_a_map() -> None:
    def kernel(k, t: px.TensorMap):
        tile, bar = k.smem(px.bf16, (32, 64), swizzle="128B"), k.mbarrier(1)
        k.init_barriers()
        k.tma_load(tile, t, (0, 0), bar)
        load = k.cp.async_.bulk.tensor._3d.shared__cluster.global_.im2col.mbarrier__complete_tx__bytes
        load(tile, t, (0, 0, 0), bar, (0,))  # here

    found = fails(kernel, "PTX2211")
    assert "`t` moves boxes of (64, 32) .bf16, swizzle 128B at" in found.message
    assert "but im2col windows .bf16, swizzle 128B here" in found.message


def test_an_instruction_brings_no_more_than_the_tile_holds() -> None:
    @px.kernel(threads=32)
    def kernel(k: px.Builder, t: px.TensorMap) -> None:
        buffer, bar = k.smem(px.b8, 1024, align=128), k.mbarrier(1)
        k.init_barriers()
        with k.elect():
            bar.arrive_expect_tx(1024)
            k.cp.async_.bulk.tensor._2d.shared__cluster.global_.mbarrier__complete_tx__bytes(buffer, t, (0, 0), bar)
        bar.wait(0)

    array = px.empty((64, 64), np.float32, align=128)
    kernel[1](px.tensor_map(array, box=(16, 16)))
    found = launched_with(px.tensor_map(array, box=(16, 32)), kernel)
    assert "copies 2048 bytes at once; the kernel has a tile of 1024 for them" in found.message
    assert [n.partition(" at ")[0] for n in found.notes] == ["the kernel copies through it"]


def test_the_copies_of_an_image() -> None:
    def kernel(k, t: px.TensorMap, x: px.s32, r: px.u16):
        tile, bar = k.smem(px.bf16, (48, 128), swizzle="128B", name="tile"), k.mbarrier(1, name="bar")
        k.init_barriers()
        k.tma_load_im2col(tile, t, (64, x, 3, 1), (r, 2), bar)

    load = "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
    assert [i for i in instructions(kernel) if i.startswith("cp.")] == [
        f"{load} [%tile], [%t, {{64, %x, 3, 1}}], [%bar], {{%r, 2}}",
        f"{load} [%tile+6144], [%t, {{128, %x, 3, 1}}], [%bar], {{%r, 2}}",
    ]
    use = traced(kernel).maps["t"]
    assert (use.rank, use.box, use.window, use.im2col, use.swizzle) == (4, None, (64, 48), True, "128B")


def test_arguments_of_other_kinds() -> None:
    def coordinates(k, t: px.TensorMap):
        tile, bar = k.smem(px.bf16, (48, 64), swizzle="128B"), k.mbarrier(1)
        k.init_barriers()
        k.tma_load(tile, t, 0, bar)  # here

    assert fails(coordinates, "PTX2211").message == "0 is no list of coordinates"

    def tile(k, t: px.TensorMap, x: px.u32):
        k.tma_store(t, (0, 0), x)  # here

    assert "is no tile" in fails(tile, "PTX2211").message


def test_coordinates_that_walk_no_image() -> None:
    def kernel(k, t: px.TensorMap):
        tile, bar = k.smem(px.bf16, (48, 64), swizzle="128B"), k.mbarrier(1)
        k.init_barriers()
        k.tma_load_im2col(tile, t, (0, 0, 0, 0), (0,), bar)  # here

    assert fails(kernel, "PTX2211").message == "4 coordinates and 1 offsets do not walk an image"

    def stages(k, t: px.TensorMap):
        tile, bar = k.smem(px.bf16, (2, 48, 64), swizzle="128B"), k.mbarrier(1)
        k.init_barriers()
        k.tma_load_im2col(tile, t, (0, 0, 0, 0), (0, 0), bar)  # here

    assert fails(stages, "PTX2211").help == "declare it with the shape (pixels, channels)"


def test_no_kernel_changes_an_im2col_map() -> None:
    def kernel(k, t: px.TensorMap, maps: px.Ptr[px.TensorMap]):
        tile, bar = k.smem(px.bf16, (48, 64), swizzle="128B"), k.mbarrier(1)
        k.init_barriers()
        slot = k.tensormap(maps[0], like=t)
        k.tma_load_im2col(tile, slot, (0, 0, 0), (0,), bar)
        slot.rebind(address=4096)  # here

    assert "is copied through as an im2col map" in fails(kernel, "PTX2214").message


def test_a_reduction() -> None:
    def kernel(k, t: px.TensorMap):
        tile = k.smem(px.f32, (8, 32), align=128, name="tile")
        k.tma_reduce("add", t, (0, 4), tile)

    assert instructions(kernel)[-1] == (
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%t, {0, 4}], [%tile]"
    )
    assert traced(kernel).maps["t"].box == (32, 8)


# --- bytes ---------------------------------------------------------------------------------------------------------------
def two_tiles(k, a: px.TensorMap, b: px.TensorMap, *, nbytes: int):
    one, two = (k.smem(px.bf16, (32, 64), swizzle="128B") for _ in range(2))
    bar = k.mbarrier(1)
    k.init_barriers()
    with k.elect():
        bar.arrive_expect_tx(nbytes)  # here
        k.tma_load(one, a, (0, 0), bar)
        k.tma_load(two, b, (0, 0), bar)
    bar.wait(0)


@pytest.mark.parametrize(
    ("nbytes", "what"),
    [
        (4096, "the phase would end before all of them are there"),
        (16384, "the wait would never end"),
        (8191, "the phase would end"),
    ],
)
def test_bytes_that_are_not_those_of_the_copies(nbytes: int, what: str) -> None:
    found = fails(two_tiles, "PTX2217", constants={"nbytes": nbytes})
    assert found.message.startswith(f"`mbar` expects {nbytes} bytes, but the copies in ")
    assert "bring 8192: " + what in found.message
    assert found.help == "expect 8192 bytes, e.g. the sum of the tiles' nbytes"


def test_the_right_number_of_bytes() -> None:
    traced(two_tiles, nbytes=8192)


def test_bytes_of_plain_bulk_copies_count() -> None:
    def kernel(k, src: px.Ptr[px.f32]):
        buf, bar = k.smem(px.f32, 64, align=16), k.mbarrier(1, n=2)
        k.init_barriers()
        load = k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes
        bar[0].arrive_expect_tx(64)
        load(buf, src, 64, bar[0])
        k.mbarrier.arrive.expect_tx.shared__cta.b64(bar[1], 256, state="_")  # here
        load(buf, src, 128, bar[1])

    assert "`mbar[1]` expects 256 bytes, but the copies in" in fails(kernel, "PTX2217").message


def test_a_stage_of_a_ring_that_is_half_filled() -> None:
    def kernel(k, t: px.TensorMap):
        a, b = (k.smem(px.bf16, (3, 32, 64), swizzle="128B") for _ in range(2))
        ring = k.ring(3, a, b)
        k.init_barriers()
        with ring.produce() as slot:  # here
            k.tma_load(slot[0], t, (0, 0), slot.full)

    assert "`full` expects 8192 bytes, but the copies in" in fails(kernel, "PTX2217").message


def elsewhere(k, t: px.TensorMap, tile: Any, bar: Any):
    bar.arrive_expect_tx(2 * tile.nbytes)
    k.tma_load(tile, t, (0, 0), bar)
    with k.if_(k.warp == 1):
        k.tma_load(tile, t, (0, 0), bar)


def guarded(k, t: px.TensorMap, tile: Any, bar: Any):
    bar.arrive_expect_tx(2 * tile.nbytes, pred=k.warp == 1)
    k.tma_load(tile, t, (0, 0), bar)


def counted(k, t: px.TensorMap, tile: Any, bar: Any):
    bar.arrive_expect_tx(k.warp * 16)
    k.tma_load(tile, t, (0, 0), bar)


def multicast(k, t: px.TensorMap, tile: Any, bar: Any):
    bar.arrive_expect_tx(2 * tile.nbytes)
    k.tma_load(tile, t, (0, 0), bar, multicast=3)


def told(k, t: px.TensorMap, tile: Any, bar: Any):
    bar.arrive_expect_tx(2 * tile.nbytes)
    k.tma_load(tile, t, (0, 0), bar)
    k.mbarrier.complete_tx.relaxed.cta.shared__cta.b64(bar, tile.nbytes)


def remote(k, t: px.TensorMap, tile: Any, bar: Any):
    bar.arrive_expect_tx(2 * tile.nbytes)
    k.tma_load(tile, t, (0, 0), bar)
    k.cp.async_.bulk.shared__cluster.shared__cta.mbarrier__complete_tx__bytes(
        tile.remote(1), tile, tile.nbytes, bar.remote(1)
    )


def expected_apart(k, t: px.TensorMap, tile: Any, bar: Any):
    bar.expect_tx(tile.nbytes)
    bar.expect_tx(tile.nbytes)
    with k.if_(k.warp == 1):
        k.tma_load(tile, t, (0, 0), bar)


@pytest.mark.parametrize("body", [elsewhere, guarded, counted, multicast, told, remote, expected_apart])
def test_bytes_that_cannot_be_followed_are_left_alone(body: Any) -> None:
    def kernel(k, t: px.TensorMap):
        tile, bar = k.smem(px.bf16, (32, 64), swizzle="128B"), k.mbarrier(1)
        k.init_barriers()
        body(k, t, tile, bar)

    traced(kernel)


# --- consumers -----------------------------------------------------------------------------------------------------------
def test_products_of_other_tiles() -> None:
    def width(k):
        a, b = (k.smem(px.f16, (64, 64), swizzle="128B").descriptor() for _ in range(2))
        k.wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32(k.accumulator(64, 64), a[0], b[0], 0, 1, 1)  # here

    found = fails(width, "PTX2216")
    assert found.message == "wgmma reads A as .tf32, but the descriptor is of a tile with elements of 16 bits"

    def major(k):
        a = k.smem(px.f16, (64, 64), swizzle="128B").descriptor()
        b = k.smem(px.f16, (64, 64), swizzle="128B").descriptor("MN")
        k.wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16(k.accumulator(64, 64), a[0], b[0], 0, 1, 1, 0, 0)  # here

    found = fails(major, "PTX2216")
    assert found.message == "wgmma takes B with trans_b = 0, but the descriptor is of a MN-major tile"
    assert found.help == "pass trans_b = 1, or make the descriptor with major='K'"

    def size(k):
        a, b = (k.smem(px.f16, (64, 64), swizzle="128B").descriptor() for _ in range(2))
        k.wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16(k.accumulator(64, 128), a[0], b[0], 0, 1, 1, 0, 0)  # here

    assert fails(size, "PTX2216").message == "wgmma reads 128 columns of B, but the tile has 64"


def test_matrix_loads_of_a_swizzled_tile_take_located_elements() -> None:
    def kernel(k):
        tile = k.smem(px.bf16, (64, 64), swizzle="128B")
        k.ldmatrix.sync.aligned.m8n8.x1.shared.b16(tile.locate(k.tid.x, 8))
        k.ldmatrix.sync.aligned.m8n8.x1.shared.b16(tile[k.tid.x])  # here

    found = fails(kernel, "PTX2216")
    assert found.help == "take the address of an element: tile.locate(row, column)"
