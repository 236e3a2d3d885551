"""A driver that answers as CUDA's does: cuda-bindings' own structures, functions of our own."""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ptxlab.cuda import driver

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
        self.captured: set[int] = set()  # streams that CUDA graphs are made of
        self.sizes: tuple[int, ...] = (8, 128, 2)  # of the parameters

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

    def cuStreamIsCapturing(self, stream: Any) -> Any:
        kinds = real.CUstreamCaptureStatus
        if int(stream) == 0 and self.captured:  # as a driver answers of the default stream
            return Status.CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, kinds.CU_STREAM_CAPTURE_STATUS_NONE
        active = int(stream) in self.captured
        return Status.CUDA_SUCCESS, kinds(int(active))

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
                "params": [ctypes.string_at(pointers[i], n) for i, n in enumerate(self.sizes)],
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


@dataclass(frozen=True)
class Place:
    """Where a tensor is."""

    type: str
    index: int


class Tensor:
    """A tensor of torch, as far as launches look at it."""

    shape, dtype = (64, 64), "torch.float32"

    def __init__(self, address: int = 0x7000) -> None:
        self.device = Place("cuda", 0)
        self._address = address

    def data_ptr(self) -> int:
        return self._address

    def stride(self) -> tuple[int, ...]:
        return 64, 1

    def element_size(self) -> int:
        return 4

    def dim(self) -> int:
        return 2

    def is_contiguous(self) -> bool:
        return True


Tensor.__module__ = "torch"


class Torch(ModuleType):
    """torch, as far as launches ask for its current stream.

    Attributes:
        current: the handle of that stream.
    """

    def __init__(self) -> None:
        super().__init__("torch")
        self.current = 0
        self._C = SimpleNamespace(_cuda_getCurrentRawStream=lambda _: self.current)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Torch:
    found = Torch()
    monkeypatch.setitem(sys.modules, "torch", found)
    return found


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
