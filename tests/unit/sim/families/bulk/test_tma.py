"""TMA: tile loads and stores of every rank and swizzle, out of bounds, multicast, and what the hardware faults on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.layout import swizzle

from ...conftest import entry

SCHEDULES = ["eager", "late", "random"]
SHARED = 16384


def load_kernel(rank: int, nbytes: int, coordinates: str, dump: int, *, space: str = "shared::cluster") -> str:
    """One thread loads a box and copies `dump` bytes of shared memory to `dst`."""
    return entry(
        ".param .align 64 .b8 map[128], .param .u64 dst",
        f"""
        .reg .pred %p0; .reg .b32 %r<8>; .reg .b64 %rd<8>;
        .shared .align 1024 .b8 buf[{SHARED}]; .shared .align 8 .b64 bar;
        mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [dst];
        mov.u32 %r1, bar; mov.u32 %r2, buf;
        cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd2], {dump}, [%r1];
        """.replace("cp.async.bulk.shared::cta", "// cp.async.bulk.shared::cta")
        + f"""
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], {nbytes};
        cp.async.bulk.tensor.{rank}d.{space}.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, {coordinates}], [%r1];
        W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
        @!%p0 bra W;
        cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], {dump};
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        ret;
        """,
    )


def random_array(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> NDArray[Any]:
    out = px.empty(shape, dtype)
    raw = np.random.default_rng(seed).integers(0, 256, out.nbytes, np.uint8)
    out.reshape(-1).view(np.uint8)[:] = raw
    return out


def box_of(a: NDArray[Any], start: tuple[int, ...], box: tuple[int, ...], fill: bytes = b"\0") -> NDArray[Any]:
    """The box of an array as NumPy sees it, bytes out of bounds filled; `start` and `box` in the array's axis order."""
    out = (
        np.frombuffer((fill * (16 * int(np.prod(box))))[: int(np.prod(box)) * a.itemsize], a.dtype).reshape(box).copy()
    )
    inner = [slice(max(0, s), max(0, min(n, s + b))) for s, b, n in zip(start, box, a.shape, strict=True)]
    at = [
        slice(i.start - s, i.stop - s) if i.stop > i.start else slice(0, 0) for i, s in zip(inner, start, strict=True)
    ]
    out[tuple(at)] = a[tuple(inner)]
    return out


def shared_image(box: NDArray[Any], mode: str, before: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Where the bytes of a box go in shared memory, byte by byte."""
    raw = np.ascontiguousarray(box).view(np.uint8).reshape(-1, box.shape[-1] * box.itemsize)
    span = {"none": 16, "32B": 32, "64B": 64, "128B": 128}[mode]
    pitch = raw.shape[1] if mode == "none" else max(span, raw.shape[1])
    out = before.copy()
    for row in range(raw.shape[0]):
        for column in range(raw.shape[1]):
            out[swizzle(row * pitch + column, mode)] = raw[row, column]  # type: ignore[arg-type]
    return out


def load(
    run: Callable[..., Any], m: Any, rank: int, nbytes: int, start: tuple[int, ...], **options: Any
) -> NDArray[np.uint8]:
    dst = px.empty(SHARED, np.uint8)
    dst[:] = 0
    coordinates = "{" + ", ".join(map(str, start[::-1])) + "}"
    run(load_kernel(rank, nbytes, coordinates, SHARED), m, dst, block=1, poison=False, **options)
    return dst


@pytest.mark.parametrize("mode", ["none", "32B", "64B", "128B"])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_two_dimensions(run: Callable[..., Any], mode: str, schedule: str) -> None:
    a = random_array((40, 96), ml_dtypes.bfloat16)
    width = {"none": 64, "32B": 16, "64B": 32, "128B": 64}[mode]
    m = px.tensor_map(a, box=(24, width), swizzle=mode)
    got = load(run, m, 2, 24 * width * 2, (8, 16), schedule=schedule)
    assert np.array_equal(got, shared_image(box_of(a, (8, 16), (24, width)), mode, np.zeros(SHARED, np.uint8)))


@pytest.mark.parametrize("rank", [1, 3, 4, 5])
def test_other_ranks(run: Callable[..., Any], rank: int) -> None:
    shape = (3, 4, 3, 5, 32)[-rank:]
    box = (2, 2, 2, 3, 16)[-rank:]
    start = (1, 1, 1, 2, 8)[-rank:]
    a = random_array(shape, np.float32)
    got = load(run, px.tensor_map(a, box=box), rank, int(np.prod(box)) * 4, start)
    assert np.array_equal(got, shared_image(box_of(a, start, box), "none", np.zeros(SHARED, np.uint8)))


@pytest.mark.parametrize("start", [(-3, 0), (37, 0), (0, 88), (0, -8), (100, 0), (-3, 88), (0, 96)])
@pytest.mark.parametrize("columns", [96, 91])
def test_out_of_bounds_is_zero(run: Callable[..., Any], start: tuple[int, int], columns: int) -> None:
    base = random_array((40, 96), np.uint16)
    a = base[:, :columns]
    m = px.tensor_map(a, box=(8, 16), swizzle="32B")
    got = load(run, m, 2, 8 * 16 * 2, start)
    assert np.array_equal(got, shared_image(box_of(a, start, (8, 16)), "32B", np.zeros(SHARED, np.uint8)))


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float32, np.float64])
def test_out_of_bounds_can_be_nan(run: Callable[..., Any], dtype: Any) -> None:
    a = random_array((4, 16), dtype)
    m = px.tensor_map(a, box=(4, 16), oob_fill="nan")
    got = load(run, m, 2, 64 * a.itemsize, (2, 0))
    assert np.array_equal(
        got, shared_image(box_of(a, (2, 0), (4, 16), b"\xf7\x7f"), "none", np.zeros(SHARED, np.uint8))
    )


def test_a_map_in_global_memory(run: Callable[..., Any]) -> None:
    a = random_array((16, 16), np.float32)
    m = px.empty(128, np.uint8)
    m[:] = np.frombuffer(px.tensor_map(a, box=(8, 16)).encode(), np.uint8)
    dst = px.empty(SHARED, np.uint8)
    text = load_kernel(2, 512, "{0, 4}", SHARED).replace(".param .align 64 .b8 map[128]", ".param .u64 map")
    text = text.replace("mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;", "ld.param.u64 %rd1, [map];")
    run(text, m, dst, block=1, buffers=[a])
    assert np.array_equal(dst[:512].view(np.float32).reshape(8, 16), a[4:12], equal_nan=True)


STORE = """
    .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p0;
    .shared .align 1024 .b8 buf[4096]; .shared .align 8 .b64 bar;
    mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [src];
    mov.u32 %r1, bar; mov.u32 %r2, buf;
    mbarrier.init.shared::cta.b64 [%r1], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 4096;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], 4096, [%r1];
    W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
    @!%p0 bra W;
    fence.proxy.async.shared::cta;
"""


def store_kernel(coordinates: str, rank: int = 2) -> str:
    return entry(
        ".param .align 64 .b8 map[128], .param .u64 src",
        STORE
        + f"""
        cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [%rd1, {coordinates}], [%r2];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        ret;
        """,
    )


@pytest.mark.parametrize("mode", ["none", "32B", "64B", "128B"])
@pytest.mark.parametrize("start", [(0, 0), (16, 32), (30, 80)])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_store(run: Callable[..., Any], mode: str, start: tuple[int, int], schedule: str) -> None:
    width = {"none": 32, "32B": 16, "64B": 32, "128B": 64}[mode]
    data = random_array((16, width), np.uint16, 1)
    src = px.empty(4096, np.uint8)
    src[:] = shared_image(data, mode, np.zeros(4096, np.uint8))
    a = random_array((40, 96), np.uint16)
    expected = a.copy()
    rows, columns = min(16, 40 - start[0]), min(width, 96 - start[1])
    expected[start[0] : start[0] + rows, start[1] : start[1] + columns] = data[:rows, :columns]
    m = px.tensor_map(a, box=(16, width), swizzle=mode)
    run(store_kernel(f"{{{start[1]}, {start[0]}}}"), m, src, block=1, schedule=schedule)
    assert np.array_equal(a, expected)


def test_store_overwrites_padding_up_to_16_bytes(run: Callable[..., Any]) -> None:
    base = random_array((8, 32), np.uint16)
    expected = base.copy()
    a = base[:, :27]
    src = px.empty(4096, np.uint8)
    src[:] = np.arange(4096) % 251
    data = src[: 8 * 32].view(np.uint16).reshape(8, 16)
    expected[:, 16:32] = data
    run(store_kernel("{16, 0}"), px.tensor_map(a, box=(8, 16)), src, block=1, buffers=[base])
    assert np.array_equal(base, expected)


@pytest.mark.parametrize(
    ("coordinates", "code", "words"),
    [("{4, 0}", "PTX2117", "multiple of 16"), ("{0, 0, 0}", "PTX2117", "3 coordinates")],
)
def test_load_faults(run: Callable[..., Any], coordinates: str, code: str, words: str) -> None:
    a = random_array((16, 32), np.uint16)
    rank = coordinates.count(",") + 1
    with pytest.raises(px.Diagnostic) as caught:
        run(
            load_kernel(rank, 256, coordinates, SHARED),
            px.tensor_map(a, box=(8, 16)),
            px.empty(SHARED, np.uint8),
            block=1,
        )
    assert caught.value.code == code
    assert words in str(caught.value)
    assert caught.value.span is not None
    assert caught.value.span.file == "<ptx>"


def test_a_store_with_a_negative_coordinate_faults(run: Callable[..., Any]) -> None:
    a = random_array((16, 32), np.uint16)
    with pytest.raises(px.Diagnostic) as caught:
        run(store_kernel("{0, -1}"), px.tensor_map(a, box=(8, 16)), px.empty(4096, np.uint8), block=1)
    assert caught.value.code == "PTX2117"


def test_a_misaligned_destination_faults(run: Callable[..., Any]) -> None:
    a = random_array((16, 32), np.uint16)
    text = load_kernel(2, 256, "{0, 0}", SHARED).replace("[%r2], [%rd1", "[%r2+64], [%rd1")
    with pytest.raises(px.Diagnostic) as caught:
        run(text, px.tensor_map(a, box=(8, 16)), px.empty(SHARED, np.uint8), block=1)
    assert caught.value.code == "PTX9121"
    assert "128" in str(caught.value)


def test_bytes_that_are_no_map(run: Callable[..., Any]) -> None:
    m = px.empty(128, np.uint8)
    m[:] = 0xFF
    text = load_kernel(2, 512, "{0, 4}", SHARED).replace(".param .align 64 .b8 map[128]", ".param .u64 map")
    text = text.replace("mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;", "ld.param.u64 %rd1, [map];")
    with pytest.raises(px.Diagnostic) as caught:
        run(text, m, px.empty(SHARED, np.uint8), block=1)
    assert caught.value.code == "PTX2116"
    assert caught.value.span is not None


def test_multicast(run: Callable[..., Any]) -> None:
    """Each CTA of a pair loads one half of the rows into both."""
    a = random_array((32, 64), np.uint16)
    text = entry(
        ".param .align 64 .b8 map[128], .param .u64 dst",
        """
        .reg .pred %p0; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b16 %h0;
        .shared .align 1024 .b8 buf[4096]; .shared .align 8 .b64 bar;
        mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [dst];
        mov.u32 %r1, bar; mov.u32 %r2, buf; mov.u32 %r3, %cluster_ctarank; mov.b16 %h0, 3;
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 4096;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        mul.lo.u32 %r4, %r3, 16; mad.lo.u32 %r5, %r3, 2048, %r2;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
            [%r5], [%rd1, {0, %r4}], [%r1], %h0;
        W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
        @!%p0 bra W;
        mul.wide.u32 %rd3, %r3, 4096; add.u64 %rd2, %rd2, %rd3;
        cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 4096;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        ret;
        """,
    )
    for schedule in SCHEDULES:
        dst = px.empty((2, 32, 64), np.uint16)
        run(text, px.tensor_map(a, box=(16, 64)), dst, grid=2, cluster=2, block=1, schedule=schedule)
        assert np.array_equal(dst, np.stack([a, a]))
