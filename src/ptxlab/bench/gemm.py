"""`ptxlab bench gemm`: the matrix product beside cuBLAS, both layouts of B, in one run on one GPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console

from ptxlab.bench import contest, machine, records
from ptxlab.bench.contest import Call, Contenders
from ptxlab.diag import Diagnostic, terminal

SIZES = (4096, 8192)
ROUNDS = 40
SETS = 3
"""Sets of inputs that calls take in turn: one alone would stay in the L2 cache more than a program's data does."""
TOLERANCE = 4e-3
"""Relative error in the Frobenius norm that two bf16 results of the same product may have."""


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
    console = console or terminal.console()
    _check(sizes, rounds)
    torch = contest.torch_with_gpu()
    for n in sizes:
        made = measure(torch, n, rounds)
        console.print(contest.table(made, f"{n}³", "of the faster cuBLAS"))
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
    contest.check_rounds(rounds)


def measure(torch: ModuleType, n: int, rounds: int) -> dict[str, Any]:
    """Time all contenders at one size: the record of that."""
    contenders, operations = _contenders(torch, n), 2.0 * n**3
    contest.warm(torch, contenders, operations)
    timings = contest.timings(torch, contenders, operations, rounds)
    under_load = contest.under_load(torch, contenders["ptxlab, B K×N"], operations)
    fastest = max(t.median for name, t in timings.items() if name.startswith("cuBLAS"))
    return {
        "bench": "gemm",
        "date": machine.today(),
        "n": n,
        "data": "bf16, standard normal",
        "gpu": under_load,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "calls_per_round": contest.calls_per_round(operations),
        "tflops": {name: t.record(fastest) for name, t in timings.items()},
    }


def _contenders(torch: ModuleType, n: int) -> Contenders:
    """Each contender as one call for each set of inputs. Raises: Diagnostic PTX2420 where ours and cuBLAS's results differ."""
    from ptxlab.kernels.gemm import prepare

    generator = torch.Generator(device="cuda").manual_seed(0)

    def normal() -> Any:
        return torch.randn(n, n, device="cuda", generator=generator).to(torch.bfloat16)

    out: Contenders = {}
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
