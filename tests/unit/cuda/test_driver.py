"""The GPU side against a driver that answers as CUDA's does: cuda-bindings' own structures, functions of our own."""

from __future__ import annotations

import ctypes
import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from answering import PTX, Driver, OnGpu, Status, cuda, real

import ptxlab as px
from ptxlab.cuda import driver, ptxas
from ptxlab.cuda.library import Library
from ptxlab.cuda.lines import LineMap
from ptxlab.cuda.streams import handle_of
from ptxlab.diag import Diagnostic

__all__ = ["cuda"]  # a fixture

needs_ptxas = pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")


def prepared(array: OnGpu | None = None, **options: Any) -> Any:
    array = array or OnGpu()
    args = [array, px.tensor_map(array, (8, 32), swizzle="128B"), np.uint16(5)]
    return px.parse(PTX)["k"].prepare(**{"grid": 4, "block": 32, "args": args, **options})


@needs_ptxas
def test_what_the_driver_is_given(cuda: Driver) -> None:
    p = prepared(grid=(4, 2), block=(8, 4, 2), cluster=(2, 2), shared=100, stream=77)
    p()
    [launch] = cuda.launches
    assert (launch["grid"], launch["block"], launch["cluster"]) == ((4, 2, 1), (8, 4, 2), (2, 2, 1))
    assert (launch["shared"], launch["stream"], launch["function"]) == (100, 77, 0x400)
    assert [name for name, _ in launch["attributes"]] == ["CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"]
    assert launch["params"][0] == (0x7000).to_bytes(8, "little")
    assert launch["params"][1] == px.tensor_map(OnGpu(), (8, 32), swizzle="128B").encode()
    assert launch["params"][2] == b"\x05\x00"
    assert launch["aligned"]
    assert cuda.loaded == [b"\x7fELF"]
    assert cuda.attributes == []
    assert cuda.current == 0x100


@needs_ptxas
def test_plain_launch_has_no_attributes(cuda: Driver) -> None:
    prepared()()
    assert cuda.launches[0]["attributes"] == []
    assert cuda.launches[0]["stream"] == 0


@needs_ptxas
def test_a_kernel_that_waits_for_grids_may_begin_beside_them(cuda: Driver) -> None:
    waits = PTX.replace("ret;", "griddepcontrol.wait;\n ret;")
    array = OnGpu()
    args = [array, px.tensor_map(array, (8, 32), swizzle="128B"), np.uint16(5)]
    for text, named in ((waits, ["CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION"]), (PTX, [])):
        px.parse(text)["k"].prepare(grid=4, block=32, args=args)()
        assert [name for name, _ in cuda.launches[-1]["attributes"]] == named


@needs_ptxas
def test_cooperative_launch(cuda: Driver) -> None:
    p = prepared(cooperative=True)
    p()
    p(stream=3)
    assert [x["attributes"] for x in cuda.launches] == [[("CU_LAUNCH_ATTRIBUTE_COOPERATIVE", 1)]] * 2


@needs_ptxas
def test_each_stream_has_its_configuration(cuda: Driver) -> None:
    p = prepared()
    for stream in (None, 5, real.CUstream(6), SimpleNamespace(cuda_stream=7), SimpleNamespace(ptr=8), None):
        p(stream=stream)
    assert [x["stream"] for x in cuda.launches] == [0, 5, 6, 7, 8, 0]


@needs_ptxas
def test_limits_are_opened_when_needed_and_stay(cuda: Driver) -> None:
    array = OnGpu()
    args = [array, px.tensor_map(array, (8, 32)), 5]
    k = px.parse(PTX)["k"]
    for shared, cluster in ((49_152, 8), (49_153, 16), (100_000, 16), (60_000, 1)):
        k.launch(grid=16, block=32, cluster=cluster, shared=shared, args=args)
    assert cuda.attributes == [
        ("MAX_DYNAMIC_SHARED_SIZE_BYTES", 49_153),
        ("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1),
        ("MAX_DYNAMIC_SHARED_SIZE_BYTES", 100_000),
    ]


@needs_ptxas
@pytest.mark.parametrize("lost", ["CUDA_ERROR_INVALID_CONTEXT", "CUDA_ERROR_INVALID_HANDLE"])
def test_launch_in_a_thread_without_the_context_is_repeated(cuda: Driver, lost: str) -> None:
    p = prepared()
    cuda.answers, cuda.current, cuda.calls = [getattr(Status, lost)], 0, []
    p()
    assert len(cuda.launches) == 2
    assert cuda.calls == ["push", "pop"]
    assert cuda.current == 0x100


@needs_ptxas
def test_refused_launch(cuda: Driver) -> None:
    p = prepared(cluster=2)
    cuda.answers = [Status.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES]
    with pytest.raises(Diagnostic) as caught:
        p()
    assert caught.value.code == "PTX2420"
    assert "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" in caught.value.message
    assert any("cluster (2, 1, 1)" in note for note in caught.value.notes)
    assert any("40 registers a thread" in note for note in caught.value.notes)


@needs_ptxas
def test_a_cooperative_grid_that_does_not_fit(cuda: Driver) -> None:
    p = prepared(cooperative=True)
    cuda.answers = [Status.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE]
    with pytest.raises(Diagnostic) as caught:
        p()
    assert caught.value.code == "PTX2012"
    assert "does not fit" in caught.value.message


@needs_ptxas
@pytest.mark.parametrize("name", sorted(driver.STICKY))
def test_failed_kernel(cuda: Driver, name: str) -> None:
    if not hasattr(Status, name):
        pytest.skip("unknown to this release of cuda-bindings")
    p = prepared()
    p()
    cuda.answers = [getattr(Status, name)]
    with pytest.raises(Diagnostic) as caught:
        px.synchronize()
    assert caught.value.code == "PTX2421"
    assert any("cannot launch again" in note for note in caught.value.notes)
    assert "px.simulate" in (caught.value.help or "")


@needs_ptxas
def test_second_gpu(cuda: Driver) -> None:
    p = prepared(OnGpu(device=1))
    p()
    assert cuda.current == 0x101
    with pytest.raises(Diagnostic) as caught:
        prepared(OnGpu(device=2))
    assert caught.value.code == "PTX2304"
    assert "2 GPUs" in caught.value.message


@needs_ptxas
def test_variables_written_before_and_after_loading(cuda: Driver) -> None:
    mod, array = px.parse(PTX), OnGpu()
    counter = mod.symbol("counter")
    assert counter[...] == 7
    counter[...] = 9
    mod["k"].launch(grid=1, block=1, args=[array, px.tensor_map(array, (8, 32)), 5])
    assert cuda.memory[0x5000] == (9).to_bytes(4, "little")
    cuda.memory[0x5000] = (11).to_bytes(4, "little")
    assert counter[...] == 11
    counter[...] = 12
    assert cuda.memory[0x5000] == (12).to_bytes(4, "little")


@needs_ptxas
def test_code_for_another_gpu(cuda: Driver) -> None:
    array = OnGpu()
    k = px.parse(PTX.replace("sm_90a", "sm_100a").replace(".version 8.0", ".version 8.6"))["k"]
    with pytest.raises(Diagnostic) as caught:
        k.launch(grid=1, block=1, args=[array, px.tensor_map(array, (8, 32)), 5])
    assert caught.value.code == "PTX2423"
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_no_driver_on_this_machine(cuda: Driver) -> None:
    def missing(flags: int) -> Any:
        raise RuntimeError("libcuda.so.1 cannot be opened\nmore words")

    cuda.cuInit = missing  # type: ignore[method-assign]
    with pytest.raises(Diagnostic) as caught:
        prepared()
    assert caught.value.code == "PTX2304"
    assert caught.value.notes == ("libcuda.so.1 cannot be opened",)
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_driver_without_a_device(cuda: Driver) -> None:
    cuda.cuInit = lambda flags: (Status.CUDA_ERROR_NO_DEVICE,)  # type: ignore[method-assign]
    with pytest.raises(Diagnostic, match="CUDA_ERROR_NO_DEVICE"):
        prepared()


def test_bindings_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str, *_: Any) -> Any:
        raise ImportError("No module named 'cuda'")

    monkeypatch.setattr(importlib, "import_module", absent)
    driver.bindings.cache_clear()
    with pytest.raises(Diagnostic) as caught:
        driver.bindings()
    driver.bindings.cache_clear()
    assert caught.value.code == "PTX2422"
    assert "pip install" in (caught.value.help or "")


def test_streams() -> None:
    assert handle_of(None) == 0
    assert handle_of(SimpleNamespace(__cuda_stream__=lambda: (0, 42))) == 42
    assert handle_of(np.int64(3)) == 3
    for bad in ("fast", 1.5, object()):
        with pytest.raises(Diagnostic) as caught:
            handle_of(bad)
        assert caught.value.code == "PTX2314"


def test_the_drivers_compiler_is_given_comments_in_ascii(cuda: Driver) -> None:
    given: list[bytes] = []

    def load(code: int, *options: Any) -> Any:
        given.append(ctypes.string_at(code))
        return Status.CUDA_SUCCESS, real.CUlibrary(0x200)

    vars(cuda).update(cuLibraryLoadData=load, cuLibraryGetModule=lambda _: (Status.CUDA_SUCCESS, real.CUmodule(0)))
    text = '// größer "×"\n.version 8.0 /* × "\n// */ .target sm_90a\n# 1 "größe.cu"\n.file 1 "//größe" // ok\n'
    Library.from_ptx(driver.device(), text, LineMap(text, "k.ptx"))
    assert given == [
        '// gr??er "?"\n.version 8.0 /* ? "\n// */ .target sm_90a\n# 1 "gr??e.cu"\n.file 1 "//größe" // ok\n'.encode()
    ]
