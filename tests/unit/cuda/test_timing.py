"""Which of several launches is fastest: graphs, rounds and medians, on a driver whose clock is made up."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from ptxlab.cuda import graphs, timing

OK = 0


class Clock:
    """A driver whose launches take the milliseconds that they are told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.graphs: list[list[float]] = []
        self.open: list[float] | None = None
        self.alive: set[str] = set()
        self.replayed: list[int] = []
        self.CUstreamCaptureMode = SimpleNamespace(CU_STREAM_CAPTURE_MODE_RELAXED=2)

    def launch(self, milliseconds: Callable[[], float]) -> Callable[[int], None]:
        def call(stream: int) -> None:
            assert stream == 0x77
            assert self.open is not None, "a launch beside the capture"
            self.open.append(milliseconds())

        return call

    def CUstream(self, handle: int) -> int:
        return handle

    def cuEventCreate(self, flags: int) -> Any:
        return OK, SimpleNamespace(at=0.0)

    def cuEventDestroy(self, event: Any) -> Any:
        return (OK,)

    def cuEventRecord(self, event: Any, stream: int) -> Any:
        event.at = self.now
        return (OK,)

    def cuEventSynchronize(self, event: Any) -> Any:
        return (OK,)

    def cuEventElapsedTime(self, begin: Any, end: Any) -> Any:
        return OK, end.at - begin.at

    def cuStreamBeginCapture(self, stream: int, mode: int) -> Any:
        self.open = []
        return (OK,)

    def cuStreamEndCapture(self, stream: int) -> Any:
        assert self.open is not None
        self.graphs.append(self.open)
        self.open = None
        self.alive.add(f"graph {len(self.graphs)}")
        return OK, len(self.graphs)

    def cuGraphInstantiate(self, graph: int, flags: int) -> Any:
        self.alive.add(f"executable {graph}")
        return OK, graph

    def cuGraphLaunch(self, graph: int, stream: int) -> Any:
        self.now += sum(self.graphs[graph - 1])
        self.replayed.append(graph)
        return (OK,)

    def cuGraphDestroy(self, graph: int) -> None:
        self.alive.remove(f"graph {graph}")

    def cuGraphExecDestroy(self, graph: int) -> None:
        self.alive.remove(f"executable {graph}")

    def cuStreamDestroy(self, stream: int) -> None:
        self.alive.remove("stream")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    found = Clock()
    found.alive.add("stream")
    for module in (timing, graphs):
        monkeypatch.setattr(module, "bindings", lambda: found)
    monkeypatch.setattr(timing, "created", lambda ordinal: 0x77)
    yield found
    assert not found.alive  # graphs and the stream are given back


GPU: Any = SimpleNamespace(ordinal=0, adopt=lambda: None, current=contextlib.nullcontext)


def test_each_call_has_its_seconds(clock: Clock) -> None:
    found = timing.medians(
        GPU,
        {"slow": clock.launch(lambda: 0.5), "quick": clock.launch(lambda: 0.002), "long": clock.launch(lambda: 7.0)},
        5,
    )
    assert found == pytest.approx({"slow": 0.5e-3, "quick": 2e-6, "long": 7e-3})
    assert [len(g) for g in clock.graphs] == [1, 2, 1, 200, 1, 1]  # as many as fill a millisecond, 200 at most


def test_rounds_take_turns_in_a_drawn_order(clock: Clock) -> None:
    calls = {name: clock.launch(lambda: 1.0) for name in "abc"}
    timing.medians(GPU, calls, 4)
    rounds = [clock.replayed[-12:][i : i + 3] for i in range(0, 12, 3)]
    assert all(sorted(one) == [2, 4, 6] for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1


def test_a_call_that_fails_ends_its_capture(clock: Clock) -> None:
    def broken(stream: int) -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        timing.medians(GPU, {"broken": broken}, 1)
    assert clock.open is None
