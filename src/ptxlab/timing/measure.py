"""What a launch takes on a GPU: replays of a CUDA graph, and the clock that the SMs have meanwhile."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ptxlab.abi.arrays import view
from ptxlab.launch.kept import Kept

if TYPE_CHECKING:
    from ptxlab.launch.kernel import Kernel
    from ptxlab.launch.prepare import Launch

ROUNDS: Final = 20
_LOAD: Final = 0.05
"""Seconds of work before the clock is read."""
_DRIVER: Final = Path("/proc/driver/nvidia/params")
_CLOCK: Final = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry read_clock(.param .u64 out)
.reqntid 1
{
  .reg .pred %p;
  .reg .b64 %out, %begin, %now, %cycles, %passed;
  ld.param.u64 %out, [out];
  mov.u64 %begin, %globaltimer;
TICK:
  mov.u64 %now, %globaltimer;
  setp.eq.u64 %p, %now, %begin;
  @%p bra TICK;
  mov.u64 %cycles, %clock64;
  mov.u64 %begin, %now;
WORK:
  mov.u64 %now, %globaltimer;
  sub.u64 %passed, %now, %begin;
  setp.lt.u64 %p, %passed, 200000;
  @%p bra WORK;
  mov.u64 %now, %clock64;
  sub.u64 %cycles, %now, %cycles;
  st.global.u64 [%out], %cycles;
  st.global.u64 [%out+8], %passed;
  ret;
}
"""
"""Counts an SM's cycles over 200 µs, from one tick of the timer to another."""


@dataclass(frozen=True, slots=True, repr=False)
class Measured:
    """What a launch took on a GPU.

    Attributes:
        gpu: its name. seconds: of a launch, the median of replays of a graph with warm caches.
        fastest, slowest: of all replays.
        clock: MHz of the SMs, counted by `%clock64` on the GPU while it was under load.
        calls, rounds: launches in the graph, and replays of it.
        registers, resident: of a thread, and CTAs that an SM holds at once, as the driver says.
        counters: why no hardware counters were read.

    Example:
        record = dict(gpu="H200", seconds=2e-6, fastest=2e-6, slowest=3e-6, clock=1980, calls=100, rounds=20)
        found = px.Measured(**record, registers=16, resident=16, counters="kept for root")
        print(found.microseconds, found.cycles, found.record()["clock"])  # 2.0 3960.0 1980
    """

    gpu: str
    seconds: float
    fastest: float
    slowest: float
    clock: float
    calls: int
    rounds: int
    registers: int
    resident: int
    counters: str

    @property
    def microseconds(self) -> float:
        """Of a launch."""
        return self.seconds * 1e6

    @property
    def cycles(self) -> float:
        """Of the SMs' clock."""
        return self.seconds * self.clock * 1e6

    def record(self) -> dict[str, Any]:
        """The measurement, for programs: what JSON can hold."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"<Measured on {self.gpu}: {self.microseconds:,.2f} µs at {self.clock:,.0f} MHz>"


def measure(launch: Launch, rounds: int = ROUNDS) -> Measured:
    """Measure a launch that is prepared for a GPU. What its arrays hold is put back.

    Raises: Diagnostic PTX2420, PTX2421 where the GPU fails.
    """
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.streams import synchronized
    from ptxlab.cuda.timing import measured

    record = launch.record
    gpu = device(record.ordinal)
    clock, counted = _clock(record.ordinal)
    clock()
    kept = Kept([view(b.array[0]) for b in record.buffers if b.writable])
    try:
        launch()  # loads its code: a capture does not allow that
        synchronized()
        seconds, calls = measured(gpu, launch, rounds, load=_LOAD, behind=clock)
    finally:
        kept.restore()
    cycles, nanoseconds = counted()
    registers, resident = facts(launch)
    return Measured(
        gpu.name,
        statistics.median(seconds),
        min(seconds),
        max(seconds),
        clock=round(1e3 * cycles / nanoseconds, 1),
        calls=calls,
        rounds=rounds,
        registers=registers,
        resident=resident,
        counters=counters(),
    )


def facts(launch: Any) -> tuple[int, int]:
    """Registers of a thread, and CTAs that an SM holds, as the driver says; zeros for launches of several kernels."""
    from ptxlab.cuda.driver import bindings, check, device

    function = getattr(getattr(launch, "target_alone", None), "function", None)
    if function is None:
        return 0, 0
    api, record = bindings(), launch.record
    with device(record.ordinal).current():
        which = api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS
        registers = check(api.cuFuncGetAttribute(which, function), "cuFuncGetAttribute")
        resident = check(
            api.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, record.threads, record.shared),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        )
    return int(registers), int(resident)


@cache
def _reader() -> Kernel:
    from ptxlab.launch.module import parse

    return parse(_CLOCK, "read_clock.ptx")["read_clock"]


def _clock(ordinal: int) -> tuple[Any, Any]:
    """A launch that counts cycles on a GPU, and what gives them with the nanoseconds that they took."""
    import numpy as np

    from ptxlab.cuda.array import GpuArray
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.library import read_memory

    out = GpuArray.zeros((2,), np.dtype(np.uint64), ordinal)
    launch = _reader().prepare(grid=1, args=[out], lints=False)

    def counted() -> tuple[int, int]:
        cycles, nanoseconds = np.frombuffer(read_memory(device(ordinal), out.address, 16), np.uint64)
        return int(cycles), int(nanoseconds)

    return launch, counted


def counters() -> str:
    """Why hardware counters are not read."""
    try:
        words = _DRIVER.read_text(encoding="utf-8")
    except OSError:
        words = ""
    if "RmProfilingAdminOnly: 1" in words:
        return "the driver keeps them for root (RmProfilingAdminOnly)"
    return "ptxlab reads none; Nsight Compute does"


def side_by_side(predicted: Mapping[str, float], found: Measured) -> list[tuple[str, str, str, str]]:
    """Rows for a table: what, predicted, measured, error. What has no measurement is left out."""
    values = {
        "cycles": found.cycles,
        "microseconds": found.microseconds,
        "SM clock, MHz": found.clock,
        "registers": found.registers,
        "CTAs on an SM": found.resident,
    }
    rows: list[tuple[str, str, str, str]] = []
    for name, value in values.items():
        said = predicted.get(name)
        if said and value:
            form = ",.2f" if name == "microseconds" else ",.0f"
            rows.append((name, format(said, form), format(value, form), f"{said / value - 1:+.1%}"))
    return rows
