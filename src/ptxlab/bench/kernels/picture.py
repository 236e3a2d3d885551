"""The roofline picture: what each product in bf16 reaches over its operations a byte, under what the GPU can do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ptxlab.bench.kernels.works import gemm
from ptxlab.diag import Diagnostic
from ptxlab.view.figure import check_matplotlib

_OURS, _THEIRS, _ROOF = "#1b7837", "#b2182b", "#555555"


def products(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The products in bf16 among a run's lines."""
    return [line for line in lines if line["kind"] == "gemm"]


def points(lines: Sequence[dict[str, Any]]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """(operations a byte, TFLOP/s) of ours and of the best peers, for products in bf16."""
    ours: list[tuple[float, float]] = []
    peers: list[tuple[float, float]] = []
    for line in products(lines):
        work = gemm(tuple(line["shapes"][0]))
        intensity = work.operations / work.bytes
        for into, name in ((ours, line["ours"]), (peers, line["beside"])):
            if name is not None:
                into.append((intensity, line["contenders"][name]["tflops"]))
    return ours, peers


def need() -> None:
    """Raises: Diagnostic PTX2510 where Matplotlib is not installed: it draws this picture in every format."""
    check_matplotlib("The roofline is drawn by", "leave --picture out")


def draw(lines: Sequence[dict[str, Any]], place: str | os.PathLike[str]) -> None:
    """Write the picture of a run's lines, as SVG or whatever the name's end says.

    Raises: Diagnostic PTX2501 where there is no product to draw, PTX2510 without Matplotlib, PTX2500 where the file cannot
        be written.
    """
    need()
    lines = products(lines)
    ours, peers = points(lines)
    if not ours and not peers:
        raise Diagnostic("PTX2501", "No product in bf16 was measured: there is nothing to draw.", help="--only gemm")
    import matplotlib
    from matplotlib.figure import Figure

    settings = cast("Any", matplotlib).rc_context({"svg.hashsalt": "ptxlab", "svg.fonttype": "none", "font.size": 9})
    with settings:
        figure: Any = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes: Any = figure.subplots()
        _roofs(axes, lines, [x for x, _ in (*ours, *peers)])
        for some, colour, mark, name in ((peers, _THEIRS, "x", "best peer"), (ours, _OURS, "o", "ptxlab")):
            if some:
                xs, ys = zip(*some, strict=True)
                axes.scatter(xs, ys, s=22, c=colour, marker=mark, label=name, zorder=3, linewidths=1)
        gpu = lines[0]["gpu"].get("name", "GPU")
        axes.set(xscale="log", yscale="log", xlabel="operations a byte", ylabel="TFLOP/s")
        axes.set_title(f"Matrix products in bf16 on {gpu}, {lines[0]['date']}", fontsize=10)
        axes.grid(True, which="both", linewidth=0.3, alpha=0.6)
        axes.legend(loc="lower right", frameon=False)
        try:
            svg = str(place).lower().endswith(".svg")
            figure.savefig(Path(place), metadata={"Date": None} if svg else None)
        except (OSError, ValueError) as e:
            raise Diagnostic("PTX2500", f"{place} cannot be written: {e}.", help="write e.g. roofline.svg") from None


def roofs(lines: Sequence[dict[str, Any]]) -> tuple[float, list[tuple[float, str]]]:
    """The bandwidth of a copy in TB/s; TFLOP/s of the tensor cores at the highest clock and at the lowest one seen under load."""
    clocks = [float(line["gpu"]["clocks.sm"]) for line in lines if line["gpu"].get("clocks.sm")]
    most = float(lines[0]["gpu"].get("clocks.max.sm", 0) or 1980)
    highest = float(lines[0]["peak_tflops"])
    named = [(highest, f"tensor cores at {most:.0f} MHz")]
    if clocks and min(clocks) < 0.97 * most:
        lowest = min(clocks)
        named.append((highest * lowest / most, f"at {lowest:.0f} MHz, the lowest clock seen under load"))
    return lines[0]["copy_gbs"] / 1e3, named


def _roofs(axes: Any, lines: Sequence[dict[str, Any]], intensities: Sequence[float]) -> None:
    low, high = min(intensities) / 1.5, max(intensities) * 1.5
    copy, named = roofs(lines)
    for below, (peak, words) in enumerate(named):
        axes.plot([max(low, peak / copy), high], [peak, peak], color=_ROOF, linewidth=1)
        axes.annotate(
            words, (high, peak), xytext=(-2, -9 if below else 3), textcoords="offset points", ha="right", fontsize=7
        )
    bend = named[0][0] / copy
    if low < bend:
        axes.plot([low, bend], [low * copy, bend * copy], color=_ROOF, linewidth=1)
        words = f"a copy's {copy:.2f} TB/s"
        axes.annotate(words, (low * 1.2, low * copy * 1.5), fontsize=7, rotation=38)
