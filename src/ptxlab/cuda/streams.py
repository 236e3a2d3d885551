"""Streams of torch, CuPy, JAX, cuda-core or plain handles, as the integer that the driver takes."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any

from ptxlab.abi.arrays import ArrayView
from ptxlab.cuda.driver import bindings, check, device, in_use
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


def created(ordinal: int | None = None) -> int:
    """A new stream of a GPU, for None of the current one, which does not wait for the default one."""
    api = bindings()
    device(ordinal or 0).adopt()
    with nullcontext() if ordinal is None else device(ordinal).current():
        return int(check(api.cuStreamCreate(api.CUstream_flags.CU_STREAM_NON_BLOCKING), "cuStreamCreate"))


def recorded(stream: int, event: Any) -> Any:
    """An event that now stands behind all of a stream: a given one, for None a new one of the stream's GPU."""
    api = bindings()
    if event is None:
        check(
            api.cuCtxPushCurrent(check(api.cuStreamGetCtx(api.CUstream(stream)), "cuStreamGetCtx")), "cuCtxPushCurrent"
        )
        event = check(api.cuEventCreate(api.CUevent_flags.CU_EVENT_DISABLE_TIMING), "cuEventCreate")
        check(api.cuCtxPopCurrent(), "cuCtxPopCurrent")
    check(api.cuEventRecord(event, api.CUstream(stream)), "cuEventRecord")
    return event


def wait_event(stream: int, event: int) -> None:
    """A stream waits for an event."""
    api = bindings()
    check(api.cuStreamWaitEvent(api.CUstream(stream), api.CUevent(event), 0), "cuStreamWaitEvent")


def wait_for_event(event: int) -> None:
    """The host waits for an event. Raises: Diagnostic PTX2421 where a kernel has failed."""
    api = bindings()
    check(api.cuEventSynchronize(api.CUevent(event)), "cuEventSynchronize")


def synchronized(stream: Any = None) -> None:
    """Wait for a stream, or for None for all GPUs that are in use. Raises: Diagnostic PTX2421 where a kernel has failed."""
    api = bindings()
    if stream is not None:
        check(api.cuStreamSynchronize(handle_of(stream)), "cuStreamSynchronize")
        return
    device().adopt()
    check(api.cuCtxSynchronize(), "cuCtxSynchronize")
    for other in in_use():
        with other.current():
            check(api.cuCtxSynchronize(), "cuCtxSynchronize")


def copied(to: ArrayView, source: ArrayView, stream: Any) -> None:
    """Copy contiguous arrays of which one at least is on a GPU; without a stream, wait for that."""
    api = bindings()
    device(max(to.ordinal, source.ordinal)).adopt()
    first, end = source.extent
    check(api.cuMemcpyAsync(to.address, first, end - first, handle_of(stream)), "cuMemcpyAsync")
    if stream is None:
        check(api.cuStreamSynchronize(0), "cuStreamSynchronize")


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
