"""Memory of this process by its address."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ptxlab.abi.arrays import ArrayView
    from ptxlab.abi.record import Buffer


def bytes_of(buffer: Buffer) -> NDArray[np.uint8]:
    """The bytes of a buffer, in place."""
    return bytes_at(buffer.address, buffer.nbytes)


def address_of(array: NDArray[Any]) -> int:
    """Where the first element of a NumPy array lies."""
    return int(array.__array_interface__["data"][0])


def elements_of(view: ArrayView) -> NDArray[np.void]:
    """The elements of an array of this process, whatever library it is of, as bytes of their size; writable in place."""
    first, end = view.extent
    raw = bytes_at(first, end - first)
    kind = np.dtype(f"V{view.itemsize}")
    return np.ndarray(view.shape, kind, raw, view.address - first, view.strides)


def bytes_at(address: int, nbytes: int) -> NDArray[np.uint8]:
    """So many bytes at an address, in place."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))


__all__ = ["address_of", "bytes_at", "bytes_of", "elements_of"]
