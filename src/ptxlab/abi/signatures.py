"""What the checks of a launch look at in an argument, as a short key; and apart from it what changes from call to call.

Two arguments with equal keys pass the same checks, but for a pointer's alignment and a number's range: those are looked at each
time (`abi.refill`). An argument without a key, such as a NumPy array, is checked in full each time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

from ptxlab.abi.arrays import ArrayView, is_array
from ptxlab.abi.maps import BoundMap
from ptxlab.layout.tensormap import TensorMap


class Described(NamedTuple):
    """An argument in two parts.

    Attributes:
        key: what the checks look at.
        value: an array's address, a tensor map's bytes, else the argument itself.
    """

    key: Hashable
    value: Any


Describe = Callable[[Any], "Described | None"]
_REMEMBERED: Final = 1024
"""Types of arguments that are known at a time."""
_describes: dict[type, Describe] = {}


def described(args: Sequence[Any]) -> tuple[tuple[Hashable, ...], list[Any]] | None:
    """Keys and values of arguments; None where one of them has no key. What a library raises for an array is not caught here."""
    keys: list[Hashable] = []
    values: list[Any] = []
    for arg in args:
        kind: type = type(arg)  # pyright: ignore[reportUnknownVariableType]
        found = (_describes.get(kind) or _describe(kind, arg))(arg)
        if found is None:
            return None
        key, value = found
        keys.append(key)
        values.append(value)
    return tuple(keys), values


def _describe(kind: type, arg: Any) -> Describe:
    """How arguments of a type are described."""
    if len(_describes) >= _REMEMBERED:
        _describes.clear()
    found = _describes[kind] = _chosen(kind, arg)
    return found


def _chosen(kind: type, arg: Any) -> Describe:
    import numpy as np

    library = kind.__module__.partition(".")[0]
    if issubclass(kind, BoundMap):
        return _bound
    if issubclass(kind, TensorMap):
        return _map
    if issubclass(kind, ArrayView):
        return _view
    if issubclass(kind, np.ndarray):
        return _none
    if library == "torch" and hasattr(arg, "data_ptr"):
        return _torch
    if library == "cupy" and hasattr(arg, "data"):
        return _cupy
    if not is_array(arg):
        return _number
    # JAX's arrays may not have been computed yet; an array without the interface is read through DLPack
    late = hasattr(arg, "block_until_ready") or not hasattr(arg, "__cuda_array_interface__")
    return _none if late else _interface


def _none(arg: Any) -> Described | None:
    return None


def _number(arg: Any) -> Described:
    return Described(type(arg), arg)


def _torch(t: Any) -> Described:
    return Described((type(t), t.dtype, t.dim(), t.is_contiguous(), t.device), t.data_ptr())


def _cupy(a: Any) -> Described:
    data = a.data
    return Described((type(a), a.dtype, a.ndim, a.flags.c_contiguous, data.device_id), data.ptr)


def _view(a: ArrayView) -> Described:
    return Described((ArrayView, a.dtype, a.itemsize, len(a.shape), a.contiguous, a.device, a.ordinal), a.address)


def _interface(a: Any) -> Described:
    found = a.__cuda_array_interface__
    shape, strides = found["shape"], found.get("strides")
    order = len(shape) if strides is None else (tuple(shape), tuple(strides))
    place = getattr(getattr(a, "device", None), "id", 0)
    return Described(
        (type(a), found["typestr"], str(getattr(a, "dtype", "")), order, place), int(found["data"][0] or 0)
    )


def _bound(made: BoundMap) -> Described | None:
    made.check()
    owner = made.owner
    kind: type = type(owner)  # pyright: ignore[reportUnknownVariableType]
    array = (_describes.get(kind) or _describe(kind, owner))(owner)
    if array is None:
        return None
    key, value = _map(made.map)
    return Described((key, array.key), value)


def _map(made: TensorMap) -> Described:
    raw = made.encode()
    # modes, steps and box; what lies between are extents and strides, which no kernel asks for
    return Described((TensorMap, made.dtype, raw[8:12], raw[52:]), raw)
