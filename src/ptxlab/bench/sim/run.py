"""`ptxlab bench sim`: how fast the simulator is on this machine, beside what it promises and beside other simulators."""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from rich.console import Console
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.bench.sim import chains, copies, devices, memory, peers, start, tensor, work
from ptxlab.bench.sim.peers import Peer
from ptxlab.bench.sim.work import Work
from ptxlab.diag import Diagnostic, terminal

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report

Measure = Literal["instructions/s", "multiply-adds/s/core", "elements/s/core", "s", "µs/CTA", "MiB", "× alone"]
HOLD, AIM, DIVERGENT, PRODUCTS, MOVES, DECODING = 2e9, 5e9, 1e9, 1e9, 1e8, 5e4
"""Thread-instructions a second, with and without one path for all; multiply-adds, and elements of fragments, a second and core;
instructions a second."""
_UNITS: Final = {
    "instructions/s": "instr/s",
    "multiply-adds/s/core": "MAC/s/core",
    "elements/s/core": "elements/s/core",
    "s": "s",
    "µs/CTA": "µs/CTA",
    "MiB": "MiB",
    "× alone": "× alone",
}
SPREAD = 2
"""Processes of the lines that are measured in several as well."""
_WITHIN: Final = ("s", "µs/CTA", "MiB", "× alone")
ADMITTED, LATE = 5.0, 2.0
"""Microseconds for a CTA that copies; how many times longer one may take whose copies wait."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the problems are; tests take small ones.

    Attributes:
        vector: elements. matrix: extent of the matrices of f32. sequences: threads that diverge. turns: of the single CTA.
        products: turns of four wgmma. warp_products: of one mma, of other types than f16 of four.
        gemms: (extent, seconds it may take); full: those of --full.
        attention: heads, positions, depth. copies: of ten instructions to decode. grids: CTAs of two that fill a machine often.
        ctas: of kernels that copy. reduced: bytes of each device in an all-reduce.
    """

    vector: int = 1 << 20
    matrix: int = 256
    sequences: int = 1 << 16
    turns: int = 20_000
    products: int = 250
    warp_products: int = 20_000
    gemms: tuple[tuple[int, float], ...] = ((1024, 3.0),)
    full: tuple[tuple[int, float], ...] = ((2048, 20.0),)
    attention: tuple[int, int, int] = (8, 1024, 128)
    copies: int = 1000
    grids: tuple[int, int] = (1 << 18, 8000)
    ctas: int = 2048
    reduced: int = 1 << 20


SIZES: Final = Sizes()


@dataclass(frozen=True, slots=True)
class Row:
    """One line.

    Attributes:
        measure: what `value` and `target` count: a rate is to reach the target, all others are to stay within it.
        aim: what is aimed at beyond the target; None where nothing is.
        first: seconds of the first run, which also compiles; None where it has none. seconds: median of `rounds` runs behind it.
        processor: seconds of all cores for one such run: what other work on the machine does not stretch.
        instructions: thread-instructions of a run. work: additions or multiply-adds of the problem. threads: of the grid.
        workers: processes that shared the run.
        correct: whether the result equals NumPy's (attention: is near it). skipped: why nothing was measured.
        missing: peers that could not be run, and why.
    """

    name: str
    measure: Measure
    target: float
    value: float = 0.0
    aim: float | None = None
    first: float | None = None
    seconds: float = 0.0
    processor: float = 0.0
    rounds: int = 0
    instructions: int = 0
    work: int = 0
    threads: int = 0
    workers: int = 1
    correct: bool = True
    skipped: str | None = None
    peers: list[Peer] = field(default_factory=list[Peer])
    missing: list[str] = field(default_factory=list[str])

    @property
    def kept(self) -> bool:
        """Whether the target is reached; true for what was not measured."""
        if self.skipped is not None:
            return True
        return self.value <= self.target if self.measure in _WITHIN else self.value >= self.target


def measure(rounds: int = 5, *, full: bool = False, peers: bool = True, sizes: Sizes = SIZES) -> list[Row]:
    """All lines, one after the other.

    Args:
        rounds: runs of each behind the first. full: also what takes minutes. peers: run other simulators beside it.
        sizes: of the problems.
    """
    rows = [*_instructions(rounds, sizes), *_products(rounds, sizes), *_gemms(rounds, sizes, full)]
    rows += _copies(rounds, sizes)
    rows += [_attention(rounds, sizes), *_start(rounds), _decoding(rounds, sizes), _memory(sizes)]
    rows += [*_chains(rounds), _devices(rounds, sizes)]
    return [_beside(r) for r in rows] if peers else rows


def _instructions(rounds: int, s: Sizes) -> list[Row]:
    """Thread-instructions a second."""
    works: list[tuple[str, float, float | None, Callable[[], Work]]] = [
        (f"vector add, {s.vector} f32", HOLD, AIM, lambda: work.vector_add(s.vector)),
        (f"reduction, {s.vector} f32", HOLD, AIM, lambda: work.reduction(s.vector)),
        (f"naive matmul, {s.matrix}³ f32", HOLD, AIM, lambda: work.matmul(s.matrix, tiled=False)),
        (f"tiled matmul, {s.matrix}³ f32", HOLD, AIM, lambda: work.matmul(s.matrix, tiled=True)),
        (f"divergent threads, {s.sequences}", DIVERGENT, None, lambda: work.divergent(s.sequences)),
        ("single CTA, 128 threads", DIVERGENT, None, lambda: work.single_cta(s.turns)),
    ]
    out: list[Row] = []
    for name, target, aim, make in works:
        row = _timed(Row(name, "instructions/s", target, aim=aim), make(), rounds)
        out.append(replace(row, value=row.instructions / row.seconds))
        if "matmul" in name:
            row = _timed(Row(_in_processes(name), "instructions/s", target, aim=aim), make(), rounds, SPREAD)
            out.append(replace(row, value=row.instructions / row.seconds))
    return out


def _products(rounds: int, s: Sizes) -> list[Row]:
    works: list[tuple[str, Callable[[], Work]]] = [
        ("wgmma, bf16 into f32", lambda: work.products(s.products)),
        ("mma, f16 into f32", lambda: work.warp_products(s.warp_products)),
        *((name, partial(make, s.products, s.warp_products)) for name, make in tensor.LINES),
    ]
    rows = [_timed(Row(name, "multiply-adds/s/core", PRODUCTS), make(), rounds) for name, make in works]
    name, fragments = tensor.MOVES
    rows.append(_timed(Row(name, "elements/s/core", MOVES), fragments(s.warp_products), rounds))
    return [replace(row, value=row.work / row.processor) for row in rows]


def _copies(rounds: int, s: Sizes) -> list[Row]:
    """Microseconds of a CTA: where copies happen at issue, and where they wait, which may take LATE times as long."""
    out: list[Row] = []
    for name in copies.KERNELS:
        eager = _timed(Row(f"{name}, {s.ctas} CTAs", "µs/CTA", ADMITTED), copies.work(name, s.ctas), rounds)
        eager = replace(eager, value=1e6 * eager.processor / s.ctas)
        if "ring" in name:
            eager = replace(eager, target=2 * ADMITTED)  # it copies fifteen times
        late = Row(f"{name}, {s.ctas} CTAs, late", "µs/CTA", LATE * eager.value)
        late = _timed(late, copies.work(name, s.ctas), rounds, schedule="late")
        out += [eager, replace(late, value=1e6 * late.processor / s.ctas)]
    return out


def _gemms(rounds: int, s: Sizes, full: bool) -> list[Row]:
    out: list[Row] = []
    for n, target in s.gemms + s.full:
        name = f"gemm of kernels/, {n}³ bf16"
        for row, workers in ((Row(name, "s", target), 1), (Row(_in_processes(name), "s", target), SPREAD)):
            if full or (n, target) not in s.full:
                row = _timed(row, work.gemm(n), rounds, workers)
                out.append(replace(row, value=row.seconds))
            else:
                out.append(replace(row, skipped="asked for by --full"))
    return out


def _in_processes(name: str) -> str:
    return f"{name}, {SPREAD} processes"


def _attention(rounds: int, s: Sizes) -> Row:
    row = Row(f"attention of Triton, 1 × {' × '.join(map(str, s.attention))} f16", "s", 10.0)
    if importlib.util.find_spec("triton") is None:
        return replace(row, skipped="triton is not installed: install the extra `corpus`")
    from ptxlab.bench.sim import attention

    row = _timed(row, attention.work(*s.attention), rounds)
    return replace(row, value=row.seconds)


def _start(rounds: int) -> list[Row]:
    found = start.start(rounds)
    lines = (
        ("import ptxlab", 0.3, found.imported, None),
        ("first launch, empty cache", 2.0, found.fresh, found.processor),
        ("first launch with TMA, wgmma and a cluster, empty cache", 5.0, found.tiled, found.tiled_processor),
        ("first launch of a process", 1.0, found.process, None),
        ("later launches", 0.1, found.later, None),
    )
    return [
        Row(name, "s", target, value, seconds=value, processor=processor or 0.0, rounds=rounds)
        for name, target, value, processor in lines
    ]


def _decoding(rounds: int, s: Sizes) -> Row:
    instructions, times, processors = start.decoding(s.copies, rounds)
    seconds, processor = statistics.median(times), statistics.median(processors)
    row = Row("decoding", "instructions/s", DECODING, instructions / seconds, seconds=seconds, processor=processor)
    return replace(row, rounds=rounds, instructions=instructions)


def _memory(s: Sizes) -> Row:
    """How the peak grows with the grid: not at all, beyond what allocators do."""
    mib = memory.growth(*s.grids) / (1 << 20)
    return Row(f"memory of {s.grids[0]} CTAs beyond that of 132", "MiB", 4.0, mib)


def _chains(rounds: int) -> list[Row]:
    """Launches in a stream beside the same launches alone."""
    rows: list[Row] = []
    for early in (False, True):
        for sanitize in (False, True):
            name = (
                f"chain of {chains.LAUNCHES} {'dependent ' if early else ''}launches{', sanitized' if sanitize else ''}"
            )
            found, seconds, right = chains.ratio(rounds, early=early, sanitize=sanitize)
            rows.append(Row(name, "× alone", 1.2, found, seconds=seconds, rounds=rounds, correct=right))
    return rows


def _devices(rounds: int, s: Sizes) -> Row:
    """Two devices add up."""
    first, seconds, processor, right = devices.all_reduce(s.reduced, rounds)
    name = f"all-reduce of {s.reduced >> 10} KiB bf16 on 2 devices, sanitized"
    row = Row(name, "s", 3.0, seconds, first=first, seconds=seconds, rounds=rounds, correct=right)
    return replace(row, processor=processor)


def _timed(row: Row, work: Work, rounds: int, workers: int = 1, schedule: str = "eager") -> Row:
    """The row with the times and counts of a launch; in several processes, `processor` has nothing of theirs."""
    launch = cast("Callable[..., Report]", work.launch)  # in the simulator it takes options
    walls: list[float] = []
    processors: list[float] = []
    instructions, correct, shared = 0, True, 1
    for _ in range(rounds + 1):
        work.reset()
        spent, begin = time.process_time(), time.perf_counter()
        report = launch(workers=workers, schedule=schedule, sanitize=False)
        walls.append(time.perf_counter() - begin)
        processors.append(time.process_time() - spent)
        instructions, correct = report.stats.instructions, correct and work.right()
        shared = report.stats.workers
    return replace(
        row,
        first=walls[0],
        seconds=statistics.median(walls[1:]),
        processor=statistics.median(processors[1:]),
        rounds=rounds,
        instructions=instructions,
        work=work.work,
        threads=work.threads,
        workers=shared,
        correct=correct,
    )


def _beside(row: Row) -> Row:
    """The row with the peers that know its workload."""
    workload = row.name.partition(",")[0]
    if row.workers > 1 or workload not in ("vector add", "reduction", "naive matmul", "tiled matmul"):
        return row
    found, missing = peers.beside(workload, row.work / row.seconds)
    return replace(row, peers=found, missing=missing)


def table(rows: list[Row]) -> Table:
    """The rows for people. The first run of a workload also compiles what it needs."""
    out = Table(title="The simulator on this machine")
    for column in ("workload", "median, s", "measured", "target", "result", "beside it"):
        right = column in ("median, s", "measured", "target")
        out.add_column(column, justify="right" if right else "left", no_wrap=right)
    for r in rows:
        sign = "≤" if r.measure in _WITHIN else "≥"
        target = f"[{'green' if r.kept else 'bold red'}]{sign} {r.target:.3g} {_UNITS[r.measure]}[/]"
        if r.skipped is not None:
            out.add_row(r.name, "", "", f"{sign} {r.target:.3g} {_UNITS[r.measure]}", "skipped", r.skipped)
            continue
        verdict = "" if not r.work else "[green]equal[/]" if r.correct else "[bold red]differs[/]"
        beside = [f"{p.ratio:,.0f} × {p.name} ({p.size})" for p in r.peers] + r.missing
        out.add_row(r.name, f"{r.seconds:.4f}", f"{r.value:.3g}", target, verdict, "\n".join(beside))
    return out


def main(rounds: int = 5, record: Path | None = None, console: Console | None = None, *, full: bool = False) -> int:
    """Measure, print a table, and append one JSON line to `record`.

    Args:
        rounds: runs of each workload behind the first.
        record: file of JSON lines; None: only print.
        console: where to print; default the terminal.
        full: also the largest gemm.

    Returns: the exit status: 1 where a result is wrong. A target that is missed is shown and is no failure.

    Raises: Diagnostic PTX2501 for bad options, PTX2500 where the record cannot be written.
    """
    if rounds < 1:
        raise Diagnostic("PTX2501", f"--rounds {rounds} measures nothing.", help="give 1 or more")
    rows = measure(rounds, full=full)
    (console or terminal.console()).print(table(rows))
    if record is not None:
        made = {"bench": "sim", "date": machine.today(), **machine.cpu(), "rows": [asdict(r) for r in rows]}
        records.append(record, made)
    return 0 if all(r.correct for r in rows) else 1
