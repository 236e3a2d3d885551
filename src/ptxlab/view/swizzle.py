"""The shared-memory swizzles as a picture: which chunk of which row lies on which banks."""

# matplotlib leaves the types of its **kwargs unsaid
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ptxlab.layout import CHUNK, SWIZZLES, Swizzle, SwizzleLike, swizzle, swizzle_mode, swizzle_span
from ptxlab.view.figure import ALERT, CHUNK_COLOURS, FAINT, GOOD, INK, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 128
"""Bytes over all 32 banks."""
LINES = 8
PER_LINE = LINE // CHUNK
PITCH = 4.95
"""Inches from panel to panel."""

TITLE = "Where a tile's 16-byte chunks lie in shared memory"
ABOVE = "A line is 128 bytes, over all 32 banks. A cell is one chunk of the copied tile: the large number is its place in its row."
BELOW = (
    "Framed: chunk 0 of rows 0–7, which ldmatrix and wgmma read together. Framed cells below each other share their banks, "
    "so they are read one after another."
)


def places(mode: SwizzleLike, row_bytes: int | None = None, lines: int = LINES) -> list[list[tuple[int, int]]]:
    """What lies where: `places(mode)[line][place]` is the (row, chunk) of the source that lies at 16-byte place `place` of
    128-byte line `line`.

    Args:
        mode: the swizzle.
        row_bytes: length of the rows that were copied; default the swizzle's span, 128 for "none".
        lines: lines of 128 bytes.
    """
    name = swizzle_mode(mode)
    width = row_bytes or (LINE if name == "none" else swizzle_span(name))
    at = [[swizzle(line * LINE + place * CHUNK, name) for place in range(PER_LINE)] for line in range(lines)]
    return [[(source // width, source % width // CHUNK) for source in line] for line in at]


def conflict_degree(grid: Sequence[Sequence[tuple[int, int]]], chunk: int = 0, rows: int = 8) -> int:
    """How many of the first `rows` rows have this chunk on the same banks: 1 is free of conflicts, 8 is the worst."""
    banks = Counter(place for line in grid for place, (row, c) in enumerate(line) if c == chunk and row < rows)
    return max(banks.values())


def swizzle_picture(path: str | os.PathLike[str], modes: Sequence[SwizzleLike] = SWIZZLES, *, dpi: int = 150) -> Path:
    """Draw the swizzles as 16-byte chunks over the 32 banks of shared memory.

    Args:
        path: .png, .svg or .pdf.
        modes: one panel each.
        dpi: pixels per inch of a .png.

    Returns: the path written.

    Raises: Diagnostic PTX2112 for an unknown swizzle, PTX2500 for a place that cannot be written.
    """
    columns = min(2, len(modes))
    panel_rows = -(-len(modes) // columns)
    wrap = 130 if columns == 2 else 66
    above, below = (_wrapped(text, wrap) for text in (ABOVE, BELOW))
    top, foot = 1.75 + 0.2 * above.count("\n"), 0.5 + 0.2 * below.count("\n")
    width, height = 0.7 + 6.1 * columns, top + foot + PITCH * (panel_rows - 1) + 4.0
    figure = new_figure(width, height)
    size = 17 if columns == 2 else 14
    figure.text(0.5, 1 - 0.36 / height, TITLE, ha="center", va="center", fontsize=size, fontweight="bold", color=INK)
    figure.text(0.5, 1 - 0.6 / height, above, ha="center", va="top", fontsize=10.5, color=FAINT)
    figure.text(0.5, 0.14 / height, below, ha="center", va="bottom", fontsize=10.5, color=FAINT)
    for i, mode in enumerate(modes):
        left = (0.75 + 6.1 * (i % columns)) / width
        bottom = (foot + PITCH * (panel_rows - 1 - i // columns)) / height
        _panel(figure.add_axes((left, bottom, 5.5 / width, 3.95 / height)), mode)
    return save(figure, path, dpi)


def _panel(ax: Axes, mode: SwizzleLike) -> None:
    from matplotlib.patches import FancyBboxPatch

    name = swizzle_mode(mode)
    grid = places(name)
    for line, cells in enumerate(grid):
        for place, (row, chunk) in enumerate(cells):
            watched = chunk == 0 and row < 8
            ax.add_patch(
                FancyBboxPatch(
                    (place + 0.06, line + 0.07), 0.88, 0.86, boxstyle="round,pad=0,rounding_size=0.1",
                    facecolor=CHUNK_COLOURS[chunk], edgecolor=INK if watched else "white", linewidth=2.2 if watched else 0.6,
                )
            )  # fmt: skip
            ax.text(place + 0.5, line + 0.42, str(chunk), ha="center", va="center", fontsize=13, color=INK,
                    fontweight="bold" if watched else "normal")  # fmt: skip
            ax.text(place + 0.5, line + 0.77, f"row {row}", ha="center", va="center", fontsize=6.8, color=INK)
    ax.set(xlim=(0, PER_LINE), ylim=(len(grid), 0))
    ax.set_xticks([p + 0.5 for p in range(PER_LINE)], [f"{4 * p}–{4 * p + 3}" for p in range(PER_LINE)])
    ax.set_yticks([line + 0.5 for line in range(len(grid))], [f"{line * LINE:#05x}" for line in range(len(grid))])
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(length=0, labelsize=8.5, colors=FAINT)
    ax.spines[:].set_visible(False)
    _heading(ax, name, conflict_degree(grid))


def _heading(ax: Axes, name: Swizzle, degree: int) -> None:
    title = "no swizzle, rows of 128 B" if name == "none" else f"{name} swizzle, rows of {swizzle_span(name)} B"
    verdict = "no bank conflict" if degree == 1 else f"{degree}-way bank conflict"
    if name != "none":
        verdict += f"; {conflict_degree(places('none', swizzle_span(name)))}-way without the swizzle"
    ax.text(0, 1.155, title, transform=ax.transAxes, fontsize=13, fontweight="bold", color=INK)
    ax.text(0, 1.095, verdict, transform=ax.transAxes, fontsize=10.5, color=GOOD if degree == 1 else ALERT)
    ax.text(-0.014, 1.018, "banks", transform=ax.transAxes, fontsize=8.5, color=FAINT, ha="right")


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text, width))
