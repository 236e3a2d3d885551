"""Prepared launches: everything is packed once, and a launch is one call of the driver."""

from __future__ import annotations

import ctypes
from typing import Any, Final

from ptxlab.abi.occupancy import refusal
from ptxlab.abi.record import LaunchRecord
from ptxlab.cuda.driver import bindings, failure
from ptxlab.cuda.library import Library
from ptxlab.cuda.streams import handle_of
from ptxlab.diag import Diagnostic

_ALIGN: Final = 64  # a tensor map in the block lies on 64 bytes, on the host too


class Block:
    """The parameter block in memory of its own, with the array of pointers that the driver reads it through."""

    def __init__(self, record: LaunchRecord) -> None:
        params = record.program.params
        size = max(1, len(record.params))
        self._memory = (ctypes.c_ubyte * (size + _ALIGN))()
        start = -(-ctypes.addressof(self._memory) // _ALIGN) * _ALIGN
        ctypes.memmove(start, record.params, len(record.params))
        self._pointers = (ctypes.c_void_p * max(1, len(params)))(*(start + p.offset for p in params))
        self.address = ctypes.addressof(self._pointers)


class Prepared:
    """A launch that is checked, packed and loaded. Calling it launches and returns at once.

    It keeps the arrays alive. It may be called from several threads.
    """

    __slots__ = (
        "_block",
        "_configs",
        "_cooperative",
        "_default",
        "_function",
        "_launch",
        "_library",
        "_ok",
        "_params",
        "record",
    )

    def __init__(self, library: Library, record: LaunchRecord, *, stream: int = 0, cooperative: bool = False) -> None:
        api = bindings()
        self.record = record
        self._library = library
        library.device.adopt()
        self._function = library.function(record.program.name, record.shared, record.ctas_per_cluster)
        self._block = Block(record)
        self._params = self._block.address
        self._cooperative = cooperative
        self._default = configuration(record, stream, cooperative)
        self._configs = {stream: self._default}
        self._launch = api.cuLaunchKernelEx
        self._ok = api.CUresult.CUDA_SUCCESS

    def __call__(self, stream: Any = None) -> None:
        """Launch, on the stream given to `prepare` or on this one.

        Raises: Diagnostic PTX2420 where the driver refuses, PTX2012 for a cooperative grid that does not fit, PTX2421 where a
        kernel before this one has failed.
        """
        config = self._default if stream is None else self._config(stream)
        (error,) = self._launch(config, self._function, self._params, 0)
        if error is not self._ok:
            self._recover(error, config)

    def _config(self, stream: Any) -> Any:
        """A configuration for each stream: another thread may be launching with the default one."""
        handle = handle_of(stream)
        found = self._configs.get(handle)
        if found is None:
            found = self._configs.setdefault(handle, configuration(self.record, handle, self._cooperative))
        return found

    def _recover(self, error: Any, config: Any) -> None:
        """Launch again in the kernel's own context where the thread had none or another device's; else raise."""
        api = bindings()
        if not int(error):
            return
        lost = (api.CUresult.CUDA_ERROR_INVALID_CONTEXT, api.CUresult.CUDA_ERROR_INVALID_HANDLE)
        if error in lost:
            self._library.device.adopt()
            with self._library.device.current():
                (error,) = self._launch(config, self._function, self._params, 0)
            if not int(error):
                return
        if error == api.CUresult.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
            raise refusal(self.record, None)
        raise failure(error, f"Launching {self.record.program.name}", tuple(self._facts()))

    def _facts(self) -> list[str]:
        """What a refused launch asked for."""
        r = self.record
        out = [f"grid {r.grid}, block {r.block}, cluster {r.cluster}, {r.shared} bytes of dynamic shared memory"]
        try:
            registers = self._library.attribute(self._function, "NUM_REGS")
            threads = self._library.attribute(self._function, "MAX_THREADS_PER_BLOCK")
        except Diagnostic:
            return out  # the context is lost
        return [*out, f"{registers} registers a thread: at most {threads} threads a CTA"]


def configuration(record: LaunchRecord, stream: int, cooperative: bool) -> Any:
    """The driver's CUlaunchConfig of a record."""
    api = bindings()
    config = api.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = record.grid
    config.blockDimX, config.blockDimY, config.blockDimZ = record.block
    config.sharedMemBytes = record.shared
    config.hStream = api.CUstream(stream)
    attributes: list[Any] = []
    if record.cluster_named:
        cluster = api.CUlaunchAttribute()
        cluster.id = api.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        dims = cluster.value.clusterDim
        dims.x, dims.y, dims.z = record.cluster
        attributes.append(cluster)
    if cooperative:
        together = api.CUlaunchAttribute()
        together.id = api.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        together.value.cooperative = 1
        attributes.append(together)
    config.attrs = attributes
    config.numAttrs = len(attributes)
    return config
