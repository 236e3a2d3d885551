"""Graphs: launches and copies that are recorded once, and then launched together, again and again."""

from __future__ import annotations

from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.streams import Recording, Stream, no_stream


class Graph:
    """Launches and copies of streams, recorded once. `graph.launch()` queues all of them at a time, in the order that streams and
    events had; on a GPU it is a CUDA graph.

    Inside its `with` block nothing runs. What goes into `stream` is recorded, and into streams that wait for events of it; at the
    end `stream` has to wait for those. Arguments stay what they were: a launch uses the memory that it was recorded with, as that
    then is. Keep the kernels and arrays as long as the graph.

    Attributes:
        stream: the px.Stream with which it begins, and into which `launch` puts it where no other is named.

    Raises: Diagnostic PTX2314 for what is no px.Stream; at the end of the block PTX2347 for a stream that joined in and was not
        waited for. An exception in the block leaves the streams as they were, and the graph empty.

    Example:
        @px.kernel(threads=32)
        def add(k, x: px.Ptr[px.u32], n: px.u32):
            k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + n)

        x, y, stream = np.zeros(32, np.uint32), np.zeros(32, np.uint32), px.Stream()
        with px.Graph(stream) as graph:
            add[1](x, 1, stream=stream)
            px.copy(y, x, stream=stream)
        for _ in range(3):
            graph.launch()
        px.synchronize()
        print(graph, y[0])  # <Graph of 1 launch and 1 copy> 3
    """

    def __init__(self, stream: Stream) -> None:
        if not isinstance(stream, Stream):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise no_stream(stream)
        self.stream = stream
        self._recording: Recording | None = None
        self._ends = frozenset[int]()
        self._on_gpu: Any = None

    def __repr__(self) -> str:
        if self._on_gpu is not None:
            return "<Graph on the GPU>"
        entries = self._recording.entries if self._recording is not None else []
        launches = sum(entry.launch is not None for entry in entries)
        words = [_counted(launches, "launch", "launches"), _counted(len(entries) - launches, "copy", "copies")]
        return f"<Graph of {' and '.join(w for w in words if w) or 'nothing'}>"

    @public
    def __enter__(self) -> Graph:
        if self._recording is not None:
            raise _refused("A graph is recorded once.", "make a new px.Graph")
        if self.stream.state.recording is not None:
            raise _refused("The stream is part of another graph.", "launch the one graph in the block of the other")
        self._recording = Recording(self.stream.state)
        self._recording.begin()
        return self

    @public
    def __exit__(self, kind: object, *rest: object) -> None:
        recording = self._recording
        assert recording is not None
        try:
            if kind is not None:
                self._give_up(recording)
            elif recording.on_gpu:
                from ptxlab.cuda.graphs import Recorded

                self._on_gpu = Recorded.end(self.stream.handle, _unjoined("what another stream holds"))
            else:
                self._ends = _joined(recording, frozenset(self.stream.state.pending))
        except Diagnostic:
            recording.entries.clear()
            raise
        finally:
            recording.end()

    @public
    def launch(self, stream: Stream | None = None) -> None:
        """Queue all that the graph holds, behind what a stream holds.

        Args:
            stream: a px.Stream; left out, the one that the graph was recorded with.

        Raises: Diagnostic PTX2314 for what is no px.Stream, PTX2347 for a graph that is not recorded.

        Example: see px.Graph
        """
        to = self.stream if stream is None else stream
        if not isinstance(to, Stream):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise no_stream(to)
        recording = self._recording
        if recording is None or not recording.over:
            raise _refused(
                "The graph is not recorded yet.", "launch it behind its block: with px.Graph(stream) as graph: …"
            )
        if recording.on_gpu:
            if self._on_gpu is not None:
                self._on_gpu.launch(to.handle)
            return
        to.state.entries.replay(recording, self._ends, to.state.pending)

    def _give_up(self, recording: Recording) -> None:
        recording.entries.clear()
        if recording.on_gpu:
            from ptxlab.cuda.graphs import given_up

            given_up(self.stream.handle)


def _refused(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2347", what, help=help, origin=user_span())


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}" if count else ""


def _joined(recording: Recording, ends: frozenset[int]) -> frozenset[int]:
    """The ends of a graph. Raises: Diagnostic PTX2347 for an entry behind which its first stream does not stand."""
    known, ahead = set[int](), list(ends)
    while ahead:
        one = ahead.pop()
        if one not in known:
            known.add(one)
            ahead += recording.entries[one].before
    lost = next((entry for place, entry in enumerate(recording.entries) if place not in known), None)
    if lost is not None:
        raise _unjoined(f"`{lost.launch.record.program.name}`" if lost.launch else "a copy")
    return ends


def _unjoined(what: str) -> Diagnostic:
    return _refused(
        f"The graph ends, and the stream that it began with does not wait for {what}.",
        "let the first stream wait for the others at the end: first.wait(other.record())",
    )
