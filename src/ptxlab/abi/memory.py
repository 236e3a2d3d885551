"""Memory of this process by its address."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ptxlab.abi.record import Buffer


def bytes_of(buffer: Buffer) -> NDArray[np.uint8]:
    """The bytes of a buffer, in place."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * buffer.nbytes).from_address(buffer.address))


def address_of(array: NDArray[Any]) -> int:
    """Where the first element of a NumPy array lies."""
    return int(array.__array_interface__["data"][0])


__all__ = ["address_of", "bytes_of"]
