"""What arrays of numbers that NumPy's functions take have in common, whatever a number is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

Function = Callable[..., Any]


class Unfollowed(Exception):
    """A function that is not known for such numbers."""


def keepers(
    ufuncs: dict[tuple[str, str], Function], functions: dict[str, Function]
) -> tuple[Callable[..., Callable[[Function], Function]], Callable[..., Callable[[Function], Function]]]:
    """Decorators that enter functions into tables: of ufuncs by their names (and `method=`), of other functions by theirs."""

    def ufunc(*names: str, method: str = "__call__") -> Callable[[Function], Function]:
        def kept(function: Function) -> Function:
            ufuncs.update({(name, method): function for name in names})
            return function

        return kept

    def function(*names: str) -> Callable[[Function], Function]:
        def kept(function: Function) -> Function:
            functions.update(dict.fromkeys(names, function))
            return function

        return kept

    return ufunc, function


class Followed(NDArrayOperatorsMixin):
    """An array that is computed with by functions of its own in the place of NumPy's.

    Attributes:
        within: what the functions are told besides their operands. ufuncs, functions: by name, and method.
    """

    __array_priority__ = 100
    ufuncs: ClassVar[Mapping[tuple[str, str], Function]]
    functions: ClassVar[Mapping[str, Function]]
    within: Any

    @property
    @abstractmethod
    def _numbers(self) -> Any:
        """An array of NumPy's that has its shape."""

    @abstractmethod
    def _moved(self, function: Callable[[Any], Any]) -> Self:
        """Its elements at other places."""

    @abstractmethod
    def _take(self, found: Any) -> None:
        """Hold what another one holds."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self._numbers.shape

    @property
    def ndim(self) -> int:
        return self._numbers.ndim

    @property
    def size(self) -> int:
        return self._numbers.size

    @property
    def dtype(self) -> np.dtype[np.float64]:
        return np.dtype(np.float64)

    @property
    def T(self) -> Self:
        return self._moved(np.transpose)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Self:
        return self._moved(lambda a: a[index])

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise Unfollowed("numpy.array")

    def __float__(self) -> float:
        raise Unfollowed("float")

    def __getattr__(self, name: str) -> Any:
        """NumPy's methods that are functions of the same name: `x.sum(axis=0)`."""
        function: Any = getattr(np, name, None)
        if name.startswith("_") or not callable(function):
            raise AttributeError(name)

        def method(*args: Any, **options: Any) -> Any:
            return function(self, *args, **options)

        return method

    def reshape(self, *shape: Any, **options: Any) -> Self:
        """As NumPy's method, which takes extents one by one, too."""
        wanted = shape[0] if len(shape) == 1 else shape
        return self._moved(lambda a: np.reshape(a, wanted, **options))

    def transpose(self, *axes: Any) -> Self:
        """As NumPy's method."""
        return self._moved(lambda a: a.transpose(*axes))

    def copy(self) -> Self:
        return self._moved(np.copy)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out: Sequence[Any] = options.pop("out", ())
        known = self.ufuncs.get((ufunc.__name__, method))
        if known is None:
            raise Unfollowed(f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}"))
        found = known(*inputs, within=self.within, **options)
        if not out:
            return found
        (target,) = out
        if not isinstance(target, type(self)):
            raise Unfollowed(f"{ufunc.__name__} into an array of NumPy's")
        target._take(found)
        return target

    def __array_function__(self, function: Any, types: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        known = self.functions.get(function.__name__)
        if known is None:
            raise Unfollowed(f"numpy.{function.__name__}")
        return known(*args, within=self.within, **options)


MOVING = (
    "transpose", "reshape", "ravel", "squeeze", "expand_dims", "swapaxes", "moveaxis", "broadcast_to", "repeat", "tile", "roll",
    "flip", "fliplr", "flipud", "rot90", "take", "take_along_axis", "pad", "triu", "tril", "diag", "diagonal", "copy", "split",
    "array_split", "atleast_1d", "atleast_2d", "compress", "rollaxis",
)  # fmt: skip
"""Functions of NumPy that put elements elsewhere, and zeros."""
JOINING = ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")
"""Those that put arrays together."""
PRODUCTS = ("dot", "inner", "outer", "vdot", "tensordot", "convolve", "correlate", "kron")
"""Those that add products of elements of two arrays."""
ALIKE = ("zeros_like", "ones_like", "full_like", "empty_like")

__all__ = ["ALIKE", "JOINING", "MOVING", "PRODUCTS", "Followed", "Function", "Unfollowed"]
