"""Where launches go: to the stream that is named, or to the one that the arrays' library works on at the call."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from answering import PTX, Driver, OnGpu, Tensor, Torch, cuda, torch

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic

__all__ = ["cuda", "torch"]  # fixtures

pytestmark = pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")


def call(array: Any) -> dict[str, Any]:
    return {"grid": 4, "block": 32, "args": [array, px.tensor_map(array, (8, 32)), np.uint16(5)]}


def test_a_prepared_launch_goes_to_the_current_stream_of_each_call(cuda: Driver, torch: Torch) -> None:
    torch.current = 11
    p = px.parse(PTX)["k"].prepare(**call(Tensor()))
    for torch.current in (12, 12, 0, 12):
        p()
    assert [x["stream"] for x in cuda.launches] == [12, 12, 0, 12]


def test_a_prepared_launch_stays_on_the_stream_that_it_was_prepared_for(cuda: Driver, torch: Torch) -> None:
    p = px.parse(PTX)["k"].prepare(**call(Tensor()), stream=77)
    for torch.current in (11, 12):
        p()
    p(stream=78)
    p()
    assert [x["stream"] for x in cuda.launches] == [77, 77, 78, 77]


def test_cupy_is_asked_at_each_call_too(cuda: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    class Array(OnGpu):
        pass

    Array.__module__ = "cupy"
    now = SimpleNamespace(ptr=21)
    cupy = ModuleType("cupy")
    vars(cupy)["cuda"] = SimpleNamespace(get_current_stream=lambda: now)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    args = [Array(), px.tensor_map(OnGpu(), (8, 32)), np.uint16(5)]
    p = px.parse(PTX)["k"].prepare(grid=4, block=32, args=args)
    for now.ptr in (22, 23):
        p()
    assert [x["stream"] for x in cuda.launches] == [22, 23]


def test_arrays_of_a_library_without_a_current_stream_go_to_the_default_one(cuda: Driver, torch: Torch) -> None:
    torch.current = 11
    p = px.parse(PTX)["k"].prepare(**call(OnGpu()))
    p()
    assert [x["stream"] for x in cuda.launches] == [0]


def test_threads_with_streams_of_their_own(cuda: Driver, torch: Torch) -> None:
    each = threading.local()
    torch._C = SimpleNamespace(_cuda_getCurrentRawStream=lambda _: each.stream)
    p = px.parse(PTX)["k"].prepare(**call(Tensor()))

    def work(stream: int) -> None:
        each.stream = stream
        for _ in range(100):
            p()

    threads = [threading.Thread(target=work, args=[stream]) for stream in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(x["stream"] for x in cuda.launches) == [stream for stream in range(1, 5) for _ in range(100)]


def prepared(array: Any, **options: Any) -> Callable[..., None]:
    return px.parse(PTX)["k"].prepare(**call(array), **options)


def launched(array: Any) -> Callable[..., None]:
    k = px.parse(PTX)["k"]
    return lambda **options: k.launch(**call(array), **options)


@pytest.mark.parametrize("made", [prepared, launched])
def test_a_launch_outside_of_a_capture_is_refused(
    cuda: Driver, torch: Torch, made: Callable[[Any], Callable[..., None]]
) -> None:
    launch = made(Tensor())
    launch()
    torch.current, cuda.captured = 11, {11}
    launch()
    for stream in (0, 12):
        with pytest.raises(Diagnostic) as caught:
            launch(stream=stream)
        assert caught.value.code == "PTX2425"
        assert f"{stream:#x}" in caught.value.message
        assert "0xb" in caught.value.message
    assert [x["stream"] for x in cuda.launches] == [0, 11]


def test_a_launch_prepared_for_another_stream_is_refused_under_capture(cuda: Driver, torch: Torch) -> None:
    p = prepared(Tensor(), stream=12)
    torch.current = 11
    p()
    cuda.captured = {11}
    with pytest.raises(Diagnostic, match="PTX2425"):
        p()
    p(stream=11)
    assert [x["stream"] for x in cuda.launches] == [12, 11]


def test_a_stream_that_has_joined_the_capture_is_captured(cuda: Driver, torch: Torch) -> None:
    p = prepared(Tensor())
    torch.current, cuda.captured = 11, {11, 12}
    p(stream=12)
    assert [x["stream"] for x in cuda.launches] == [12]
