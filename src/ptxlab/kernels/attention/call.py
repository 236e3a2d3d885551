"""The arguments of attention, checked: sizes, the window, the scale, tensor maps, and diagnostics for what does not fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, device_of, user_span
from ptxlab.kernels.attention.arrays import checked
from ptxlab.kernels.attention.scores import Bounds
from ptxlab.kernels.attention.sequences import Packed, map_of_rows, packed
from ptxlab.kernels.attention.tiling import LARGEST_DEPTH, SWIZZLES, span
from ptxlab.kernels.attention.transposed import WORD
from ptxlab.kernels.gemm_call import L2_PROMOTION, times

TYPES: dict[str, type[px.Register]] = {"bfloat16": px.bf16, "float16": px.f16}
FP8 = "float8_e4m3fn"
LAYOUTS = {"bhsd": "batches × heads × rows × depth", "bshd": "batches × rows × heads × depth"}
PACKED = "rows × heads × depth"
LARGEST = 2**30
"""Rows of queries and of keys: sums of two fit into 32 bits."""
FAR = 2**30
"""A side of a window that reaches over everything."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Attention whose arrays fit together, all with axes batches, heads, rows, depth; packed sequences are one batch.

    Attributes:
        lse: batches × heads × rows, or None. left, right: the window, None where it has no end. scale: of scores.
        sinks: a logit for each head, or None. packed: where sequences begin and end, or None. arrays: that scores depend on.
        descales: of Q, K and V in fp8: numbers of float32, and bytes from batch to batch and from head to head; else none.
    """

    q: ArrayView
    k: ArrayView
    v: ArrayView
    o: ArrayView
    lse: ArrayView | None
    left: int | None
    right: int | None
    scale: float
    sinks: ArrayView | None
    packed: Packed | None
    arrays: tuple[ArrayView, ...]
    descales: tuple[tuple[ArrayView, int, int], ...]

    @property
    def depth(self) -> int:
        """Elements of a head."""
        return self.q.shape[3]

    @property
    def value_depth(self) -> int:
        """Elements of a head of V and O."""
        return self.v.shape[3]

    @property
    def lines(self) -> int:
        """Heads of all batches, or of all packed sequences."""
        return (self.packed.count if self.packed else self.q.shape[0]) * self.q.shape[1]

    def tiles(self, rows: int) -> int:
        """Tiles of so many queries; where sequences are packed, as many as there may be."""
        heads, queries = self.q.shape[1:3]
        if self.packed:
            return heads * (queries // rows + self.packed.count)
        return self.lines * -(-queries // rows)

    @property
    def group(self) -> int:
        """Heads that share keys."""
        return self.q.shape[1] // self.k.shape[1]

    @property
    def bounds(self) -> Bounds:
        """Which sides of the window have an end."""
        return Bounds(self.left is not None, self.right is not None)

    def map(self, name: str, rows: int) -> px.BoundMap | px.TensorMap:
        """The tensor map by which so many rows are moved. Raises: Diagnostic PTX2101, PTX2102, PTX2104."""
        array = {"Q": self.q, "K": self.k, "V": self.v, "O": self.o}[name]
        columns = span(array.shape[3], array.itemsize)
        if not self.packed:
            return mapped(name, array, rows, columns)
        try:
            return map_of_rows(array, rows, columns, SWIZZLES[columns * array.itemsize])
        except Diagnostic as wrong:
            wrong.message = f"{name}: {wrong.message}"
            raise


def mapped(name: str, array: ArrayView, rows: int, columns: int) -> px.BoundMap:
    """A tensor map of batches × heads × rows × depth, by which so many rows and columns are moved. Raises: as `Problem.map`."""
    try:
        swizzle = SWIZZLES[columns * array.itemsize]
        return px.tensor_map(array, box=(1, 1, rows, columns), swizzle=swizzle, l2_promotion=L2_PROMOTION)
    except Diagnostic as wrong:
        wrong.message = f"{name}: {wrong.message}"
        raise


@dataclass(frozen=True, slots=True)
class Options:
    """What attention is told beside its arrays; `attention` says what the attributes mean."""

    layout: str
    causal: bool
    window: tuple[int | None, int | None]
    scale: float | None
    sinks: Any = None
    offsets: tuple[Any, Any] = (None, None)
    arrays: Any = ()
    descales: tuple[Any, Any, Any] = (None, None, None)


def problem(tensors: Sequence[Any], lse: Any, options: Options) -> Problem:
    """Attention of the arrays Q, K, V and O.

    Raises: Diagnostic PTX2104, PTX2112, PTX2303, PTX2305, PTX2307, PTX2308, PTX2309, PTX2324.
    """
    if options.layout not in LAYOUTS:
        raise bad("PTX2112", f"{options.layout!r} is no layout.", 'use "bhsd" or "bshd"')
    given = {name: array_view(x) for name, x in zip("QKVO", tensors, strict=True)}
    rows_of_all = any(x is not None for x in options.offsets)
    for name, x in given.items():
        check_array(name, x, _types(name, given["Q"].dtype), PACKED if rows_of_all else LAYOUTS[options.layout])
    if rows_of_all:
        given = {name: replace(x, shape=(1, *x.shape), strides=(0, *x.strides)) for name, x in given.items()}
    layout = "bshd" if rows_of_all else options.layout
    q, keys, v, o = (heads_first(x, layout) for x in given.values())
    _check_shapes(q, keys, v, o)
    left, right = window_of(options.causal, options.window)
    descales = _descales(options, q, keys, v)
    return Problem(
        q,
        keys,
        v,
        o,
        lse=None if lse is None else logarithms("lse", lse, q.shape[1:3] if rows_of_all else q.shape[:3]),
        left=left,
        right=right,
        scale=scale_of(options.scale, q.shape[3]),
        sinks=None if options.sinks is None else _sinks(options.sinks, o),
        packed=packed(options.offsets, (q.shape[2], keys.shape[2])),
        arrays=checked(options.arrays),
        descales=descales,
    )


def bad(code: str, what: str, help: str) -> Diagnostic:
    """What is wrong with an argument, and the way out."""
    return Diagnostic(code, what, help=help, origin=user_span())


def heads_first(x: ArrayView, layout: str) -> ArrayView:
    """The array with axes batches, heads, rows, depth."""
    if layout == "bhsd":
        return x

    def swapped(axes: tuple[int, ...]) -> tuple[int, ...]:
        return (axes[0], axes[2], axes[1], axes[3])

    return replace(x, shape=swapped(x.shape), strides=swapped(x.strides))


def _types(name: str, queries: str) -> tuple[str, ...]:
    """The types that an array may have, where Q has the type `queries`."""
    return (*TYPES, FP8) if name == "Q" else tuple(TYPES) if name == "O" and queries == FP8 else (queries,)


def check_array(name: str, x: ArrayView, wanted: Sequence[str], axes: str) -> None:
    """Whether an array is of one of these types, with these axes. Raises: Diagnostic PTX2104, PTX2307, PTX2308, PTX2309."""
    if len(x.shape) != axes.count("×") + 1:
        raise bad("PTX2308", f"{name} has {len(x.shape)} dimensions.", f"give {axes}")
    if x.dtype not in wanted:
        raise bad("PTX2307", f"{name} is {x}.", f"convert it to {' or '.join(wanted)}")
    if 0 in x.shape:
        raise bad("PTX2104", f"{name} is empty: {times(x.shape)}.", "leave the call out")
    if x.shape[-1] > 1 and x.strides[-1] != x.itemsize:
        raise bad(
            "PTX2309",
            f"{name} has strides of {', '.join(map(str, x.strides))} bytes.",
            "elements of a head are neighbours: give a contiguous copy",
        )


def _check_shapes(q: ArrayView, keys: ArrayView, v: ArrayView, o: ArrayView) -> None:
    batches, heads, rows, depth = q.shape
    for what, elements in (("Heads", depth), ("Heads of V", v.shape[3])):
        if elements % 8 or elements > LARGEST_DEPTH:
            help = f"a multiple of 8 up to {LARGEST_DEPTH}: pad with zeros"
            raise bad("PTX2308", f"{what} have {elements} elements.", help)
    if (keys.shape[0], keys.shape[3]) != (batches, depth) or heads % keys.shape[1]:
        raise bad(
            "PTX2308",
            f"Q has {batches} batches of {heads} heads of {depth} elements, "
            f"K {keys.shape[0]} of {keys.shape[1]} of {keys.shape[3]}.",
            "batches and elements are as many, and the heads of Q a multiple of those of K",
        )
    if v.shape[:3] != keys.shape[:3]:
        raise bad(
            "PTX2308",
            f"K and V differ: {times(keys.shape)} and {times(v.shape)}, as batches × heads × rows × depth.",
            "all but the depth is the same",
        )
    if o.shape != (*q.shape[:3], v.shape[3]):
        raise bad(
            "PTX2308",
            f"Q and O differ: {times(q.shape)} and {times(o.shape)}, as batches × heads × rows × depth.",
            f"O has the shape of Q, and the depth of V, which is {v.shape[3]}",
        )
    if max(rows, keys.shape[2]) > LARGEST:
        raise bad("PTX2308", f"There are {rows} queries and {keys.shape[2]} keys.", f"at most {LARGEST} of each")


def check_same(one: str, other: str, x: ArrayView, y: ArrayView) -> None:
    """Two arrays of one shape. Raises: Diagnostic PTX2308."""
    if x.shape != y.shape:
        raise bad(
            "PTX2308",
            f"{one} and {other} differ: {times(x.shape)} and {times(y.shape)}, as batches × heads × rows × depth.",
            "give one shape",
        )


def _descales(options: Options, q: ArrayView, keys: ArrayView, v: ArrayView) -> tuple[tuple[ArrayView, int, int], ...]:
    """Scales of Q, K and V in fp8; ones where they are left out."""
    named = dict(zip(("q_scale", "k_scale", "v_scale"), options.descales, strict=True))
    if q.dtype != FP8:
        for name, x in named.items():
            if x is not None:
                raise bad("PTX2112", f"{name} is given, but Q is {q.dtype}.", f"scales are for {FP8}: leave it out")
        return ()
    if any(x is not None for x in options.offsets):
        raise bad("PTX2112", "Packed sequences are given in fp8.", "convert them to bf16, or attend to each in a call")
    if v.address % WORD or any(stride % WORD for stride in v.strides[:3]):
        strides = ", ".join(map(str, v.strides))
        raise bad("PTX2309", f"V has strides of {strides} bytes.", f"rows start at multiples of {WORD} bytes")
    return tuple(_descale(name, x, heads) for (name, x), heads in zip(named.items(), (q, keys, v), strict=True))


def _descale(name: str, given: Any, of: ArrayView) -> tuple[ArrayView, int, int]:
    import numpy as np

    x = array_view(device_of(of).copy(np.ones(1, np.float32)) if given is None else given)
    if x.dtype != "float32":
        raise bad("PTX2307", f"{name} is {x}.", "convert it to float32")
    if x.shape == (1,):
        return x, 0, 0
    if x.shape not in (of.shape[1:2], of.shape[:2]):
        wanted = f"{of.shape[1]}, or {times(of.shape[:2])}"
        raise bad("PTX2308", f"{name} is {times(x.shape)}.", f"give one number, or one for each head: {wanted}")
    return x, x.strides[0] if len(x.shape) == 2 else 0, x.strides[-1]


def _sinks(given: Any, o: ArrayView) -> ArrayView:
    x = array_view(given)
    if x.dtype not in ("float32", o.dtype):
        raise bad("PTX2307", f"sinks is {x}.", f"give float32 or {o.dtype}")
    if x.shape != (o.shape[1],):
        raise bad("PTX2308", f"sinks is {times(x.shape)}.", f"give a number for each head of Q: {o.shape[1]}")
    if not x.contiguous:
        raise bad("PTX2309", "sinks has gaps between its elements.", "give a contiguous array")
    return x


def logarithms(name: str, lse: Any, shape: tuple[int, ...]) -> ArrayView:
    """A number for each query. Raises: Diagnostic PTX2307, PTX2308, PTX2309."""
    x = array_view(lse)
    if x.dtype != "float32":
        raise bad("PTX2307", f"{name} is {x}.", "give float32")
    if x.shape != shape:
        axes = "batches × heads × rows" if len(shape) == 3 else "heads × rows"
        raise bad("PTX2308", f"{name} is {times(x.shape)}.", f"give {axes}: {times(shape)}")
    if not x.contiguous:
        raise bad("PTX2309", f"{name} has gaps between its elements.", "give a contiguous array")
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
