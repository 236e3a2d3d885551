"""Launches under torch's capture of CUDA graphs, and in our own."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import kept
from ptxlab.diag import Diagnostic
from ptxlab.kernels.gemm import prepare as prepare_gemm

pytestmark = pytest.mark.gpu


@px.kernel(threads=256)
def double(k: px.Builder, x: px.Ptr[px.f32]) -> None:
    i = k.ctaid.x * 256 + k.tid.x
    v = k.ld.global_.f32(x[i])
    k.st.global_.f32(x[i], v + v)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs torch")


@pytest.fixture
def x(torch: Any) -> Any:
    return torch.ones(1024, device="cuda")


def prepared(x: Any) -> Callable[..., None]:
    return double.prepare(grid=4, args=[x])


def launched(x: Any) -> Callable[..., None]:
    double[4](x)  # the first launch loads the module, which a capture does not allow
    return lambda **options: double[4](x, **options)


@pytest.mark.parametrize("made", [prepared, launched])
def test_a_launch_is_captured(torch: Any, x: Any, made: Callable[[Any], Callable[..., None]]) -> None:
    launch = made(x)
    x.fill_(1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch()
    torch.cuda.synchronize()
    assert (x == 1).all()  # nothing runs while it is captured
    for _ in range(3):
        graph.replay()
    assert (x == 8).all()


def test_an_explicit_stream_that_is_captured(torch: Any, x: Any) -> None:
    p, graph = prepared(x), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        p(stream=torch.cuda.current_stream())
    graph.replay()
    assert (x == 2).all()


def test_a_stream_that_joins_the_capture(torch: Any, x: Any) -> None:
    p, graph, side = prepared(x), torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.graph(graph):
        now = torch.cuda.current_stream()
        side.wait_stream(now)
        p(stream=side)
        now.wait_stream(side)
    torch.cuda.synchronize()
    assert (x == 1).all()
    graph.replay()
    assert (x == 2).all()


@pytest.mark.parametrize("made", [prepared, launched])
def test_another_stream_under_capture_is_refused(
    torch: Any, x: Any, made: Callable[[Any], Callable[..., None]]
) -> None:
    launch, other = made(x), torch.cuda.Stream()
    x.fill_(1)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for stream in (other, 0):
            with pytest.raises(Diagnostic) as caught:
                launch(stream=stream)
            assert caught.value.code == "PTX2425"
        launch()  # the capture is still whole
    graph.replay()
    torch.cuda.synchronize()
    assert (x == 2).all()


def test_a_launch_prepared_for_another_stream_under_capture(torch: Any, x: Any) -> None:
    p = double.prepare(grid=4, args=[x], stream=torch.cuda.Stream())
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(Diagnostic) as caught:
            p()
        x.add_(0)  # torch warns of an empty graph
    assert caught.value.code == "PTX2425"
    p()
    torch.cuda.synchronize()
    assert (x == 2).all()


def test_calls_follow_the_current_stream(torch: Any) -> None:
    x = torch.zeros(1 << 20, device="cuda")
    p = double.prepare(grid=4096, args=[x])
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(10):
            x += 1
        p()
        assert (x == 20).all()


def test_a_graph_of_our_own() -> None:
    (device,) = px.devices(1, "gpu")
    x, y = (device.zeros(1024, "f32") for _ in range(2))
    stream, other = px.Stream(device), px.Stream(device)
    px.copy(x, np.ones(1024, np.float32))
    with px.Graph(stream) as graph:
        double[4](x, stream=stream)
        other.wait(stream.record())
        px.copy(y, x, stream=other)
        stream.wait(other.record())
        double[4](x, stream=stream)
    assert x.numpy().tolist() == [1] * 1024  # nothing has run
    for _ in range(3):
        graph.launch()
    px.synchronize()
    assert x.numpy().tolist() == [64] * 1024
    assert y.numpy().tolist() == [32] * 1024


def test_a_stream_that_did_not_join_our_own_graph() -> None:
    (device,) = px.devices(1, "gpu")
    x, stream, other = device.zeros(1024, "f32"), px.Stream(device), px.Stream(device)

    def recorded() -> None:
        with px.Graph(stream):
            other.wait(stream.record())
            double[4](x, stream=other)

    with pytest.raises(Diagnostic, match="PTX2347"):
        recorded()
    px.synchronize()


def test_a_graph_keeps_the_memory_of_a_launch_that_is_dropped(torch: Any) -> None:
    """Sums of shares go through memory of the launch."""
    a, b = (torch.randint(-3, 4, shape, device="cuda").bfloat16() for shape in ((64, 1024), (1024, 64)))
    c, graph = torch.zeros(64, 64, device="cuda"), torch.cuda.CUDAGraph()
    launch = prepare_gemm(a, b, c, config="64x64-1c-shares4")
    with torch.cuda.graph(graph):
        launch()
        launch()
    assert len(kept._held) == 1
    del launch
    gc.collect()
    others = [px.devices(1, "gpu")[0].copy(np.full((4, 64 * 64), 7, np.float32)) for _ in range(32)]
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(c, a.float() @ b.float())
    assert all((other.numpy() == 7).all() for other in others)
    del graph
    gc.collect()
    end = time.monotonic() + 10
    while kept._held and time.monotonic() < end:  # the driver tells when it likes
        time.sleep(0.01)
        kept.let_go()
    assert not kept._held
