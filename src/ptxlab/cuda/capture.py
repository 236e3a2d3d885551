"""Launches beside the capture of a CUDA graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptxlab.cuda.driver import bindings
from ptxlab.cuda.streams import handle_of
from ptxlab.diag import Diagnostic, user_span


def chosen(stream: Any, current: Callable[[], int]) -> int:
    """The handle of the stream that a call names, while `current` says which one the arrays' library works on.

    Raises: Diagnostic PTX2314 for what is no stream; PTX2425 where the library's stream is being captured and this one is not.
    """
    handle, now = handle_of(stream), current()
    # the default stream (0) cannot be captured; a stream that joined the capture by an event is captured, too
    if now and handle != now and captured(now) and not captured(handle):
        raise Diagnostic(
            "PTX2425",
            f"The launch goes to the stream {handle:#x}, while a CUDA graph captures the current stream, {now:#x}: "
            "it would run at once and not be part of the graph.",
            help="leave stream= out of prepare and of the call, or let this stream wait for the captured one first: "
            "s.wait_stream(torch.cuda.current_stream())",
            origin=user_span(),
        )
    return handle


def captured(handle: int) -> bool:
    """Whether a CUDA graph is made of what a stream is given. A stream that cannot be asked is not captured."""
    api = bindings()
    error, status = api.cuStreamIsCapturing(api.CUstream(handle))
    return not int(error) and status != api.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
