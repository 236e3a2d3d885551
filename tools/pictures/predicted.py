"""Predicted beside measured cycles, a point for each kernel, from benchmarks/records/predict.jsonl."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ptxlab.bench.predict.run import latest, lines_of, pairs, summary
from ptxlab.diag.svg import COLOURS, line, svg, text
from tools.pictures._plane import HIGH, LEFT, TOP, WIDE, Plane

RECORD: Final = Path(__file__).resolve().parents[2] / "benchmarks" / "records" / "predict.jsonl"
_OF: Final = {
    "gemm": "products",
    "attention": "attention",
    "rms_norm": "norms",
    "layer_norm": "norms",
    "stream": "memory",
    "strided": "memory",
}
"""Kinds of kernels that are shown together; the others are loops of one kind of instruction."""
_LOOPS: Final = "arithmetic, shared memory, barriers"


def predicted() -> str:
    lines = latest(lines_of(RECORD))
    points = [(_OF.get(p["kind"], _LOOPS), m["cycles"], p["cycles"]) for p, m in pairs(lines)]
    cycles = [value for _, *both in points for value in both]
    plane = Plane(cycles, cycles)
    parts = plane.axes("measured cycles", "predicted cycles")
    low, high = max(plane.low, plane.bottom), min(plane.high, plane.top)
    parts.append(line(plane.x(low), plane.y(low), plane.x(high), plane.y(high), dashed=True))
    kinds = dict(zip(dict.fromkeys((*_OF.values(), _LOOPS)), COLOURS, strict=False))
    parts += [_dot(plane.x(m), plane.y(p), kinds[kind]) for kind, m, p in points]
    x, y = LEFT + WIDE - 270, TOP + HIGH - 24 * len(kinds)
    for i, (kind, colour) in enumerate(kinds.items()):
        count = sum(one == kind for one, *_ in points)
        parts += [_dot(x, y + 24 * i, colour), text(x + 14, y + 24 * i + 5, f"{kind} ({count})", colour)]
    found = summary(lines)["all"]
    title = f"Cycles on an H200, predicted and measured: {found['kernels']} kernels"
    said = (
        f"{found['kernels']} kernels, each by its measured and its predicted cycles on logarithmic axes; on the dashed line both "
        f"are the same. The mean error is {found['mean']:.1%}, the largest {found['worst']:.0%}."
    )
    parts.append(text(LEFT + WIDE, TOP - 14, title, size=13, anchor="end"))
    return svg(LEFT + WIDE + 16, TOP + HIGH + 50, title, parts, description=said)


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}" fill-opacity="0.75"/>'


PICTURES = {"predicted.svg": predicted}
