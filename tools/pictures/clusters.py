"""Picture of clusters: a grid cut into them, with ranks and windows of shared memory, from what a page's kernel printed."""

from __future__ import annotations

import re
from pathlib import Path

from ptxlab.diag.svg import BLUE, ORANGE, TEAL, arrow, box, svg, text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "clusters.md"
WIDE, HIGH, GAP, TOP = 190, 84, 44, 44
_ROW = re.compile(r"^\((\d), (\d)\) +(\d) +(\d) +(0x[0-9a-f]+) +(\d)$", re.MULTILINE)


def clusters() -> str:
    """Every CTA with its rank and window; arrows lead where `mapa` leads the kernel."""
    rows = [
        (int(x), int(y), int(c), int(r), int(a, 16), int(o))
        for x, y, c, r, a, o in _ROW.findall(PAGE.read_text("utf-8"))
    ]
    windows = {(cluster, owner): address for _, _, cluster, _, address, owner in rows}
    places = {
        (cluster, rank): (24 + x * (WIDE + GAP), TOP + 24 + y * (HIGH + GAP)) for x, y, cluster, rank, _, _ in rows
    }
    shape = [max(row[i] for row in rows) + 1 for i in range(2)]
    parts: list[str] = []
    for cluster, colour in zip(sorted({row[2] for row in rows}), (BLUE, ORANGE), strict=True):
        mine = [place for (c, _), place in places.items() if c == cluster]
        left, top = min(mine)
        width, height = max(mine)[0] - left + WIDE, max(mine)[1] - top + HIGH
        parts.append(text(left - 12, top - 24, f"cluster {cluster}", colour))
        parts.append(box(left - 12, top - 14, width + 24, height + 28, colour, fill=0.08))
    for x, y, cluster, rank, _, owner in rows:
        left, top = places[cluster, rank]
        colour = (BLUE, ORANGE)[cluster]
        parts += [
            box(left, top, WIDE, HIGH, colour, fill=0.12),
            text(left + 10, top + 24, f"CTA ({x}, {y})", colour),
            text(left + 10, top + 46, f"rank {rank}", colour),
            text(left + 10, top + 70, f"word at {windows[cluster, rank]:#x}", colour, size=13),
        ]
        there = places[cluster, owner]
        if there[1] == top:
            parts.append(arrow(left + WIDE + 2, top + HIGH / 2, there[0] - 2, top + HIGH / 2, TEAL))
        else:
            begin, end = (top + HIGH + 2, there[1] - 2) if there[1] > top else (top - 2, there[1] + HIGH + 2)
            parts.append(arrow(left + WIDE * (0.35 if end > begin else 0.65), begin, there[0] + WIDE * 0.5, end, TEAL))
    width, height = 24 + shape[0] * (WIDE + GAP), TOP + 24 + shape[1] * (HIGH + GAP)
    parts.append(
        text(12, height + 14, "Arrows: where mapa leads, from each CTA to the next rank of its cluster.", TEAL)
    )
    return svg(
        width, height + 26, "A grid of CTAs in clusters of 2 × 2, with ranks and windows of shared memory", parts
    )


PICTURES = {"clusters.svg": clusters}
