"""NumPy arrays as kernels want them."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.abi.arrays import CPU, ArrayView, is_array, view
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


__all__ = ["CPU", "ArrayView", "array_view", "dtype_of", "empty", "is_array", "view"]


@public
def array_view(array: Any) -> ArrayView:
    """Where an array of any library lies, without a copy: for host code that checks its arguments. A view gives itself.

    Args:
        array: a NumPy, torch, CuPy or JAX array, or anything that speaks DLPack or `__cuda_array_interface__`.

    Raises: Diagnostic PTX2306 where the array is on a device or of a kind that no kernel can reach, PTX2321 where its memory
        is gone.

    Example:
        x = px.array_view(np.zeros((4, 8), np.float16))
        print(x.shape, x.dtype, x.itemsize)  # (4, 8) float16 2
    """
    return view(array)


@public
def empty(shape: int | Sequence[int], dtype: Any, align: int = 256) -> npt.NDArray[Any]:
    """A NumPy array whose first byte lies on a multiple of `align` bytes. Its content is undefined.

    NumPy itself aligns to 16 bytes or so; tensor maps and wide vector accesses want more.

    Args:
        shape: extents.
        dtype: NumPy's or ml_dtypes'; names such as "bfloat16" are taken too.
        align: a power of two.

    Raises: Diagnostic PTX2305 for extents that are none and an alignment that is no power of two, PTX2307 for an unknown
        dtype, PTX2323 where memory is short.

    Example:
        a = px.empty((64, 64), "bfloat16")
        print(a.shape, a.dtype, a.ctypes.data % 256)  # (64, 64) bfloat16 0
    """
    import numpy as np

    if not isinstance(align, int | np.integer) or align < 1 or align & (align - 1):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Diagnostic(
            "PTX2305", f"align={align!r} is no power of two.", help="use e.g. 128 or 256", origin=user_span()
        )
    item, extents = dtype_of(dtype), extents_of(shape)
    nbytes = item.itemsize * math.prod(extents)
    try:
        raw = np.empty(nbytes + align, np.uint8)
    except (MemoryError, ValueError):
        raise Diagnostic(
            "PTX2323",
            f"There is no room for {nbytes} bytes.",
            help=f"they are {nbytes / (1 << 30):.1f} GiB: use smaller extents",
            origin=user_span(),
        ) from None
    start = -raw.__array_interface__["data"][0] % align
    return raw[start : start + nbytes].view(item).reshape(extents)


def extents_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    try:
        given: Sequence[int] = shape if isinstance(shape, Sequence) else (shape,)
        extents = tuple(operator.index(n) for n in given)
    except TypeError:
        extents = (-1,)
    if any(n < 0 for n in extents):
        raise Diagnostic(
            "PTX2305",
            f"{shape!r} is no shape of an array.",
            help="give extents from 0 on, e.g. (64, 64)",
            origin=user_span(),
        )
    return extents


def dtype_of(dtype: Any) -> np.dtype[Any]:
    """A NumPy dtype from NumPy's and ml_dtypes' types and names, and PTX's names ("bf16", "b32").

    Raises: Diagnostic PTX2307 for anything else.
    """
    import ml_dtypes
    import numpy as np

    from ptxlab.abi.arrays import PTX_TYPE

    if isinstance(dtype, str):
        by_ptx = {ptx: name for name, ptx in PTX_TYPE.items() if name != "bool"}
        name = by_ptx.get(f"u{dtype[1:]}" if dtype in ("b8", "b16", "b32", "b64") else dtype, dtype)
        dtype = getattr(ml_dtypes, name, name)
    try:
        return np.dtype(dtype)
    except TypeError:
        raise Diagnostic(
            "PTX2307", f"{dtype!r} is no dtype.", help='use e.g. np.float32, "bfloat16" or "u32"', origin=user_span()
        ) from None
