"""The records of a run as a table, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.table import Table

GOAL: Final = 1.05
"""Geometric mean of the ratios of all products in bf16."""


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


def table(lines: Sequence[dict[str, Any]]) -> Table:
    """One row for each line."""
    gpu: dict[str, str] = lines[0]["gpu"] if lines else {}
    where = f"{gpu.get('name', 'GPU')}, driver {gpu.get('driver_version', '?')}"
    copy = f"a copy moves {lines[0]['copy_gbs'] / 1e3:.2f} TB/s" if lines else ""
    title = f"Matrix products, standard normal data: {where}; {copy}"
    out = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    out.add_column("kind")
    out.add_column("M × N × K")
    for head in ("ours, µs", "TFLOP/s", "of the floor"):
        out.add_column(head, justify="right")
    out.add_column("beside")
    for head in ("TFLOP/s", "ratio", "of copy", "MHz", "W"):
        out.add_column(head, justify="right")
    out.add_column("reach")
    for line in lines:
        out.add_row(*row(line))
    return out


def row(line: dict[str, Any]) -> list[str]:
    """A line's cells."""
    found, gpu = line["contenders"], line["gpu"]
    ours = found.get(line["ours"])
    beside = found.get(line["beside"])
    reach = line["reach"]
    asked = f"≥ {reach['ratio']}" + (f", copy ≥ {reach['share']}" if reach["share"] is not None else "")
    verdict = {True: "[green]reached[/]", False: "[bold red]missed[/]", None: "[yellow]not there[/]"}[line["reached"]]
    return [
        line["kind"],
        line["work"],
        f"{ours['us']:.1f}" if ours else "–",
        f"{ours['tflops']:.1f}" if ours else "–",
        f"{line['floor_us'] / ours['us']:.2f}" if ours else "–",
        line["beside"] or "nobody",
        f"{beside['tflops']:.1f}" if beside else "–",
        f"{line['ratio']:.3f}" if line["ratio"] is not None else "–",
        f"{line['share_of_copy']:.2f}" if line["share_of_copy"] is not None else "–",
        gpu.get("clocks.sm", "?"),
        gpu.get("power.draw", "?").partition(".")[0],
        f"{verdict} {asked}",
    ]


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
