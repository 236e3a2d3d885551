"""Streams of torch, CuPy, JAX, cuda-core or plain handles, as the integer that the driver takes."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ptxlab.diag import Diagnostic, user_span


def handle_of(stream: Any) -> int:
    """The handle of a stream: torch, CuPy, `__cuda_stream__`, cuda-bindings' CUstream or an integer; 0 for None.

    Raises: Diagnostic PTX2314 for anything else.
    """
    if stream is None:
        return 0
    protocol: Any = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        version_and_handle: Any = protocol() if callable(protocol) else protocol
        return int(version_and_handle[1])
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        if value is not None:
            return int(value)
    try:
        return operator.index(stream)
    except TypeError:
        pass
    if hasattr(stream, "getPtr"):
        return int(stream)
    raise Diagnostic(
        "PTX2314",
        f"A {type(stream).__name__} is no CUDA stream.",
        help="give a torch or CuPy stream, or the handle as an integer",
        origin=user_span(),
    )


def current_source(owners: Iterable[Any], ordinal: int) -> Callable[[], int]:
    """What asks the arrays' own library for its current stream: a launch on it sees what the library computed before."""
    for owner in owners:
        library = type(owner).__module__.partition(".")[0]
        if library == "torch":
            return _torch_stream(ordinal)
        if library == "cupy":
            current = sys.modules["cupy"].cuda.get_current_stream
            return lambda: int(current().ptr)
    return int


def _torch_stream(ordinal: int) -> Callable[[], int]:
    torch: Any = sys.modules["torch"]
    # what torch's own compiler calls: the handle alone, without an object around it
    raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    if raw is not None:
        return partial(raw, ordinal)
    return lambda: int(torch.cuda.current_stream(ordinal).cuda_stream)


def settle(owners: Iterable[Any]) -> None:
    """Wait for arrays that are computed on streams which their library does not show (JAX)."""
    for owner in owners:
        wait = getattr(owner, "block_until_ready", None)
        if callable(wait):
            wait()
