"""Tensor maps of arrays as arguments of a launch.

Maps are cached by what they follow from: address, shape, strides, dtype, box and modes. A map in the cache never changes, and each
launch copies its bytes into a parameter block of its own, so launches on several streams and threads do not meet.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from dataclasses import replace
from operator import index
from typing import Any, Final

from numpy import ndarray

from ptxlab.abi.arrays import ArrayView, view
from ptxlab.diag import Diagnostic, html, user_span
from ptxlab.diag.boundary import public
from ptxlab.layout import tensormap_array
from ptxlab.layout.tensormap import TensorMap

CACHED: Final = 4096
"""Maps that are kept; the oldest goes first."""


class BoundMap:
    """A tensor map together with the array that it describes, so that the array stays alive and its device is known.

    Attributes:
        map: the map.

    Example:
        a = px.empty((64, 64), np.float32)
        bound = px.tensor_map(a, box=(32, 32))
        bound.check()  # the array is still what the map describes
        print(bound.array.shape, len(bound.encode()), bound.map.rank)  # (64, 64) 128 2
    """

    __slots__ = ("_array", "_identity", "_owner", "map")

    def __init__(self, map: TensorMap, array: Any, identity: tuple[Any, ...] | None = None) -> None:
        self.map = map
        self._array = self._owner = array
        self._identity = identity

    @property
    def array(self) -> ArrayView:
        """The array, described when it is first asked for."""
        found = view(self._array)
        self._array = found
        return found

    @property
    def owner(self) -> Any:
        """The array as it was given."""
        return self._owner

    def check(self) -> None:
        """Raise Diagnostic PTX2321 where the array has another shape or place by now than the map describes."""
        if self._identity is None or (now := _identity(self._owner)) == self._identity:
            return
        then, others = self._identity[1], "strides, dtype or memory"
        words = f"was {_shape(then)} and is {_shape(now[1])}" if then != now[1] else f"has other {others} by now"
        raise Diagnostic(
            "PTX2321",
            f"The array behind the tensor map {words}, but the map describes it as it was.",
            help="make the map after the last change of the array: px.tensor_map(array, box=…)",
        )

    def encode(self) -> bytes:
        """The 128 bytes that go into the parameter block."""
        return self.map.encode()

    def __repr__(self) -> str:
        return f"<BoundMap of {self._shown()}: {self.map!r}>"

    def _repr_html_(self) -> str:
        return html.heading(f"BoundMap of {self._shown()}") + self.map._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def _shown(self) -> str:
        """The array in words. One that is gone, or that nobody can read, is shown by its type."""
        try:
            return f"{_shape(self.array.shape)} array of {self.array.dtype}"
        except Diagnostic:
            return f"a {type(self._owner).__name__}"


def _shape(extents: Sequence[int]) -> str:
    return "×".join(map(str, extents))


@public
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
        array: NumPy, torch, CuPy, JAX; 1–5 dimensions; its last axis must have neighbouring elements. fp8 arrays of NumPy are
            `px.empty(shape, "e4m3")` or "e5m2", dtypes of ml_dtypes; maps have no word for them, and move them as "u8".
        box: extents of the tile that one copy moves, in elements, in the array's axis order (last axis innermost).
        swizzle: "none", "32B", "64B" or "128B" (or 32, 64, 128).
        interleave: "none", "16B" or "32B".
        l2_promotion: "none", "64B", "128B" or "256B".
        oob_fill: what elements outside the array read as: "zero" or "nan".
        element_strides: step between elements that are taken, per axis, in the array's axis order; default 1.
        dtype: element type of the map where it is not the array's own, e.g. "tf32" for float32, "u8" for any 8 bits.

    Raises: Diagnostic PTX2100–PTX2112 for what a tensor map cannot describe, PTX2119 for arrays that none can (strided last
        axis, dtypes without an element type), PTX2306 for arrays that no kernel can reach. ISA: Tensor-map.

    Returns: the map, bound to the array. Make it again when the array's memory or shape changes.

    Example:
        a = px.empty((128, 256), np.float16)
        tm = px.tensor_map(a, box=(64, 64), swizzle="128B")  # rows, columns
        print(tm.map.dims, tm.map.strides, tm.map.box)  # (256, 128) (512,) (64, 64)
    """
    try:
        taken = None if element_strides is None else tuple(map(index, element_strides))
        modes = swizzle, interleave, l2_promotion, oob_fill, dtype, taken
        identity = _identity(array)
        key = identity, tuple(map(index, box)), modes
        found = _cache.get(key)
    except (TypeError, KeyError, Diagnostic):  # what a map refuses is refused by the map
        key = found = identity = None
    if found is not None:
        return BoundMap(found, array, identity)
    a = view(array)
    made = _made(
        a,
        box,
        element_strides,
        dtype,
        swizzle=swizzle,
        interleave=interleave,
        l2_promotion=l2_promotion,
        oob_fill=oob_fill,
    )
    if key is not None:
        _keep(key, made)
    return BoundMap(made, array, identity)


_cache: dict[Hashable, TensorMap] = {}
_writing = threading.Lock()


def _keep(key: Hashable, made: TensorMap) -> None:
    made.encode()  # the bytes are kept with the map
    with _writing:
        if len(_cache) >= CACHED:
            del _cache[next(iter(_cache))]
        _cache[key] = made


def _identity(array: Any) -> tuple[Any, ...]:
    """Address, shape, strides and dtype of an array, as its library has them."""
    kind = type(array)  # pyright: ignore[reportUnknownVariableType]
    if kind is ndarray:
        return array.ctypes.data, array.shape, array.strides, array.dtype
    if kind is ArrayView:
        return array.address, array.shape, array.strides, array.dtype, array.itemsize
    if kind.__module__ == "torch":
        return array.data_ptr(), array.shape, array.stride(), array.dtype
    if kind.__module__ == "cupy":
        return array.data.ptr, array.shape, array.strides, array.dtype
    a = view(array)
    return a.address, a.shape, a.strides, a.dtype, a.itemsize


def _made(a: ArrayView, box: Any, element_strides: Any, dtype: Any, **modes: Any) -> TensorMap:
    _check_rank("box", box, a)
    _check_rank("element_strides", element_strides, a)
    # A dtype that NumPy has no name for (bfloat16 as .npy files hold it) is only bytes of a size; `dtype` says which.
    named = replace(a, dtype=f"uint{8 * a.itemsize}") if dtype is not None and a.ptx_type is None else a
    return tensormap_array.tensor_map(named, box=box, dtype=dtype, element_strides=element_strides, **modes)


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
