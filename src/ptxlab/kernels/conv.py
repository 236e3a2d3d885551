"""`conv2d`: convolution of images as an implicit matrix product: bf16 in, f32 accumulation, bf16 or f32 out.

Output pixels are the rows of the product and filters its columns; the sums run over the taps of a filter and the channels of the
image. The matrix of pixels × (taps · channels) is never stored. An im2col tensor map lets TMA load, for 128 output pixels at a
time, the 64 channels that one tap sees of each; where a tap sees padding, zeros arrive. Stride and dilation are the map's element
strides and the offsets of the copy.

The rest is that of `gemm`: a ring of four stages, one thread that loads, two warpgroups that multiply tiles of 128 × 256, results
through shared memory and TMA. docs/reference/bench-kernels.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab import Launch, device_of
from ptxlab.kernels.conv_call import Convolution, convolution
from ptxlab.kernels.gemm_store import ROWS, DirectStore, Store, TmaStore, box_columns
from ptxlab.kernels.pipeline import (
    CONSUMER_REGISTERS,
    CONSUMERS,
    PRODUCER_REGISTERS,
    THREADS,
    TILE_K,
    TILE_M,
    TILE_N,
    Operands,
    consume,
    corner,
    parts,
)

GROUP = 16
"""Rows of tiles that are finished before the next ones begin."""


@dataclass(frozen=True, slots=True)
class _Images:
    """The convolution while its kernel is traced. All but the maps are registers.

    Attributes:
        x, w: maps of images and filters. pixels, filters, channels: the product's sizes, without taps.
        width, height: of an output image. stride, pad, dilation, taps: along width, then height.
    """

    k: px.Builder
    x: Any
    w: Any
    pixels: Any
    filters: Any
    channels: Any
    width: Any
    height: Any
    stride: tuple[Any, Any]
    pad: tuple[Any, Any]
    dilation: tuple[Any, Any]
    taps: tuple[Any, Any]

    def steps(self) -> Any:
        """Stages of a tile."""
        return self.taps[0] * self.taps[1] * parts(self.channels, TILE_K)

    @contextmanager
    def tiles(self) -> Generator[_Tile, None, None]:
        """Loop over this CTA's tiles."""
        k = self.k
        rows, columns = parts(self.pixels, TILE_M), parts(self.filters, TILE_N)
        with k.loop(rows * columns, start=k.ctaid.x, step=k.nctaid.x) as index:
            yield _Tile(k, index, rows, columns)

    def sight(self, pixel: Any) -> tuple[Any, Any, Any]:
        """What the first tap sees of an output pixel: column and row, which padding makes negative, and the image."""
        k = self.k
        line = pixel // self.width
        image = line // self.height
        at = pixel - line * self.width, line - image * self.height
        column, row = (k.cvt.s32.u32(k.mul.lo.u32(a, s)) for a, s in zip(at, self.stride, strict=True))
        return column - self.pad[0], row - self.pad[1], k.cvt.s32.u32(image)


@dataclass(frozen=True, slots=True)
class _Tile:
    """Tile number `index` of `rows` × `columns`."""

    k: px.Builder
    index: Any
    rows: Any
    columns: Any

    def corner(self) -> tuple[Any, Any]:
        """Its first pixel and its first filter."""
        row, column = corner(self.k, self.index, self.rows, self.columns, GROUP)
        return row * TILE_M, column * TILE_N


def _convolve(p: _Images, store: Store) -> None:
    k = p.k
    operands = Operands(k, "K")
    ring = operands.ring()
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0, registers=PRODUCER_REGISTERS), k.if_(k.warp == 0), k.elect():
            _produce(p, ring)
        with k.role(warpgroup=range(1, 1 + CONSUMERS), registers=CONSUMER_REGISTERS):
            consume(operands, ring, store, p.tiles, p.steps)


def _produce(p: _Images, ring: px.Ring) -> None:
    """One thread keeps the ring full: for each tap, 64 channels at a time of what it sees, and of the filters."""
    k = p.k
    for map in (p.x, p.w):
        k.prefetch.tensormap(map)
    load_filters = k.cp.async_.bulk.tensor._4d.shared__cluster.global_.tile.mbarrier__complete_tx__bytes
    across, down = p.taps
    with p.tiles() as tile:
        pixel, column = tile.corner()
        at = p.sight(pixel)
        with k.loop(down) as r, k.loop(across) as s:
            offsets = tuple(k.cvt.u16.u32(t * d) for t, d in zip((s, r), p.dilation, strict=True))
            with k.loop(p.channels, step=TILE_K) as c, ring.produce() as slot:
                k.tma_load_im2col(slot[0], p.x, (c, *at), offsets, slot.full)
                # a map of four dimensions: channels beyond the last are zeros, not the next tap's
                load_filters(slot[1], p.w, (c, s, r, column), slot.full)


@px.kernel(target="sm_90a", threads=THREADS)
def conv_tma(
    k: px.Builder,
    x: px.TensorMap,
    w: px.TensorMap,
    y: px.TensorMap,
    pixels: px.u32,
    filters: px.u32,
    channels: px.u32,
    width: px.u32,
    height: px.u32,
    stride_w: px.u32,
    stride_h: px.u32,
    pad_w: px.s32,
    pad_h: px.s32,
    dilation_w: px.u32,
    dilation_h: px.u32,
    taps_w: px.u32,
    taps_h: px.u32,
    *,
    out: type[px.Register] = px.bf16,
) -> None:
    """The output is written by TMA: a pixel's filters are a multiple of 16 bytes."""
    images = _Images(
        k,
        x=x,
        w=w,
        pixels=pixels,
        filters=filters,
        channels=channels,
        width=width,
        height=height,
        stride=(stride_w, stride_h),
        pad=(pad_w, pad_h),
        dilation=(dilation_w, dilation_h),
        taps=(taps_w, taps_h),
    )
    _convolve(images, TmaStore(k, y, out, CONSUMERS))


@px.kernel(target="sm_90a", threads=THREADS, strided=("y",))
def conv_direct(
    k: px.Builder,
    x: px.TensorMap,
    w: px.TensorMap,
    y: px.Ptr[px.b8],
    pixels: px.u32,
    filters: px.u32,
    channels: px.u32,
    width: px.u32,
    height: px.u32,
    stride_w: px.u32,
    stride_h: px.u32,
    pad_w: px.s32,
    pad_h: px.s32,
    dilation_w: px.u32,
    dilation_h: px.u32,
    taps_w: px.u32,
    taps_h: px.u32,
    pitch: px.u64,
    *,
    out: type[px.Register] = px.bf16,
) -> None:
    """The output is written by ordinary stores. `pitch`: bytes from one pixel to the next."""
    images = _Images(
        k,
        x=x,
        w=w,
        pixels=pixels,
        filters=filters,
        channels=channels,
        width=width,
        height=height,
        stride=(stride_w, stride_h),
        pad=(pad_w, pad_h),
        dilation=(dilation_w, dilation_h),
        taps=(taps_w, taps_h),
    )
    _convolve(images, DirectStore(k, y, pitch, pixels, filters, out))


def conv2d(
    x: Any,
    w: Any,
    y: Any,
    *,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """y[n, p, q, f] = Σ x[n, p·stride + r·dilation − padding, q·stride + s·dilation − padding, c] · w[f, r, s, c].

    In the simulator on NumPy arrays, on the GPU on CUDA arrays. What is called a convolution everywhere but in mathematics: filters
    are not turned around. Beyond the image there are zeros.

    Args:
        x: bf16, images × height × width × channels ("NHWC"; of a torch tensor in channels_last: x.permute(0, 2, 3, 1)).
        w: bf16, filters × height × width × channels. Channels are a multiple of 8, and neighbours in memory.
        y: bf16 or f32, images × height × width × filters, overwritten; pixels follow each other at one distance.
        stride, padding, dilation: for both directions, or (vertical, horizontal).
        device, stream: as in `Kernel.launch`.

    Raises: Diagnostic PTX2308 for shapes that do not belong together, PTX2307 for other dtypes, PTX2309 for elements that are not
        neighbours, PTX2319 for a stride, padding, dilation or filter that an im2col map cannot express, PTX2101 and PTX2102 for
        images or filters that TMA cannot address, PTX2104 for empty arrays, and what `Kernel.launch` raises.

    Example:
        from ptxlab.kernels.conv import conv2d

        images, filters = px.empty((1, 8, 8, 16), "bf16"), px.empty((8, 3, 3, 16), "bf16")
        images[...], filters[...] = 1, 1
        y = px.empty((1, 6, 6, 8), "f32")

        conv2d(images, filters, y)
        print(y[0, 0, 0, 0] == 3 * 3 * 16)  # True
    """
    prepare(x, w, y, stride=stride, padding=padding, dilation=dilation, device=device, stream=stream)()


def prepare(
    x: Any,
    w: Any,
    y: Any,
    *,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`conv2d`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.conv import prepare

        images, filters = px.empty((1, 8, 8, 16), "bf16"), px.empty((8, 3, 3, 16), "bf16")
        images[...], filters[...] = 1, 1
        y = px.empty((1, 6, 6, 8), "f32")

        convolution = prepare(images, filters, y)
        convolution()
        print(y[0, 0, 0, 0] == 3 * 3 * 16)  # True
    """
    c = convolution(x, w, y, stride, padding, dilation)
    out = {"bfloat16": px.bf16, "float32": px.f32}[c.y.dtype]
    maps = [c.map_of_images(TILE_M, TILE_K), c.map_of_filters(TILE_N, TILE_K)]
    if c.tma_can_store:
        kernel, args = conv_tma, [*maps, c.map_of_output(ROWS, box_columns(out)), *_numbers(c)]
    else:
        kernel, args = conv_direct, [*maps, c.flat, *_numbers(c), c.pitch]
    tiles = -(-c.pixels // TILE_M) * -(-c.filters // TILE_N)
    grid = (min(tiles, device_of(c.y).sm_count), 1, 1)
    return kernel.specialize(out=out).prepare(grid=grid, args=args, device=device, stream=stream)


def _numbers(c: Convolution) -> list[int]:
    """What the kernels take between the maps and the pitch. The shapes are NHWC, the kernel counts width first."""
    _, height, width, _ = c.y.shape
    pairs = (c.stride, c.padding, c.dilation, c.taps)
    return [c.pixels, c.filters, c.channels, width, height, *(n for pair in pairs for n in pair[::-1])]
