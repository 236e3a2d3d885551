"""An array on the GPU that is there at two virtual addresses: for what happens between accesses by one and by the other."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ptxlab.cuda.array import GpuArray

if TYPE_CHECKING:
    import numpy as np


class Mirror(GpuArray):
    """A `GpuArray` that can also be reached `apart` bytes further on."""

    def __init__(self, source: np.ndarray, ordinal: int = 0) -> None:
        """Copy `source` to the GPU. Raises: Diagnostic PTX2304 and PTX2422 without a GPU, PTX2420 where memory runs out."""
        from ptxlab.cuda.array import Place
        from ptxlab.cuda.driver import bindings, check, device

        gpu = device(ordinal)
        gpu.adopt()
        api: Any = bindings()
        self._api, self._gpu = api, gpu
        self.shape, self.dtype, self._nbytes = source.shape, source.dtype, source.nbytes
        self.device = Place(ordinal)
        with gpu.current():
            kind = api.CUmemAllocationProp()
            kind.type = api.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
            kind.location.type = api.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
            kind.location.id = ordinal
            least = api.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
            unit = check(api.cuMemGetAllocationGranularity(kind, least), "cuMemGetAllocationGranularity")
            self.apart = -(-max(1, self._nbytes) // unit) * unit
            self._pointer = check(api.cuMemAddressReserve(2 * self.apart, 0, 0, 0), "cuMemAddressReserve")
            handle = check(api.cuMemCreate(self.apart, kind, 0), "cuMemCreate")
            access = api.CUmemAccessDesc()
            access.location.type, access.location.id = kind.location.type, ordinal
            access.flags = api.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
            for at in (self.address, self.address + self.apart):
                check(api.cuMemMap(at, self.apart, 0, handle, 0), "cuMemMap")
            check(api.cuMemSetAccess(self._pointer, 2 * self.apart, [access], 1), "cuMemSetAccess")
            check(api.cuMemRelease(handle), "cuMemRelease")  # it stays until it is unmapped
        self.assign(source)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is None or not hasattr(self, "apart"):
            return
        with suppress(Exception), self._gpu.current():
            self._api.cuMemUnmap(self._pointer, 2 * self.apart)
            self._api.cuMemAddressFree(self._pointer, 2 * self.apart)
