"""Processes of one host, each with a GPU of its own, that give each other a piece of their GPUs' memory."""

from __future__ import annotations

import contextlib
import math
import os
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any, Final

from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.arrays import dtype_of, extents_of
from ptxlab.launch.devices import MOST, Device, gpu_of

_HELLO: Final = struct.Struct("<IIIQ")
"""Rank, count and GPU of a process, and the bytes that it gives."""
Given = tuple[bytes, int]
"""What a process says of itself, and a descriptor of its memory."""
_AGAIN: Final = 0.05
_met: dict[str, int] = {}
"""How many groups of each name this process has been in: they are made in one order everywhere."""


class Process:
    """This process, one of several of a host that have a GPU each.

    Args:
        rank: its number, from 0 on. count: how many there are, 2 to 8. gpu: the ordinal of its GPU. Left out, they are what
            torchrun and its like say: RANK, WORLD_SIZE, LOCAL_RANK.
        name: of the group, the same in all processes; left out, MASTER_PORT. Two groups of one host need two names.
        timeout: seconds that it waits for the others.

    Attributes:
        rank, count, gpu, name, timeout: as given.

    Raises: Diagnostic PTX2346 where rank and count are not known, or fit no group.

    Example:
        process = px.Process(rank=0, count=2)
        print(process)  # process 0 of 2 on GPU 0

        def work():  # in two processes of a host with two GPUs
            flags = process.symmetric(64, np.uint32)
            print(process.device.name, flags[1 - process.rank].numpy())
    """

    def __init__(
        self,
        rank: int | None = None,
        count: int | None = None,
        gpu: int | None = None,
        *,
        name: str | None = None,
        timeout: float = 60.0,
    ) -> None:
        self.rank = _said("RANK", "rank") if rank is None else rank
        self.count = _said("WORLD_SIZE", "count") if count is None else count
        if not 2 <= self.count <= MOST or not 0 <= self.rank < self.count:
            help = f"a group has 2 to {MOST} processes, numbered from 0 on"
            raise _bad(f"Process {self.rank} of {self.count} is none of a group.", help)
        self.gpu = int(os.environ.get("LOCAL_RANK", self.rank)) if gpu is None else gpu
        self.name = os.environ.get("MASTER_PORT", "0") if name is None else name
        self.timeout = timeout

    def __repr__(self) -> str:
        return f"process {self.rank} of {self.count} on GPU {self.gpu}"

    @property
    def device(self) -> Device:
        """Its GPU. Raises: Diagnostic PTX2304 and PTX2422 where there is none.

        Example: see px.Process
        """
        return gpu_of(self.gpu)

    @public
    def symmetric(self, shape: int | Sequence[int], dtype: Any) -> list[Any]:
        """Arrays of zeros, one on the GPU of each process, that all of them reach. All processes call it in the same order.

        Args:
            shape: extents, the same in all processes.
            dtype: NumPy's or ml_dtypes'; names such as "bfloat16" and "u32" are taken too.

        Returns: the arrays by rank, with `__cuda_array_interface__`; number `rank` lies on this process's own GPU.

        Raises: Diagnostic PTX2346 where a process does not come, dies, or counts differently; PTX2343 where a GPU cannot reach
            another one; PTX2304 and PTX2422 without a GPU, PTX2420 where its memory runs out.

        Example: see px.Process
        """
        import numpy as np

        from ptxlab.cuda.shared import SharedArray

        extents, kind = extents_of(shape), np.dtype(dtype_of(dtype))
        memories = shared(self, max(1, math.prod(extents)) * kind.itemsize)
        return [SharedArray(extents, kind, memory, self.gpu) for memory in memories]


def _said(variable: str, argument: str) -> int:
    word = os.environ.get(variable, "")
    if not word.isdecimal():
        raise _bad(f"The environment has no {variable}.", f"start with torchrun, or give {argument}=…")
    return int(word)


def _bad(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2346", message, help=help, origin=user_span())


def shared(process: Process, nbytes: int) -> list[Any]:
    """Zeros on the GPU of each process, at least `nbytes`, mapped in this one: by rank."""
    from ptxlab.cuda.shared import allocated, imported

    memory, descriptor = allocated(nbytes, process.gpu)
    try:
        number = _met[process.name] = _met.get(process.name, 0) + 1
        found = exchanged(process, memory.nbytes, descriptor, f"\0ptxlab.{os.getuid()}.{process.name}.{number}")
    finally:
        os.close(descriptor)
    memories: list[Any] = []
    with contextlib.ExitStack() as stack:
        for _, one in found:
            stack.callback(os.close, one)
        for rank, (words, one) in enumerate(found):
            _, _, gpu, size = _HELLO.unpack(words)
            memories.append(memory if rank == process.rank else imported(one, size, process.gpu, gpu))
    return memories


def exchanged(process: Process, nbytes: int, descriptor: int, place: str) -> list[Given]:
    """What all processes give at a Unix socket's address, by rank; the caller closes the descriptors."""
    hello = _HELLO.pack(process.rank, process.count, process.gpu, nbytes)
    with contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) as own:
        meet = _host if process.rank == 0 else _guest
        return meet(own, place, process, (hello, descriptor))


def _host(own: socket.socket, place: str, process: Process, given: Given) -> list[Given]:
    """Rank 0: collect what the others give, and hand all of it to everyone."""
    end = time.monotonic() + process.timeout
    found: dict[int, Given] = {0: (given[0], os.dup(given[1]))}
    guests: list[socket.socket] = []
    with contextlib.ExitStack() as stack:
        try:
            own.bind(place)
        except OSError as e:
            raise _bad(
                f"Another process has the rank 0 of group {process.name!r}: {e}.", "give name=… of its own"
            ) from None
        own.listen(process.count)
        while len(found) < process.count:
            own.settimeout(max(0.001, end - time.monotonic()))
            try:
                guest = stack.enter_context(own.accept()[0])
                guest.settimeout(max(0.001, end - time.monotonic()))
                words, (descriptor,), _, _ = socket.recv_fds(guest, _HELLO.size, 1)
            except (OSError, ValueError):
                raise _missing(process, set(range(process.count)) - set(found)) from None
            rank, count, _, _ = _HELLO.unpack(words)
            if count != process.count or rank in found:
                os.close(descriptor)
                wrong = (
                    f"Process {rank} says that there are {count}" if count != process.count else f"Two have rank {rank}"
                )
                raise _bad(
                    f"{wrong}; this group has {process.count} processes.", "give each another rank, and one count"
                )
            found[rank] = words, descriptor
            guests.append(guest)
        all_of_them = [found[rank] for rank in range(process.count)]
        for guest in guests:
            _send(process, guest, all_of_them)
        return all_of_them


def _guest(own: socket.socket, place: str, process: Process, given: Given) -> list[Given]:
    """Another rank: give, and get what all have given."""
    end = time.monotonic() + process.timeout
    while True:
        try:
            own.connect(place)
            break
        except OSError:
            if time.monotonic() > end:
                raise _missing(process, {0}) from None
            time.sleep(_AGAIN)
    _send(process, own, [given])
    own.settimeout(max(1.0, end - time.monotonic()))
    try:
        words, descriptors, _, _ = socket.recv_fds(own, _HELLO.size * process.count, process.count)
    except OSError:
        words, descriptors = b"", []
    if len(words) != _HELLO.size * process.count or len(descriptors) != process.count:
        for one in descriptors:
            os.close(one)
        raise _missing(process, set())
    each = [words[i : i + _HELLO.size] for i in range(0, len(words), _HELLO.size)]
    return list(zip(each, descriptors, strict=True))


def _send(process: Process, to: socket.socket, given: Sequence[Given]) -> None:
    try:
        socket.send_fds(to, [b"".join(words for words, _ in given)], [one for _, one in given])
    except OSError:
        raise _missing(process, set()) from None


def _missing(process: Process, ranks: set[int]) -> Diagnostic:
    who = f"rank {', '.join(map(str, sorted(ranks)))}" if ranks else "another process"
    message = f"Group {process.name!r}: process {process.rank} of {process.count} waited in vain for {who}."
    return _bad(message, f"look whether all processes run, or give more time than timeout={process.timeout:g}")
