"""The roofline of matrix products in bf16, from the last run in benchmarks/records/kernels.jsonl."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ptxlab.bench.kernels.picture import points, products, roofs
from ptxlab.diag.svg import BLUE, GREY, ORANGE, line, svg, text

RECORD = Path(__file__).resolve().parents[2] / "benchmarks" / "records" / "kernels.jsonl"
LEFT, TOP, WIDE, HIGH = 64, 34, 640, 380


def last_run() -> list[dict[str, Any]]:
    """The lines of the last run that is complete: a run ends with a summary."""
    lines: list[dict[str, Any]] = [json.loads(row) for row in RECORD.read_text(encoding="utf-8").splitlines()]
    *_, start, end = [-1, *(i for i, one in enumerate(lines) if one["kind"] == "summary")]
    return products(lines[start + 1 : end])


class _Plane:
    """Places of points on two logarithmic axes, which begin and end at powers of ten along y."""

    def __init__(self, xs: list[float], ys: list[float]) -> None:
        self.low, self.high = min(xs) / 1.5, max(xs) * 1.5
        self.bottom, self.top = (
            10.0 ** step(math.log10(y)) for step, y in ((math.floor, min(ys)), (math.ceil, max(ys)))
        )

    def x(self, value: float) -> float:
        return round(LEFT + WIDE * math.log(value / self.low) / math.log(self.high / self.low), 1)

    def y(self, value: float) -> float:
        return round(TOP + HIGH - HIGH * math.log(value / self.bottom) / math.log(self.top / self.bottom), 1)

    def axes(self) -> list[str]:
        """Lines at the powers of ten, with their numbers."""
        parts: list[str] = []
        for power in range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1):
            x = self.x(10.0**power)
            parts += [
                _thin(x, TOP, x, TOP + HIGH),
                text(x, TOP + HIGH + 18, f"{10**power:,}", size=12, anchor="middle"),
            ]
        for power in range(round(math.log10(self.bottom)), round(math.log10(self.top)) + 1):
            y = self.y(10.0**power)
            parts += [_thin(LEFT, y, LEFT + WIDE, y), text(LEFT - 8, y + 4, f"{10**power:,}", size=12, anchor="end")]
        parts.append(text(LEFT + WIDE / 2, TOP + HIGH + 38, "operations a byte", size=13, anchor="middle"))
        return [*parts, text(8, TOP - 14, "TFLOP/s", size=13)]


def roofline() -> str:
    lines = last_run()
    ours, peers = points(lines)
    copy, named = roofs(lines)
    everything = [*ours, *peers]
    plane = _Plane([x for x, _ in everything], [y for _, y in everything] + [named[0][0]])
    parts = plane.axes()
    over = plane.y(named[0][0]) - 7 - 17 * (len(named) - 1)
    for below, (peak, words) in enumerate(named):
        parts.append(line(plane.x(peak / copy), plane.y(peak), LEFT + WIDE, plane.y(peak)))
        words = f"the line below: {words}" if below else words
        parts.append(text(LEFT + WIDE - 4, over + 17 * below, words, size=12, anchor="end"))
    bend = named[0][0] / copy
    parts.append(line(plane.x(plane.low), plane.y(plane.low * copy), plane.x(bend), plane.y(bend * copy)))
    spot = plane.low * 8
    parts.append(text(plane.x(spot) + 14, plane.y(spot * copy) + 14, f"a copy's {copy:.2f} TB/s", size=12))
    parts += [_cross(plane.x(x), plane.y(y)) for x, y in peers]
    parts += [_dot(plane.x(x), plane.y(y)) for x, y in ours]
    x, y = LEFT + WIDE - 110, TOP + HIGH - 40
    parts += [
        _dot(x, y),
        text(x + 14, y + 5, "ptxlab", BLUE),
        _cross(x, y + 22),
        text(x + 14, y + 27, "best peer", ORANGE),
    ]
    title = f"Matrix products in bf16 on {lines[0]['gpu']['name']}, {lines[0]['date']}"
    parts.append(text(LEFT + WIDE, TOP - 14, title, size=13, anchor="end"))
    low, high = (some(y for _, y in ours) for some in (min, max))
    peaks = ", ".join(f"{peak:.0f} TFLOP/s ({words})" for peak, words in named)
    said = (
        f"{len(ours)} products of ptxlab, from {low:.1f} to {high:.0f} TFLOP/s, each with the best peer, "
        f"under the roofs of a copy's {copy:.2f} TB/s and of {peaks}."
    )
    return svg(LEFT + WIDE + 16, TOP + HIGH + 50, title, parts, description=said)


def _thin(x: float, y: float, x2: float, y2: float) -> str:
    return f'<path d="M{x:g} {y:g}L{x2:g} {y2:g}" stroke="{GREY}" stroke-width="0.4"/>'


def _dot(x: float, y: float) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{BLUE}"/>'


def _cross(x: float, y: float) -> str:
    return f'<path d="M{x - 4:g} {y - 4:g}l8 8m0 -8l-8 8" stroke="{ORANGE}" stroke-width="1.8"/>'


PICTURES = {"roofline.svg": roofline}
