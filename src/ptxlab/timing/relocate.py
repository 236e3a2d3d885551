"""A launch on copies of its arrays in other memory: of a host's launch on a GPU, and the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.arrays import CPU
from ptxlab.abi.memory import bytes_of
from ptxlab.abi.options import LaunchOptions
from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.diag import Diagnostic, user_span
from ptxlab.launch.arrays import empty
from ptxlab.launch.entry import Entry
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.launch.prepare import Launch, prepare
from ptxlab.layout.tensormap import TensorMap
from ptxlab.ptx.program import Param

_ALIGN: Final = 256
"""A copy lies as its original does within so many bytes: sectors and lines are counted the same."""
_POINTER: Final = 8
_MAP: Final = 128


def both(kernel: Kernel | Launch, options: LaunchOptions, constants: Mapping[str, Any]) -> tuple[LaunchRecord, Launch]:
    """A launch on the host, to predict it, and the same on a GPU, to measure it: one of them on copies of the arrays.

    Args:
        kernel: or a launch that `prepare` has made. options, constants: of a launch of a kernel.

    Raises: Diagnostic as a launch; PTX2501 where a launch cannot be moved.
    """
    made: LaunchRecord | None = getattr(kernel, "record", None)
    if made is None:
        entry: Entry | None = kernel_of(kernel).entry(**constants)
        launch = prepare(entry, options, user_span())
        made = launch.record
    else:
        entry, launch = getattr(kernel, "entry", None), cast("Launch", kernel)
    if made.device == CPU:
        if entry is None:
            raise _refused(made, "several kernels make it up")
        return made, _loaded(entry, on_gpu(made))
    program = made.program
    if entry is None and program.variables:
        raise _refused(made, "its kernel uses variables of its module, and it was prepared for a GPU")
    return on_host(made, lambda: entry.module.variables_on(0, program) if entry is not None else ({}, [])), launch


def _loaded(entry: Entry, record: LaunchRecord) -> Launch:
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.launch import Prepared

    return Prepared(entry.module.library(device(record.ordinal)), record, lambda: 0)


def on_gpu(record: LaunchRecord, ordinal: int = 0) -> LaunchRecord:
    """A host's launch on copies of its arrays on a GPU. Raises: Diagnostic PTX2501 as `_moved`, PTX2420 where memory runs out."""
    from ptxlab.cuda.array import GpuArray

    def put(buffer: Buffer) -> tuple[int, Any]:
        apart = buffer.address % _ALIGN
        made = GpuArray(np.concatenate((np.zeros(apart, np.uint8), bytes_of(buffer))), ordinal)
        return made.address + apart, made

    own = {*record.variables.values()}
    kept = [b for b in record.buffers if b.address not in own]
    return replace(_moved(record, kept, put), device="cuda", ordinal=ordinal, variables={})


def on_host(record: LaunchRecord, variables: Callable[[], tuple[Any, Sequence[Buffer]]]) -> LaunchRecord:
    """A GPU's launch on copies of its arrays in the host's memory.

    Args:
        variables: gives the module's variables there, by name and as buffers.

    Raises: Diagnostic PTX2501 as `_moved`, PTX2323 where memory is short.
    """
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.library import read_memory

    def put(buffer: Buffer) -> tuple[int, Any]:
        apart = buffer.address % _ALIGN
        data: NDArray[np.uint8] = empty(buffer.nbytes + apart, "u8", align=_ALIGN)[apart:]
        data[:] = np.frombuffer(read_memory(device(record.ordinal), buffer.address, buffer.nbytes), np.uint8)
        return data.ctypes.data, data

    moved = _moved(record, record.buffers, put)
    named, own = variables()
    return replace(moved, device="cpu", ordinal=0, variables=named, buffers=(*moved.buffers, *own))


def _moved(record: LaunchRecord, buffers: Iterable[Buffer], put: Callable[[Buffer], tuple[int, Any]]) -> LaunchRecord:
    """The launch with its arrays elsewhere. put: gives the address of a buffer's copy, and its owner.

    Raises: Diagnostic PTX2501 for a launch whose memory may hold addresses, and for one of several devices or cooperative.
    """
    buffers = tuple(buffers)
    why = _immovable(record, buffers)
    if why:
        raise _refused(record, why)
    moves: list[tuple[Buffer, int]] = []
    made: list[Buffer] = []
    for buffer in buffers:
        known = next(((b, by) for b, by in moves if b.address <= buffer.address and buffer.end <= b.end), None)
        if known is None:
            address, owner = put(buffer)
            moves.append((buffer, address - buffer.address))
            made.append(replace(buffer, address=address, array=(owner,)))
        else:
            owner = made[moves.index(known)].array
            made.append(replace(buffer, address=buffer.address + known[1], array=owner))
            moves.append((buffer, known[1]))
    block = bytearray(record.params)
    for param in record.program.params:
        place = slice(param.offset, param.offset + param.size)
        block[place] = _parameter(param, bytes(block[place]), moves)
    return replace(record, params=bytes(block), buffers=tuple(made))


def _refused(record: LaunchRecord, why: str) -> Diagnostic:
    return Diagnostic(
        "PTX2501",
        f"{record.program.name} cannot be predicted and measured at once: {why}.",
        help='predict it by itself, without on="gpu"',
        origin=user_span(),
    )


def _immovable(record: LaunchRecord, buffers: Iterable[Buffer]) -> str:
    if record.cooperative:
        return "it is cooperative"
    if record.multicasts:
        return "it reaches several devices"
    if any(b.name.startswith("buffers[") for b in buffers):
        return "it reaches arrays by addresses that lie in memory"
    return ""


def _parameter(param: Param, raw: bytes, moves: Sequence[tuple[Buffer, int]]) -> bytes:
    """A parameter with the address that it holds moved: a pointer, or a tensor map."""
    if param.size == _POINTER and not param.is_array:
        at = int.from_bytes(raw, "little")
        return (at + _by(at, moves)).to_bytes(_POINTER, "little")
    if param.size == _MAP and any(raw):
        try:
            found = TensorMap.decode(raw)
        except Diagnostic:
            return raw  # bytes of another kind
        by = _by(found.address, moves)
        return replace(found, address=found.address + by).encode() if by else raw
    return raw


def _by(address: int, moves: Sequence[tuple[Buffer, int]]) -> int:
    return next((by for b, by in moves if b.address <= address < max(b.end, b.address + 1)), 0)
