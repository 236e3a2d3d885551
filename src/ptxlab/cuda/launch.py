"""Launches on the GPU: everything is checked once, and a launch is one call of the driver."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, cast

from ptxlab.abi.dependent import may_begin_early
from ptxlab.abi.occupancy import refusal
from ptxlab.abi.record import LaunchRecord
from ptxlab.abi.refill import Refill
from ptxlab.abi.validate import Extents, extents, geometry
from ptxlab.cuda.array import GpuArray
from ptxlab.cuda.capture import chosen
from ptxlab.cuda.driver import bindings, failure
from ptxlab.cuda.kept import keep
from ptxlab.cuda.library import Library
from ptxlab.cuda.streams import handle_of
from ptxlab.diag import Diagnostic

_STREAMS: Final = 64
"""Streams whose configurations a launch keeps."""
_GRIDS: Final = 256
"""Grids that a kernel's launches keep."""
_ALIGN: Final = 64  # a tensor map in the block lies on 64 bytes, on the host too


class Block:
    """The parameter block in memory of its own, with the array of pointers that the driver reads it through.

    Attributes:
        memory: the block from byte `start` on. address: of the array of pointers.
    """

    __slots__ = ("_pointers", "_raw", "address", "memory", "start")

    def __init__(self, record: LaunchRecord) -> None:
        params = record.program.params
        size = max(1, len(record.params)) + _ALIGN
        self.memory = bytearray(size)
        self._raw = (ctypes.c_ubyte * size).from_buffer(self.memory)
        at = ctypes.addressof(self._raw)
        self.start = -at % _ALIGN
        self.memory[self.start : self.start + len(record.params)] = record.params
        begin = at + self.start
        self._pointers = (ctypes.c_void_p * max(1, len(params)))(*(begin + p.offset for p in params))
        self.address = ctypes.addressof(self._pointers)


class Target:
    """What a launch goes to: loaded code, in the extents of a record.

    Attributes:
        launch: the driver's call. function: the kernel. ok: the status of a call that went well.
    """

    __slots__ = ("_configs", "_library", "_record", "function", "launch", "ok")

    def __init__(self, library: Library, record: LaunchRecord) -> None:
        api = bindings()
        self._library, self._record = library, record
        library.device.adopt()
        self.function = library.function(record.program.name, record.shared, record.ctas_per_cluster)
        self._configs: dict[int, Any] = {}
        self.launch = api.cuLaunchKernelEx
        self.ok = api.CUresult.CUDA_SUCCESS

    def alone(self) -> Target:
        """The same, without the arrays of its record."""
        return Target(self._library, replace(self._record, buffers=()))

    def config(self, handle: int) -> Any:
        """The configuration for a stream: each has its own, as another thread may be launching on another one."""
        found = self._configs.get(handle)
        return found if found is not None else self._configure(handle)

    def _configure(self, handle: int) -> Any:
        if len(self._configs) >= _STREAMS:
            self._configs = {}
        return self._configs.setdefault(handle, configuration(self._record, handle))

    def recover(self, error: Any, config: Any, params: int) -> None:
        """Launch again in the kernel's own context where the thread had none or another device's; else raise."""
        api = bindings()
        if not int(error):
            return
        lost = (api.CUresult.CUDA_ERROR_INVALID_CONTEXT, api.CUresult.CUDA_ERROR_INVALID_HANDLE)
        if error in lost:
            self._library.device.adopt()
            with self._library.device.current():
                (error,) = self.launch(config, self.function, params, 0)
            if not int(error):
                return
        if error == api.CUresult.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
            raise refusal(self._record, None)
        raise failure(error, f"Launching {self._record.program.name}", tuple(self._facts()))

    def _facts(self) -> list[str]:
        """What a refused launch asked for."""
        r = self._record
        out = [f"grid {r.grid}, block {r.block}, cluster {r.cluster}, {r.shared} bytes of dynamic shared memory"]
        try:
            registers = self._library.attribute(self.function, "NUM_REGS")
            threads = self._library.attribute(self.function, "MAX_THREADS_PER_BLOCK")
        except Diagnostic:
            return out  # the context is lost
        return [*out, f"{registers} registers a thread: at most {threads} threads a CTA"]


class Prepared:
    """A launch that is checked, packed and loaded. Calling it launches and returns at once.

    It keeps the arrays alive, and so does a CUDA graph that captures it those that ptxlab has allocated. It may be called from
    several threads.

    Args:
        library, record: what is launched. current: says which stream the arrays' library works on.
        stream: of the calls that name none; None: the one that `current` gives at each call.
    """

    __slots__ = ("_block", "_capture", "_current", "_last", "_launch", "_memory", "_ok", "_stream", "_target", "record")

    def __init__(
        self,
        library: Library,
        record: LaunchRecord,
        current: Callable[[], int],
        *,
        stream: Any = None,
    ) -> None:
        self.record = record
        self._target = Target(library, record)
        self._block = Block(record)
        self._launch, self._ok = self._target.launch, self._target.ok
        self._current, self._stream = current, None if stream is None else handle_of(stream)
        self._last: tuple[int, tuple[Any, ...]] = (-1, ())  # of the last call
        self._memory = _memory_of(record)
        self._capture = 0  # the last one that keeps this memory

    @property
    def target_alone(self) -> Target:
        """What it goes to, without the arrays."""
        return self._target.alone()

    @property
    def follows(self) -> bool:
        """Whether it goes to the stream that the arrays' library works on."""
        return self._stream is None

    @property
    def record_alone(self) -> LaunchRecord:
        """What is launched, without the arrays."""
        return replace(self.record, buffers=())

    def _words(self, handle: int) -> tuple[int, tuple[Any, ...]]:
        """What the driver is given for a launch on a stream, behind the stream's handle."""
        return handle, (self._target.config(handle), self._target.function, self._block.address, 0)

    def __repr__(self) -> str:
        return f"<Launch of {self.record}, on the GPU>"

    def __call__(self, stream: Any = None) -> None:
        """Launch on this stream, on the one given to `prepare`, or on the one that the arrays' library works on now.

        Raises: Diagnostic PTX2420 where the driver refuses, PTX2012 for a cooperative grid that does not fit, PTX2421 where a
        kernel before this one has failed, PTX2425 for another stream than the one that a CUDA graph captures.
        """
        if stream is None:
            stream = self._stream
        handle = self._current() if stream is None else chosen(stream, self._current)
        known, words = self._last  # read once: another thread may replace it
        if handle != known:
            _, words = self._last = self._words(handle)
        (error,) = self._launch(*words)
        if error is not self._ok:
            self._target.recover(error, words[0], self._block.address)
        if handle and self._memory:  # the default stream, 0, cannot be captured
            self._capture = keep(handle, self._memory, self._capture)


def _memory_of(record: LaunchRecord) -> tuple[Any, ...]:
    """What a launch uses of memory that ptxlab has allocated."""
    found: list[Any] = [b.array for b in record.buffers]
    owners = (cast(tuple[Any, ...], x)[0] if type(x) is tuple else x for x in found)
    return tuple(owner for owner in owners if isinstance(owner, GpuArray))


class Repeat:
    """A launch that is checked and loaded, for calls with other addresses, numbers and grids: it holds none of the arrays.

    It may be called from several threads: each call takes a parameter block for itself.

    Args:
        library, record: as for `Prepared`. refill: writes a parameter block.
        current: says which stream the arrays' library works on.
    """

    __slots__ = ("_blocks", "_current", "_library", "_record", "_refill", "_targets")

    def __init__(self, library: Library, record: LaunchRecord, refill: Refill, current: Callable[[], int]) -> None:
        self._library = library
        self._record = replace(record, buffers=())
        self._refill, self._current = refill, current
        self._blocks: list[Block] = []
        self._targets: dict[Extents, Target] = {}

    def packed(self, values: list[Any]) -> Block:
        """A block with these values; `launch` takes it back.

        Raises: ValueError, OverflowError, struct.error or Diagnostic where one does not fit.
        """
        refill = self._refill
        fitted = refill.fitted(values)
        try:
            block = self._blocks.pop()
        except IndexError:
            block = Block(self._record)
        refill.pack_into(block.memory, block.start, *fitted)
        return block

    def target(self, grid: Extents) -> Target:
        """The kernel for a grid. Raises: ValueError or Diagnostic where it cannot be launched with it."""
        found = self._targets.get(grid)
        return found if found is not None else self._checked(grid)

    def _checked(self, grid: Extents) -> Target:
        now, extent = self._record, extents("grid", grid)
        named = now.cluster if now.cluster_named else None
        if any(geometry(now.program, extent, now.block, named, now.shared)):
            raise ValueError
        made = Target(self._library, replace(now, grid=extent))
        if len(self._targets) >= _GRIDS:
            self._targets = {}
        return self._targets.setdefault(grid, made)

    def launch(self, target: Target, block: Block, stream: Any) -> None:
        """Launch what `target` gave with the block that `packed` gave, on this stream or, for None, on the library's own.

        Raises: as `Prepared`.
        """
        params = block.address
        config = target.config(self._current() if stream is None else chosen(stream, self._current))
        (error,) = target.launch(config, target.function, params, 0)
        if error is not target.ok:
            target.recover(error, config, params)
        self._blocks.append(block)


def configuration(record: LaunchRecord, stream: int) -> Any:
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
    if record.cooperative:
        together = api.CUlaunchAttribute()
        together.id = api.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        together.value.cooperative = 1
        attributes.append(together)
    if may_begin_early(record):
        early = api.CUlaunchAttribute()
        early.id = api.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        early.value.programmaticStreamSerializationAllowed = 1
        attributes.append(early)
    config.attrs = attributes
    config.numAttrs = len(attributes)
    return config
