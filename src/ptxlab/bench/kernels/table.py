"""The records of a run as tables, one for each kind, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from ptxlab.bench.kernels.measure import unit_of
from ptxlab.bench.kernels.works import OTHERS

GOAL: Final = 1.05
"""Geometric mean of the ratios of all products in bf16."""
UNITS: Final = {"tflops": "TFLOP/s", "gbs": "GB/s"}
_VERDICTS: Final = {True: "[green]yes[/]", False: "[bold red]no[/]", None: "[yellow]?[/]"}


def geometric_mean(ratios: Iterable[float]) -> float | None:
    """Of some ratios; None of none."""
    logs = [math.log(r) for r in ratios]
    return math.exp(math.fsum(logs) / len(logs)) if logs else None


def summary(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a run's lines come to: the mean and the lowest of gemm, and how many lines are where they have to be."""
    ratios = {line["work"]: line["ratio"] for line in lines if line["kind"] == "gemm" and line["ratio"] is not None}
    mean = geometric_mean(ratios.values())
    lowest = min(ratios, key=ratios.__getitem__, default=None)
    return {
        "gemm_lines": len(ratios),
        "geometric_mean": None if mean is None else round(mean, 4),
        "lowest": None if lowest is None else [lowest, ratios[lowest]],
        "reached": sum(line["reached"] is True for line in lines),
        "missed": sum(line["reached"] is False for line in lines),
        "unknown": sum(line["reached"] is None for line in lines),
    }


def words(found: dict[str, Any]) -> str:
    """A summary in a sentence or two."""
    counts = f"Lines: {found['reached']} reached, {found['missed']} missed, {found['unknown']} not there yet."
    if found["geometric_mean"] is None:
        return counts
    work, least = found["lowest"]
    mean = f"Geometric mean of {found['gemm_lines']} products in bf16: {found['geometric_mean']:.3f} (goal {GOAL})"
    return f"{mean}, lowest {least:.3f} ({work}). {counts}"


def head(lines: Sequence[dict[str, Any]]) -> str:
    """What was measured on."""
    gpu: dict[str, str] = lines[0]["gpu"] if lines else {}
    where = f"{gpu.get('name', 'GPU')}, driver {gpu.get('driver_version', '?')}"
    copy = next((f"; a copy moves {line['copy_gbs'] / 1e3:.2f} TB/s" for line in lines if "copy_gbs" in line), "")
    return f"{where}{copy}"


def tables(lines: Sequence[dict[str, Any]]) -> Iterator[Table]:
    """A table for each kind, in the order of the lines."""
    for kind, some in groupby(lines, key=lambda line: line["kind"]):
        found = list(some)
        yield limits(kind, found) if "most" in found[0] else products(kind, found)


def empty(title: str) -> Table:
    """A table without rows, in the style of all."""
    return Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim")


def products(kind: str, lines: Sequence[dict[str, Any]]) -> Table:
    """Products of one kind. `floor`: of what could be reached at most; `copy`: of the bandwidth of a copy."""
    out, unit = empty(kind), UNITS[unit_of(kind)]
    out.add_column("M×N×K" if kind not in OTHERS else "work", no_wrap=True)
    for name in ("µs", unit, "floor", "copy"):
        out.add_column(name, justify="right", no_wrap=True)
    out.add_column("beside")
    for name in (unit, "ratio", "reach"):
        out.add_column(name, justify="right", no_wrap=True)
    out.add_column("", no_wrap=True)
    for line in lines:
        out.add_row(*row(line))
    return out


def row(line: dict[str, Any]) -> list[str]:
    """A product's cells."""
    ours, beside = line["contenders"].get(line["ours"]), line["contenders"].get(line["beside"])
    unit = unit_of(line["kind"])
    own = (f"{ours['us']:.1f}", f"{ours[unit]:.1f}", f"{line['floor_us'] / ours['us']:.2f}") if ours else ("–",) * 3
    return [
        escape(line["work"].replace(" × ", "×")),
        *own,
        f"{line['share_of_copy']:.2f}" if line["share_of_copy"] is not None else "–",
        escape(line["beside"] or "nobody"),
        f"{beside[unit]:.1f}" if beside else "–",
        f"{line['ratio']:.3f}" if line["ratio"] is not None else "–",
        f"{line['reach']['ratio']:.2f}",
        _VERDICTS[line["reached"]],
    ]


def limits(kind: str, lines: Sequence[dict[str, Any]]) -> Table:
    """What may take so long at most."""
    out = empty(kind)
    out.add_column("what", no_wrap=True)
    for name in ("found", "at most"):
        out.add_column(name, justify="right")
    out.add_column("unit")
    out.add_column("")
    for line in lines:
        value = "–" if line["value"] is None else f"{line['value']:.2f}"
        out.add_row(escape(line["work"]), value, f"{line['most']:g}", escape(line["unit"]), _VERDICTS[line["reached"]])
    return out


def missing(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Who could not take part and why, each reason once."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        for name, why in line["missing"].items():
            reasons.setdefault((name, why), []).append(line["work"])
    out: list[str] = []
    for (name, why), works in reasons.items():
        of = works[0] if len(works) == 1 else f"{len(works)} lines"
        out.append(f"{name} ({of}): {why}")
    return out
