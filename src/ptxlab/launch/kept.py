"""Copies of what is in arrays, to put it back, or to compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.arrays import CPU, ArrayView
from ptxlab.abi.memory import bytes_at


class Kept:
    """The bytes of arrays as they are now. Arrays of the host or of a GPU; those that nobody may write are left alone."""

    def __init__(self, arrays: Sequence[ArrayView]) -> None:
        self._arrays = [a for a in arrays if a.writable and a.extent[1] > a.extent[0]]
        self._copies = [_copied(a) for a in self._arrays]

    def restore(self) -> None:
        """Put them back."""
        for a, copy in zip(self._arrays, self._copies, strict=True):
            begin, end = a.extent
            if isinstance(copy, np.ndarray):
                bytes_at(begin, end - begin)[:] = copy
            else:
                _moved(begin, copy.address, end - begin, a.ordinal)

    def host(self) -> list[NDArray[np.uint8]]:
        """The bytes, each array's in memory of the host."""
        return [_read(a, copy) for a, copy in zip(self._arrays, self._copies, strict=True)]

    @property
    def arrays(self) -> Sequence[ArrayView]:
        """Which arrays they are of."""
        return self._arrays


def first_difference(one: Kept, other: Kept) -> str | None:
    """Where two states of the same arrays differ first, in words; None where they are the same."""
    for a, x, y in zip(one.arrays, one.host(), other.host(), strict=True):
        places = np.flatnonzero(x != y)
        if places.size:
            place = f"byte {int(places[0])}"
            if a.contiguous:
                place = f"element {tuple(map(int, np.unravel_index(int(places[0]) // a.itemsize, a.shape)))}"
            return f"{place} of {a}"
    return None


def _copied(a: ArrayView) -> Any:
    begin, end = a.extent
    if a.device == CPU:
        return bytes_at(begin, end - begin).copy()
    from ptxlab.cuda.memory import DeviceMemory

    room = DeviceMemory(end - begin, a.ordinal)
    _moved(room.address, begin, end - begin, a.ordinal)
    return room


def _moved(to: int, source: int, nbytes: int, ordinal: int) -> None:
    """Copy bytes within a GPU, behind all of its work."""
    from ptxlab.cuda.driver import bindings, check, device

    with device(ordinal).current():
        check(bindings().cuCtxSynchronize(), "cuCtxSynchronize")
        check(bindings().cuMemcpyDtoD(to, source, nbytes), "cuMemcpyDtoD")
        check(bindings().cuCtxSynchronize(), "cuCtxSynchronize")


def _read(a: ArrayView, copy: Any) -> NDArray[np.uint8]:
    if a.device == CPU:
        return copy
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.library import read_memory

    return np.frombuffer(read_memory(device(a.ordinal), copy.address, copy.nbytes), np.uint8)
