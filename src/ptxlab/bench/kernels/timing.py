"""Timing in interleaved rounds; contenders that take little time replay a CUDA graph, so that launches do not count."""

from __future__ import annotations

import contextlib
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

Call = Callable[[], Any]
SHORT: Final = 30e-6
"""Seconds of a call below which calls are recorded in a graph and replayed."""
SPAN: Final = 2e-3
"""Seconds of work between two events."""
_MOST_CALLS: Final = 200
_WARM: Final = 3


@dataclass(frozen=True, slots=True)
class Seconds:
    """Seconds of one call of a contender, over the rounds.

    Attributes:
        graph: whether calls were replayed by a graph.
    """

    median: float
    best: float
    worst: float
    rounds: int
    graph: bool = False


@dataclass(frozen=True, slots=True)
class Runner:
    """A contender, ready to be timed: `run` makes `calls` calls, one of each set of inputs in turn."""

    run: Callable[[], Any]
    calls: int
    graph: bool


def seconds_of(torch: ModuleType, calls: Sequence[Call]) -> float:
    """How long one call takes, about; the caches of compilers are filled on the way."""
    for _ in range(_WARM):
        for call in calls:
            call()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for call in calls:
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / len(calls)


def runner(torch: ModuleType, calls: Sequence[Call], *, short: bool) -> Runner:
    """A contender's round: as many calls as fill the span."""
    about = max(seconds_of(torch, calls), 1e-6)
    count = max(1, min(_MOST_CALLS, round(SPAN / about)))
    if short:
        with contextlib.suppress(Exception):  # what a library raises for work that no graph can hold
            return Runner(_graph(torch, calls, count).replay, count, True)
        torch.cuda.synchronize()

    def run() -> None:
        for i in range(count):
            calls[i % len(calls)]()

    return Runner(run, count, False)


def _graph(torch: ModuleType, calls: Sequence[Call], count: int) -> Any:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            calls[i % len(calls)]()
    graph.replay()
    torch.cuda.synchronize()
    return graph


def rounds(torch: ModuleType, contenders: Mapping[str, Sequence[Call]], count: int, seed: int) -> dict[str, Seconds]:
    """Every round times every contender, in an order drawn anew: heat and clocks then favour nobody."""
    short = min(seconds_of(torch, calls) for calls in contenders.values()) < SHORT
    runners = {name: runner(torch, calls, short=short) for name, calls in contenders.items()}
    order = random.Random(seed)
    found: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(count):
        events: list[tuple[str, Any, Any]] = []
        for name in order.sample(list(runners), len(runners)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            contenders[name][-1]()  # pays for what the one before left in the caches
            begin.record()
            runners[name].run()
            end.record()
            events.append((name, begin, end))
        torch.cuda.synchronize()
        for name, begin, end in events:
            found[name].append(begin.elapsed_time(end) / 1e3 / runners[name].calls)
    return {
        name: Seconds(statistics.median(s), min(s), max(s), len(s), runners[name].graph) for name, s in found.items()
    }


def copy_bandwidth(torch: ModuleType, nbytes: int = 1 << 30, count: int = 20) -> float:
    """Bytes a second, read and written, of a copy within the GPU's memory."""
    source = torch.zeros(nbytes, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    timed = rounds(torch, {"copy": [lambda: target.copy_(source)]}, count, 0)
    return 2.0 * nbytes / timed["copy"].median


def seconds_of_calls(torch: ModuleType, runner: Runner) -> float:
    """Seconds of one call, over as many as a runner makes."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    runner.run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / runner.calls
