"""`ptxlab bench gemm`: the matrix product beside cuBLAS, both layouts of B, in one run on one GPU."""

from __future__ import annotations

import importlib
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.diag import Diagnostic

SIZES = (4096, 8192)
ROUNDS = 40
LEAST_ROUNDS = 20
SETS = 3
"""Sets of inputs that calls take in turn: one alone would stay in the L2 cache more than a program's data does."""
SPAN = 2e-3
"""Seconds of work between two events, about: many calls, so that the launch of the first is not what is measured."""
WARM = 0.5
"""Seconds of work before the clock starts, and while clocks and power are read."""
ASSUMED = 6e14
"""Operations a second for choosing how many calls fill a span."""
TOLERANCE = 4e-3
"""Relative error in the Frobenius norm that two bf16 results of the same product may have."""

Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Timing:
    """TFLOP/s of one contender over the rounds."""

    median: float
    best: float
    worst: float
    rounds: int


def main(
    sizes: Sequence[int] = SIZES, rounds: int = ROUNDS, record: Path | None = None, console: Console | None = None
) -> int:
    """Measure, print a table, and append one JSON line a size to `record`.

    Args:
        sizes: extents n of n × n × n products, multiples of 8.
        rounds: how often each contender is timed, at least 20.
        record: file of JSON lines; None: only print.
        console: where to print; default the terminal.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2501 for bad options, PTX2304 and PTX2422 without a GPU, PTX2510 without torch, PTX2420 where a result is
        wrong: a wrong kernel is not timed.
    """
    console = console or Console()
    _check(sizes, rounds)
    torch = _torch()
    for n in sizes:
        made = measure(torch, n, rounds)
        console.print(table(made))
        if record is not None:
            records.append(record, made)
    return 0


def _check(sizes: Sequence[int], rounds: int) -> None:
    for n in sizes:
        if n < 8 or n % 8:
            raise Diagnostic(
                "PTX2501",
                f"A product of size {n} cannot be measured.",
                help="use multiples of 8, whose rows TMA can address",
            )
    if rounds < LEAST_ROUNDS:
        raise Diagnostic("PTX2501", f"{rounds} rounds are too few for a median.", help=f"use at least {LEAST_ROUNDS}")


def _torch() -> ModuleType:
    """torch with a GPU. Raises: Diagnostic PTX2304 and PTX2422 without a GPU, PTX2510 without torch."""
    from ptxlab.cuda.driver import device

    device()
    try:
        torch = importlib.import_module("torch")
    except ImportError as e:
        raise Diagnostic(
            "PTX2510", f"torch cannot be imported: {e}.", help="pip install torch: cuBLAS is measured through it"
        ) from None
    if not torch.cuda.is_available():
        raise Diagnostic("PTX2510", "This torch has no CUDA.", help="install a build of torch with CUDA")
    return torch


def measure(torch: ModuleType, n: int, rounds: int) -> dict[str, Any]:
    """Time all contenders at one size: the record of that."""
    contenders = _contenders(torch, n)
    calls = max(1, round(SPAN * ASSUMED / _operations(n)))
    _warm(torch, contenders, n)
    timings = _timings(torch, contenders, n, rounds, calls)
    under_load = _sample(torch, contenders["ptxlab, B K×N"], n)
    fastest = max(t.median for name, t in timings.items() if name.startswith("cuBLAS"))
    return {
        "bench": "gemm",
        "date": machine.today(),
        "n": n,
        "data": "bf16, standard normal",
        "gpu": under_load,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "calls_per_round": calls,
        "tflops": {
            name: {"median": round(t.median, 1), "best": round(t.best, 1), "worst": round(t.worst, 1), "rounds": t.rounds,
                   "ratio": round(t.median / fastest, 4)}
            for name, t in timings.items()
        },
    }  # fmt: skip


def _operations(n: int) -> float:
    return 2.0 * n**3


def _contenders(torch: ModuleType, n: int) -> dict[str, list[Call]]:
    """Each contender as one call for each set of inputs. Raises: Diagnostic PTX2420 where ours and cuBLAS's results differ."""
    from ptxlab.kernels.gemm import prepare

    generator = torch.Generator(device="cuda").manual_seed(0)

    def normal() -> Any:
        return torch.randn(n, n, device="cuda", generator=generator).to(torch.bfloat16)

    out: dict[str, list[Call]] = {}
    for _ in range(SETS):
        a, b, c = normal(), normal(), torch.empty(n, n, device="cuda", dtype=torch.bfloat16)
        made: dict[str, Call] = {
            "ptxlab, B K×N": prepare(a, b, c, b_layout="kn"),
            "ptxlab, B N×K": prepare(a, b, c, b_layout="nk"),
            "cuBLAS, a @ b": lambda a=a, b=b, c=c: torch.matmul(a, b, out=c),
            "cuBLAS, a @ b.T": lambda a=a, b=b, c=c: torch.matmul(a, b.T, out=c),
        }
        _compare(torch, made, c)
        for name, call in made.items():
            out.setdefault(name, []).append(call)
    return out


def _compare(torch: ModuleType, made: dict[str, Call], c: Any) -> None:
    results: dict[str, Any] = {}
    for name, call in made.items():
        c.fill_(float("nan"))
        call()
        torch.cuda.synchronize()
        results[name] = c.float()
    for ours, theirs in (("ptxlab, B K×N", "cuBLAS, a @ b"), ("ptxlab, B N×K", "cuBLAS, a @ b.T")):
        wanted = results[theirs]
        error = float((results[ours] - wanted).norm() / wanted.norm())
        if not error <= TOLERANCE:  # NaN fails too
            raise Diagnostic(
                "PTX2420",
                f"{ours} is wrong: relative error {error:.2g} against {theirs}.",
                help="run `ptxlab demo --on gpu`",
            )


def _warm(torch: ModuleType, contenders: dict[str, list[Call]], n: int) -> None:
    times = max(1, round(WARM / len(contenders) * ASSUMED / _operations(n)))
    for calls in contenders.values():
        for i in range(times):
            calls[i % SETS]()
    torch.cuda.synchronize()


def _timings(
    torch: ModuleType, contenders: dict[str, list[Call]], n: int, rounds: int, calls: int
) -> dict[str, Timing]:
    """Every round times every contender, in an order drawn anew: heat and clocks then favour nobody."""
    order = random.Random(n)
    turn = dict.fromkeys(contenders, 0)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        events: list[tuple[str, Any, Any]] = []
        for name in order.sample(list(contenders), len(contenders)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            for i in range(calls + 1):
                if i == 1:
                    begin.record()  # behind the first call, which pays for what the one before left in the caches
                contenders[name][turn[name] % SETS]()
                turn[name] += 1
            end.record()
            events.append((name, begin, end))
        torch.cuda.synchronize()
        for name, begin, end in events:
            seconds[name].append(begin.elapsed_time(end) / 1e3 / calls)
    done = _operations(n) / 1e12
    return {
        name: Timing(done / statistics.median(s), done / min(s), done / max(s), len(s)) for name, s in seconds.items()
    }


def _sample(torch: ModuleType, calls: list[Call], n: int) -> dict[str, str]:
    """Clocks and power while the GPU works."""
    for i in range(max(1, round(WARM * ASSUMED / _operations(n)))):
        calls[i % SETS]()
    facts = machine.gpu()
    torch.cuda.synchronize()
    return facts


def table(made: dict[str, Any]) -> Table:
    """A record as a table."""
    gpu = made["gpu"]
    where = (
        f"{gpu.get('name', 'GPU')}, driver {gpu.get('driver_version', '?')}, SM clock {gpu.get('clocks.sm', '?')} MHz"
    )
    title = f"{made['n']}³, {made['data']}: {where}"
    out = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    out.add_column("contender")
    for name in ("TFLOP/s, median", "best", "worst", "rounds", "of the faster cuBLAS"):
        out.add_column(name, justify="right")
    for name, t in made["tflops"].items():
        out.add_row(
            name, f"{t['median']:.1f}", f"{t['best']:.1f}", f"{t['worst']:.1f}", str(t["rounds"]), f"{t['ratio']:.3f}"
        )
    return out
