"""Arrays in the library of the one that an operator was given: what its function makes its results with."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ptxlab.abi.arrays import ArrayView, is_array
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.arrays import dtype_of, empty
from ptxlab.launch.devices import device_of
from ptxlab.launch.watch import watching

if TYPE_CHECKING:
    Array: TypeAlias = Any
else:

    class Array:
        """In annotations of an operator: an array of NumPy, a tensor of torch, an array of CuPy or JAX.

        What the operator's function gets has a `shape`, a `dtype` and an `ndim`; of torch it is the tensor itself.

        Example: see px.operator
        """


class Outline:
    """What is known of an array while shapes alone are asked for.

    Attributes:
        shape, dtype: as NumPy has them.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<the outline of a {self.dtype} array of {'×'.join(map(str, self.shape)) or 'no dimensions'}>"


@public
def empty_like(array: Any, *, shape: int | Sequence[int] | None = None, dtype: Any = None) -> Any:
    """A new array of the same library, on the same device; its content is undefined. It is contiguous.

    Args:
        array: of NumPy, torch or CuPy, or anything else that is on a GPU; what an operator's function was given.
        shape: of the new one; left out, the given array's.
        dtype: of the new one: a name of NumPy, ml_dtypes or PTX, `px.f32`, or the library's own; left out, the given array's.

    Raises: Diagnostic PTX2307 for an unknown dtype, PTX2305 for extents that are none, PTX2306 for what is no array, or one of JAX
        outside of an operator.

    Example:
        x = np.ones((4, 8), np.float32)
        out = px.empty_like(x, shape=(4,), dtype="float16")
        print(type(out).__name__, out.shape, out.dtype)  # ndarray (4,) float16
    """
    return _made(array, shape, dtype, zeros=False)


@public
def zeros_like(array: Any, *, shape: int | Sequence[int] | None = None, dtype: Any = None) -> Any:
    """`px.empty_like`, filled with zeros.

    Args:
        array, shape, dtype: as for `px.empty_like`.

    Raises: Diagnostic as `px.empty_like`.

    Example:
        print(px.zeros_like(np.ones(3, np.float32)))  # [0. 0. 0.]
    """
    return _made(array, shape, dtype, zeros=True)


def library_of(value: Any) -> str:
    """The library that an array is of: "numpy", "torch", "cupy", "jax", "other" for any other one, "" for what is no array."""
    kind: type = type(value)  # pyright: ignore[reportUnknownVariableType]
    for base in kind.__mro__:
        name = base.__module__.partition(".")[0]
        if name in ("numpy", "torch", "cupy"):
            known = {"numpy": "ndarray", "torch": "Tensor", "cupy": "ndarray"}[name]
            if base.__name__ == known:
                return name
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(value, jax.Array):
        return "jax"
    return "other" if is_array(value) else ""


def dtype_word(dtype: Any) -> str:
    """NumPy's name of a dtype of any library, of PTX, or of a px type. Raises: Diagnostic PTX2307."""
    if type(dtype).__module__.partition(".")[0] == "torch":
        return str(dtype).rpartition(".")[2]
    scalar: Any = getattr(dtype, "scalar", None) if isinstance(dtype, type) else None
    return str(dtype_of(dtype if scalar is None or not hasattr(scalar, "bits") else scalar.name).name)


def _made(array: Any, shape: Any, dtype: Any, *, zeros: bool) -> Any:
    like: Any = array.owner if isinstance(array, ArrayView) else array
    given: Any = array.shape if shape is None else shape
    extents: tuple[Any, ...] = (*given,) if isinstance(given, Sequence) else (given,)  # pyright: ignore[reportUnknownVariableType]
    watch = watching()
    if watch is not None:
        found = watch.allocated(like, extents, dtype_word(array.dtype if dtype is None else dtype), zeros=zeros)
        if found is not None:
            return found
    library = library_of(like)
    if library == "torch":
        return torch_array(like, extents, dtype_word(array.dtype if dtype is None else dtype), zeros=zeros)
    if not library or library == "jax":
        what = "An array of JAX" if library else f"A {type(like).__name__}"
        why = "is written within an operator alone" if library else "is no array"
        raise Diagnostic("PTX2306", f"{what} {why}.", help="give a NumPy array or a tensor", origin=user_span())
    word = dtype_word(array.dtype if dtype is None else dtype)
    if library == "numpy":
        made = empty(_whole(extents), dtype_of(word))
        if zeros:
            made[...] = 0
        return made
    if library == "cupy":
        cupy: Any = sys.modules["cupy"]
        with like.device:
            return (cupy.zeros if zeros else cupy.empty)(_whole(extents), dtype_of(word))
    return device_of(like).zeros(_whole(extents), word)


def torch_array(like: Any, extents: tuple[Any, ...], word: str, *, zeros: bool) -> Any:
    """A tensor beside another one; extents may be symbols."""
    torch: Any = sys.modules["torch"]
    return (torch.zeros if zeros else torch.empty)(extents, dtype=getattr(torch, word), device=like.device)


def _whole(extents: Sequence[Any]) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, extents))
    except TypeError:
        raise Diagnostic(
            "PTX2305", f"{extents!r} is no shape of an array.", help="give extents, e.g. (64, 64)", origin=user_span()
        ) from None
