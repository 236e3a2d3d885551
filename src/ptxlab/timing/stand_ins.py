"""Arrays of the host in the place of a GPU's, so that a launch on them can be predicted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.arrays import CPU, ArrayView, is_array, view
from ptxlab.abi.maps import BoundMap
from ptxlab.launch.arrays import dtype_of, empty

_ALIGN: Final = 256
"""A copy lies as its original does within so many bytes: sectors and lines are counted the same."""


class StandIns:
    """Copies of a GPU's arrays, one for each piece of memory. What is no array of a GPU stays as it is."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], NDArray[np.uint8]] = {}

    def of(self, given: Any) -> Any:
        """What stands for an argument. Raises: Diagnostic PTX2307 for a dtype that NumPy lacks, PTX2323 where memory is short."""
        if isinstance(given, BoundMap):
            if given.array.device == CPU:
                return given
            array = self._array(given.array)
            moved = view(array).address - given.array.address
            return BoundMap(replace(given.map, address=given.map.address + moved), array)
        return self._array(view(given)) if is_array(given) else given

    def _array(self, a: ArrayView) -> Any:
        if a.device == CPU:
            return a.owner
        begin, end = a.extent
        data = self._bytes(a.ordinal, begin, end)
        return np.ndarray(a.shape, dtype_of(a.dtype), data, a.address - begin, a.strides)

    def _bytes(self, ordinal: int, begin: int, end: int) -> NDArray[np.uint8]:
        key = (ordinal, begin, end)
        if key not in self._known:
            from ptxlab.cuda.driver import device
            from ptxlab.cuda.library import read_memory

            apart, nbytes = begin % _ALIGN, end - begin
            data = empty(nbytes + apart, "u8", align=_ALIGN)[apart:]
            if nbytes:
                data[:] = np.frombuffer(read_memory(device(ordinal), begin, nbytes), np.uint8)
            self._known[key] = data
        return self._known[key]
