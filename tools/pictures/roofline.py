"""The roofline of matrix products in bf16, from the last run in benchmarks/records/kernels.jsonl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ptxlab.bench.kernels.picture import points, products, roofs
from ptxlab.diag.svg import BLUE, ORANGE, line, svg, text
from tools.pictures._plane import HIGH, LEFT, TOP, WIDE, Plane

RECORD = Path(__file__).resolve().parents[2] / "benchmarks" / "records" / "kernels.jsonl"


def last_run() -> list[dict[str, Any]]:
    """The lines of the last run that is complete: a run ends with a summary."""
    lines: list[dict[str, Any]] = [json.loads(row) for row in RECORD.read_text(encoding="utf-8").splitlines()]
    *_, start, end = [-1, *(i for i, one in enumerate(lines) if one["kind"] == "summary")]
    return products(lines[start + 1 : end])


def roofline() -> str:
    lines = last_run()
    ours, peers = points(lines)
    copy, named = roofs(lines)
    everything = [*ours, *peers]
    plane = Plane([x for x, _ in everything], [y for _, y in everything] + [named[0][0]])
    parts = plane.axes("operations a byte", "TFLOP/s")
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


def _dot(x: float, y: float) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{BLUE}"/>'


def _cross(x: float, y: float) -> str:
    return f'<path d="M{x - 4:g} {y - 4:g}l8 8m0 -8l-8 8" stroke="{ORANGE}" stroke-width="1.8"/>'


PICTURES = {"roofline.svg": roofline}
