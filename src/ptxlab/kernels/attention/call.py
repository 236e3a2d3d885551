"""The arguments of attention, checked: sizes, the window, the scale, tensor maps, and diagnostics for what does not fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, user_span
from ptxlab.kernels.attention.scores import Bounds
from ptxlab.kernels.attention.tiling import LARGEST_DEPTH, SPAN
from ptxlab.kernels.gemm_call import times

TYPES: dict[str, type[px.Register]] = {"bfloat16": px.bf16, "float16": px.f16}
LAYOUTS = {"bhsd": "batches × heads × rows × depth", "bshd": "batches × rows × heads × depth"}
LARGEST = 2**30
"""Rows of queries and of keys: sums of two fit into 32 bits."""
FAR = 2**30
"""A side of a window that reaches over everything."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Attention whose arrays fit together, all with axes batches, heads, rows, depth.

    Attributes:
        lse: batches × heads × rows, or None. left, right: the window, None where it has no end. scale: of scores.
    """

    q: ArrayView
    k: ArrayView
    v: ArrayView
    o: ArrayView
    lse: ArrayView | None
    left: int | None
    right: int | None
    scale: float

    @property
    def depth(self) -> int:
        """Elements of a head."""
        return self.q.shape[3]

    @property
    def lines(self) -> int:
        """Heads of all batches."""
        return self.q.shape[0] * self.q.shape[1]

    @property
    def group(self) -> int:
        """Heads that share keys."""
        return self.q.shape[1] // self.k.shape[1]

    @property
    def bounds(self) -> Bounds:
        """Which sides of the window have an end."""
        return Bounds(self.left is not None, self.right is not None)

    def map(self, name: str, rows: int) -> px.BoundMap:
        """The tensor map by which so many rows are moved. Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
        return mapped(name, {"Q": self.q, "K": self.k, "V": self.v, "O": self.o}[name], (1, 1, rows, SPAN))


@dataclass(frozen=True, slots=True)
class Options:
    """What attention is told beside its arrays; `attention` says what the attributes mean."""

    layout: str
    causal: bool
    window: tuple[int | None, int | None]
    scale: float | None


def problem(tensors: Sequence[Any], lse: Any, options: Options) -> Problem:
    """Attention of the arrays Q, K, V and O. Raises: Diagnostic PTX2104, PTX2112, PTX2303, PTX2305, PTX2307, PTX2308, PTX2309."""
    if options.layout not in LAYOUTS:
        raise bad("PTX2112", f"{options.layout!r} is no layout.", 'use "bhsd" or "bshd"')
    given = {name: array_view(x) for name, x in zip("QKVO", tensors, strict=True)}
    for name, x in given.items():
        see_array(name, x, tuple(TYPES) if name == "Q" else (given["Q"].dtype,), LAYOUTS[options.layout])
    q, k, v, o = (heads_first(x) if options.layout == "bshd" else x for x in given.values())
    _check_shapes(q, k, v, o)
    left, right = window_of(options.causal, options.window)
    scale = scale_of(options.scale, q.shape[3])
    logarithms = None if lse is None else see_logarithms(lse, q.shape[:3])
    return Problem(q, k, v, o, lse=logarithms, left=left, right=right, scale=scale)


def mapped(name: str, array: ArrayView, box: tuple[int, ...]) -> px.BoundMap:
    """The tensor map of an array by which boxes as wide as a span are moved. Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
    try:
        return px.tensor_map(array, box=box, swizzle="128B", l2_promotion="256B")
    except Diagnostic as wrong:
        wrong.message = f"{name}: {wrong.message}"
        raise


def bad(code: str, what: str, help: str) -> Diagnostic:
    """What is wrong with an argument, and the way out."""
    return Diagnostic(code, what, help=help, origin=user_span())


def heads_first(x: ArrayView) -> ArrayView:
    """A view with its second and third axis exchanged."""

    def swapped(axes: tuple[int, ...]) -> tuple[int, ...]:
        return (axes[0], axes[2], axes[1], axes[3])

    return replace(x, shape=swapped(x.shape), strides=swapped(x.strides))


def see_array(name: str, x: ArrayView, wanted: Sequence[str], axes: str) -> None:
    """Whether an array is of one of these types, with these four axes. Raises: Diagnostic PTX2104, PTX2307, PTX2308, PTX2309."""
    if len(x.shape) != 4:
        raise bad("PTX2308", f"{name} has {len(x.shape)} dimensions.", f"give {axes}")
    if x.dtype not in wanted:
        raise bad("PTX2307", f"{name} is {x}.", f"convert it to {' or '.join(wanted)}")
    if 0 in x.shape:
        raise bad("PTX2104", f"{name} is empty: {times(x.shape)}.", "leave the call out")
    if x.shape[3] > 1 and x.strides[3] != x.itemsize:
        raise bad(
            "PTX2309",
            f"{name} has strides of {', '.join(map(str, x.strides))} bytes.",
            "elements of a head are neighbours: give a contiguous copy",
        )


def _check_shapes(q: ArrayView, keys: ArrayView, v: ArrayView, o: ArrayView) -> None:
    batches, heads, rows, depth = q.shape
    if depth % 8 or depth > LARGEST_DEPTH:
        raise bad("PTX2308", f"Heads have {depth} elements.", f"a multiple of 8 up to {LARGEST_DEPTH}: pad with zeros")
    if (keys.shape[0], keys.shape[3]) != (batches, depth) or heads % keys.shape[1]:
        raise bad(
            "PTX2308",
            f"Q has {batches} batches of {heads} heads of {depth} elements, "
            f"K {keys.shape[0]} of {keys.shape[1]} of {keys.shape[3]}.",
            "batches and elements are as many, and the heads of Q a multiple of those of K",
        )
    if v.shape != keys.shape:
        raise bad(
            "PTX2308",
            f"K and V differ: {times(keys.shape)} and {times(v.shape)}, as batches × heads × rows × depth.",
            "give one shape",
        )
    if o.shape != q.shape:
        raise bad(
            "PTX2308",
            f"Q and O differ: {times(q.shape)} and {times(o.shape)}, as batches × heads × rows × depth.",
            "give one shape",
        )
    if max(rows, keys.shape[2]) > LARGEST:
        raise bad("PTX2308", f"There are {rows} queries and {keys.shape[2]} keys.", f"at most {LARGEST} of each")


def see_logarithms(lse: Any, shape: tuple[int, ...]) -> ArrayView:
    """An array for logarithms of sums. Raises: Diagnostic PTX2307, PTX2308, PTX2309."""
    x = array_view(lse)
    if x.dtype != "float32":
        raise bad("PTX2307", f"lse is {x}.", "give float32")
    if x.shape != shape:
        raise bad("PTX2308", f"lse is {times(x.shape)}.", f"give batches × heads × rows: {times(shape)}")
    if not x.contiguous:
        raise bad("PTX2309", "lse has gaps between its elements.", "give a contiguous array")
    return x


def window_of(causal: bool, given: Any) -> tuple[int | None, int | None]:
    """How far queries see to the left and to the right. Raises: Diagnostic PTX2112."""
    window = cast("tuple[Any, ...]", given) if isinstance(given, tuple) else ()
    if len(window) != 2 or not all(x is None or (type(x) is int and x >= 0) for x in window):
        raise bad("PTX2112", f"window={given!r} is no window.", "give how many keys to the left and right, or None")
    left, right = (None if x is None else min(x, FAR) for x in window)
    return left, 0 if causal else right


def scale_of(scale: Any, depth: int) -> float:
    """The scale of scores. Raises: Diagnostic PTX2305."""
    if scale is None:
        return 1 / math.sqrt(depth)
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not math.isfinite(scale):
        raise bad("PTX2305", f"scale={scale!r} is no scale.", "give a number")
    return float(scale)
