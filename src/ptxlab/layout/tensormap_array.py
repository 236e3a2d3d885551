"""A tensor map for an array: shape, strides and element type are taken from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic, user_span
from ptxlab.layout.tensormap import ISA, TensorMap
from ptxlab.layout.tensormap_fields import element_word

# Types without a word of their own travel as bytes or words of their size: TMA does no arithmetic on loads.
WORDS: dict[str, str] = {
    "bool": "u8",
    "int8": "u8",
    "uint8": "u8",
    "float8_e4m3fn": "u8",
    "float8_e5m2": "u8",
    "int16": "u16",
    "uint16": "u16",
    "int32": "s32",
    "uint32": "u32",
    "int64": "s64",
    "uint64": "u64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}


class Described(Protocol):
    """An array of any library, as far as a map needs to know it: lists in the array's axis order, strides in bytes, dtype as
    NumPy and ml_dtypes spell it."""

    @property
    def address(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def dtype(self) -> str: ...


class _NumpyArray(NamedTuple):
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    dtype: str


def _described(array: NDArray[Any] | Described) -> Described:
    if isinstance(array, np.ndarray):
        return _NumpyArray(array.ctypes.data, array.shape, array.strides, array.itemsize, array.dtype.name)
    if all(hasattr(array, name) for name in ("address", "shape", "strides", "itemsize", "dtype")):
        return array
    raise Diagnostic(
        "PTX2119",
        f"A {type(array).__name__} is no array that a tensor map can describe.",
        help="give a NumPy array",
        origin=user_span(),
        isa=ISA,
    )


def tensor_map(
    array: NDArray[Any] | Described,
    *,
    box: Sequence[int],
    swizzle: str | int | None = "none",
    dtype: str | None = None,
    element_strides: Sequence[int] | None = None,
    interleave: str | None = "none",
    l2_promotion: str | int | None = "none",
    oob_fill: str | None = "zero",
) -> TensorMap:
    """The tiled map of an array. All lists are in the array's axis order, unlike `TensorMap.tiled`.

    Args:
        array: 1 to 5 dimensions, the last contiguous; rows may be padded.
        box: elements of the box per axis.
        dtype: another word of the same size, e.g. "tf32" for a float32 array; default from the array. Maps have no word for "e4m3",
            "e5m2" and types without a sign: they mean "u8" and so on.
        Others as in `TensorMap.tiled`.

    Raises: Diagnostic PTX2119 for an array that no map describes, PTX2100–PTX2112 as `TensorMap.tiled` does.
    """
    a = _described(array)
    problem, help = _unfit(a)
    if problem:
        raise Diagnostic("PTX2119", problem, help=help, origin=user_span(), isa=ISA)
    # A stride along an axis of one element is never used, so any legal one will do.
    strides = [s if n > 1 else 0 for n, s in zip(a.shape[:-1], a.strides[:-1], strict=True)]
    return TensorMap.tiled(
        dtype=element_word(dtype) if isinstance(dtype, str) and dtype else dtype or WORDS[a.dtype],
        address=a.address,
        dims=a.shape[::-1],
        strides=strides[::-1],
        box=_reversed("box", box),
        element_strides=None if element_strides is None else _reversed("element_strides", element_strides),
        interleave=interleave,
        swizzle=swizzle,
        l2_promotion=l2_promotion,
        oob_fill=oob_fill,
    )


def _reversed(name: str, values: Any) -> Sequence[int]:
    try:
        return tuple(values)[::-1]
    except TypeError:
        raise Diagnostic(
            "PTX2100",
            f"{name} must list one integer per axis, not {values!r}.",
            help="write a tuple in the array's axis order",
            origin=user_span(),
            isa=ISA,
        ) from None


def _unfit(a: Described) -> tuple[str, str]:
    """Why no map describes this array, and what to do; two empty strings if one does."""
    if a.dtype not in WORDS:
        return f"Tensor maps have no element type for {a.dtype}.", "view the array as integers of the same size"
    if not a.shape:
        return "A tensor map needs at least one dimension; the array has none.", "reshape it to (1,)"
    if a.shape[-1] > 1 and a.strides[-1] != a.itemsize:
        return (
            f"The last axis of the array is not contiguous: its stride is {a.strides[-1]} bytes, an element has {a.itemsize}.",
            "make a contiguous copy, or describe the transposed array",
        )
    if any(s < 0 for n, s in zip(a.shape, a.strides, strict=True) if n > 1):
        return "The array has a negative stride.", "make a contiguous copy"
    return "", ""
