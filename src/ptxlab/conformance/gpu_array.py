"""Arrays on the GPU with nothing but the driver: enough for `ptxlab demo --on gpu` where torch and CuPy are not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class GpuArray:
    """A C-ordered array in the memory of GPU 0, for any dtype of NumPy and ml_dtypes. It is freed with the object.

    Attributes:
        shape, dtype: as NumPy's.
    """

    def __init__(self, source: np.ndarray) -> None:
        """Copy `source` to the GPU. Raises: Diagnostic PTX2304 and PTX2422 without a GPU, PTX2420 where memory runs out."""
        from ptxlab.cuda.driver import bindings, check, device

        device().adopt()
        self._api = bindings()
        self.shape, self.dtype, self._nbytes = source.shape, source.dtype, source.nbytes
        self._pointer = check(self._api.cuMemAlloc(max(1, self._nbytes)), "cuMemAlloc")
        flat = source.copy(order="C")
        check(self._api.cuMemcpyHtoD(self._pointer, flat.ctypes.data, self._nbytes), "cuMemcpyHtoD")

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        kind = self.dtype.str if self.dtype.kind != "V" else f"<V{self.dtype.itemsize}"
        return {"shape": self.shape, "typestr": kind, "data": (int(self._pointer), False), "version": 3}

    def numpy(self) -> np.ndarray:
        """A copy in the memory of the host, after all work on the GPU is done. Raises: Diagnostic PTX2421 where a kernel failed."""
        import numpy as np

        from ptxlab.cuda.driver import check, synchronize

        synchronize()
        out = np.empty(self.shape, self.dtype)
        check(self._api.cuMemcpyDtoH(out.ctypes.data, self._pointer, self._nbytes), "cuMemcpyDtoH")
        return out

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer is not None:
            self._api.cuMemFree(pointer)
