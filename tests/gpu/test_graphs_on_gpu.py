"""Launches under torch's capture of CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

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
