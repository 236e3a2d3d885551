"""Memory of a GPU that other processes of the host map, too."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

from ptxlab.cuda.array import GpuArray, Place
from ptxlab.cuda.driver import bindings, check, device
from ptxlab.cuda.peers import check_reach

if TYPE_CHECKING:
    import numpy as np


class SharedMemory:
    """Bytes on a GPU, mapped in this process.

    Attributes:
        address: where this process has it. nbytes: a multiple of what the driver maps at once.
    """

    def __init__(self, nbytes: int, ordinal: int, handle: Any) -> None:
        self.nbytes, self._device, api = nbytes, device(ordinal), bindings()
        with self._device.current():
            self.address = int(check(api.cuMemAddressReserve(nbytes, 0, 0, 0), "cuMemAddressReserve"))
            check(api.cuMemMap(self.address, nbytes, 0, handle, 0), "cuMemMap")
            access = api.CUmemAccessDesc()
            access.location = _location(ordinal)
            access.flags = api.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
            check(api.cuMemSetAccess(self.address, nbytes, [access], 1), "cuMemSetAccess")
        check(api.cuMemRelease(handle), "cuMemRelease")  # the mapping keeps it

    def __del__(self) -> None:
        address = getattr(self, "address", None)
        if address is not None:
            # at the end of the process the driver may be gone
            with contextlib.suppress(Exception), self._device.current():
                bindings().cuMemUnmap(address, self.nbytes)
                bindings().cuMemAddressFree(address, self.nbytes)


class SharedArray(GpuArray):
    """A C-ordered array in memory that processes share."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], memory: SharedMemory, ordinal: int) -> None:
        self.shape, self.dtype, self._nbytes = shape, dtype, math.prod(shape) * dtype.itemsize
        self.device, self._memory = Place(ordinal), memory
        self._api, self._gpu, self._pointer = bindings(), device(ordinal), memory.address

    def __del__(self) -> None:
        """The memory is freed with the last array in it."""


def allocated(nbytes: int, ordinal: int) -> tuple[SharedMemory, int]:
    """At least so many zeros on a GPU, and a file descriptor by which other processes map them; the caller closes it.

    Raises: Diagnostic PTX2304 and PTX2422 without the GPU, PTX2420 where its memory runs out.
    """
    api, gpu = bindings(), device(ordinal)
    kind = api.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    wanted = api.CUmemAllocationProp()
    wanted.type = api.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    wanted.location = _location(ordinal)
    wanted.requestedHandleTypes = kind
    least = api.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    with gpu.current():
        step = int(check(api.cuMemGetAllocationGranularity(wanted, least), "cuMemGetAllocationGranularity"))
        nbytes = -(-nbytes // step) * step
        handle = check(api.cuMemCreate(nbytes, wanted, 0), f"allocating {nbytes} bytes")
        descriptor = int(check(api.cuMemExportToShareableHandle(handle, kind, 0), "cuMemExportToShareableHandle"))
        memory = SharedMemory(nbytes, ordinal, handle)
        check(api.cuMemsetD8(memory.address, 0, nbytes), "cuMemsetD8")
        check(api.cuCtxSynchronize(), "cuCtxSynchronize")
    return memory, descriptor


def imported(descriptor: int, nbytes: int, ordinal: int, owner: int) -> SharedMemory:
    """What another process has allocated on GPU `owner`, for the GPU `ordinal`.

    Raises: Diagnostic PTX2343 where that one cannot reach it.
    """
    api, gpu = bindings(), device(ordinal)
    if owner != ordinal:
        check_reach(gpu, device(owner))
    kind = api.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    with gpu.current():
        handle = check(api.cuMemImportFromShareableHandle(descriptor, kind), "cuMemImportFromShareableHandle")
    return SharedMemory(nbytes, ordinal, handle)


def _location(ordinal: int) -> Any:
    api = bindings()
    location = api.CUmemLocation()
    location.type = api.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    location.id = ordinal
    return location
