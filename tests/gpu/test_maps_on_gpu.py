"""Tensor maps on a GPU: the driver's bytes, and launches on several streams and threads that do not meet."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import ptxlab as px
from ptxlab.kernels.copies import tma_2d
from tools.tensormaps.calls import compare, driver
from tools.tensormaps.dice import calls

pytestmark = pytest.mark.gpu

ROWS, COLUMNS, TILE = 256, 512, 32


def test_fresh_calls_agree_with_the_driver() -> None:
    out = compare(calls(5000, 99), driver())
    assert not out.different
    assert sum(out.accepted.values()) > 1000 < sum(out.refused.values())


def _pairs(torch: Any, many: int) -> list[tuple[Any, Any]]:
    return [
        (torch.full((ROWS, COLUMNS), float(i + 1), device="cuda"), torch.zeros((ROWS, COLUMNS), device="cuda"))
        for i in range(many)
    ]


def _args(source: Any, target: Any) -> list[Any]:
    return [px.tensor_map(a, (TILE, TILE)) for a in (source, target)]


def test_two_threads_on_two_streams_copy_their_own_arrays() -> None:
    torch = pytest.importorskip("torch")
    pairs = _pairs(torch, 8)
    torch.cuda.synchronize()
    wrong: list[BaseException] = []
    start = threading.Barrier(2)

    def work(mine: list[tuple[Any, Any]]) -> None:
        stream = torch.cuda.Stream()
        start.wait()
        try:
            for _ in range(50):
                for pair in mine:
                    tma_2d.launch(grid=(COLUMNS // TILE, ROWS // TILE), args=_args(*pair), stream=stream)
            stream.synchronize()
        except BaseException as e:
            wrong.append(e)

    threads = [threading.Thread(target=work, args=(pairs[i::2],)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    for source, target in pairs:
        assert torch.equal(source, target)


def test_prepared_launches_with_maps_run_on_two_streams_at_once() -> None:
    torch = pytest.importorskip("torch")
    pairs = _pairs(torch, 4)
    prepared = [tma_2d.prepare(grid=(COLUMNS // TILE, ROWS // TILE), args=_args(*pair)) for pair in pairs]
    torch.cuda.synchronize()
    streams = [torch.cuda.Stream() for _ in range(2)]
    for _ in range(100):
        for i, p in enumerate(prepared):
            p(stream=streams[i % 2])
    torch.cuda.synchronize()
    for source, target in pairs:
        assert torch.equal(source, target)


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_arrays_of_a_library_are_looked_up(library: str) -> None:
    module = pytest.importorskip(library)
    kind: Any = {"device": "cuda"} if library == "torch" else {}
    a, b = (module.zeros((64, 64), dtype=module.float16, **kind) for _ in range(2))
    first = px.tensor_map(a, (8, 64), swizzle="128B")
    assert px.tensor_map(a, (8, 64), swizzle="128B").map is first.map
    assert px.tensor_map(b, (8, 64), swizzle="128B").map.address != first.map.address
    assert px.tensor_map(a[8:], (8, 64), swizzle="128B").map.address == first.map.address + 8 * 128
    assert px.tensor_map(a, (8, 64), swizzle="128B").array.device == "cuda"
