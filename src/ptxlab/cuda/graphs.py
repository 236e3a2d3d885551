"""CUDA graphs, recorded from streams."""

from __future__ import annotations

import weakref
from typing import Any, Final

from ptxlab.cuda.driver import bindings, check
from ptxlab.diag import Diagnostic

_UNJOINED: Final = "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"


def begin(stream: int) -> None:
    """What goes into a stream, and into others that wait for its events, is recorded."""
    api = bindings()
    # relaxed: a kernel that is launched for the first time is loaded meanwhile
    mode = api.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    check(api.cuStreamBeginCapture(api.CUstream(stream), mode), "cuStreamBeginCapture")


def given_up(stream: int) -> None:
    """Nothing is made of what was recorded."""
    api = bindings()
    error, graph = api.cuStreamEndCapture(api.CUstream(stream))
    if not int(error) and int(graph):
        api.cuGraphDestroy(graph)


class Recorded:
    """A graph that can be launched. `close()` frees it, else it is freed with the object."""

    def __init__(self, graph: Any) -> None:
        api = bindings()
        self._made: Any = check(api.cuGraphInstantiate(graph, 0), "cuGraphInstantiate")
        self.close = weakref.finalize(self, api.cuGraphExecDestroy, self._made)

    @classmethod
    def end(cls, stream: int, unjoined: Diagnostic | None = None) -> Recorded:
        """The graph of what was recorded.

        Args:
            unjoined: what is raised where a stream that joined in was not waited for.

        Raises: Diagnostic, and PTX2420.
        """
        api = bindings()
        error, graph = api.cuStreamEndCapture(api.CUstream(stream))
        if unjoined is not None and getattr(error, "name", "") == _UNJOINED:
            raise unjoined
        check((error,), "cuStreamEndCapture")
        try:
            return cls(graph)
        finally:
            api.cuGraphDestroy(graph)

    def launch(self, stream: int) -> None:
        """Put it into a stream."""
        api = bindings()
        check(api.cuGraphLaunch(self._made, api.CUstream(stream)), "cuGraphLaunch")
