"""The timeline as a figure of Matplotlib, on a white ground."""

# matplotlib leaves the types of its **kwargs unsaid
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlab.view.figure import FAINT, INK, RULE, new_figure
from ptxlab.view.timeline import CROWDED, KINDS, MAX_LABELS, OTHER, TAIL, Track, Words, visible_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def timeline_figure(rows: Sequence[Track], span: tuple[float, float], words: Words) -> Figure:
    heights = [0.46 + 0.17 * (t.lanes - 1) for t in rows]
    body, head, foot = sum(heights) + 0.16 * len(rows), 0.98 + (0.3 if words.subtitle else 0.0), 0.62
    width, height = 13.5, body + head + foot
    figure = new_figure(width, height)
    figure.text(0.3 / width, 1 - 0.34 / height, words.title, va="center", fontsize=16, fontweight="bold", color=INK)
    if words.subtitle:
        figure.text(0.3 / width, 1 - 0.66 / height, words.subtitle, va="center", fontsize=10.5, color=FAINT)
    left = 0.55 + 0.088 * max(len(t.name) for t in rows)
    right = 0.85
    ax = figure.add_axes((left / width, foot / height, (width - left - right) / width, body / height))
    ax.set(xlim=span, ylim=(body, 0))
    per_inch = (ax.get_xlim()[1] - ax.get_xlim()[0]) / (width - left - right)
    labels = [MAX_LABELS]
    top = 0.0
    for track, tall in zip(rows, heights, strict=True):
        _draw_track(ax, track, top + 0.08, tall, per_inch, labels)
        top += tall + 0.16
        ax.axhline(top, color=RULE, linewidth=0.8, zorder=0)
    _axes(ax, words.unit)
    _legend(ax, rows)
    return figure


def _draw_track(ax: Axes, track: Track, top: float, tall: float, per_inch: float, labels: list[int]) -> None:
    lane_tall = tall / track.lanes
    crowded = len(track.events) > CROWDED
    _draw_tails(ax, track, top, lane_tall)
    for kind, (colour, _) in (*KINDS.items(), ("other", OTHER)):
        mine = [(e, lane) for e, lane in track.events if (e.kind if e.kind in KINDS else "other") == kind]
        for lane in range(track.lanes):
            bars = [(e.begin, max(e.end - e.begin, 0.012 * per_inch)) for e, at in mine if at == lane]
            if bars:
                ax.broken_barh(
                    bars,
                    (top + lane * lane_tall, lane_tall * 0.94),
                    facecolors=colour,
                    edgecolors="#aab3bd" if kind == "wait" else "white",
                    linewidth=0 if crowded else 0.5,
                    hatch="////" if kind == "wait" and not crowded else None,
                    zorder=2,
                )
    low, high = ax.get_xlim()
    for e, lane in track.events:
        begin, end = max(e.begin, low), min(e.end, high)
        size = min(7.5, lane_tall * 72 * 0.62)
        if labels[0] and size >= 5 and (end - begin) / per_inch > 0.0085 * size * len(e.name) + 0.04:
            labels[0] -= 1
            ax.text(
                (begin + end) / 2, top + (lane + 0.47) * lane_tall, e.name, ha="center", va="center", fontsize=size,
                color=FAINT if e.kind == "wait" else INK, zorder=3, clip_on=True,
                bbox={"facecolor": "#f4f5f7", "edgecolor": "none", "pad": 0.8} if e.kind == "wait" else None,
            )  # fmt: skip
    middle = top + tall / 2
    beside = ax.get_yaxis_transform()
    ax.text(-0.008, middle, track.name, transform=beside, ha="right", va="center", fontsize=10.5, color=INK)
    ax.text(1.008, middle, f"{track.busy:.0%}", transform=beside, ha="left", va="center", fontsize=10.5, color=FAINT)


def _draw_tails(ax: Axes, track: Track, top: float, lane_tall: float) -> None:
    """The time until a copy's bytes are visible: pale, below the bars, and a line where it ends."""
    for lane in range(track.lanes):
        tails = [(e.end, visible_of(e)) for e, at in track.events if at == lane and visible_of(e) > e.end]
        if not tails:
            continue
        where = (top + lane * lane_tall, lane_tall * 0.94)
        bars = [(begin, end - begin) for begin, end in tails]
        ax.broken_barh(bars, where, facecolors=TAIL[0], edgecolors="none", linewidth=0, zorder=1)
        if len(tails) <= CROWDED:
            ends = [end for _, end in tails]
            ax.vlines(ends, where[0], sum(where), colors="#3f5871", linewidth=0.9, zorder=2.5)


def _axes(ax: Axes, unit: str) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_yticks([])
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.spines["bottom"].set_color(RULE)
    ax.tick_params(axis="x", colors=FAINT, labelsize=9, length=3, color=RULE)
    ax.xaxis.get_major_formatter().set_useOffset(False)  # type: ignore[attr-defined]
    ax.grid(axis="x", color=RULE, linewidth=0.6, zorder=0)
    ax.set_axisbelow(True)
    ax.set_xlabel(unit, fontsize=9.5, color=FAINT)
    ax.text(1.008, 1.0, "busy", transform=ax.transAxes, ha="left", va="bottom", fontsize=9, color=FAINT)


def _legend(ax: Axes, rows: Sequence[Track]) -> None:
    from matplotlib.patches import Patch

    seen = {e.kind if e.kind in KINDS else "other" for t in rows for e, _ in t.events}
    handles = [
        Patch(
            facecolor=colour, edgecolor="#aab3bd", linewidth=0.5, hatch="////" if kind == "wait" else None, label=word
        )
        for kind, (colour, word) in (*KINDS.items(), ("other", OTHER))
        if kind in seen
    ]
    if any(visible_of(e) > e.end for t in rows for e, _ in t.events):
        handles.append(Patch(facecolor=TAIL[0], edgecolor="#7f93a8", linewidth=0.5, label=TAIL[1]))
    ax.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=len(handles), frameon=False, fontsize=9.5,
        labelcolor=INK, handlelength=1.3, handleheight=0.9, columnspacing=1.6, borderaxespad=0.25,
    )  # fmt: skip
