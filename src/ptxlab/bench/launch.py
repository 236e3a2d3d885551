"""`ptxlab bench launch`: what a launch from Python costs, beside the driver's own call in the same run."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.diag import Diagnostic, terminal

_PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry nothing(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    ret;
}
"""
_FULL = "kernel[grid](…), the first of its kind"
_CHECKED = 20  # launches of a batch, each of which takes long
_LAUNCHES = 400  # fewer than the driver queues before it makes the caller wait


@dataclass(frozen=True, slots=True)
class Row:
    """One way to launch. `microseconds` is the median over batches, per launch; `ratio` is to the bare call."""

    name: str
    microseconds: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Result:
    """All ways, on one machine."""

    device: str
    driver: str
    batches: int
    rows: tuple[Row, ...]


def measure(batches: int = 50) -> Result:
    """Time launches of a kernel that does nothing, with four parameters and one array behind three of them.

    Ways: cuda-bindings' cuLaunchKernelEx with everything prepared (the bare call); the same with Python values for
    parameters, which cuda-bindings converts each time; a prepared launch; `kernel[grid](…)` on equal calls, on torch's tensors too
    where torch is installed; and the first of such calls, which is checked in full.
    Batches of the ways alternate, so that a change of clocks meets all of them.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU.
    """
    from ptxlab.cuda.driver import device

    gpu = device()
    memory = DeviceMemory(gpu, 1 << 12)
    try:
        ways = _ways(gpu, memory)
        times: dict[str, list[float]] = {name: [] for name in ways}
        for batch in range(batches + 3):
            for name, way in ways.items():
                seconds = _batch(way, _CHECKED if name == _FULL else _LAUNCHES)
                if batch >= 3:  # the first ones load code and fill caches
                    times[name].append(seconds)
    finally:
        memory.free()
    medians = {name: statistics.median(found) * 1e6 for name, found in times.items()}
    bare = min(medians["cuLaunchKernelEx"], medians["cuLaunchKernelEx, Python values"])
    rows = tuple(Row(name, value, value / bare) for name, value in medians.items())
    return Result(gpu.name, f"{gpu.driver[0]}.{gpu.driver[1]}", batches, rows)


class DeviceMemory:
    """Device memory that shows itself as CUDA arrays do: the measurement needs no other library."""

    def __init__(self, gpu: Any, nbytes: int) -> None:
        from ptxlab.cuda.driver import bindings, check

        self._api = bindings()
        gpu.adopt()
        self.address = int(check(self._api.cuMemAlloc(nbytes), "cuMemAlloc"))
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": "<f4",
            "shape": (nbytes // 4,),
            "data": (self.address, False),
        }

    def free(self) -> None:
        """Give the memory back."""
        self._api.cuMemFree(self.address)


def _ways(gpu: Any, memory: DeviceMemory) -> dict[str, Callable[[], None]]:
    import ctypes

    import numpy as np

    import ptxlab as px
    from ptxlab.cuda.driver import bindings
    from ptxlab.cuda.launch import Block, configuration

    kernel = px.parse(_PTX)["nothing"]
    args = [memory, memory, memory, np.uint32(1024)]
    prepared = kernel.prepare(grid=4, block=128, args=args)
    api = bindings()
    function = kernel.entry().module.library(gpu).function("nothing")
    config, block = configuration(prepared.record, 0), Block(prepared.record)
    address, launch, ok = block.address, api.cuLaunchKernelEx, api.CUresult.CUDA_SUCCESS
    kinds = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint)
    values = (memory.address, memory.address, memory.address, 1024)

    def bare(_keep: Block = block) -> None:  # the launch reads the block through its address alone
        (error,) = launch(config, function, address, 0)
        if error is not ok:
            raise Diagnostic("PTX2420", str(error))

    def bare_values() -> None:
        (error,) = launch(config, function, (values, kinds), 0)
        if error is not ok:
            raise Diagnostic("PTX2420", str(error))

    return {
        "cuLaunchKernelEx": bare,
        "cuLaunchKernelEx, Python values": bare_values,
        "prepared p()": prepared,
        "kernel[grid](…)": lambda: kernel[4](*args, block=128),
        **_with_tensors(kernel),
        _FULL: lambda: px.Kernel.of_entry(kernel.entry().module, "nothing")[4](*args, block=128),
    }


def _with_tensors(kernel: Any) -> dict[str, Callable[[], None]]:
    """The same launch with torch's tensors; empty where there is no torch with CUDA."""
    try:
        torch: Any = importlib.import_module("torch")
        tensor = torch.zeros(1024, device="cuda")
    except Exception:  # whatever a half-installed library raises
        return {}
    return {"kernel[grid](…), torch's tensors": lambda: kernel[4](tensor, tensor, tensor, 1024, block=128)}


def _batch(way: Callable[[], None], launches: int) -> float:
    """Seconds per launch; the queue is empty before and after."""
    from ptxlab.cuda.streams import synchronized

    start = time.perf_counter()
    for _ in range(launches):
        way()
    seconds = time.perf_counter() - start
    synchronized()
    return seconds / launches


def table(result: Result) -> Table:
    """The result as a table."""
    out = Table(title=f"Launching from Python on {result.device}, CUDA {result.driver}")
    out.add_column("call")
    out.add_column("µs a launch", justify="right")
    out.add_column("of the bare call", justify="right")
    for row in result.rows:
        out.add_row(escape(row.name), f"{row.microseconds:.2f}", f"{row.ratio:.2f}×")
    return out


def main(batches: int = 50, record: Path | None = None, console: Console | None = None) -> int:
    """Measure, print a table, and append one JSON line to `record`.

    Args:
        batches: of launches; the median over them counts.
        record: file of JSON lines; None: only print.
        console: where to print; default the terminal.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2501 for bad options, PTX2304 and PTX2422 without a GPU, PTX2500 where the record cannot be written.
    """
    if batches < 1:
        raise Diagnostic("PTX2501", f"--batches {batches} measures nothing.", help="give 1 or more")
    result = measure(batches)
    (console or terminal.console()).print(table(result))
    if record is not None:
        made = {"bench": "launch", "date": machine.today(), **machine.cpu(), **machine.gpu(), **asdict(result)}
        records.append(record, made)
    return 0
