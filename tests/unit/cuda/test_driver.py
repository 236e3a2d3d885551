"""The GPU side against a driver that answers as CUDA's does: cuda-bindings' own structures, functions of our own."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import driver, ptxas
from ptxlab.cuda.streams import handle_of
from ptxlab.diag import Diagnostic

real = pytest.importorskip("cuda.bindings.driver", reason="there is no cuda-bindings: install the extra `gpu`")
Status = real.CUresult

PTX = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .entry k(.param .u64 a, .param .align 64 .b8 map[128], .param .u16 h)
{
  .reg .b64 %d<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %d1, [a];
  ld.global.u32 %r1, [counter];
  st.global.u32 [%d1], %r1;
  ret;
}
"""


class Driver:
    """CUDA's driver, as far as a launch needs it. Whatever is not a function here is cuda-bindings' own."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.launches: list[dict[str, Any]] = []
        self.answers: list[Any] = []
        self.attributes: list[tuple[str, int]] = []
        self.memory: dict[int, bytes] = {}
        self.current = 0
        self.loaded: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(real, name)
        if name.startswith("cu") and callable(found) and not isinstance(found, type):
            pytest.fail(f"the driver was asked for {name}")
        return found

    def cuInit(self, flags: int) -> Any:
        return (Status.CUDA_SUCCESS,)

    def cuDeviceGetCount(self) -> Any:
        return Status.CUDA_SUCCESS, 2

    def cuDeviceGet(self, ordinal: int) -> Any:
        return Status.CUDA_SUCCESS, real.CUdevice(ordinal)

    def cuDeviceGetName(self, size: int, handle: Any) -> Any:
        return Status.CUDA_SUCCESS, b"NVIDIA H100" + bytes(size - 11)

    def cuDriverGetVersion(self) -> Any:
        return Status.CUDA_SUCCESS, 13000

    def cuDeviceGetAttribute(self, which: Any, handle: Any) -> Any:
        known = {"COMPUTE_CAPABILITY_MAJOR": 9, "COMPUTE_CAPABILITY_MINOR": 0, "MULTIPROCESSOR_COUNT": 132}
        return Status.CUDA_SUCCESS, known[which.name.removeprefix("CU_DEVICE_ATTRIBUTE_")]

    def cuDevicePrimaryCtxRetain(self, handle: Any) -> Any:
        return Status.CUDA_SUCCESS, real.CUcontext(0x100 + int(handle))

    def cuCtxGetCurrent(self) -> Any:
        return Status.CUDA_SUCCESS, real.CUcontext(self.current)

    def cuCtxSetCurrent(self, context: Any) -> Any:
        self.current = int(context)
        return (Status.CUDA_SUCCESS,)

    def cuCtxPushCurrent(self, context: Any) -> Any:
        self.calls.append("push")
        return (Status.CUDA_SUCCESS,)

    def cuCtxPopCurrent(self) -> Any:
        self.calls.append("pop")
        return Status.CUDA_SUCCESS, real.CUcontext(0)

    def cuLibraryLoadData(self, code: int, *options: Any) -> Any:
        assert options == ([], [], 0, [], [], 0)
        self.loaded.append(ctypes.string_at(code, 4))
        return Status.CUDA_SUCCESS, real.CUlibrary(0x200)

    def cuLibraryGetKernel(self, library: Any, name: bytes) -> Any:
        assert name == b"k"
        return Status.CUDA_SUCCESS, real.CUkernel(0x300)

    def cuKernelGetFunction(self, kernel: Any) -> Any:
        return Status.CUDA_SUCCESS, real.CUfunction(0x400)

    def cuFuncGetAttribute(self, which: Any, function: Any) -> Any:
        known = {"SHARED_SIZE_BYTES": 0, "NUM_REGS": 40, "MAX_THREADS_PER_BLOCK": 1024}
        return Status.CUDA_SUCCESS, known[which.name.removeprefix("CU_FUNC_ATTRIBUTE_")]

    def cuFuncSetAttribute(self, function: Any, which: Any, value: int) -> Any:
        self.attributes.append((which.name.removeprefix("CU_FUNC_ATTRIBUTE_"), value))
        return (Status.CUDA_SUCCESS,)

    def cuGetErrorName(self, error: Any) -> Any:
        return Status.CUDA_SUCCESS, Status(error).name.encode()

    def cuGetErrorString(self, error: Any) -> Any:
        return Status.CUDA_SUCCESS, b"words of the driver"

    def cuLibraryGetGlobal(self, library: Any, name: bytes) -> Any:
        return Status.CUDA_SUCCESS, real.CUdeviceptr(0x5000), 4

    def cuMemcpyHtoD(self, to: int, source: int, size: int) -> Any:
        self.memory[to] = ctypes.string_at(source, size)
        return (Status.CUDA_SUCCESS,)

    def cuMemcpyDtoH(self, to: int, source: int, size: int) -> Any:
        ctypes.memmove(to, self.memory[source], size)
        return (Status.CUDA_SUCCESS,)

    def cuCtxSynchronize(self) -> Any:
        return (self.answers.pop(0) if self.answers else Status.CUDA_SUCCESS,)

    def cuLaunchKernelEx(self, config: Any, function: Any, params: int, extra: int) -> Any:
        pointers = ctypes.cast(params, ctypes.POINTER(ctypes.c_void_p))
        cluster = config.attrs[0].value.clusterDim if config.numAttrs else None
        self.launches.append(
            {
                "grid": (config.gridDimX, config.gridDimY, config.gridDimZ),
                "block": (config.blockDimX, config.blockDimY, config.blockDimZ),
                "shared": config.sharedMemBytes,
                "stream": int(config.hStream),
                "attributes": [(a.id.name, a.value.cooperative) for a in config.attrs],
                "cluster": (cluster.x, cluster.y, cluster.z) if cluster else None,
                "function": int(function),
                "params": [ctypes.string_at(pointers[i], n) for i, n in enumerate((8, 128, 2))],
                "aligned": pointers[1] % 64 == 0,
            }
        )
        assert extra == 0
        return (self.answers.pop(0) if self.answers else Status.CUDA_SUCCESS,)


class OnGpu:
    """A CUDA array."""

    def __init__(self, device: int = 0) -> None:
        self.__cuda_array_interface__ = {"version": 3, "typestr": "<f4", "shape": (64, 64), "data": (0x7000, False)}
        self.device = SimpleNamespace(id=device)


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    found = Driver()
    imports = importlib.import_module
    monkeypatch.setattr(
        importlib, "import_module", lambda n, *a: found if n == "cuda.bindings.driver" else imports(n, *a)
    )
    driver.bindings.cache_clear()
    driver._open.cache_clear()
    yield found
    monkeypatch.undo()
    driver.bindings.cache_clear()
    driver._open.cache_clear()


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
