"""Messages between a launch and its processes: pickled objects over a socket, and memory as file descriptors beside them."""

from __future__ import annotations

import mmap
import os
import pickle
import socket
import tempfile
from typing import Any

import numpy as np

from ptxlab.sim.engine.compiled.native import Bytes
from ptxlab.sim.spread.layout import rounded

_HEAD = 8
CONTROL = mmap.ALLOCATIONGRANULARITY
"""Bytes behind shared memory by which both sides keep in touch."""


def send(to: socket.socket, message: object, memory: int | None = None) -> None:
    """Send an object, and a file descriptor with it. Raises OSError where nobody listens any more."""
    raw = pickle.dumps(message, protocol=5)
    head = len(raw).to_bytes(_HEAD, "little")
    if memory is None:
        to.sendall(head)
    else:
        socket.send_fds(to, [head], [memory])
    to.sendall(raw)


def receive(source: socket.socket) -> tuple[Any, int | None]:
    """The next object, and the file descriptor that came with it. Raises EOFError where the other side is gone."""
    head, memory, _, _ = socket.recv_fds(source, _HEAD, 1)
    head += _exactly(source, _HEAD - len(head)) if head else b""
    if len(head) < _HEAD:
        raise EOFError
    return pickle.loads(_exactly(source, int.from_bytes(head, "little"))), next(iter(memory), None)


def _exactly(source: socket.socket, nbytes: int) -> bytearray:
    out = bytearray(nbytes)
    view = memoryview(out)
    while view:
        got = source.recv_into(view)
        if not got:
            raise EOFError
        view = view[got:]
    return out


class Shared:
    """Memory that processes share through a file without a name, with CONTROL bytes behind it.

    Attributes:
        data: the bytes. control: those behind them, as u64.
    """

    def __init__(self, nbytes: int) -> None:
        """Raises OSError where there is no room."""
        whole = _control_at(nbytes) + CONTROL
        self._file = _file(whole)
        self._map = mmap.mmap(self._file, whole)
        self.data: Bytes = np.frombuffer(self._map, np.uint8)[:nbytes]
        self.control = np.frombuffer(self._map, np.uint64, offset=_control_at(nbytes))

    @property
    def file(self) -> int:
        """The file descriptor."""
        return self._file

    def close(self) -> None:
        """Give the file back; the memory goes when nobody looks at it any more."""
        os.close(self._file)


def private(file: int, nbytes: int) -> tuple[Bytes, Any]:
    """Shared memory as another process sees it: a copy that is its own as soon as it writes, and the control words.

    Closes the file.
    """
    whole = _control_at(nbytes) + CONTROL
    copy = mmap.mmap(file, whole, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    control = mmap.mmap(file, CONTROL, offset=_control_at(nbytes))
    os.close(file)
    return np.frombuffer(copy, np.uint8)[:nbytes], np.frombuffer(control, np.uint64)


def _control_at(nbytes: int) -> int:
    return -(-rounded(nbytes) // CONTROL) * CONTROL


def _file(nbytes: int) -> int:
    if hasattr(os, "memfd_create"):
        made = os.memfd_create("ptxlab")
    else:
        with tempfile.TemporaryFile() as f:
            made = os.dup(f.fileno())
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(made, 0, nbytes)  # what is lacking is found now, and not by a signal later
        else:
            os.ftruncate(made, nbytes)
    except OSError:
        os.close(made)
        raise
    return made
