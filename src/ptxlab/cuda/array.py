"""Arrays on the GPU with nothing but the driver: for what a kernel needs beside its user's arrays, and where no torch is."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np


class Place(NamedTuple):
    """The GPU that an array is on, as array libraries have it: `array.device.id`."""

    id: int


class GpuArray:
    """A C-ordered array in the memory of a GPU, for any dtype of NumPy and ml_dtypes. It is freed with the object.

    Attributes:
        shape, dtype: as NumPy's. device: which GPU.
    """

    def __init__(self, source: np.ndarray, ordinal: int = 0) -> None:
        """Copy `source` to the GPU. Raises: Diagnostic PTX2304 and PTX2422 without a GPU, PTX2420 where memory runs out."""
        self._allocate(source.shape, source.dtype, ordinal)
        self.assign(source)

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: np.dtype[Any], ordinal: int = 0) -> GpuArray:
        """An array of zeros. Raises: Diagnostic as for one that is copied."""
        from ptxlab.cuda.driver import check

        made = cls.__new__(cls)
        made._allocate(shape, dtype, ordinal)
        with made._gpu.current():
            if made._nbytes:
                check(made._api.cuMemsetD8(made._pointer, 0, made._nbytes), "cuMemsetD8")
                check(made._api.cuStreamSynchronize(made._api.CUstream(0)), "cuStreamSynchronize")
        return made

    def _allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], ordinal: int) -> None:
        from ptxlab.cuda.driver import bindings, check, device
        from ptxlab.cuda.kept import let_go

        let_go()
        gpu = device(ordinal)
        gpu.adopt()
        self._api, self._gpu = bindings(), gpu
        self.shape, self.dtype, self._nbytes = shape, dtype, math.prod(shape) * dtype.itemsize
        self.device = Place(ordinal)
        with gpu.current():
            self._pointer = check(self._api.cuMemAlloc(max(1, self._nbytes)), "cuMemAlloc")

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        kind = (
            self.dtype.str if self.dtype.isbuiltin == 1 else f"<V{self.dtype.itemsize}"
        )  # ml_dtypes are none of NumPy's
        return {"shape": self.shape, "typestr": kind, "data": (int(self._pointer), False), "version": 3}

    @property
    def address(self) -> int:
        """Where it is."""
        return int(self._pointer)

    def assign(self, source: np.ndarray) -> None:
        """Copy values of the same shape and dtype to the GPU."""
        from ptxlab.cuda.driver import check

        flat = source.astype(self.dtype, copy=False).reshape(self.shape).copy(order="C")
        with self._gpu.current():
            check(self._api.cuMemcpyHtoD(self._pointer, flat.ctypes.data, self._nbytes), "cuMemcpyHtoD")

    def numpy(self) -> np.ndarray:
        """A copy in the memory of the host, after all work on the GPU is done. Raises: Diagnostic PTX2421 where a kernel failed."""
        import numpy as np

        from ptxlab.cuda.driver import check
        from ptxlab.cuda.streams import synchronized

        synchronized()
        out = np.empty(self.shape, self.dtype)
        with self._gpu.current():
            check(self._api.cuMemcpyDtoH(out.ctypes.data, self._pointer, self._nbytes), "cuMemcpyDtoH")
        return out

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer is not None:
            # at the end of the process, nothing may be left to free it with
            with suppress(Exception), self._gpu.current():
                self._api.cuMemFree(pointer)
