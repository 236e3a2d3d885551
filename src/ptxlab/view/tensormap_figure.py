"""The picture of a copy through a tensor map as a figure of Matplotlib, on a white ground."""

# matplotlib leaves the types of its **kwargs unsaid
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.layout import CHUNK
from ptxlab.view.figure import CHUNK_COLOURS, FAINT, INK, RULE, new_figure
from ptxlab.view.tensormap import PER_LINE, Placed, Shown, Side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELL = 0.42
"""Inches of a chunk."""


def tensor_map_figure(shown: Shown) -> Figure:
    rows, lines, across = len(shown.tensor.rows), len(shown.shared.rows), len(shown.tensor.columns)
    deep = max(rows, lines)
    left, between, top, foot = 1.3, 1.25, 1.35, 0.75
    width = left + CELL * across + between + CELL * 1.35 * PER_LINE + 0.4
    width, shift = max(width, 9.0), max(0.0, (9.0 - width) / 2)
    height = top + CELL * deep + foot
    figure = new_figure(width, height)

    def axes(x: float, columns: float, down: int) -> Axes:
        return figure.add_axes(
            ((x + shift) / width, (foot + CELL * (deep - down)) / height, columns / width, CELL * down / height)
        )

    _side(axes(left, CELL * across, rows), shown.tensor)
    shared = axes(left + CELL * across + between, CELL * 1.35 * PER_LINE, lines)
    _lines(shared, lines)
    _side(shared, shown.shared)
    figure.text(
        0.5, 1 - 0.28 / height, shown.title, ha="center", va="center", fontsize=13, fontweight="bold", color=INK
    )
    figure.text(0.5, 1 - 0.55 / height, shown.facts, ha="center", va="center", fontsize=9.5, color=FAINT)
    figure.text(0.5, 0.3 / height, shown.legend("hatched"), ha="center", va="center", fontsize=9, color=FAINT)
    return figure


def _side(ax: Axes, side: Side) -> None:
    for x, y, p in side.cells:
        _cell(ax, x, y, p)
    ax.set(xlim=(0, len(side.columns)), ylim=(len(side.rows), 0))
    named = [(c + 0.5, name) for c, name in enumerate(side.columns) if name]
    ax.set_xticks([x for x, _ in named], [name for _, name in named])
    ax.set_yticks([r + 0.5 for r in range(len(side.rows))], list(side.rows))
    _bare(ax, side.name)


def _lines(ax: Axes, lines: int) -> None:
    from matplotlib.patches import Rectangle

    for line in range(lines):
        ax.add_patch(Rectangle((0, line), PER_LINE, 1, facecolor="none", edgecolor=RULE, linewidth=0.6))


def _cell(ax: Axes, x: float, y: float, p: Placed) -> None:
    from matplotlib.patches import Rectangle

    outside = p.valid < CHUNK
    ax.add_patch(
        Rectangle(
            (x + 0.03, y + 0.05), 0.94, 0.9, facecolor="white" if not p.valid else CHUNK_COLOURS[p.chunk % PER_LINE],
            edgecolor=RULE if outside else "white", hatch="///" if outside else None, linewidth=0.5,
        )
    )  # fmt: skip
    ax.text(x + 0.5, y + 0.53, f"{p.row}.{p.chunk}", ha="center", va="center", fontsize=6.5, color=INK)


def _bare(ax: Axes, title: str) -> None:
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(length=0, labelsize=7.5, colors=FAINT)
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=9, color=INK, loc="left", pad=6)
