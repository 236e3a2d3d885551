"""Streams, events and copies on a GPU, and what grids that overlap see of each other."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.grids.experiments import EXPERIMENTS
from ptxlab.conformance.grids.run import on_gpu, simulated
from ptxlab.diag import Diagnostic

pytestmark = pytest.mark.gpu


@px.kernel(threads=32)
def add(k: px.Builder, x: px.Ptr[px.u32], n: px.u32) -> None:
    k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + n)


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_grids_answer_as_in_the_simulator(name: str, captured: bool) -> None:
    experiment = EXPERIMENTS[name]
    if captured and experiment.differs_captured:
        return
    run = partial(on_gpu, captured=captured)
    steady = [
        (place, answer)
        for place in range(len(experiment.grids))
        for answer in range(8)
        if (place, answer) not in experiment.unsteady
    ]
    chip, here = run(experiment), simulated(experiment, "late")
    for place, answer in steady:
        assert [cta[answer] for cta in chip[place]] == [cta[answer] for cta in here[place]]


def test_streams_events_and_copies() -> None:
    import torch

    x = torch.zeros(32, dtype=torch.int32, device="cuda")
    y = np.zeros(32, np.int32)
    one, other = px.Stream(), px.Stream()
    torch.cuda.synchronize()
    add[1](x, 1, stream=one)
    other.wait(one.record())
    add[1](x, 2, stream=other)
    px.copy(y, x, stream=other)
    other.synchronize()
    assert (y == 3).all()
    y[:] = 7
    px.copy(x, y)
    assert bool((x == 7).all())
    event = px.Event()
    event.record(one)
    event.synchronize()
    with torch.cuda.stream(torch.cuda.ExternalStream(one.handle)):
        x += 1
    one.synchronize()
    assert bool((x == 8).all())
    px.synchronize()


def test_a_stream_of_the_gpu_is_none_of_the_simulator() -> None:
    stream = px.Stream()
    assert stream.handle
    with pytest.raises(Diagnostic) as raised:
        add[1](np.zeros(32, np.uint32), 1, stream=stream)
    assert raised.value.code == "PTX2314"
