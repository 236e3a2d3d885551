"""`ptxlab bench sim`: how fast the simulator is on this machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

import ptxlab as px
from ptxlab.bench import machine, records
from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    from ptxlab.launch.prepare import Launch

ELEMENTS = 1 << 20
GEMMS = (512, 1024)


@px.kernel(target="sm_90a", threads=256)
def vector_add(k: px.Builder, a: px.Ptr[px.f32], b: px.Ptr[px.f32], c: px.Ptr[px.f32], n: px.u32) -> None:
    """One thread an element: c = a + b."""
    i = k.mad.lo.u32(k.ctaid.x, 256, k.tid.x)
    with k.if_(i < n):
        k.st.global_.f32(c[i], k.add.f32(k.ld.global_.f32(a[i]), k.ld.global_.f32(b[i])))


@dataclass(frozen=True, slots=True)
class Row:
    """One workload. The inputs are integers.

    Attributes:
        first: seconds of the first run, which also compiles.
        seconds: median of `rounds` runs behind it.
        instructions: thread-instructions of a run.
        work: additions or multiply-adds of the problem.
        correct: whether the result equals NumPy's, bit for bit.
    """

    name: str
    first: float
    seconds: float
    rounds: int
    instructions: int
    work: int
    correct: bool


def measure(rounds: int = 5) -> list[Row]:
    """Vector add of 1M f32 and the bf16 gemm at 512³ and 1024³, bounds-checked, results compared."""
    return [_vector_add(rounds), *(_gemm(n, rounds) for n in GEMMS)]


def _vector_add(rounds: int) -> Row:
    import numpy as np

    rng = np.random.default_rng(0)
    a, b, c = (px.empty(ELEMENTS, np.float32) for _ in range(3))
    a[:], b[:] = rng.integers(-1000, 1000, (2, ELEMENTS))
    launch = vector_add.prepare(grid=ELEMENTS // 256, args=[a, b, c, ELEMENTS])
    return _row(f"vector add, {ELEMENTS >> 20}M f32", launch, rounds, ELEMENTS, lambda: bool(np.array_equal(c, a + b)))


def _gemm(n: int, rounds: int) -> Row:
    import numpy as np

    from ptxlab.kernels import gemm

    rng = np.random.default_rng(n)
    a, b, c = (px.empty((n, n), "bfloat16") for _ in range(3))
    a[:], b[:] = rng.integers(-3, 4, (2, n, n))
    launch = gemm.prepare(a, b, c)
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(c.dtype)  # sums of integers: exact in f32
    return _row(f"gemm {n}³ → bf16", launch, rounds, n**3, lambda: c.tobytes() == expected.tobytes())


def _row(name: str, launch: Launch, rounds: int, work: int, right: Callable[[], bool]) -> Row:
    times: list[float] = []
    report = None
    for _ in range(rounds + 1):
        begin = time.perf_counter()
        report = launch()
        times.append(time.perf_counter() - begin)
    assert report is not None
    seconds = statistics.median(times[1:])
    return Row(name, times[0], seconds, rounds, report.stats.instructions, work, right())


def table(rows: list[Row]) -> Table:
    """The rows for people. The first run of a workload also compiles what it needs."""
    out = Table(title="The simulator on this machine")
    for column in ("workload", "first, s", "median, s", "instructions/s", "operations/s", "result"):
        out.add_column(column, justify="left" if column in ("workload", "result") else "right")
    for r in rows:
        verdict = "[green]equal[/]" if r.correct else "[bold red]differs[/]"
        speed = f"{r.instructions / r.seconds:.2e}", f"{r.work / r.seconds:.2e}"
        out.add_row(r.name, f"{r.first:.2f}", f"{r.seconds:.4f}", *speed, verdict)
    return out


def main(rounds: int = 5, record: Path | None = None, console: Console | None = None) -> int:
    """Measure, print a table, and append one JSON line to `record`.

    Args:
        rounds: runs of each workload behind the first.
        record: file of JSON lines; None: only print.
        console: where to print; default the terminal.

    Returns: the exit status: 1 where a result is wrong.

    Raises: Diagnostic PTX2501 for bad options, PTX2500 where the record cannot be written.
    """
    if rounds < 1:
        raise Diagnostic("PTX2501", f"--rounds {rounds} measures nothing.", help="give 1 or more")
    rows = measure(rounds)
    (console or Console()).print(table(rows))
    if record is not None:
        made = {"bench": "sim", "date": machine.today(), **machine.cpu(), "rows": [asdict(r) for r in rows]}
        records.append(record, made)
    return 0 if all(r.correct for r in rows) else 1
