"""Devices: simulated ones and GPUs, their memory, and which one a launch runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ptxlab.abi.arrays import CPU, CUDA, view
from ptxlab.abi.limits import SM_COUNT
from ptxlab.abi.places import Place, belongs
from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.launch.arrays import dtype_of, empty, extents_of
from ptxlab.launch.watch import watching

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST: Final = 8
"""Devices that are simulated together, as many as NVLink joins in one host."""


@dataclass(frozen=True, slots=True)
class Device:
    """What a launch with an array of this device runs on: a GPU, or for arrays of the host a simulated device.

    Attributes:
        name: of the GPU; "simulator" otherwise.
        sm_count: streaming multiprocessors, by which a persistent kernel sizes its grid. A simulated device has an H100's.
        driver: version of CUDA that the driver serves, e.g. (13, 0); (0, 0) in the simulator.
        ordinal: number of the GPU; None for the simulator.
        number: which GPU, or which simulated device. Arrays that no device has made belong to the first, number 0.
        peers: whether it reaches the memory of the other devices.

    Example:
        x = px.empty(1024, np.float32)
        device = px.device_of(x)
        print(device.name, device.sm_count)  # simulator 132
    """

    name: str
    sm_count: int
    driver: tuple[int, int] = (0, 0)
    ordinal: int | None = None
    number: int = 0
    peers: bool = field(default=True, compare=False)

    @public
    def copy(self, source: np.ndarray) -> Any:
        """A copy of a NumPy array on this device, at a multiple of 256 bytes.

        Args:
            source: of any shape, and a dtype of NumPy or ml_dtypes.

        Returns: a NumPy array in the simulator; on a GPU an array with `__cuda_array_interface__`, whose memory is freed with it.

        Raises: Diagnostic PTX2420 where the GPU's memory runs out, PTX2323 where the host's does.

        Example:
            x = px.empty(1024, np.float32)
            sizes = px.device_of(x).copy(np.array([3, 5, 8], np.int32))
            print(sizes)  # [3 5 8]
        """
        if self.ordinal is not None:
            from ptxlab.cuda.array import GpuArray

            return GpuArray(source, self.ordinal)
        made = self._empty(source.shape, source.dtype)
        made[...] = source
        return made

    @public
    def zeros(self, shape: int | Sequence[int], dtype: Any) -> Any:
        """An array of zeros on this device, as `copy` gives it.

        Args:
            shape: extents. dtype: NumPy's or ml_dtypes'; names such as "bfloat16" and "u32" are taken too.

        Raises: Diagnostic PTX2305 for extents that are none, PTX2307 for an unknown dtype; else as `copy`.

        Example:
            first, second = px.devices(2)
            flag = second.zeros(4, np.uint32)
            print(flag, px.device_of(flag).number)  # [0 0 0 0] 1
        """
        if self.ordinal is None:
            made = self._empty(shape, dtype)
            made[...] = 0
            return made
        from ptxlab.cuda.array import GpuArray

        kind, extents = dtype_of(dtype), extents_of(shape)
        watch = watching()
        found = None if watch is None else watch.room(self.ordinal, extents, str(kind.name))
        return GpuArray.zeros(extents, kind, self.ordinal) if found is None else found

    def _empty(self, shape: Any, dtype: Any) -> npt.NDArray[Any]:
        made = empty(shape, dtype)
        belongs(made.base, self.number)
        return made


@public
def devices(count: int, on: str = "sim", *, peers: bool = True) -> tuple[Device, ...]:
    """Several devices of one host, each with SMs and memory of its own; kernels of each reach the memory of all.

    An array lives on the device that has made it (`Device.copy`, `Device.zeros`), a launch runs on the device of its stream,
    `px.Stream(device)`, and takes arrays of any of them. Without a stream, all arrays lie on the device that runs it.

    Args:
        count: 1 to 8 for simulated devices; for GPUs as many as there are.
        on: "sim" for simulated devices, "gpu" for those of this machine: GPU 0, 1, …
        peers: False: no device reaches the memory of another one, as on hosts whose GPUs have no peer access.

    Returns: the devices, by number.

    Raises: Diagnostic PTX2328 for a count that is none of these, PTX2311 for another word than "sim" and "gpu"; PTX2304 and PTX2422
        where GPUs are not there, PTX2343 where one of them cannot reach the memory of another one.

    Example:
        @px.kernel(threads=32)
        def put(k, there: px.Ptr[px.u32], flag: px.Ptr[px.u32]):
            k.st.global_.u32(there[k.tid.x], 7)
            k.bar.warp.sync(0xFFFFFFFF)
            with k.if_(k.tid.x == 0):
                k.st.release.sys.global_.u32(flag[0], 1)

        @px.kernel(threads=32)
        def get(k, here: px.Ptr[px.u32], flag: px.Ptr[px.u32], out: px.Ptr[px.u32]):
            with k.while_(lambda: k.ld.acquire.sys.global_.u32(flag[0]) == 0):
                pass
            k.st.global_.u32(out[k.tid.x], k.ld.global_.u32(here[k.tid.x]))

        first, second = px.devices(2)
        data, flag, out = (second.zeros(32, np.uint32) for _ in range(3))
        get[1](data, flag, out, stream=px.Stream(second))
        put[1](data, flag, stream=px.Stream(first))
        px.synchronize()
        print(out[0])  # 7
    """
    if on not in ("sim", "gpu"):
        raise Diagnostic("PTX2311", f"{on!r} is no kind of devices.", help='use "sim" or "gpu"', origin=user_span())
    most = MOST if on == "sim" else None
    if not isinstance(count, int) or count < 1 or (most is not None and count > most):  # pyright: ignore[reportUnnecessaryIsInstance]
        limit = f"1 to {most}" if most is not None else "1 or more"
        raise Diagnostic("PTX2328", f"{count!r} is no number of devices.", help=f"give {limit}", origin=user_span())
    if on == "sim":
        return tuple(_simulated(number, peers=peers) for number in range(count))
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.peers import map_peers

    found = [device(number) for number in range(count)]
    if peers:
        map_peers(found)
    return tuple(gpu_of(number, peers=peers) for number in range(count))


def _simulated(number: int, *, peers: bool = True) -> Device:
    return Device("simulator", SM_COUNT, number=number, peers=peers)


def gpu_of(ordinal: int, *, peers: bool = True) -> Device:
    """The GPU of this number. Raises: Diagnostic PTX2304 and PTX2422 where it cannot be used."""
    from ptxlab.cuda.driver import device

    found = device(ordinal)
    return Device(found.name, found.sm_count, found.driver, ordinal, ordinal, peers)


@public
def device_of(array: Any) -> Device:
    """The device that an array lies on.

    Args:
        array: a NumPy, torch, CuPy or JAX array, or a view of one.

    Raises: Diagnostic PTX2306 for an array that no kernel can reach, PTX2422 and PTX2304 where its GPU cannot be used.

    Example:
        x = px.empty(1024, np.float32)
        ctas = px.device_of(x).sm_count  # a persistent kernel: one CTA for each SM
        print(ctas)  # 132
    """
    seen = view(array)
    return _simulated(seen.ordinal) if seen.device != CUDA else gpu_of(seen.ordinal)


def place_of(stream: Any) -> Place | None:
    """The device of a stream; None where the arrays of a launch say which one it is."""
    found = getattr(stream, "device", None)
    if not isinstance(found, Device):
        return None
    return Place(CPU if found.ordinal is None else CUDA, found.number, found.peers)
