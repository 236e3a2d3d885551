"""The arguments of `gemm`, checked: sizes, the layout of B, tensor maps, and diagnostics for what does not fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, device_of, user_span
from ptxlab.kernels.blocks.choice import Shape
from ptxlab.kernels.blocks.tiling import SPAN as SPAN_BYTES
from ptxlab.kernels.blocks.tiling import SWIZZLES
from ptxlab.kernels.blocks.tiling import TMA_BYTES as TMA_BYTES

BLayout: TypeAlias = Literal["kn", "nk"]
SWIZZLE = SWIZZLES[SPAN_BYTES]
L2_PROMOTION = "128B"
"""What L2 fetches for a box of A or B. 256 bytes gain nothing, and cost a tenth where rows begin at odd multiples of 16 bytes."""
SPAN = 64
"""Elements of bf16 in a swizzle span, the widest box."""
LARGEST = 2**31 - 256
"""Coordinates of TMA are s32, and a tile may reach beyond the matrix."""
FP8 = ("float8_e4m3fn", "float8_e5m2")
INTEGERS = ("int8", "uint8")
TYPES: dict[str, type[px.Register]] = {
    "bfloat16": px.bf16,
    "float16": px.f16,
    "float32": px.f32,
    "float8_e4m3fn": px.e4m3,
    "float8_e5m2": px.e5m2,
    "int8": px.s8,
    "uint8": px.u8,
    "int32": px.s32,
}
"""Types that products have."""
INPUTS = ("bfloat16", "float16", "float32", *FP8, *INTEGERS)
RESULTS = ("bfloat16", "float16", "float32", *FP8)
"""What sums are stored as; those of integers as int32 too, but not as fp8."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A product whose arrays fit together.

    Attributes:
        a, b: as they lie in memory, rows of neighbouring elements: N × K where `b_major` is "K", K × N for "MN", likewise A.
        c: the result. per_result: sums that make an element of it, 2 where there is a gate.
        m, n, depth: the sizes M, N, K; n is that of C. steps: along K, where A and B stand for something else.
    """

    a: ArrayView
    b: ArrayView
    c: ArrayView
    b_major: Literal["K", "MN"]
    a_major: Literal["K", "MN"] = "K"
    per_result: int = 1
    steps: int | None = None

    @property
    def m(self) -> int:
        return self.c.shape[0]

    @property
    def n(self) -> int:
        return self.c.shape[1]

    @property
    def depth(self) -> int:
        return self.steps if self.steps is not None else self.a.shape[1 if self.a_major == "K" else 0]

    @property
    def arrays(self) -> tuple[ArrayView, ...]:
        """Those that have to live as long as the launch does."""
        return (self.a, self.b, self.c)

    def shape(self, *, promoted: bool = False, per_line: str = "") -> Shape:
        """What the choice of a tiling depends on."""
        return Shape(
            self.m,
            self.n * self.per_result,
            self.depth,
            self.c.itemsize,
            self.b_major,
            self.multiprocessors,
            a_major=self.a_major,
            size=self.a.itemsize,
            gated=self.per_result == 2,
            promoted=promoted,
            per_line=per_line,
            loads_a=0 if tma_can_load(self.a) else bytes_at_once(self.a),
            loads_b=0 if tma_can_load(self.b) else bytes_at_once(self.b),
            stores=0 if self.tma_can_store else bytes_at_once(self.c),
        )

    @property
    def loaded(self) -> list[str]:
        """Names of operands that TMA cannot load."""
        return [name for name, x in (("a", self.a), ("b", self.b)) if not tma_can_load(x)]

    @property
    def pitch(self) -> int:
        """Bytes from one row of C to the next."""
        return self.c.strides[0]

    @property
    def tma_can_store(self) -> bool:
        """Whether TMA, which writes whole 16 bytes of a row, writes nothing but C."""
        return tma_can_load(self.c) and self.n * self.c.itemsize % TMA_BYTES == 0

    @property
    def multiprocessors(self) -> int:
        """SMs of the device that the arrays are on; the simulator has an H100's."""
        return device_of(self.c).sm_count

    def map(
        self, name: str, array: ArrayView, box: Sequence[int], *, span: int = SPAN_BYTES, **options: Any
    ) -> px.BoundMap:
        """The tensor map of one of the arrays, or why there is none, said of that array."""
        try:
            return px.tensor_map(array, box=box, swizzle=SWIZZLES[span], **options)
        except Diagnostic as wrong:
            wrong.message = f"{name}: {wrong.message}"
            raise


def pitch_of(x: ArrayView) -> int:
    """Bytes from one row to the next; 0 where there is one."""
    return x.strides[0] if x.shape[0] > 1 else 0


def tma_can_load(x: ArrayView) -> bool:
    """Whether rows begin at multiples of 16 bytes."""
    return (x.address | pitch_of(x)) % TMA_BYTES == 0


def bytes_at_once(x: ArrayView) -> int:
    """What a thread may read or write at once of a row, wherever it begins: at most 8 bytes."""
    return math.gcd(8, x.address, pitch_of(x), x.shape[1] * x.itemsize)


def problem(a: Any, b: Any, c: Any, b_layout: str, *, gated: bool = False) -> Problem:
    """The product of the arrays, with a gate or without.

    Raises: Diagnostic PTX2112, PTX2307, PTX2308 or PTX2309, see `gemm`.
    """
    _check_layout(b_layout)
    left, right, result = array_view(a), array_view(b), array_view(c)
    check_matrix("A", left, INPUTS)
    check_matrix("B", right, next((kind for kind in (FP8, INTEGERS) if left.dtype in kind), (left.dtype,)))
    check_matrix("C", result, ("int32", *RESULTS[:3]) if left.dtype in INTEGERS else RESULTS)
    _check_sizes(left, right, result, b_layout, per_result=2 if gated else 1)
    check_rows("C", result)
    a_lies, a_major = _as_it_lies(_transposed(left))
    b_lies, b_major = _as_it_lies(right if b_layout == "kn" else _transposed(right))
    check_rows("A", a_lies)
    check_rows("B", b_lies)
    return Problem(a_lies, b_lies, result, b_major, a_major, 2 if gated else 1)


def alike(a: Any, b: Any, c: Any, b_layout: str) -> Problem:
    """The product of bf16 or fp8 arrays, A with rows along K, for kernels that know no others.

    Raises: Diagnostic PTX2112, PTX2307, PTX2308 or PTX2309, see `grouped_gemm`.
    """
    _check_layout(b_layout)
    arrays = {"A": array_view(a), "B": array_view(b), "C": array_view(c)}
    for name, x in arrays.items():
        factors = FP8 if name == "B" and arrays["A"].dtype in FP8 else ("bfloat16", *(FP8 if name == "A" else ()))
        check_matrix(name, x, ("bfloat16", "float32") if name == "C" else factors)
    _check_sizes(arrays["A"], arrays["B"], arrays["C"], b_layout)
    check_rows("A", arrays["A"])
    check_rows("C", arrays["C"])
    lying, b_major = _as_it_lies(arrays["B"] if b_layout == "kn" else _transposed(arrays["B"]))
    check_rows("B", lying)
    if b_major == "MN" and lying.itemsize == 1 and 0 not in lying.shape:
        raise Diagnostic(
            "PTX2309",
            f"B is {arrays['B'].dtype}, and its neighbours lie across K.",
            help='wgmma reads fp8 along K alone: give B as N×K with b_layout="nk", or a transposed view of that',
            origin=user_span(),
        )
    return Problem(arrays["A"], lying, arrays["C"], b_major)


def _check_layout(b_layout: str) -> None:
    if b_layout not in ("kn", "nk"):
        raise Diagnostic("PTX2112", f"{b_layout!r} is no layout of B.", help='use "kn" or "nk"', origin=user_span())


def box_of_b(b_major: str, columns: int, depth: int) -> tuple[int, int]:
    """The box by which B is loaded, in the order of its rows and columns: one span of neighbouring elements wide.

    Args:
        columns, depth: what is loaded at a time, along N and K.
    """
    return (columns, depth) if b_major == "K" else (depth, SPAN)


def operand_box(major: str, lines: int, step: int) -> tuple[int, int]:
    """The box by which `gemm` loads an operand, in the order of its rows and columns.

    Args:
        lines, step: what is loaded at a time, across K and along it.
    """
    return (lines, step) if major == "K" else (step, min(lines, step))


def operand_map(p: Problem, name: str, x: ArrayView, box: tuple[int, int]) -> px.BoundMap:
    """The tensor map by which an operand is loaded in boxes of `operand_box`, whose rows are a swizzle span."""
    return p.map(name, x, box, span=box[1] * x.itemsize, l2_promotion=L2_PROMOTION)


def check_matrix(name: str, x: ArrayView, wanted: Sequence[str]) -> None:
    """A matrix of one of these types. Raises: Diagnostic PTX2307, PTX2308."""
    if len(x.shape) != 2:
        raise Diagnostic("PTX2308", f"{name} has {len(x.shape)} dimensions.", help="give matrices", origin=user_span())
    if x.dtype not in wanted:
        raise Diagnostic(
            "PTX2307",
            f"{name} is {x}.",
            help=f"convert it to {' or '.join(wanted)}",
            origin=user_span(),
        )


def _check_sizes(a: ArrayView, b: ArrayView, c: ArrayView, b_layout: str, per_result: int = 1) -> None:
    (m, depth), (rows, columns) = a.shape, c.shape
    inner, n = b.shape if b_layout == "kn" else b.shape[::-1]
    if (inner, m, n) != (depth, rows, columns * per_result):
        letters = "K×N" if b_layout == "kn" else "N×K"
        wanted = "M×N" if per_result == 1 else "M×N/2, for the epilogue has a gate"
        raise Diagnostic(
            "PTX2308",
            f"A is {m}×{depth}, B {b.shape[0]}×{b.shape[1]} and C {rows}×{columns}.",
            help=f'A is M×K, B {letters} (b_layout="{b_layout}") and C {wanted}',
            origin=user_span(),
        )
    if max(m, n, depth) > LARGEST:
        raise Diagnostic(
            "PTX2308", f"A product of {m}×{n}×{depth} is too large.", help=f"at most {LARGEST}", origin=user_span()
        )


def zeroed(near: ArrayView, shape: tuple[int, int], dtype: str) -> ArrayView:
    """A matrix of zeros on the device of `near`."""
    return array_view(device_of(near).zeros(shape, dtype))


def check_rows(name: str, x: ArrayView) -> None:
    """Elements of a row are neighbours, and rows follow each other."""
    rows, columns = x.shape
    gaps = columns > 1 and x.strides[1] != x.itemsize
    if gaps or (rows > 1 and x.strides[0] < columns * x.itemsize):
        raise Diagnostic(
            "PTX2309",
            f"{name} has strides of {x.strides[0]} and {x.strides[1]} bytes.",
            help="elements of a row are neighbours and rows do not overlap: give a contiguous copy",
            origin=user_span(),
        )


def times(extents: Sequence[int]) -> str:
    """A shape in words, e.g. "64×128"."""
    return "×".join(map(str, extents))


def _transposed(x: ArrayView) -> ArrayView:
    return replace(x, shape=x.shape[::-1], strides=x.strides[::-1])


def _as_it_lies(b: ArrayView) -> tuple[ArrayView, Literal["K", "MN"]]:
    """B, K × N, or Aᵀ, by the rows that it has in memory; of a single row or column, which may be both, the way that TMA reads."""
    ways: tuple[tuple[ArrayView, Literal["K", "MN"]], ...] = ((b, "MN"), (_transposed(b), "K"))
    if b.itemsize != 2:  # wgmma reads it along K or not at all
        ways = ways[::-1]
    readable = [
        way for way in ways if _neighbours(way[0]) and (way[0].shape[0] == 1 or way[0].strides[0] % TMA_BYTES == 0)
    ]
    return (readable or [way for way in ways if _neighbours(way[0])] or ways)[0]


def _neighbours(x: ArrayView) -> bool:
    return x.shape[1] == 1 or x.strides[1] == x.itemsize
