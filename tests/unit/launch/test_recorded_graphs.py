"""Graphs: what is recorded, in which order it runs, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import graphs, streams
from ptxlab.diag import Diagnostic

SCHEDULES = ("eager", "late", "random")


pytestmark = pytest.mark.usefixtures("nothing_is_left")


@px.kernel(threads=32)
def add(k: px.Builder, x: px.Ptr[px.u32], n: px.u32) -> None:
    k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + n)


@px.kernel(threads=32)
def double(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
    k.griddepcontrol.launch_dependents()
    k.griddepcontrol.wait()
    k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)


@px.kernel(threads=32)
def hasty(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
    """Reads before it waits."""
    v = k.ld.global_.u32(x[k.tid.x])
    k.griddepcontrol.wait()
    k.st.global_.u32(y[k.tid.x], v)


def zeros() -> np.ndarray:
    return np.zeros(32, np.uint32)


def recorded(stream: px.Stream, calls: Callable[[], object]) -> px.Graph:
    """A graph of what the calls queue."""
    with px.Graph(stream) as graph:
        calls()
    return graph


def code(call: Callable[[], object]) -> str:
    with pytest.raises(Diagnostic) as raised:
        call()
    assert raised.value.help
    return raised.value.code


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_runs_of_a_graph_come_one_after_the_other(schedule: str) -> None:
    x, y, stream = zeros(), zeros(), px.Stream()
    with px.Graph(stream) as graph:
        add[1](x, 1, stream=stream)
        double[1](x, y, stream=stream)
    assert not px.synchronize(schedule=schedule)
    add[1](x, 10, stream=stream)
    for _ in range(3):
        graph.launch()
    px.copy(x, y, stream=stream)
    reports = px.synchronize(schedule=schedule, sanitize=True)
    assert len(reports) == 7
    assert x.tolist() == y.tolist() == [26] * 32
    graph.launch()
    px.synchronize(schedule=schedule, sanitize=True)
    assert y.tolist() == [54] * 32


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_streams_that_join_run_side_by_side_and_in_order(schedule: str) -> None:
    x, y, z, first, other = zeros(), zeros(), zeros(), px.Stream(), px.Stream()
    add[1](z, 5, stream=other)  # no part of the graph, and not lost
    with px.Graph(first) as graph:
        add[1](x, 1, stream=first)
        other.wait(first.record())
        add[1](y, 3, stream=other)
        add[1](x, 2, stream=first)
        first.wait(other.record())
        px.copy(z, y, stream=first)
    assert repr(graph) == "<Graph of 3 launches and 1 copy>"
    other.synchronize()
    assert (x[0], y[0], z[0]) == (0, 0, 5)
    third = px.Stream()
    graph.launch(third)
    third.synchronize()
    assert (x[0], y[0], z[0]) == (3, 3, 3)


def test_a_graph_in_another_one() -> None:
    x, stream, inner_stream = zeros(), px.Stream(), px.Stream()
    with px.Graph(inner_stream) as inner:
        add[1](x, 1, stream=inner_stream)
        add[1](x, 2, stream=inner_stream)
    with px.Graph(stream) as outer:
        inner.launch(stream)
        add[1](x, 10, stream=stream)
        inner.launch(stream)
    outer.launch()
    reports = px.synchronize(sanitize=True)
    assert len(reports) == 5
    assert x[0] == 16


def test_an_empty_graph() -> None:
    x, stream = zeros(), px.Stream()
    add[1](x, 1, stream=stream)
    with px.Graph(stream) as graph:
        pass
    graph.launch()
    add[1](x, 1, stream=stream)
    px.synchronize(sanitize=True)
    assert x[0] == 2
    assert repr(graph) == "<Graph of nothing>"


def test_findings_name_the_run() -> None:
    x, y, stream = zeros(), zeros(), px.Stream()
    with px.Graph(stream) as graph:
        add[1](x, 1, stream=stream)
        hasty[1](x, y, stream=stream)
    graph.launch()
    graph.launch()
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(sanitize=True)
    assert raised.value.code == "PTX9260"
    assert "`hasty` (launch 2 of the graph's run 1)" in raised.value.message


def test_runs_in_streams_that_nothing_orders_are_found() -> None:
    x, one, other = zeros(), px.Stream(), px.Stream()
    with px.Graph(one) as graph:
        add[1](x, 1, stream=one)
    graph.launch()
    graph.launch(other)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(sanitize=True)
    assert raised.value.code == "PTX9262"
    assert "record an event behind launch 1 of the graph's run 1" in (raised.value.help or "")


def test_a_grid_behind_a_graph_does_not_begin_early() -> None:
    """In CUDA a programmatic dependent begins beside a kernel, and a graph is none."""
    x, y, stream = zeros(), zeros(), px.Stream()
    with px.Graph(stream) as graph:
        add[1](x, 1, stream=stream)
    graph.launch()
    hasty[1](x, y, stream=stream)
    px.synchronize(schedule="late", sanitize=True)
    assert y[0] == 1


def test_nothing_waits_while_a_graph_is_recorded() -> None:
    x, stream = zeros(), px.Stream()
    event = stream.record()
    with px.Graph(stream) as graph:
        add[1](x, 1, stream=stream)
        calls: list[Callable[[], object]] = [
            px.synchronize,
            stream.synchronize,
            stream.record().synchronize,
            lambda: add[1](x, 1),
            lambda: px.copy(x, zeros()),
            lambda: stream.wait(event),
            lambda: graph.launch(),
            lambda: px.Graph(stream).__enter__(),
            graph.__enter__,
        ]
        assert [code(call) for call in calls] == ["PTX2347"] * len(calls)
        inside = stream.record()
    assert code(lambda: px.Stream().wait(inside)) == "PTX2347"
    inside.synchronize()  # nothing in front of it is queued
    graph.launch()
    px.synchronize()
    assert x[0] == 1


def test_a_stream_that_is_not_waited_for() -> None:
    x, first, other = zeros(), px.Stream(), px.Stream()

    def forgets() -> None:
        other.wait(first.record())
        add[1](x, 1, stream=other)

    with pytest.raises(Diagnostic) as raised:
        recorded(first, forgets)
    assert raised.value.code == "PTX2347"
    assert "`add`" in raised.value.message
    add[1](x, 1, stream=other)
    px.synchronize()
    assert x[0] == 1


def test_what_is_no_stream() -> None:
    bad: Any = 7
    stream = px.Stream()
    with px.Graph(stream) as graph:
        pass
    with pytest.raises(Diagnostic, match="PTX2314"):
        px.Graph(bad)
    with pytest.raises(Diagnostic, match="PTX2314"):
        graph.launch(bad)
    with pytest.raises(Diagnostic, match="PTX2347"):
        px.Graph(stream).launch()


def test_an_exception_leaves_the_streams_as_they_were() -> None:
    x, stream = zeros(), px.Stream()

    def fails() -> None:
        add[1](x, 1, stream=stream)
        raise KeyError

    with pytest.raises(KeyError):
        recorded(stream, fails)
    add[1](x, 2, stream=stream)
    stream.synchronize()
    assert x[0] == 2


class Driver:
    """CUDA's driver, as far as graphs ask it: it writes down what it is told."""

    def __init__(self, *, unjoined: bool = False) -> None:
        self.told: list[object] = []
        self._unjoined = unjoined
        self.CUstreamCaptureMode = SimpleNamespace(CU_STREAM_CAPTURE_MODE_RELAXED=2)

    def CUstream(self, handle: int) -> int:
        return handle

    def cuStreamBeginCapture(self, stream: int, mode: int) -> tuple[int]:
        self.told.append(("begin", stream, mode))
        return (0,)

    def cuStreamEndCapture(self, stream: int) -> tuple[Any, int]:
        self.told.append(("end", stream))
        return (_Status() if self._unjoined else 0), 0x10

    def cuGraphInstantiate(self, graph: int, flags: int) -> tuple[int, int]:
        return 0, 0x20

    def cuGraphDestroy(self, graph: int) -> tuple[int]:
        self.told.append(("destroy", graph))
        return (0,)

    def cuGraphExecDestroy(self, graph: int) -> tuple[int]:
        self.told.append(("destroy", graph))
        return (0,)

    def cuGraphLaunch(self, graph: int, stream: int) -> tuple[int]:
        self.told.append(("launch", graph, stream))
        return (0,)


class _Status(int):
    name = "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"

    def __new__(cls) -> _Status:
        return super().__new__(cls, 904)


def on(monkeypatch: pytest.MonkeyPatch, driver: Driver) -> Driver:
    handles = iter(range(1, 9))
    monkeypatch.setattr(graphs, "bindings", lambda: driver)
    monkeypatch.setattr(streams, "created", lambda _: next(handles))
    monkeypatch.setattr(streams, "recorded", lambda stream, event: driver.told.append(("record", stream)) or 0x99)
    monkeypatch.setattr(streams, "wait_event", lambda stream, event: driver.told.append(("wait", stream)))
    return driver


def test_a_stream_of_a_gpu_is_recorded_by_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, stream, other = on(monkeypatch, Driver()), px.Stream(), px.Stream()
    assert (stream.handle, other.handle) == (1, 2)
    with px.Graph(stream) as graph:
        pass
    graph.launch()
    graph.launch(other)
    assert repr(graph) == "<Graph on the GPU>"
    del graph
    assert driver.told == [
        *(("begin", 1, 2), ("end", 1), ("destroy", 0x10)),
        *(("launch", 0x20, 1), ("launch", 0x20, 2), ("destroy", 0x20)),
    ]


def test_streams_that_turn_out_to_be_of_a_gpu_while_they_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, stream, other = on(monkeypatch, Driver()), px.Stream(), px.Stream()
    with px.Graph(stream):
        other.wait(stream.record())
        assert other.handle == 1  # what the first launch asks for
        assert stream.handle == 2
        stream.wait(other.record())
    assert driver.told[:3] == [("begin", 2, 2), ("record", 2), ("wait", 1)]


def test_the_simulator_and_a_gpu_in_one_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Driver())
    stream, x = px.Stream(), zeros()

    def both() -> None:
        add[1](x, 1, stream=stream)
        print(stream.handle)

    with pytest.raises(Diagnostic, match="PTX2314"):
        recorded(stream, both)


def test_the_driver_gives_up_or_says_that_a_stream_did_not_join(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, stream = on(monkeypatch, Driver()), px.Stream()
    print(stream.handle)
    with pytest.raises(KeyError), px.Graph(stream):
        raise KeyError
    assert driver.told == [("begin", 1, 2), ("end", 1), ("destroy", 0x10)]
    driver, stream = on(monkeypatch, Driver(unjoined=True)), px.Stream()
    print(stream.handle)
    with pytest.raises(Diagnostic, match="PTX2347"), px.Graph(stream):
        pass
