"""The experiments, run on a GPU or in the simulator: what each grid has answered."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab.conformance.grids.experiments import EXPERIMENTS, Experiment
from ptxlab.conformance.grids.steps import SLOTS, WORDS, kernel

Answers = list[list[list[int]]]
"""By grid, CTA and place."""


def on_gpu(experiment: Experiment, patience: int = 2_000_000, *, captured: bool = False) -> Answers:
    """The answers of the current GPU. patience: nanoseconds after which a grid gives up waiting for another one.
    captured: by a CUDA graph of the launches."""
    torch: Any = import_module("torch")

    kernels = [px.parse(kernel(grid.steps))["member"] for grid in experiment.grids]
    words = torch.zeros(WORDS, dtype=torch.int32, device="cuda")
    answers = [torch.zeros(grid.ctas * SLOTS, dtype=torch.int32, device="cuda") for grid in experiment.grids]
    streams: dict[int, Any] = {}
    launches: list[tuple[Any, Any]] = []
    for grid, one, out in zip(experiment.grids, kernels, answers, strict=True):
        stream = streams.setdefault(grid.stream, torch.cuda.Stream())
        launch = one.prepare(
            grid=grid.ctas,
            block=grid.threads,
            shared=grid.shared,
            cluster=grid.cluster,
            args=[words, out, np.uint64(patience)],
            stream=stream,
            programmatic=grid.early,
        )
        launches.append((launch, stream))
    px.synchronize()

    def launched() -> None:
        events: list[Any] = []
        for place, (grid, (launch, stream)) in enumerate(zip(experiment.grids, launches, strict=True)):
            for other in grid.after:
                stream.wait_event(events[other])
            launch()
            events.append(torch.cuda.Event())
            if any(place in other.after for other in experiment.grids):
                events[-1].record(stream)

    if captured:
        graph, first = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        with torch.cuda.graph(graph, stream=first):
            for stream in streams.values():
                stream.wait_stream(first)
            launched()
            for stream in streams.values():
                first.wait_stream(stream)
        words.zero_()
        for out in answers:
            out.zero_()
        px.synchronize()
        graph.replay()
    else:
        launched()
    px.synchronize()
    return [out.reshape(-1, SLOTS).tolist() for out in answers]


def simulated(
    experiment: Experiment, schedule: str, seed: int = 0, patience: int = 1_000_000, *, captured: bool = False
) -> Answers:
    """The answers of the simulator. captured: by a graph of the launches."""
    words = np.zeros(WORDS, np.int32)
    answers = [np.zeros(grid.ctas * SLOTS, np.int32) for grid in experiment.grids]
    if captured:
        first = px.Stream()
        with px.Graph(first) as graph:
            began = first.record()
            streams = {grid.stream: px.Stream() for grid in experiment.grids}
            for stream in streams.values():
                stream.wait(began)
            _launched(experiment, answers, words, patience, streams)
            for stream in streams.values():
                first.wait(stream.record())
        graph.launch()
    else:
        _launched(experiment, answers, words, patience, {})
    px.synchronize(schedule=schedule, seed=seed, sanitize=False)
    return [out.reshape(-1, SLOTS).tolist() for out in answers]


def _launched(
    experiment: Experiment, answers: list[Any], words: Any, patience: int, streams: dict[int, px.Stream]
) -> None:
    """The launches of an experiment, queued for the simulator."""
    events: list[px.Event] = []
    for grid, out in zip(experiment.grids, answers, strict=True):
        stream = streams.setdefault(grid.stream, px.Stream())
        for other in grid.after:
            stream.wait(events[other])
        px.parse(kernel(grid.steps))["member"].launch(
            grid=grid.ctas,
            block=grid.threads,
            shared=grid.shared,
            cluster=grid.cluster,
            args=[words, out, np.uint64(patience)],
            programmatic=grid.early,
            stream=stream,
        )
        events.append(stream.record())


def repeated(run: Callable[[Experiment], Answers], times: int) -> dict[str, list[Answers]]:
    """The different answers that each experiment has given in so many runs."""
    found: dict[str, list[Answers]] = {}
    for name, experiment in EXPERIMENTS.items():
        seen = found.setdefault(name, [])
        for _ in range(times):
            now = run(experiment)
            if now not in seen:
                seen.append(now)
    return found
