"""Memory of a GPU that ptxlab itself asks for."""

from __future__ import annotations

import contextlib
from typing import Any

from ptxlab.cuda.driver import bindings, check, device


class DeviceMemory:
    """Bytes on a GPU, undefined at first, given back when nobody holds the object. Other libraries see a CUDA array.

    Raises: Diagnostic PTX24xx where the GPU has no room.
    """

    def __init__(self, nbytes: int, ordinal: int = 0) -> None:
        self.nbytes, self._device = nbytes, device(ordinal)
        with self._device.current():
            self.address = int(check(bindings().cuMemAlloc(nbytes), f"allocating {nbytes} bytes"))

    def __len__(self) -> int:
        return self.nbytes

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.address, False), "version": 3, "stream": None}

    def __del__(self) -> None:
        with contextlib.suppress(Exception), self._device.current():  # at the end of the process the driver may be gone
            bindings().cuMemFree(self.address)


def cleared(address: int, nbytes: int, stream: int) -> None:
    """Zeros for bytes of a GPU, in order of a stream."""
    if nbytes:
        check(bindings().cuMemsetD8Async(address, 0, nbytes, bindings().CUstream(stream)), "cuMemsetD8Async")
