"""The picture of a copy through a tensor map as an SVG file, readable in a light and in a dark theme."""

from __future__ import annotations

import textwrap

from ptxlab.diag.svg import COLOURS, GREY, INK, svg, text, tint
from ptxlab.layout import CHUNK
from ptxlab.view.tensormap import PER_LINE, Placed, Shown, Side

HIGH = 28
"""Pixels of a row."""
NARROW, WIDE = 42, 50
"""Pixels of a column of the tensor and of shared memory, whose names are longer."""
LETTER = 6.6
"""Pixels of a letter."""
LEAST = 620
"""Pixels that the words above and below need at least."""


def tensor_map_svg(shown: Shown) -> str:
    parts: list[str] = []
    for x, side, wide in _places(shown):
        parts += _side(side, x, 96, wide)
    *_, (last, _, _) = _places(shown)
    width = max(last + WIDE * PER_LINE + 10, LEAST)
    letters = int((width - 20) / LETTER)
    head = [text(10, 24, shown.title, size=17), text(10, 46, shown.facts, size=13)]
    y = 96 + HIGH * max(len(shown.tensor.rows), len(shown.shared.rows)) + 4
    foot: list[str] = []
    for one in textwrap.wrap(shown.legend("dashed"), letters):
        y += 20
        foot.append(text(10, y, one, size=13))
    title = f"A box of {shown.title}, in the tensor and in shared memory"
    return svg(width, y + 12, title, [*head, *parts, *foot], description=_said(shown))


def _places(shown: Shown) -> list[tuple[float, Side, int]]:
    """Both sides with their left edges, behind the names of their rows, and the width of their columns."""
    left = 24 + LETTER * max(map(len, shown.tensor.rows))
    between = 36 + LETTER * max(map(len, shown.shared.rows))
    across = max(NARROW * len(shown.tensor.columns), LETTER * len(shown.tensor.name) - between / 2)
    return [
        (round(left), shown.tensor, NARROW),
        (round(left + across + between), shown.shared, WIDE),
    ]


def _side(side: Side, left: float, top: float, wide: int) -> list[str]:
    """The cells, one path for those that look the same, with the names of rows and columns."""
    parts = [text(left, top - 22, side.name, size=13)]
    parts += [
        text(left + wide * (c + 0.5), top - 5, name, size=11, anchor="middle")
        for c, name in enumerate(side.columns)
        if name
    ]
    parts += [text(left - 8, top + HIGH * (r + 0.65), name, size=11, anchor="end") for r, name in enumerate(side.rows)]
    looks: dict[str, list[str]] = {}
    for x, y, p in side.cells:
        around = f"M{left + wide * x + 1:g} {top + HIGH * y + 1:g}h{wide - 2}v{HIGH - 2}h-{wide - 2}z"
        looks.setdefault(_look(p), []).append(around)
    parts += [f'<path d="{"".join(found)}" {look}/>' for look, found in looks.items()]
    for colour, real in ((INK, True), (GREY, False)):
        names = [
            f'<text x="{left + wide * (x + 0.5):g}" y="{top + HIGH * (y + 0.65):g}">{p.row}.{p.chunk}</text>'
            for x, y, p in side.cells
            if bool(p.valid) is real
        ]
        if names:
            parts += [f'<g font-size="11" text-anchor="middle" fill="{colour}">', *names, "</g>"]
    return parts


def _look(p: Placed) -> str:
    inside = tint(COLOURS[p.chunk % PER_LINE]) if p.valid else "none"
    dashes = ' stroke-dasharray="3 3"' if p.valid < CHUNK else ""
    return f'fill="{inside}" stroke="{GREY}" stroke-width="0.8"{dashes}'


def _said(shown: Shown) -> str:
    """Shared memory in words: its first lines."""
    lines: dict[int, list[str]] = {}
    for _, y, p in sorted(shown.shared.cells, key=lambda cell: cell[:2][::-1]):
        lines.setdefault(y, []).append(f"{p.row}.{p.chunk}" if p.valid else "filled")
    order = "; ".join(f"{shown.shared.rows[y]}: {', '.join(names)}" for y, names in list(lines.items())[:4])
    return f"{shown.facts}. Shared memory from its begin: {order}."
