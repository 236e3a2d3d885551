"""The CUDA driver through cuda-bindings: devices, contexts, and its errors as diagnostics."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, Final

from ptxlab.diag import Diagnostic

# Errors after which the context is lost: every later call of the process repeats them.
STICKY: Final = {
    "CUDA_ERROR_ILLEGAL_ADDRESS": "it read or wrote memory that is not its own",
    "CUDA_ERROR_LAUNCH_TIMEOUT": "it ran longer than the system allows",
    "CUDA_ERROR_ASSERT": "an assertion in it failed",
    "CUDA_ERROR_HARDWARE_STACK_ERROR": "its stack broke",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION": "an instruction was used against its rules (TMA: coordinates or alignment)",
    "CUDA_ERROR_MISALIGNED_ADDRESS": "an address was not aligned as the access needs",
    "CUDA_ERROR_INVALID_ADDRESS_SPACE": "an address was of the wrong state space",
    "CUDA_ERROR_INVALID_PC": "it jumped to nowhere",
    "CUDA_ERROR_LAUNCH_FAILED": "an access or an mbarrier went wrong (shared memory, a transaction count)",
    "CUDA_ERROR_EXTERNAL_DEVICE": "another device failed",
}


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU in use, with its primary context, which torch, CuPy and JAX share.

    Attributes:
        ordinal: its number.
        handle, context: the driver's objects.
        name: e.g. "NVIDIA H100 80GB HBM3".
        capability: e.g. (9, 0).
        sm_count: streaming multiprocessors.
        driver: version of CUDA that the driver serves, e.g. (13, 0).
    """

    ordinal: int
    handle: Any
    context: Any
    name: str
    capability: tuple[int, int]
    sm_count: int
    driver: tuple[int, int]

    @contextlib.contextmanager
    def current(self) -> Generator[None, None, None]:
        """The device's context as the thread's current one, for the length of a with block."""
        api = bindings()
        check(api.cuCtxPushCurrent(self.context), "cuCtxPushCurrent")
        try:
            yield
        finally:
            api.cuCtxPopCurrent()

    def adopt(self) -> None:
        """Make the context current where the thread has none, as CUDA's runtime does at its first call."""
        api = bindings()
        now = check(api.cuCtxGetCurrent(), "cuCtxGetCurrent")
        if not int(now):
            check(api.cuCtxSetCurrent(self.context), "cuCtxSetCurrent")


@lru_cache(maxsize=1)
def bindings() -> ModuleType:
    """cuda.bindings.driver.

    Raises: Diagnostic PTX2422 where it is not installed.
    """
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as e:
        raise Diagnostic("PTX2422", f"cuda-bindings cannot be imported: {e}") from None


def device(ordinal: int = 0) -> Device:
    """The GPU of this number, ready for use.

    Raises: Diagnostic PTX2422 without cuda-bindings, PTX2304 without a driver or without this GPU.
    """
    return _open(ordinal)


_in_use: list[Device] = []


@lru_cache(maxsize=16)
def _open(ordinal: int) -> Device:
    api = bindings()
    count = _count(api)
    if not 0 <= ordinal < count:
        raise Diagnostic("PTX2304", f"This machine has {count} GPUs; there is no GPU {ordinal}.")
    handle = check(api.cuDeviceGet(ordinal), "cuDeviceGet")
    context = check(api.cuDevicePrimaryCtxRetain(handle), "cuDevicePrimaryCtxRetain")
    which = api.CUdevice_attribute

    def attribute(name: str) -> int:
        return int(check(api.cuDeviceGetAttribute(getattr(which, name), handle), "cuDeviceGetAttribute"))

    raw = check(api.cuDeviceGetName(256, handle), "cuDeviceGetName")
    version = int(check(api.cuDriverGetVersion(), "cuDriverGetVersion"))
    _in_use.append(
        found := Device(
            ordinal,
            handle=handle,
            context=context,
            name=bytes(raw).split(b"\0")[0].decode(),
            capability=(
                attribute("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR"),
                attribute("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR"),
            ),
            sm_count=attribute("CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT"),
            driver=(version // 1000, version % 1000 // 10),
        )
    )
    return found


def in_use() -> Sequence[Device]:
    """The GPUs that this process has opened here."""
    return tuple(_in_use)


def _count(api: ModuleType) -> int:
    try:
        (error,) = api.cuInit(0)
    except Exception as e:  # the loader's own exception type, where libcuda is not there at all
        raise Diagnostic(
            "PTX2304", "There is no CUDA driver on this machine.", notes=(str(e).splitlines()[0],)
        ) from None
    if int(error):
        raise Diagnostic("PTX2304", f"The CUDA driver does not start: {describe(error)}.")
    return int(check(api.cuDeviceGetCount(), "cuDeviceGetCount"))


def devices() -> list[Device]:
    """All GPUs. Raises as `device` does."""
    return [device(i) for i in range(_count(bindings()))]


def describe(error: Any) -> str:
    """The driver's name and words for one of its errors."""
    api = bindings()
    name, text = api.cuGetErrorName(error)[1], api.cuGetErrorString(error)[1]
    return f"{_text(name) or int(error)} ({_text(text) or 'unknown'})"


def _text(raw: Any) -> str:
    return raw.decode() if isinstance(raw, bytes) else ""


def check(result: tuple[Any, ...], what: str, notes: tuple[str, ...] = ()) -> Any:
    """The value behind a call's status: None, the value, or a tuple of values.

    Raises: Diagnostic PTX2420, or PTX2421 when a kernel that ran before has failed.
    """
    error, *values = result
    if int(error):
        raise failure(error, what, notes)
    return None if not values else values[0] if len(values) == 1 else tuple(values)


def failure(error: Any, what: str, notes: tuple[str, ...] = ()) -> Diagnostic:
    """The diagnostic for a failed call of the driver."""
    words = describe(error)
    name = words.partition(" ")[0]
    if name in STICKY:
        return Diagnostic(
            "PTX2421",
            f"A kernel on the GPU failed, seen by {what}: {STICKY[name]}.",
            notes=(words, "the GPU context is lost: this process cannot launch again", *notes),
        )
    return Diagnostic("PTX2420", f"{what}: {words}.", notes=notes)


def is_there() -> bool:
    """Whether this machine has a GPU that this process can use."""
    try:
        device()
    except Diagnostic as d:
        if d.code in ("PTX2304", "PTX2422"):
            return False
        raise
    return True
