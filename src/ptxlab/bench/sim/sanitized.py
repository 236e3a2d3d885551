"""`ptxlab bench sim --sanitized`: how much longer a launch takes with the sanitizer."""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from rich.console import Console
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.bench.sim import work
from ptxlab.bench.sim.work import Work
from ptxlab.diag import Diagnostic, terminal

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the problems are; tests take small ones.

    Attributes:
        vector: elements. counted: values of a histogram. racing: threads of faulty kernels. matrix: extent of the matrices of f32.
        gemms: extents, and how many times as long each may take (None: no target). attention: heads, positions, depth.
    """

    vector: int = 1 << 20
    counted: int = 10_000
    racing: int = 1 << 20
    matrix: int = 256
    gemms: tuple[tuple[int, float | None], ...] = ((256, None), (512, 2.0), (1024, 2.0))
    attention: tuple[int, int, int] = (2, 256, 64)


SIZES: Final = Sizes()


@dataclass(frozen=True, slots=True)
class Row:
    """One line.

    Attributes:
        target: what `ratio` is to stay within; None where nothing is promised.
        plain, sanitized: seconds of processor time of a launch, the median of `rounds` behind one that also compiles. Of a faulty
            kernel `plain` is a sanitized launch of the right one.
        correct: whether all results equal NumPy's (attention: are near them).
        findings: of the sanitizer; none is expected, but of a faulty kernel. faulty: whether it is one.
        skipped: why nothing was measured.
    """

    name: str
    target: float | None
    plain: float = 0.0
    sanitized: float = 0.0
    rounds: int = 0
    correct: bool = True
    findings: int = 0
    faulty: bool = False
    skipped: str | None = None

    @property
    def ratio(self) -> float:
        """How many times as long a launch takes."""
        return self.sanitized / self.plain if self.plain else 0.0

    @property
    def wrong(self) -> str:
        """What is wrong with the results, in words; "" where nothing is."""
        if not self.correct:
            return "differs"
        if bool(self.findings) == self.faulty:
            return ""
        return f"findings: {self.findings}" if self.findings else "nothing is found"

    @property
    def kept(self) -> bool:
        """Whether the target is reached; true where there is none."""
        return self.target is None or self.ratio <= self.target


def measure(rounds: int = 5, *, sizes: Sizes = SIZES) -> list[Row]:
    """All lines, one after the other."""
    s = sizes
    works: list[tuple[str, float | None, Callable[[], Work]]] = [
        (f"vector add, {s.vector} f32", 4.0, lambda: work.vector_add(s.vector)),
        (f"reduction, {s.vector} f32", 4.0, lambda: work.reduction(s.vector)),
        (f"cluster histogram, {s.counted} values", 4.0, lambda: work.cluster_histogram(s.counted, clusters=2)),
        (f"tiled matmul, {s.matrix}³ f32", None, lambda: work.matmul(s.matrix, tiled=True)),
        *((f"gemm of kernels/, {n}³ bf16", target, lambda n=n: work.gemm(n)) for n, target in s.gemms),
        *(
            (f"the same in clusters of 2, {n}³ bf16", target, lambda n=n: work.gemm(n, "128x128-2c-cluster2x1"))
            for n, target in s.gemms
        ),
    ]
    rows = [_compared(Row(name, target), make(), rounds) for name, target, make in works]
    faulty = (
        ("counters without atomics", work.counters(s.racing, atomic=True), work.counters(s.racing, atomic=False)),
        ("a missing bar.sync", work.exchange(s.racing, barrier=True), work.exchange(s.racing, barrier=False)),
    )
    for name, right, wrong in faulty:
        row = Row(f"{name}, {s.racing} threads, beside the right kernel", 4.0, faulty=True)
        rows.append(_times(row, {False: (right, True), True: (wrong, True)}, rounds))
    return [*rows, _attention(rounds, s)]


def _attention(rounds: int, s: Sizes) -> Row:
    row = Row(f"attention of Triton, 1 × {' × '.join(map(str, s.attention))} f16", 3.0)
    if importlib.util.find_spec("triton") is None:
        return replace(row, skipped="triton is not installed: install the extra `corpus`")
    from ptxlab.bench.sim import attention

    return _compared(row, attention.work(*s.attention), rounds)


def _compared(row: Row, work: Work, rounds: int) -> Row:
    """The row with the times of a kernel without the sanitizer, and with it."""
    return _times(row, {False: (work, False), True: (work, True)}, rounds)


def _times(row: Row, works: dict[bool, tuple[Work, bool]], rounds: int) -> Row:
    """The row with the times of both. They take turns, so that a machine that gets busy slows both down.

    works: what is measured as `plain` and as `sanitized`, and whether it is sanitized.
    """
    times: dict[bool, list[float]] = {False: [], True: []}
    correct, findings = True, 0
    for _ in range(rounds + 1):
        for which, (one, sanitize) in works.items():
            launch = cast("Callable[..., Report]", one.launch)  # in the simulator it takes options
            one.reset()
            begin = time.process_time()
            try:
                findings += len(launch(sanitize=sanitize).findings)
            except Diagnostic as found:
                findings += 1 + len(found.also)
            times[which].append(time.process_time() - begin)
            correct = correct and one.right()
    plain, sanitized = (statistics.median(of[1:]) for of in times.values())
    return replace(row, plain=plain, sanitized=sanitized, rounds=rounds, correct=correct, findings=findings)


def table(rows: list[Row]) -> Table:
    """The rows for people."""
    out = Table(title="What the sanitizer costs on this machine, in processor time")
    for column in ("workload", "plain, s", "sanitized, s", "times as long", "target", "result"):
        right = column not in ("workload", "result")
        out.add_column(column, justify="right" if right else "left", no_wrap=right)
    for r in rows:
        target = "" if r.target is None else f"[{'green' if r.kept else 'bold red'}]≤ {r.target:.3g}[/]"
        if r.skipped is not None:
            out.add_row(r.name, "", "", "", "" if r.target is None else f"≤ {r.target:.3g}", f"skipped: {r.skipped}")
            continue
        times = f"{r.plain:.4f}", f"{r.sanitized:.4f}", f"{r.ratio:.2f}"
        out.add_row(
            r.name,
            *times,
            target,
            f"[bold red]{r.wrong}[/]" if r.wrong else f"[green]{'found' if r.faulty else 'equal, silent'}[/]",
        )
    return out


def main(rounds: int = 5, record: Path | None = None, console: Console | None = None) -> int:
    """Measure, print a table, and append one JSON line to `record`.

    Args:
        rounds: runs of each workload behind the first. record: file of JSON lines; None: only print.
        console: where to print; default the terminal.

    Returns: the exit status: 1 where a result is wrong, or anything is found. A target that is missed is shown and is no failure.

    Raises: Diagnostic PTX2501 for bad options, PTX2500 where the record cannot be written.
    """
    if rounds < 1:
        raise Diagnostic("PTX2501", f"--rounds {rounds} measures nothing.", help="give 1 or more")
    rows = measure(rounds)
    (console or terminal.console()).print(table(rows))
    if record is not None:
        lines = [{**asdict(r), "measure": "processor time", "ratio": round(r.ratio, 3)} for r in rows]
        records.append(record, {"bench": "sanitizer", "date": machine.today(), **machine.cpu(), "rows": lines})
    return int(any(r.wrong for r in rows))
