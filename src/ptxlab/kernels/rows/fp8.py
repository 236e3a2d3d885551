"""Quantisation of a matrix to fp8 (e4m3), with a scale for each row, for each 1 × 128 elements, or one for all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from ptxlab import ArrayView, Diagnostic, Launch, device_of, user_span
from ptxlab.kernels.gemm_call import zeroed
from ptxlab.kernels.gemm_repack import LaunchSequence
from ptxlab.kernels.rows.call import flat, layout_of, matrix, prepared
from ptxlab.kernels.rows.numbers import joined
from ptxlab.kernels.rows.skeleton import Rows

Scaled: TypeAlias = Literal["row", "block", "tensor"]
BLOCK = 128
LARGEST = 448.0
"""The largest number of e4m3."""
LEAST_SCALE = 2.0**-100
"""What is divided by it stays finite; it is the scale of zeros."""


def quantize(x: Any, y: Any, scales: Any, *, scaled: Scaled = "row", device: str = "auto", stream: Any = None) -> None:
    """y = x / scale in e4m3, where the largest magnitude of what shares a scale becomes 448: x ≈ y · scale.

    Args:
        x: rows × columns of bf16, f16 or f32. y: float8_e4m3fn of the same shape, a result.
        scales: float32, a result: one for each row, or one for each row and 128 columns (rows × blocks), or a single one. `gemm`
            takes them as they are.
        scaled: which of these: "row", "block" or "tensor". device, stream: as in `Kernel.launch`.

    Rows have neighbouring elements and may be padded. What has no elements has the scale of zeros. The scale of a NaN or an
    infinity is one itself, and numbers become NaN, or 0 beside an infinity.

    Raises: Diagnostic PTX2307 for other dtypes, PTX2308 for shapes that do not belong together and rows of more than 262,144
        columns, PTX2309 for elements that are not neighbours, PTX2112 for another word as `scaled`, and what `Kernel.launch`
        raises.

    Example:
        from ptxlab.kernels.rows import quantize

        x, y, scales = px.empty((2, 256), "f32"), px.empty((2, 256), "float8_e4m3fn"), px.empty((2, 2), "f32")
        x[...] = 7
        x[1, 200] = 896
        quantize(x, y, scales, scaled="block")
        print(scales[1], y[1, 200])  # [0.015625 2.      ] 448
    """
    prepare_quantize(x, y, scales, scaled=scaled, device=device, stream=stream)()


def prepare_quantize(
    x: Any, y: Any, scales: Any, *, scaled: Scaled = "row", device: str = "auto", stream: Any = None
) -> Launch:
    """`quantize`, checked, packed and loaded once. Arguments and errors are the same.

    Example:
        from ptxlab.kernels.rows import prepare_quantize

        x, y, scale = px.empty((2, 256), "f32"), px.empty((2, 256), "float8_e4m3fn"), px.empty(1, "f32")
        x[...] = 896
        launch = prepare_quantize(x, y, scale, scaled="tensor")
        launch()
        print(scale, y[0, 0])  # [2.] 448
    """
    source = matrix("x", x)
    rows, columns = source.shape
    shapes = {"row": (rows,), "block": (rows, -(-columns // BLOCK)), "tensor": (1,)}
    if scaled not in shapes:
        raise Diagnostic(
            "PTX2112",
            f"{scaled!r} is nothing that shares a scale.",
            help='use "row", "block" or "tensor"',
            origin=user_span(),
        )
    arrays = {"x": source, "y": matrix("y", y, source, wanted=("float8_e4m3fn",))}
    made = flat("scales", scales, shapes[scaled])
    options: dict[str, Any] = {"device": device, "stream": stream}
    if scaled == "tensor":
        if 0 in source.shape:
            return prepared(scale_of_all, {"x": zeroed(source, (1, 1), "f32"), "scale": made}, **options)
        quantized = prepared(quantized_rows, arrays | {"scale": made}, **options)
        return LaunchSequence([*_scaling(source, made, **options), quantized])
    layout = layout_of(arrays, piece=BLOCK if scaled == "block" else 0)
    return prepared(quantized_rows, arrays | {"scales": made}, layout=layout, **options)


def _scaling(x: ArrayView, scale: ArrayView, **options: Any) -> list[Launch]:
    """Launches that compute the scale of all of x: what the threads that share rows find, and the largest of these."""
    layout = layout_of({"x": x}, by_columns=True)
    parts = zeroed(x, (1, layout.clusters(x.shape[0], device_of(x).sm_count) * layout.rows), "f32")
    found = prepared(largest_of_rows, {"x": x, "largest": parts}, layout=layout, **options)
    return [found, prepared(scale_of_all, {"x": parts, "scale": scale}, **options)]


def quantized_rows(r: Rows) -> None:
    """The kernel of `quantize`."""
    k = r.k
    with r.loop("x"):
        if "scale" in r:
            scale = r.number("scale")
        else:
            scale = scale_for(r, r.reduce(("max", largest_of(r, r.load("x"))))[0])
            r.set_number("scales", scale)
        factor = k.rcp.rn.f32(scale)
        r.store("y", (k.mul.rn.f32(a, factor) for a in r.load("x")))


def largest_of_rows(r: Rows) -> None:
    """The largest magnitude of all rows of the threads that share them."""
    k = r.k
    largest = k.mov.f32(0.0)
    with r.loop("x"):
        k.max.NaN.f32(largest, largest_of(r, r.load("x")), d=largest)
    r.set_number("largest", r.reduce(("max", largest))[0], by_part=True)


def scale_of_all(r: Rows) -> None:
    """The scale for the largest magnitude of the one row that there is."""
    with r.loop():
        r.set_number("scale", scale_for(r, r.reduce(("max", largest_of(r, r.load("x"))))[0]))


def largest_of(r: Rows, x: Iterable[Any]) -> Any:
    """The largest magnitude."""
    return joined(r.k, "max", (r.k.abs.f32(a) for a in x))


def scale_for(r: Rows, largest: Any) -> Any:
    """The scale by which the largest magnitude becomes that of the type."""
    return r.k.max.NaN.f32(r.k.div.rn.f32(largest, LARGEST), LEAST_SCALE)
