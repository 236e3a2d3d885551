"""Assembled code on a device: loaded once, its kernels and variables by name."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from ptxlab.cuda.driver import Device, bindings, check, failure
from ptxlab.cuda.lines import LineMap
from ptxlab.cuda.messages import read_messages
from ptxlab.cuda.ptxas import diagnostic
from ptxlab.diag import Diagnostic, raise_all
from ptxlab.ptx.text import ascii_comments

_LOG_BYTES = 1 << 16
_PORTABLE_CLUSTER = 8
_DEFAULT_SHARED = 49_152


class Library:
    """Code on one device. It stays loaded as long as the process: a kernel of it may still be running."""

    def __init__(self, device: Device, handle: Any, warnings: tuple[Diagnostic, ...] = ()) -> None:
        self.device = device
        self.warnings = warnings
        self._handle = handle
        self._functions: dict[str, Any] = {}
        self._shared: dict[str, int] = {}
        self._wide: set[str] = set()
        self._lock = threading.Lock()

    @classmethod
    def from_cubin(cls, device: Device, cubin: bytes) -> Library:
        """Load assembled code. Raises: Diagnostic PTX2420, PTX2423."""
        api = bindings()
        image = ctypes.create_string_buffer(cubin, len(cubin))
        error, handle = api.cuLibraryLoadData(ctypes.addressof(image), [], [], 0, [], [], 0)
        if int(error):
            raise failure(error, "cuLibraryLoadData")
        return cls(device, handle)

    @classmethod
    def from_ptx(cls, device: Device, text: str, lines: LineMap) -> Library:
        """Assemble and load with the driver's own compiler, for machines without ptxas.

        Raises: Diagnostic PTX2401 and following with the compiler's errors, PTX2424 where the PTX is newer than the driver.
        """
        api, which = bindings(), bindings().CUjit_option
        info, errors = bytearray(_LOG_BYTES), bytearray(_LOG_BYTES)
        options = {
            which.CU_JIT_INFO_LOG_BUFFER: info,
            which.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: _LOG_BYTES,
            which.CU_JIT_ERROR_LOG_BUFFER: errors,
            which.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: _LOG_BYTES,
            which.CU_JIT_LOG_VERBOSE: 1,
        }
        image = ctypes.create_string_buffer(ascii_comments(text).encode())
        with device.current():
            error, handle = api.cuLibraryLoadData(
                ctypes.addressof(image), list(options), list(options.values()), len(options), [], [], 0
            )
            if not int(error):
                # Loading may be lazy: the module is what makes the compiler run, while its logs are still listened to.
                error, _ = api.cuLibraryGetModule(handle)
        tool = f"the driver's compiler (CUDA {device.driver[0]}.{device.driver[1]})"
        if int(error):
            raise_all([_driver_words(m, lines, tool) for m in read_messages(_log(errors))])
            raise failure(error, "cuLibraryLoadData")
        found = [diagnostic(m, lines, "", tool) for m in read_messages(_log(info))]
        return cls(device, handle, tuple(found))

    def function(self, name: str, shared: int = 0, cluster: int = 1) -> Any:
        """The kernel, opened for this much dynamic shared memory and clusters of this many CTAs. Raises: Diagnostic PTX2420."""
        api = bindings()
        with self._lock:
            found = self._functions.get(name)
            if found is None:
                kernel = check(api.cuLibraryGetKernel(self._handle, name.encode()), f"cuLibraryGetKernel({name})")
                with self.device.current():
                    found = check(api.cuKernelGetFunction(kernel), f"cuKernelGetFunction({name})")
                self._functions[name] = found
            self._open(name, found, shared, cluster)
        return found

    def _open(self, name: str, function: Any, shared: int, cluster: int) -> None:
        """Raise the kernel's limits where the launch needs it; they never go down again, as older launches may be prepared."""
        api, which = bindings(), bindings().CUfunction_attribute
        with self.device.current():
            if shared > self._shared.get(name, _DEFAULT_SHARED - self.attribute(function, "SHARED_SIZE_BYTES")):
                most = which.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                check(api.cuFuncSetAttribute(function, most, shared), f"{shared} bytes of dynamic shared memory")
                self._shared[name] = shared
            if cluster > _PORTABLE_CLUSTER and name not in self._wide:
                wide = which.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
                check(api.cuFuncSetAttribute(function, wide, 1), f"clusters of {cluster} CTAs")
                self._wide.add(name)

    def attribute(self, function: Any, name: str) -> int:
        """An attribute of a kernel, e.g. "NUM_REGS"."""
        api = bindings()
        which = getattr(api.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
        return int(check(api.cuFuncGetAttribute(which, function), "cuFuncGetAttribute"))

    def variable(self, name: str) -> tuple[int, int]:
        """Device address and bytes of a .global or .const variable. Raises: Diagnostic PTX2312."""
        api = bindings()
        with self.device.current():
            error, address, size = api.cuLibraryGetGlobal(self._handle, name.encode())
        if int(error):
            raise Diagnostic(
                "PTX2312",
                f"The assembled code has no variable {name!r}.",
                help="declare it .visible: ptxas drops unused ones",
            )
        return int(address), int(size)


def _driver_words(m: Any, lines: LineMap, tool: str) -> Diagnostic:
    d = diagnostic(m, lines, "", tool)
    if d.code == "PTX2404":
        return Diagnostic(
            "PTX2424",
            d.message,
            help="update the NVIDIA driver, lower .version, or pip install nvidia-cuda-nvcc",
            span=d.span,
        )
    return d


def _log(raw: bytearray) -> str:
    # The driver's compiler names no file: "ptxas application ptx input, line 7; error …".
    return bytes(raw).split(b"\0")[0].decode(errors="replace")


def read_memory(device: Device, address: int, nbytes: int) -> bytearray:
    """Bytes of device memory. Raises: Diagnostic PTX2420, PTX2421."""
    out = bytearray(nbytes)
    raw = (ctypes.c_char * nbytes).from_buffer(out)
    with device.current():
        check(bindings().cuMemcpyDtoH(ctypes.addressof(raw), address, nbytes), "cuMemcpyDtoH")
    return out


def write_memory(device: Device, address: int, data: bytes) -> None:
    """Write bytes to device memory. Raises: Diagnostic PTX2420, PTX2421."""
    raw = ctypes.create_string_buffer(data, len(data))
    with device.current():
        check(bindings().cuMemcpyHtoD(address, ctypes.addressof(raw), len(data)), "cuMemcpyHtoD")
