"""What `gemm` makes of the arrays that it is given: sizes, how B lies in memory, tensor maps, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import ptxlab as px
from ptxlab.diag import Diagnostic, user_span
from ptxlab.kernels.blocks.choice import Shape
from ptxlab.launch.arrays import ArrayView, multiprocessors, view

BLayout: TypeAlias = Literal["kn", "nk"]
SWIZZLE = "128B"
L2_PROMOTION = "128B"
"""What L2 fetches for a box of A or B. 256 bytes gain nothing, and cost a tenth where rows begin at odd multiples of 16 bytes."""
SPAN = 64
"""Elements of bf16 in a swizzle span, the widest box."""
TMA_BYTES = 16
"""What addresses and pitches of rows are multiples of, for TMA."""
LARGEST = 2**31 - 256
"""Coordinates of TMA are s32, and a tile may reach beyond the matrix."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A product whose arrays fit together.

    Attributes:
        a, c: the arrays. b: as it lies in memory, rows of neighbouring elements: N × K where `b_major` is "K", K × N for "MN".
        m, n, depth: the sizes M, N, K.
    """

    a: ArrayView
    b: ArrayView
    c: ArrayView
    b_major: Literal["K", "MN"]

    @property
    def m(self) -> int:
        return self.c.shape[0]

    @property
    def n(self) -> int:
        return self.c.shape[1]

    @property
    def depth(self) -> int:
        return self.a.shape[1]

    @property
    def shape(self) -> Shape:
        """What the choice of a tiling depends on."""
        return Shape(self.m, self.n, self.depth, self.c.itemsize, self.b_major, self.multiprocessors)

    @property
    def pitch(self) -> int:
        """Bytes from one row of C to the next."""
        return self.c.strides[0]

    @property
    def tma_can_store(self) -> bool:
        """Whether TMA, which writes whole 16 bytes of a row, writes nothing but C."""
        pitch = self.pitch if self.m > 1 else 0
        return not any(x % TMA_BYTES for x in (self.c.address, pitch, self.n * self.c.itemsize))

    @property
    def multiprocessors(self) -> int:
        """SMs of the device that the arrays are on; the simulator has an H100's."""
        return multiprocessors(self.c)

    def map(self, name: str, array: ArrayView, box: Sequence[int], **options: Any) -> px.BoundMap:
        """The tensor map of one of the arrays, or why there is none, said of that array."""
        try:
            return px.tensor_map(array, box=box, swizzle=SWIZZLE, **options)
        except Diagnostic as wrong:
            wrong.message = f"{name}: {wrong.message}"
            raise


def problem(a: Any, b: Any, c: Any, b_layout: str, dtypes: Sequence[str] = ("bfloat16",)) -> Problem:
    """The product of the arrays. `dtypes`: those that A may have.

    Raises: Diagnostic PTX2112, PTX2307, PTX2308 or PTX2309, see `gemm`.
    """
    if b_layout not in ("kn", "nk"):
        raise Diagnostic("PTX2112", f"{b_layout!r} is no layout of B.", help='use "kn" or "nk"', origin=user_span())
    arrays = {"A": view(a), "B": view(b), "C": view(c)}
    same = (arrays["A"].dtype,)
    for name, x in arrays.items():
        _check_matrix(name, x, {"A": dtypes, "B": same, "C": (*same, "float32")}[name])
    _check_sizes(arrays["A"], arrays["B"], arrays["C"], b_layout)
    _check_rows("A", arrays["A"])
    _check_rows("C", arrays["C"])
    lying, b_major = _as_it_lies(arrays["B"] if b_layout == "kn" else _transposed(arrays["B"]))
    _check_rows("B", lying)
    return Problem(arrays["A"], lying, arrays["C"], b_major)


def box_of_b(b_major: str, columns: int, depth: int) -> tuple[int, int]:
    """The box by which B is loaded, in the order of its rows and columns: one span of neighbouring elements wide.

    Args:
        columns, depth: what is loaded at a time, along N and K.
    """
    return (columns, depth) if b_major == "K" else (depth, SPAN)


def _check_matrix(name: str, x: ArrayView, wanted: Sequence[str]) -> None:
    if len(x.shape) != 2:
        raise Diagnostic("PTX2308", f"{name} has {len(x.shape)} dimensions.", help="give matrices", origin=user_span())
    if x.dtype not in wanted:
        raise Diagnostic(
            "PTX2307",
            f"{name} is {x}.",
            help=f"convert it to {' or '.join(wanted)}",
            origin=user_span(),
        )


def _check_sizes(a: ArrayView, b: ArrayView, c: ArrayView, b_layout: str) -> None:
    (m, depth), (rows, columns) = a.shape, c.shape
    inner, n = b.shape if b_layout == "kn" else b.shape[::-1]
    if (inner, m, n) != (depth, rows, columns):
        letters = "K×N" if b_layout == "kn" else "N×K"
        raise Diagnostic(
            "PTX2308",
            f"A is {m}×{depth}, B {b.shape[0]}×{b.shape[1]} and C {rows}×{columns}.",
            help=f'A is M×K, B {letters} (b_layout="{b_layout}") and C M×N',
            origin=user_span(),
        )
    if max(m, n, depth) > LARGEST:
        raise Diagnostic(
            "PTX2308", f"A product of {m}×{n}×{depth} is too large.", help=f"at most {LARGEST}", origin=user_span()
        )


def _check_rows(name: str, x: ArrayView) -> None:
    """Elements of a row are neighbours, and rows follow each other."""
    rows, columns = x.shape
    apart = columns > 1 and x.strides[1] != x.itemsize
    if apart or (rows > 1 and x.strides[0] < columns * x.itemsize):
        raise Diagnostic(
            "PTX2309",
            f"{name} has strides of {x.strides[0]} and {x.strides[1]} bytes.",
            help="elements of a row are neighbours and rows do not overlap: give a contiguous copy",
            origin=user_span(),
        )


def _transposed(x: ArrayView) -> ArrayView:
    return replace(x, shape=x.shape[::-1], strides=x.strides[::-1])


def _as_it_lies(b: ArrayView) -> tuple[ArrayView, Literal["K", "MN"]]:
    """B, K × N, by the rows that it has in memory; of a single row or column, which may be both, the way that TMA can read."""
    ways: tuple[tuple[ArrayView, Literal["K", "MN"]], ...] = ((b, "MN"), (_transposed(b), "K"))
    readable = [
        way for way in ways if _neighbours(way[0]) and (way[0].shape[0] == 1 or way[0].strides[0] % TMA_BYTES == 0)
    ]
    return (readable or [way for way in ways if _neighbours(way[0])] or ways)[0]


def _neighbours(x: ArrayView) -> bool:
    return x.shape[1] == 1 or x.strides[1] == x.itemsize
