"""Which of several launches is fastest: replays of CUDA graphs, in rounds that take turns."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from ptxlab.cuda.driver import Device, bindings, check
from ptxlab.cuda.graphs import Recorded, begin, given_up
from ptxlab.cuda.streams import created

Call = Callable[[int], Any]
"""Launches on the stream of this handle."""
SPAN: Final = 1e-3
"""Seconds of work that a graph holds."""
_MOST: Final = 200


def medians(device: Device, calls: Mapping[str, Call], rounds: int, seed: int = 0) -> dict[str, float]:
    """Seconds of each call, the median over rounds. Each round replays every call's graph, in an order drawn anew.

    The calls must have run before: a graph cannot be made of what loads code.

    Raises: Diagnostic PTX2420, PTX2421 where the GPU fails.
    """
    with _stream(device) as (stream, stack):
        graphs = {name: _Graph(call, stream, stack) for name, call in calls.items()}
        found: dict[str, list[float]] = {name: [] for name in calls}
        order = random.Random(seed)
        for _ in range(rounds):
            for name in order.sample(list(graphs), len(graphs)):
                found[name].append(graphs[name].seconds())
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def measured(device: Device, call: Call, rounds: int, *, load: float, behind: Call) -> tuple[list[float], int]:
    """Seconds of a call in each round of replays, and how many calls a graph holds. It must have run before.

    Args:
        load: seconds of further replays. behind: what is launched right behind them, such as what reads clocks under load.

    Raises: Diagnostic PTX2420, PTX2421 where the GPU fails.
    """
    with _stream(device) as (stream, stack):
        graph = _Graph(call, stream, stack)
        found = [graph.seconds() for _ in range(rounds)]
        graph.work(load / statistics.median(found))
        behind(stream)
        api = bindings()
        check(api.cuStreamSynchronize(api.CUstream(stream)), "cuStreamSynchronize")
        return found, graph.calls


@contextmanager
def _stream(device: Device) -> Generator[tuple[int, ExitStack], None, None]:
    """A stream of the device, and what is taken back before it goes."""
    device.adopt()
    stream = created(device.ordinal)
    api = bindings()
    with device.current(), ExitStack() as stack:
        stack.callback(api.cuStreamDestroy, api.CUstream(stream))
        yield stream, stack


class _Graph:
    """Launches as a CUDA graph, as many `calls` as fill the span."""

    def __init__(self, call: Call, stream: int, stack: ExitStack) -> None:
        api = bindings()
        self._handle, self._stream = stream, api.CUstream(stream)
        self._events = [check(api.cuEventCreate(0), "cuEventCreate") for _ in range(2)]
        for event in self._events:
            stack.callback(api.cuEventDestroy, event)
        self.calls, self._graph = 1, _captured(call, stream, 1, stack)
        self.seconds()
        about = max(self.seconds(), 1e-6)
        self.calls = max(1, min(_MOST, round(SPAN / about)))
        self._graph = _captured(call, stream, self.calls, stack)
        self.seconds()

    def work(self, calls: float) -> None:
        """Put so many calls into the stream, about."""
        for _ in range(max(1, round(calls / self.calls))):
            self._graph.launch(self._handle)

    def seconds(self) -> float:
        """Of one launch, in one replay."""
        api = bindings()
        check(api.cuEventRecord(self._events[0], self._stream), "cuEventRecord")
        self._graph.launch(self._handle)
        check(api.cuEventRecord(self._events[1], self._stream), "cuEventRecord")
        check(api.cuEventSynchronize(self._events[1]), "cuEventSynchronize")
        return float(check(api.cuEventElapsedTime(*self._events), "cuEventElapsedTime")) / 1e3 / self.calls


def _captured(call: Call, stream: int, count: int, stack: ExitStack) -> Recorded:
    begin(stream)
    try:
        for _ in range(count):
            call(stream)
    except BaseException:
        given_up(stream)
        raise
    made = Recorded.end(stream)
    stack.callback(made.close)
    return made
