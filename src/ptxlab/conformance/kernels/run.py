"""Running cases in the simulator and on a GPU, and comparing what comes out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from ptxlab.conformance.kernels.cases import OUTPUT, Case
from ptxlab.conformance.kernels.digests import Record
from ptxlab.diag import Diagnostic
from ptxlab.kernels.blocks.tuned import ignored

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.sim.report.report import Report, TraceEvent


class Verdict(StrEnum):
    """How a run ended. Only `EQUAL` is good."""

    EQUAL = "equal"
    DIFFERS = "differs"
    NO_RECORD = "no record"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a case.

    Attributes:
        output: what it wrote.
        seconds: from the call to the result.
        instructions: thread-instructions simulated; None on a GPU.
        trace: the timeline where it was asked for.
    """

    output: np.ndarray
    seconds: float
    instructions: int | None = None
    trace: list[TraceEvent] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run and what became of it.

    Attributes:
        case, kind: what ran.
        verdict: how it compares.
        run: None where it failed.
        detail: for a verdict that is not `EQUAL`, what is wrong.
        error: the diagnostic that stopped it.
    """

    case: Case
    kind: str
    verdict: Verdict
    run: Run | None = None
    detail: str = ""
    error: Diagnostic | None = field(default=None, compare=False)


Device = Callable[..., Run]
"""`device(case, arrays, trace=False, progress=None)`: run a case on NumPy arrays, which stay as they are on a GPU."""


def simulator(case: Case, arrays: dict[str, np.ndarray], trace: bool = False, progress: Any = None) -> Run:
    """Run a case in the simulator. Raises: Diagnostic as the launch does."""
    begin = time.perf_counter()
    simulated = cast("Callable[..., Report]", case.prepare(arrays))
    report = simulated(trace=trace, progress=progress)
    seconds = time.perf_counter() - begin
    return Run(arrays[OUTPUT], seconds, report.stats.instructions, report.trace)


def gpu(case: Case, arrays: dict[str, np.ndarray], trace: bool = False, progress: Any = None) -> Run:
    """Run a case on GPU 0. Raises: Diagnostic as the launch does, PTX2304 and PTX2422 without a GPU."""
    from ptxlab.cuda.array import GpuArray

    there = {name: GpuArray(a) for name, a in arrays.items()}
    begin = time.perf_counter()
    with ignored():
        case.prepare(there)()
    output = there[OUTPUT].numpy()
    return Run(output, time.perf_counter() - begin)


def judge(case: Case, kind: str, device: Device, record: Record, trace: bool = False, progress: Any = None) -> Outcome:
    """Run a case on one kind of input and compare: integers with NumPy, other numbers with the recorded digest."""
    arrays = case.arrays(kind)
    try:
        run = device(case, arrays, trace=trace, progress=progress)
    except Diagnostic as d:
        return Outcome(case, kind, Verdict.FAILED, detail=d.message, error=d)
    if kind == "integers":
        detail = difference(run.output, case.expected(arrays))
    else:
        if case.recorded(kind) not in record.digests:
            return Outcome(case, kind, Verdict.NO_RECORD, run, "no digest of this case has been recorded on a GPU")
        detail = record.difference(case.recorded(kind), run.output)
    return Outcome(case, kind, Verdict.DIFFERS if detail else Verdict.EQUAL, run, detail)


def difference(got: np.ndarray, wanted: np.ndarray) -> str:
    """Empty where all bits are equal; else how many elements differ, and the first."""
    import numpy as np

    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{got.dtype} {got.shape} instead of {wanted.dtype} {wanted.shape}"
    size = got.dtype.itemsize
    unequal = (
        (got.reshape(-1).view(np.uint8) != np.ascontiguousarray(wanted).reshape(-1).view(np.uint8))
        .reshape(-1, size)
        .any(1)
    )
    if not unequal.any():
        return ""
    first = np.unravel_index(int(unequal.argmax()), got.shape)
    at = ", ".join(str(int(i)) for i in first)
    return f"{int(unequal.sum())} of {got.size} elements; the first is [{at}]: {got[first]} instead of {wanted[first]}"
