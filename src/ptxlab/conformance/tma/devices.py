"""Running cases of tensor copies in the simulator and on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.tma.cases import REGION, Case, content, geometry, source
from ptxlab.conformance.tma.kernels import DUMP, THREADS, load, store

Bytes = NDArray[np.uint8]
PER_LAUNCH = 256
_ALIGN = 1024


class Device(Protocol):
    """Where cases run: arrays with addresses, and launches on them."""

    def put(self, data: NDArray[Any]) -> Any:
        """An array there with this content, at a multiple of 256 bytes."""
        ...

    def get(self, array: Any) -> NDArray[Any]:
        """Its content."""
        ...

    def address(self, array: Any) -> int:
        """Where it begins."""
        ...

    def launch(
        self,
        text: str,
        ctas: int,
        args: Sequence[Any],
        buffers: Sequence[Any] = (),
        threads: int = THREADS,
        cluster: int | None = None,
    ) -> None:
        """Run the kernel `k` of a module. Raises: Diagnostic as the launch does, and for what a simulation finds."""
        ...


class Simulator:
    """The simulator."""

    def __init__(self, schedule: str = "eager") -> None:
        self.schedule = schedule

    def put(self, data: NDArray[Any]) -> Any:
        import ptxlab as px

        out = px.empty(data.shape, data.dtype, align=_ALIGN)
        out[...] = data
        return out

    def get(self, array: Any) -> NDArray[Any]:
        return array

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def launch(
        self,
        text: str,
        ctas: int,
        args: Sequence[Any],
        buffers: Sequence[Any] = (),
        threads: int = THREADS,
        cluster: int | None = None,
    ) -> None:
        import ptxlab as px
        from ptxlab.diag import raise_all

        report = px.simulate(
            px.parse(text)["k"],
            grid=ctas,
            block=threads,
            cluster=cluster,
            args=list(args),
            buffers=list(buffers),
            schedule=self.schedule,
            lints=False,
        )
        raise_all(report.findings)


class Gpu:
    """GPU 0."""

    def put(self, data: NDArray[Any]) -> Any:
        from ptxlab.cuda.array import GpuArray

        return GpuArray(data)

    def get(self, array: Any) -> NDArray[Any]:
        return array.numpy()

    def address(self, array: Any) -> int:
        return int(array.__cuda_array_interface__["data"][0])

    def launch(
        self,
        text: str,
        ctas: int,
        args: Sequence[Any],
        buffers: Sequence[Any] = (),
        threads: int = THREADS,
        cluster: int | None = None,
    ) -> None:
        import ptxlab as px
        from ptxlab.cuda.streams import synchronized

        px.parse(text)["k"].launch(
            grid=ctas, block=threads, cluster=cluster, args=list(args), buffers=list(buffers), lints=False
        )
        synchronized()


def maps_of(cases: Sequence[Case], addresses: Sequence[int]) -> Bytes:
    """The maps of cases, moved to where their memory begins."""
    made = [replace(c.map, address=c.map.address + at).encode() for c, at in zip(cases, addresses, strict=True)]
    return np.frombuffer(b"".join(made), np.uint8)


def rows_of(cases: Sequence[Case]) -> NDArray[np.uint32]:
    """The numbers of cases."""
    return np.stack([c.row(geometry(c.map).nbytes) for c in cases])


def run_loads(device: Device, cases: Sequence[Case]) -> dict[str, tuple[Bytes, int]]:
    """Shared memory after each load, and the state in which its barrier ended. All cases have one mode and one rank."""
    out: dict[str, tuple[Bytes, int]] = {}
    memory = device.put(source())
    for some in _portions(cases):
        data = device.put(np.zeros((len(some), DUMP), np.uint8))
        states = device.put(np.zeros(len(some), np.uint64))
        maps = device.put(maps_of(some, [device.address(memory)] * len(some)))
        text = load(some[0].mode, some[0].map.rank)
        device.launch(text, len(some), [maps, device.put(rows_of(some)), data, states], [memory])
        found, ends = device.get(data), device.get(states)
        out.update({c.key: (found[i], int(ends[i])) for i, c in enumerate(some)})
    return out


def run_stores(device: Device, cases: Sequence[Case], op: str | None, seed: int) -> dict[str, Bytes]:
    """The memory around each tensor after a store, or a reduction by `op`. All cases have one mode and one rank."""
    out: dict[str, Bytes] = {}
    for some in _portions(cases):
        memory = device.put(np.stack([content(c, REGION, seed) for c in some]))
        data = device.put(np.stack([content(c, REGION + DUMP, seed)[REGION:] for c in some]))
        states = device.put(np.zeros(len(some), np.uint64))
        at = device.address(memory)
        maps = device.put(maps_of(some, [at + i * REGION for i in range(len(some))]))
        mode = "im2col_no_offs" if some[0].mode == "im2col" else some[0].mode
        text = store(mode, some[0].map.rank, op)
        device.launch(text, len(some), [maps, device.put(rows_of(some)), data, states], [memory])
        found = device.get(memory)
        out.update({c.key: found[i] for i, c in enumerate(some)})
    return out


def _portions(cases: Sequence[Case]) -> list[Sequence[Case]]:
    return [cases[i : i + PER_LAUNCH] for i in range(0, len(cases), PER_LAUNCH)]
