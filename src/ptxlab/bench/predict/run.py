"""Predictions first, measurements later, and what lies between them."""

from __future__ import annotations

import json
import math
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.table import Table

import ptxlab as px
from ptxlab.bench import machine, records
from ptxlab.bench.contest import torch_with_gpu
from ptxlab.bench.predict.cases import Case, draw, launch
from ptxlab.bench.predict.spaces import draw as draw_spaces
from ptxlab.diag import Diagnostic
from ptxlab.timing.measure import measure
from ptxlab.timing.rank import kind_of


def main(seed: int, gemms: int, record: Path, measure: bool, console: Console, spaces: int = 0) -> int:
    """Predict drawn kernels into a record; or, with `measure`, measure those of the record and show how far off they were.

    Args:
        seed, gemms: see `cases.draw`. record: a file of JSON lines.
        spaces: not 0: candidates of so many products and of other work in their place, see `spaces.draw`.

    Raises: Diagnostic PTX2500 for the file; with `measure` PTX2304, PTX2422, PTX2510 without a GPU or torch.
    """
    if not measure:
        for case in draw_spaces(seed, spaces) if spaces else draw(seed, gemms):
            line = predicted(case, seed)
            console.print(f"{case.name}: {line['cycles']:,} cycles, {line['limiter']}", highlight=False)
            records.append(record, line)
        return 0
    lines = lines_of(record)
    known = {(line["kind"], json.dumps(line["numbers"])) for line in lines if line["what"] == "measured"}
    torch = torch_with_gpu()
    for line in lines:
        if line["what"] == "predicted" and (line["kind"], json.dumps(line["numbers"])) not in known:
            case = Case(line["kind"], line["numbers"])
            found = measured(torch, case)
            console.print(f"{case.name}: {found['us']:.2f} µs, predicted {line['us']:.2f}", highlight=False)
            records.append(record, found)
            lines.append(found)
    show(lines, console)
    return 0


def compare(record: Path, console: Console) -> int:
    """Show how far off the predictions of a record are. Raises: Diagnostic PTX2500 for the file, PTX2501 without measurements."""
    show(lines_of(record), console)
    return 0


def lines_of(record: Path) -> list[dict[str, Any]]:
    """The lines of a record. Raises: Diagnostic PTX2500 for a file that is none."""
    try:
        return [json.loads(row) for row in record.read_text(encoding="utf-8").splitlines() if row]
    except (OSError, ValueError) as e:
        raise Diagnostic("PTX2500", f"{record} is no record: {e}", help="predict into it first") from None


def predicted(case: Case, seed: int) -> dict[str, Any]:
    """A line of the record: what the model says."""
    began = time.perf_counter()
    found = px.profile(launch(case, _zeros))
    return {
        "bench": "predict",
        "what": "predicted",
        "date": machine.today(),
        "seed": seed,
        "kind": case.kind,
        "numbers": case.numbers,
        **({"space": case.space, "ranked_as": kind_of(found)} if case.space else {}),
        "chip": found.chip,
        "cycles": round(found.cycles),
        "us": round(found.microseconds, 3),
        "limiter": found.limiter,
        "used": found.used,
        "seconds": round(time.perf_counter() - began, 2),
    }


def _zeros(shape: Any, dtype: str) -> Any:
    """An array of zeros for the simulator."""
    return px.empty(shape, "bf16" if dtype == "bfloat16" else dtype)


def measured(torch: ModuleType, case: Case) -> dict[str, Any]:
    """A line of the record: what the GPU says. Caches are warm: the same launch has run just before."""

    def zeros(shape: Any, dtype: str) -> Any:
        return torch.zeros(shape, dtype=getattr(torch, dtype), device="cuda")

    line: dict[str, Any] = {
        "bench": "predict",
        "what": "measured",
        "date": machine.today(),
        "kind": case.kind,
        "numbers": case.numbers,
    }
    found = measure(launch(case, zeros))
    return {
        **line,
        "us": round(found.microseconds, 3),
        "cycles": round(found.cycles),
        "graph": True,
        "gpu": machine.gpu() | {"name": found.gpu, "clocks.sm": f"{found.clock:.0f}"},
    }


def pairs(lines: Iterable[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Predictions, each with its measurement."""
    by_case: dict[tuple[str, str], Mapping[str, Any]] = {}
    out: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
    every = list(lines)
    for line in every:
        if line["what"] == "measured":
            by_case[line["kind"], json.dumps(line["numbers"])] = line
    for line in every:
        found = by_case.get((line["kind"], json.dumps(line["numbers"])))
        if line["what"] == "predicted" and found is not None:
            out.append((line, found))
    return out


def latest(lines: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The predictions of the seed that was measured last, and all measurements: earlier ones are of earlier models.

    Candidates of spaces are left out: they are many of the same work.
    """
    every = [line for line in lines if not line.get("space")]
    predicted = Counter(line["seed"] for line in every if line["what"] == "predicted")
    measured = Counter(prediction["seed"] for prediction, _ in pairs(every))
    seeds = [seed for seed, count in predicted.items() if measured[seed] > count / 2]
    return [line for line in every if line["what"] == "measured" or line["seed"] in seeds[-1:]]


def error(prediction: Mapping[str, Any], measurement: Mapping[str, Any]) -> float:
    """How far a prediction of cycles is off: 0.1 where it says a tenth too much."""
    return prediction["cycles"] / measurement["cycles"] - 1


def tau(found: Sequence[tuple[float, float]]) -> float:
    """Kendall's τ of pairs of numbers: 1 where both rank alike, 0 where they have nothing to do with each other."""
    signs = [
        math.copysign(1, (a - c) * (b - d)) if (a - c) * (b - d) else 0
        for i, (a, b) in enumerate(found)
        for c, d in found[i + 1 :]
    ]
    return sum(signs) / len(signs) if signs else math.nan


def summary(lines: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Mean and worst error by kind of kernel, and of all."""
    out: dict[str, dict[str, float]] = {}
    found = pairs(lines)
    if not found:
        return out
    for kind in [*dict.fromkeys(p["kind"] for p, _ in found), "all"]:
        errors = [abs(error(p, m)) for p, m in found if kind in (p["kind"], "all")]
        out[kind] = {"kernels": len(errors), "mean": statistics.mean(errors), "worst": max(errors)}
    gemms = [(p["cycles"], m["cycles"]) for p, m in found if p["kind"] == "gemm"]
    if len(gemms) > 1:
        out["gemm"]["tau"] = tau(gemms)
    return out


def ranks(lines: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """How well candidates of the same work were ranked, by kind of kernel: see `ptxlab.Ranking`. The last seed of each kind counts.

    Returns: "spaces" and "candidates" that were measured; "tau", the mean of Kendall's τ of each space; "first" and "three", how
        many times as long as the fastest candidate the one took that had been put first, and the fastest of the first three, in
        the geometric mean.
    """
    by_kind: dict[str, dict[int, dict[str, list[tuple[float, float]]]]] = {}
    for p, m in pairs(lines):
        if p.get("space"):
            spaces = by_kind.setdefault(p["ranked_as"], {}).setdefault(p["seed"], {})
            spaces.setdefault(p["space"], []).append((p["cycles"], m["cycles"]))
    out: dict[str, dict[str, float]] = {}
    for kind, seeds in by_kind.items():
        found = [space for space in [*seeds.values()][-1].values() if len(space) > 1]
        if found:
            out[kind] = {
                "spaces": len(found),
                "candidates": sum(map(len, found)),
                "tau": statistics.mean(map(tau, found)),
                "first": statistics.geometric_mean(_loss(space, 1) for space in found),
                "three": statistics.geometric_mean(_loss(space, 3) for space in found),
            }
    return out


def _loss(space: Sequence[tuple[float, float]], count: int) -> float:
    """How many times as long as the fastest of all pairs (predicted, measured) the fastest of those takes that come first."""
    return min(measured for _, measured in sorted(space)[:count]) / min(measured for _, measured in space)


def show(lines: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Each kernel, then the errors by kind. Raises: Diagnostic PTX2501 where nothing was measured."""
    found = pairs(lines)
    if not found:
        raise Diagnostic("PTX2501", "The record has no prediction with a measurement.", help="measure it on a GPU")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("kernel")
    for name in ("predicted cycles", "measured", "error", "limiter"):
        table.add_column(name, justify="right")
    for p, m in found:
        name = Case(p["kind"], p["numbers"]).name
        table.add_row(name, f"{p['cycles']:,}", f"{m['cycles']:,}", f"{error(p, m):+.1%}", p["limiter"])
    console.print(table)
    for kind, facts in summary(lines).items():
        agreed = f", Kendall τ {facts['tau']:.2f}" if "tau" in facts else ""
        console.print(
            f"{kind}: {facts['kernels']} kernels, mean error {facts['mean']:.1%}, worst {facts['worst']:.1%}{agreed}",
            highlight=False,
        )
    for kind, facts in ranks(lines).items():
        console.print(
            f"{facts['candidates']} candidates of {facts['spaces']} spaces, kernels {kind}: Kendall τ {facts['tau']:.2f}; "
            f"the first took {facts['first']:.2f} times as long as the fastest, the best of three {facts['three']:.2f} times",
            highlight=False,
        )
