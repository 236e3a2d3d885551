"""Tensor maps of arrays, in the array's own axis order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ptxlab.abi.arrays import ArrayView, view
from ptxlab.diag import Diagnostic, user_span
from ptxlab.layout.tensormap import TensorMap

# Element types of maps have no name for bytes with a sign or for float8: what is copied is the same.
_ELEMENT: Final = {"s8": "u8", "s16": "u16", "e4m3": "u8", "e5m2": "u8"}
_STRIDE_UNIT: Final = 16


@dataclass(frozen=True, slots=True)
class BoundMap:
    """A tensor map together with the array that it describes, so that the array stays alive and its device is known."""

    map: TensorMap
    array: ArrayView

    def encode(self) -> bytes:
        """The 128 bytes that go into the parameter block."""
        return self.map.encode()


def tensor_map(
    array: Any,
    box: Sequence[int],
    *,
    swizzle: str | int | None = "none",
    interleave: str | None = "none",
    l2_promotion: str | int | None = "none",
    oob_fill: str | None = "zero",
    element_strides: Sequence[int] | None = None,
    dtype: str | None = None,
) -> BoundMap:
    """A tiled tensor map of `array`, as an argument of a launch.

    Args:
        array: NumPy, torch, CuPy, JAX; 1–5 dimensions; its last axis must have neighbouring elements.
        box: extents of the tile that one copy moves, in elements, in the array's axis order (last axis innermost).
        swizzle: "none", "32B", "64B" or "128B" (or 32, 64, 128).
        interleave: "none", "16B" or "32B".
        l2_promotion: "none", "64B", "128B" or "256B".
        oob_fill: what elements outside the array read as: "zero" or "nan".
        element_strides: step between elements that are taken, per axis, in the array's axis order; default 1.
        dtype: element type of the map where it is not the array's own, e.g. "tf32" for float32.

    Raises: Diagnostic PTX2100–PTX2112 for what a tensor map cannot describe, PTX2309 where the last axis is strided,
        PTX2119 for dtypes without an element type. ISA: Tensor-map.
    """
    a = view(array)
    shape, strides = a.shape, list(a.strides)
    _check(a, box, element_strides)
    for i in range(len(shape) - 2, -1, -1):
        if shape[i] == 1:  # never stepped over, so any legal stride does; NumPy's need not be one
            strides[i] = -(-strides[i + 1] * shape[i + 1] // _STRIDE_UNIT) * _STRIDE_UNIT
    made = TensorMap.tiled(
        dtype=dtype or _element(a),
        address=a.address,
        dims=shape[::-1],
        strides=strides[:-1][::-1],
        box=tuple(box)[::-1],
        element_strides=None if element_strides is None else tuple(element_strides)[::-1],
        interleave=interleave,
        swizzle=swizzle,
        l2_promotion=l2_promotion,
        oob_fill=oob_fill,
    )
    return BoundMap(made, a)


def _element(a: ArrayView) -> str:
    name = a.ptx_type
    if name is None:
        raise Diagnostic(
            "PTX2119",
            f"A tensor map has no element type for {a.dtype}.",
            help='name one, e.g. dtype="u8", or view the array as another dtype',
            origin=user_span(),
        )
    return _ELEMENT.get(name, name)


def _check(a: ArrayView, box: Sequence[int], steps: Sequence[int] | None) -> None:
    """What has to be said in the array's axis order, before the map turns it round."""
    rank = len(a.shape)
    for name, given in (("box", box), ("element_strides", steps)):
        if given is not None and len(given) != rank:
            raise Diagnostic(
                "PTX2100",
                f"`{name}` has {len(given)} values for an array of {rank} dimensions.",
                help=f"give {rank}, in the order of the array's axes",
                origin=user_span(),
                isa="Tensor-map",
            )
    if rank and a.shape[-1] > 1 and a.strides[-1] != a.itemsize:
        raise Diagnostic(
            "PTX2309",
            f"Elements along the last axis are {a.strides[-1]} bytes apart; a tensor map wants them side by side"
            f" ({a.itemsize} bytes).",
            help="pass a transposed array untransposed with its axes in the box exchanged, or make a contiguous copy",
            origin=user_span(),
            isa="Tensor-map",
        )
