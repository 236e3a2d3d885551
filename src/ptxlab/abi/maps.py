"""Tensor maps of arrays as arguments of a launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ptxlab.abi.arrays import ArrayView, view
from ptxlab.diag import Diagnostic, user_span
from ptxlab.layout import tensormap_array
from ptxlab.layout.tensormap import TensorMap


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

    Raises: Diagnostic PTX2100–PTX2112 for what a tensor map cannot describe, PTX2119 for arrays that none can (strided last
        axis, dtypes without an element type), PTX2306 for arrays that no kernel can reach. ISA: Tensor-map.
    """
    a = view(array)
    _check_rank("box", box, a)
    _check_rank("element_strides", element_strides, a)
    # A dtype that NumPy has no name for (bfloat16 as .npy files hold it) is only bytes of a size; `dtype` says which.
    named = replace(a, dtype=f"uint{8 * a.itemsize}") if dtype is not None and a.ptx_type is None else a
    made = tensormap_array.tensor_map(
        named,
        box=box,
        swizzle=swizzle,
        dtype=dtype,
        element_strides=element_strides,
        interleave=interleave,
        l2_promotion=l2_promotion,
        oob_fill=oob_fill,
    )
    return BoundMap(made, a)


def _check_rank(name: str, values: Any, a: ArrayView) -> None:
    """The map itself counts from the innermost dimension; here the order is the array's, and the message says so."""
    rank = len(a.shape)
    given = len(values) if hasattr(values, "__len__") else rank  # what is no list is refused behind
    if given == rank:
        return
    raise Diagnostic(
        "PTX2100",
        f"`{name}` has {given} values for an array of {rank} dimensions.",
        help=f"give {rank}, in the order of the array's axes",
        origin=user_span(),
        isa="Tensor-map",
    )
