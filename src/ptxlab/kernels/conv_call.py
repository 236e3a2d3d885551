"""The arguments of `conv2d`, checked: sizes, tensor maps, and diagnostics for what does not fit."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, user_span
from ptxlab.kernels.gemm_call import L2_PROMOTION, LARGEST, SWIZZLE, TMA_BYTES, times

Pair: TypeAlias = tuple[int, int]
"""Vertical, horizontal."""
LEAST_CORNER, MOST_CORNER = -128, 127
"""What a corner of an im2col map's window takes for images of two dimensions."""
MOST_OFFSET = 255
"""What an im2col copy takes as the offset of a tap, for images of two dimensions."""
MOST_STRIDE = 8
"""What a map takes as element stride."""


@dataclass(frozen=True, slots=True)
class Convolution:
    """A convolution whose arrays fit together; pairs are vertical, horizontal.

    Attributes:
        x, w, y: images, filters and output. taps: of a filter.
    """

    x: ArrayView
    w: ArrayView
    y: ArrayView
    stride: Pair
    padding: Pair
    dilation: Pair

    @property
    def taps(self) -> Pair:
        return self.w.shape[1], self.w.shape[2]

    @property
    def channels(self) -> int:
        return self.x.shape[3]

    @property
    def filters(self) -> int:
        return self.w.shape[0]

    @property
    def pixels(self) -> int:
        """Of all output images."""
        images, height, width, _ = self.y.shape
        return images * height * width

    @property
    def pitch(self) -> int:
        """Bytes from one pixel of the output to the next."""
        return _pitch(self.y)

    @property
    def flat(self) -> ArrayView:
        """The output as a matrix of pixels × filters."""
        return replace(self.y, shape=(self.pixels, self.filters), strides=(self.pitch, self.y.itemsize))

    @property
    def tma_can_store(self) -> bool:
        """Whether TMA, which writes whole 16 bytes of a pixel, stays within the output."""
        return not any(n % TMA_BYTES for n in (self.y.address, self.pitch, self.filters * self.y.itemsize))

    def map_of_images(self, pixels: int, channels: int) -> px.BoundMap:
        """The im2col map: what one tap sees of `pixels` output pixels. Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
        x = self.x
        images, height, width, count = x.shape
        reach = [d * (t - 1) for d, t in zip(self.dilation, self.taps, strict=True)]
        with _Named("x"):
            made = px.TensorMap.im2col(
                dtype="bf16",
                address=x.address,
                dims=(count, width, height, images),
                strides=_outer_strides(x),
                # corners of where the first tap may stand, relative to the image's: padding outside, the other taps' reach inside
                lower=tuple(-p for p in self.padding[::-1]),
                upper=tuple(p - r for p, r in zip(self.padding[::-1], reach[::-1], strict=True)),
                channels=channels,
                pixels=pixels,
                element_strides=(1, self.stride[1], self.stride[0], 1),
                swizzle=SWIZZLE,
                l2_promotion=L2_PROMOTION,
            )
        return px.BoundMap(made, x)

    def map_of_filters(self, filters: int, channels: int) -> px.BoundMap:
        """Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
        with _Named("w"):
            return px.tensor_map(self.w, box=(filters, 1, 1, channels), swizzle=SWIZZLE, l2_promotion=L2_PROMOTION)

    def map_of_output(self, pixels: int, filters: int) -> px.BoundMap:
        """Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
        with _Named("y"):
            return px.tensor_map(self.flat, box=(pixels, filters), swizzle=SWIZZLE)


class _Named:
    """Diagnostics raised inside name the array."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, wrong: Any, trace: Any) -> None:
        if isinstance(wrong, Diagnostic):
            wrong.message = f"{self.name}: {wrong.message}"


def convolution(x: Any, w: Any, y: Any, stride: Any, padding: Any, dilation: Any) -> Convolution:
    """The convolution of the arguments. Raises: Diagnostic PTX2307, PTX2308, PTX2309, PTX2319, see `conv2d`."""
    ways = _pair("stride", stride, 1), _pair("padding", padding, 0), _pair("dilation", dilation, 1)
    made = Convolution(array_view(x), array_view(w), array_view(y), *ways)
    for name, array in (("x", made.x), ("w", made.w), ("y", made.y)):
        _check_array(name, array)
    _check_shapes(made)
    _check_output(made.y)
    _check_ways(made)
    return made


def _pair(name: str, value: Any, least: int) -> Pair:
    try:
        given = cast("Sequence[Any]", value) if isinstance(value, Sequence) else (value, value)
        found = tuple(operator.index(n) for n in given)
    except TypeError:
        found = ()
    if len(found) != 2 or min(found) < least:
        raise Diagnostic(
            "PTX2319",
            f"{name}={value!r} is no {name}.",
            help=f"give an integer of at least {least}, or (vertical, horizontal)",
            origin=user_span(),
        )
    return found[0], found[1]


def _check_array(name: str, a: ArrayView) -> None:
    wanted = ("bfloat16", "float32") if name == "y" else ("bfloat16",)
    if len(a.shape) != 4:
        raise Diagnostic(
            "PTX2308",
            f"{name} has {len(a.shape)} dimensions.",
            help="give images × height × width × channels, and filters × height × width × channels",
            origin=user_span(),
        )
    if a.dtype not in wanted:
        raise Diagnostic("PTX2307", f"{name} is {a}.", help=f"convert it to {' or '.join(wanted)}", origin=user_span())
    if a.shape[3] > 1 and a.strides[3] != a.itemsize:
        raise Diagnostic(
            "PTX2309",
            f"{name} has strides of {', '.join(map(str, a.strides))} bytes.",
            help="channels are neighbours: permute an array of channels_last memory, or give a contiguous copy",
            origin=user_span(),
        )
    if 0 in a.shape:
        raise Diagnostic(
            "PTX2104", f"{name} is empty: {times(a.shape)}.", help="leave the call out", origin=user_span()
        )


def _check_shapes(c: Convolution) -> None:
    images, height, width, channels = c.x.shape
    wanted = (
        images,
        *(
            (n + 2 * p - d * (t - 1) - 1) // s + 1
            for n, p, d, t, s in zip((height, width), c.padding, c.dilation, c.taps, c.stride, strict=True)
        ),
        c.filters,
    )
    if c.w.shape[3] != channels:
        raise Diagnostic(
            "PTX2308",
            f"x has {channels} channels, w has {c.w.shape[3]}.",
            help="w is filters × height × width × channels",
            origin=user_span(),
        )
    if min(wanted) < 1:
        raise Diagnostic(
            "PTX2308",
            f"A filter of {times(c.taps)}, dilated by {times(c.dilation)}, is larger than the padded image.",
            help="pad more, or dilate less",
            origin=user_span(),
        )
    if c.y.shape != wanted:
        raise Diagnostic(
            "PTX2308",
            f"y is {times(c.y.shape)}; this convolution of x {times(c.x.shape)} gives {times(wanted)}.",
            help=f"make y of shape {wanted}",
            origin=user_span(),
        )
    if c.pixels > LARGEST:
        raise Diagnostic("PTX2308", f"The output has {c.pixels} pixels.", help=f"at most {LARGEST}", origin=user_span())


def _check_output(y: ArrayView) -> None:
    """Pixels of the output follow each other at one distance, through rows and images."""
    images, height, width, filters = y.shape
    pitch = _pitch(y)
    gaps = (width > 1 and y.strides[2] != pitch, height > 1 and y.strides[1] != width * pitch)
    if any(gaps) or (images > 1 and y.strides[0] != height * width * pitch) or pitch < filters * y.itemsize:
        raise Diagnostic(
            "PTX2309",
            f"y has strides of {', '.join(map(str, y.strides))} bytes.",
            help="pixels follow each other at one distance: give a contiguous array",
            origin=user_span(),
        )


def _pitch(y: ArrayView) -> int:
    """Bytes from one pixel to the next, from the innermost dimension that has two."""
    distance = 1
    for extent, stride in zip(y.shape[2::-1], y.strides[2::-1], strict=True):
        if extent > 1:
            return stride // distance
        distance *= extent
    return y.shape[3] * y.itemsize


def _check_ways(c: Convolution) -> None:
    """What an im2col map can express."""
    for name, s, p, d, t in zip(("vertical", "horizontal"), c.stride, c.padding, c.dilation, c.taps, strict=True):
        reach = d * (t - 1)
        for word, value, least, most in (
            ("stride", s, 1, MOST_STRIDE),
            ("padding", p, 0, -LEAST_CORNER),
            ("reach of a filter beyond its padding", reach - p, -MOST_CORNER, -LEAST_CORNER),
            ("reach of a filter", reach, 0, MOST_OFFSET),
        ):
            if not least <= value <= most:
                raise Diagnostic(
                    "PTX2319",
                    f"The {name} {word} is {value}.",
                    help=f"an im2col map takes {least} to {most}",
                    origin=user_span(),
                )


def _outer_strides(x: ArrayView) -> tuple[int, ...]:
    """Strides of width, height and images; of a single one, any legal one will do."""
    return tuple(s if n > 1 else 0 for n, s in zip(x.shape[2::-1], x.strides[2::-1], strict=True))
