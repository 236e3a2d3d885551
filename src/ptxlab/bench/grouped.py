"""`ptxlab bench grouped`: many products in one launch, beside the dense gemm on equal work and torch's grouped product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console

from ptxlab.bench import contest, machine, records
from ptxlab.bench.contest import Call, Contenders
from ptxlab.diag import Diagnostic, terminal

ROUNDS = 40
SETS = 2
"""Sets of inputs that calls take in turn."""
TOLERANCE = 4e-3
"""Relative error in the Frobenius norm that two bf16 results of the same product may have."""
DENSE, GROUPED, TORCH = "ptxlab, one product of equal work", "ptxlab, grouped", "torch, grouped"
EACH, LOOP = "ptxlab gemm, one call each", "cuBLAS, one call each"

Sizes = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """Products in one launch.

    Attributes:
        name: in the table and in the record.
        sizes: M, N, K of each.
        dense: M, N, K of one product of as many operations, near enough.
    """

    name: str
    sizes: Sizes
    dense: tuple[int, int, int]

    @property
    def operations(self) -> float:
        """Of all products, padding not counted."""
        return sum(2.0 * m * n * k for m, n, k in self.sizes)

    @property
    def torch_takes_it(self) -> bool:
        """Whether N and K are the same everywhere, which torch's grouped product wants."""
        return len({(n, k) for _, n, k in self.sizes}) == 1


def _rows(counts: Sequence[int], n: int, k: int) -> Sizes:
    return tuple((m, n, k) for m in counts)


_RAGGED = (
    (4096, 4096, 4096),
    (1000, 3080, 5128),
    (3000, 2056, 7168),
    (2504, 6152, 2056),
    (777, 4104, 8192),
    (5000, 1544, 3592),
    (130, 7168, 2048),
    (2048, 2560, 1032),
)
_EXPERTS = tuple(64 + 8 * (i * 37 % 61) for i in range(64))
WORKLOADS = (
    Workload(
        "8 products, M ragged",
        _rows((3072, 1536, 2560, 768, 4096, 1224, 1896, 1232), 4096, 4096),
        (16384, 4096, 4096),
    ),
    Workload("8 products of 2048 × 4096 × 4096", _rows((2048,) * 8, 4096, 4096), (16384, 4096, 4096)),
    Workload("8 products, M, N and K ragged", _RAGGED, (6048, 6048, 6056)),
    Workload("64 products, M ragged", _rows(_EXPERTS, 2048, 7168), (sum(_EXPERTS), 2048, 7168)),
)


def main(rounds: int = ROUNDS, record: Path | None = None, console: Console | None = None) -> int:
    """Measure, print a table for each workload, and append one JSON line for each to `record`.

    Args:
        rounds: how often each contender is timed, at least 20.
        record: file of JSON lines; None: only print.
        console: where to print; default the terminal.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2501 for bad options, PTX2304 and PTX2422 without a GPU, PTX2510 without torch, PTX2420 where a result is
        wrong: a wrong kernel is not timed.
    """
    console = console or terminal.console()
    contest.check_rounds(rounds)
    torch = contest.torch_with_gpu()
    for work in WORKLOADS:
        made = measure(torch, work, rounds)
        console.print(contest.table(made, work.name, "of one product"))
        if record is not None:
            records.append(record, made)
    return 0


def measure(torch: ModuleType, work: Workload, rounds: int) -> dict[str, Any]:
    """Time all contenders on one workload: the record of that."""
    contenders = _contenders(torch, work)
    dense = {DENSE: contenders.pop(DENSE)}
    m, n, k = work.dense
    equal = 2.0 * m * n * k
    everyone = {**contenders, **dense}
    contest.warm(torch, everyone, work.operations)
    found = contest.timings(torch, everyone, work.operations, rounds)
    # the dense product has almost as many operations, but not quite
    found[DENSE] = found[DENSE].scaled(equal / work.operations)
    under_load = contest.under_load(torch, contenders[GROUPED], work.operations)
    return {
        "bench": "grouped",
        "date": machine.today(),
        "workload": work.name,
        "sizes": work.sizes,
        "dense": work.dense,
        "data": "bf16, standard normal, B K×N",
        "gpu": under_load,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "calls_per_round": contest.calls_per_round(work.operations),
        "tflops": {name: t.record(found[DENSE].median) for name, t in found.items()},
    }


def _contenders(torch: ModuleType, work: Workload) -> Contenders:
    """Everyone who can do it. Raises: Diagnostic PTX2420 where our results and cuBLAS's differ."""
    from ptxlab.kernels import gemm, grouped_gemm

    generator = torch.Generator(device="cuda").manual_seed(0)

    def normal(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda", generator=generator).to(torch.bfloat16)

    def room(*shape: int) -> Any:
        return torch.empty(*shape, device="cuda", dtype=torch.bfloat16)

    out: Contenders = {}
    m, n, k = work.dense
    for _ in range(SETS):
        a, b = _operands(torch, normal, work)
        c = [room(x.shape[0], y.shape[1]) for x, y in zip(a, b, strict=True)]
        made: dict[str, Call] = {
            GROUPED: grouped_gemm.prepare(list(zip(a, b, c, strict=True))),
            LOOP: lambda a=a, b=b, c=c: [torch.matmul(x, y, out=z) for x, y, z in zip(a, b, c, strict=True)],
        }
        each = [gemm.prepare(x, y, z) for x, y, z in zip(a, b, c, strict=True)]
        made[EACH] = lambda each=each: [call() for call in each]
        _compare(torch, made, c, work)
        if work.torch_takes_it and hasattr(torch, "_grouped_mm"):
            made[TORCH] = _grouped_mm(torch, a, b)
        made[DENSE] = gemm.prepare(normal(m, k), normal(k, n), room(m, n))
        for name, call in made.items():
            out.setdefault(name, []).append(call)
    return out


def _operands(torch: ModuleType, normal: Any, work: Workload) -> tuple[list[Any], list[Any]]:
    """A and B of each product; where torch takes part, parts of one array each, as it wants them."""
    if not work.torch_takes_it:
        return [normal(m, k) for m, _, k in work.sizes], [normal(k, n) for _, n, k in work.sizes]
    _, n, k = work.sizes[0]
    counts = [m for m, _, _ in work.sizes]
    return list(torch.split(normal(sum(counts), k), counts)), list(normal(len(counts), k, n))


def _grouped_mm(torch: ModuleType, a: list[Any], b: list[Any]) -> Call:
    """torch's grouped product of the arrays that `_operands` cut."""
    counts = torch.tensor([x.shape[0] for x in a], device="cuda")
    ends = torch.cumsum(counts, 0).to(torch.int32)
    whole = a[0]._base if a[0]._base is not None else a[0]
    stack = b[0]._base if b[0]._base is not None else b[0][None]
    return lambda: torch._grouped_mm(whole, stack, offs=ends)


def _compare(torch: ModuleType, made: dict[str, Call], c: list[Any], work: Workload) -> None:
    results: dict[str, list[Any]] = {}
    for name, call in made.items():
        for x in c:
            x.fill_(float("nan"))
        call()
        torch.cuda.synchronize()
        results[name] = [x.float() for x in c]
    for ours in (GROUPED, EACH):
        for i, (found, right) in enumerate(zip(results[ours], results[LOOP], strict=True)):
            error = float((found - right).norm() / right.norm())
            if not error <= TOLERANCE:  # NaN fails too
                raise Diagnostic(
                    "PTX2420",
                    f"{ours}: product {i} of {work.name!r} is wrong, relative error {error:.2g} against cuBLAS.",
                    help="run `ptxlab demo --on gpu`",
                )
