"""Products timed against each other on one GPU: who takes part is the benchmark's business, how they are timed is here."""

from __future__ import annotations

import importlib
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from rich.table import Table

from ptxlab.bench import machine
from ptxlab.diag import Diagnostic

LEAST_ROUNDS = 20
SPAN = 2e-3
"""Seconds of work between two events, about: many calls, so that the launch of the first is not what is measured."""
WARM = 0.5
"""Seconds of work before the clock starts, and while clocks and power are read."""
ASSUMED = 6e14
"""Operations a second for choosing how many calls fill a span."""

Call = Callable[[], Any]
Contenders = dict[str, list[Call]]
"""Each contender as one call for each set of inputs."""


@dataclass(frozen=True, slots=True)
class Timing:
    """TFLOP/s of one contender over the rounds."""

    median: float
    best: float
    worst: float
    rounds: int

    def scaled(self, factor: float) -> Timing:
        """The same where there were `factor` times as many operations."""
        return Timing(self.median * factor, self.best * factor, self.worst * factor, self.rounds)

    def record(self, beside: float) -> dict[str, float]:
        """As records have it; `ratio`: of the median to another one."""
        numbers = {"median": round(self.median, 1), "best": round(self.best, 1), "worst": round(self.worst, 1)}
        return {**numbers, "rounds": self.rounds, "ratio": round(self.median / beside, 4)}


def check_rounds(rounds: int) -> None:
    """Raises: Diagnostic PTX2501 for too few."""
    if rounds < LEAST_ROUNDS:
        raise Diagnostic("PTX2501", f"{rounds} rounds are too few for a median.", help=f"use at least {LEAST_ROUNDS}")


def torch_with_gpu() -> ModuleType:
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


def calls_per_round(operations: float) -> int:
    """How many calls fill a span."""
    return max(1, round(SPAN * ASSUMED / operations))


def warm(torch: ModuleType, contenders: Contenders, operations: float) -> None:
    """Let the GPU work before the clock starts."""
    times = max(1, round(WARM / len(contenders) * ASSUMED / operations))
    for calls in contenders.values():
        for i in range(times):
            calls[i % len(calls)]()
    torch.cuda.synchronize()


def timings(torch: ModuleType, contenders: Contenders, operations: float, rounds: int) -> dict[str, Timing]:
    """Every round times every contender, in an order drawn anew: heat and clocks then favour nobody."""
    order = random.Random(int(operations))
    calls = calls_per_round(operations)
    turn = dict.fromkeys(contenders, 0)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        events: list[tuple[str, Any, Any]] = []
        for name in order.sample(list(contenders), len(contenders)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            sets = contenders[name]
            for i in range(calls + 1):
                if i == 1:
                    begin.record()  # behind the first call, which pays for what the one before left in the caches
                sets[turn[name] % len(sets)]()
                turn[name] += 1
            end.record()
            events.append((name, begin, end))
        torch.cuda.synchronize()
        for name, begin, end in events:
            seconds[name].append(begin.elapsed_time(end) / 1e3 / calls)
    done = operations / 1e12
    return {
        name: Timing(done / statistics.median(s), done / min(s), done / max(s), len(s)) for name, s in seconds.items()
    }


def under_load(torch: ModuleType, calls: list[Call], operations: float) -> dict[str, str]:
    """Clocks and power while the GPU works."""
    for i in range(max(1, round(WARM * ASSUMED / operations))):
        calls[i % len(calls)]()
    facts = machine.gpu()
    torch.cuda.synchronize()
    return facts


def table(made: dict[str, Any], what: str, ratio: str) -> Table:
    """A record as a table; `what` was multiplied, `ratio` says to what medians are compared."""
    gpu = made["gpu"]
    where = (
        f"{gpu.get('name', 'GPU')}, driver {gpu.get('driver_version', '?')}, SM clock {gpu.get('clocks.sm', '?')} MHz"
    )
    title = f"{what}, {made['data']}: {where}"
    out = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    out.add_column("contender")
    for name in ("TFLOP/s, median", "best", "worst", "rounds", ratio):
        out.add_column(name, justify="right")
    for name, t in made["tflops"].items():
        out.add_row(
            name, f"{t['median']:.1f}", f"{t['best']:.1f}", f"{t['worst']:.1f}", str(t["rounds"]), f"{t['ratio']:.3f}"
        )
    return out
