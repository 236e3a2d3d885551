"""Memory that a captured CUDA graph uses lives as long as the graph, whoever drops the launch that brought it.

A graph is given a user object for what one of its launches keeps, and its destructor tells when the last graph that holds it is
gone. That may be on a thread of the driver and at the end of the process, where no Python may run: the destructor is sem_post of
the C library, and what is no longer needed is let go of the next time that something is kept or allocated.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cache
from typing import Any, Final

from ptxlab.cuda.driver import bindings, check

_SEMAPHORE: Final = 64
"""Bytes of a semaphore, at most."""
_held: dict[int, tuple[Any, Any]] = {}
"""By the addresses of semaphores: these, and what is kept."""
_lock: Final = threading.Lock()


def keep(handle: int, objects: tuple[Any, ...], known: int) -> int:
    """Keep objects for a graph, if one is made of what a stream is given.

    Args:
        handle: of the stream. known: the number of the capture that keeps them already.

    Returns: the number of the capture that keeps them; `known` where nothing is captured.

    Raises: Diagnostic PTX2421 where the driver refuses.
    """
    api = bindings()
    error, status, number, graph, *_ = api.cuStreamGetCaptureInfo(api.CUstream(handle))
    if int(error) or status != api.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE or int(number) == known:
        return known
    let_go()
    semaphore = ctypes.create_string_buffer(_SEMAPHORE)
    address = ctypes.addressof(semaphore)
    _library().sem_init(semaphore, 0, 0)
    post = ctypes.cast(_library().sem_post, ctypes.c_void_p).value
    with _lock:
        _held[address] = (semaphore, objects)
    flags = api.CUuserObject_flags.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
    made = check(api.cuUserObjectCreate(address, api.CUhostFn(post), 1, flags), "cuUserObjectCreate")
    move = api.CUuserObjectRetain_flags.CU_GRAPH_USER_OBJECT_MOVE
    check(api.cuGraphRetainUserObject(graph, made, 1, move), "cuGraphRetainUserObject")
    return int(number)


def let_go() -> None:
    """Let go of what no graph holds any more."""
    value = ctypes.c_int()
    with _lock:
        gone: list[int] = []
        for address, (semaphore, _) in _held.items():
            _library().sem_getvalue(semaphore, ctypes.byref(value))
            if value.value:
                gone.append(address)
        over = [_held.pop(address) for address in gone]
    del over  # memory is freed here, and not under the lock


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
