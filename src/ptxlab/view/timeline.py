"""The timeline of a simulated kernel: who computes, copies, stores and waits, on one logical clock."""

# matplotlib leaves the types of its **kwargs unsaid
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ptxlab.diag import Diagnostic, user_span
from ptxlab.view.figure import FAINT, INK, RULE, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# kind → colour, word in the legend; drawn in this order, so that waits lie below what happens meanwhile.
KINDS: dict[str, tuple[str, str]] = {
    "wait": ("#e6e9ed", "waits"),
    "copy": ("#5b9bd8", "copies"),
    "compute": ("#f0a04b", "runs instructions"),
    "mma": ("#3fa56b", "multiplies (tensor cores)"),
    "store": ("#9a7bd0", "stores"),
    "note": ("#c2385a", "notes"),
}
OTHER = ("#b9a28a", "other")
TAIL = ("#c9d6e3", "until bytes are visible")
"""Behind the bar of a copy: the time until its bytes are visible."""
MAX_LANES = 10
"""Lanes that the overlapping events of one track are spread over at most."""
MAX_LABELS = 400
MAX_TRACKS = 24
MAX_DPI = 1200
CROWDED = 300
"""Events of a track from which on bars have neither edges nor hatching."""
ROLES = ("producer", "tma", "consumer", "warp", "tensor")
"""Words in track names, in the order in which data flows."""


class Event(Protocol):
    """What the picture needs of a trace event."""

    @property
    def track(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def begin(self) -> float: ...
    @property
    def end(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Track:
    """One row of the picture: its events, each with the lane that it lies in."""

    name: str
    events: tuple[tuple[Event, int], ...]
    lanes: int
    busy: float
    """Share of the time shown in which something other than waiting goes on, 0–1."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of time made of other events."""

    track: str
    name: str
    kind: str
    begin: float
    end: float


def visible_of(event: Event) -> float:
    """When the bytes of a copy are visible; for all else its end."""
    return max(event.end, getattr(event, "visible", event.end))


def stretches(events: Iterable[Event]) -> list[Event]:
    """Events with the life of a warp (kind "warp") cut into the stretches in which it does not wait (kind "compute")."""
    out: list[Event] = []
    lives: list[Event] = []
    waits: dict[str, list[Event]] = {}
    for e in events:
        (lives if e.kind == "warp" else out).append(e)
        if e.kind == "wait":
            waits.setdefault(e.track, []).append(e)
    for life in lives:
        at = life.begin
        for wait in sorted(waits.get(life.track, []), key=lambda e: e.begin):
            if life.begin <= wait.begin < life.end:
                if wait.begin > at:
                    out.append(Stretch(life.track, life.name, "compute", at, wait.begin))
                at = max(at, wait.end)
        if at < life.end:
            out.append(Stretch(life.track, life.name, "compute", at, life.end))
    return out


def arrange(
    events: Iterable[Event], window: tuple[float, float] | None = None, tracks: Sequence[str] | None = None
) -> list[Track]:
    """Sort events into tracks, and events of a track that overlap into lanes.

    Args:
        events: in any order.
        window: (begin, end) on the clock; events outside are left out. Default: all.
        tracks: names in the order wanted; others are left out. Default: the first 24 in the order in which data flows, CTA by CTA.

    Raises: Diagnostic PTX2501 where nothing is left to show, for a window that is none, and for a track that does not exist.
    """
    _check_window(window)
    events = list(events)
    _check_tracks(tracks, {e.track for e in events})
    kept = [e for e in stretches(events) if window is None or (e.end > window[0] and e.begin < window[1])]
    names = sorted({e.track for e in kept}, key=_flow)[:MAX_TRACKS] if tracks is None else list(tracks)
    kept = [e for e in kept if e.track in names]
    if not kept:
        raise _refused(
            "There are no events to draw a timeline of.",
            "simulate with trace=True, and choose a window and tracks in which something happens",
        )
    low, high = window or (min(e.begin for e in kept), max(visible_of(e) for e in kept))
    out: list[Track] = []
    for name in names:
        mine = sorted((e for e in kept if e.track == name), key=lambda e: (e.begin, e.end))
        if mine:
            placed, lanes = _lanes(mine)
            out.append(Track(name, tuple(placed), lanes, _busy(mine, low, high)))
    return out


def shown_span(rows: Sequence[Track], window: tuple[float, float] | None) -> tuple[float, float]:
    """The part of the clock that is shown."""
    if window is not None:
        return window[0], window[1]
    low = min(e.begin for t in rows for e, _ in t.events)
    high = max(visible_of(e) for t in rows for e, _ in t.events)
    return low, high if high > low else low + 1


def left_out(events: Sequence[Event], rows: Sequence[Track]) -> int:
    """How many tracks are not among the rows."""
    return len({e.track for e in events}) - len(rows)


def _refused(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2501", message, help=help, origin=user_span())


def _check_window(window: object) -> None:
    if window is None:
        return
    pair: tuple[object, ...] = tuple(window) if isinstance(window, list | tuple) else ()  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    numbers = [n for n in pair if isinstance(n, int | float)]
    if len(pair) != 2 or len(numbers) != 2 or not numbers[0] < numbers[1]:
        raise _refused(f"window={window!r} is no part of the clock.", "give (begin, end), begin first")


def _check_tracks(tracks: Sequence[str] | None, known: set[str]) -> None:
    if tracks is None:
        return
    listed = ", ".join(repr(t) for t in sorted(known, key=_flow)[:4]) + (", …" if len(known) > 4 else "")
    if isinstance(tracks, str) or not isinstance(tracks, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _refused(f"tracks={tracks!r} is no list.", f"give a list of names: {listed}")
    wrong = [t for t in tracks if t not in known]
    if wrong and known:
        raise _refused(f"There is no track {wrong[0]!r}.", f"the tracks are {listed}")


def _flow(track: str) -> tuple[object, ...]:
    """Sorting key: the CTA that a track names, then its role, then its name with numbers in numeric order."""
    words = track.lower()
    cta = re.search(r"\bcta (\d+)", words)
    role = next((i for i, word in enumerate(ROLES) if word in words), len(ROLES))
    pieces = [(0, int(x), "") if x.isdigit() else (1, 0, x) for x in re.split(r"(\d+)", words)]
    return (int(cta[1]) if cta else -1, role, pieces)


def _lanes(events: Sequence[Event]) -> tuple[list[tuple[Event, int]], int]:
    """Put each event into the first lane that is free when it begins."""
    free: list[float] = []
    placed: list[tuple[Event, int]] = []
    for e in events:
        lane = next((i for i, until in enumerate(free) if until <= e.begin), len(free))
        if lane == len(free):
            if lane < MAX_LANES:
                free.append(e.end)
            else:
                lane = min(range(MAX_LANES), key=free.__getitem__)
        free[lane] = max(free[lane], e.end)
        placed.append((e, lane))
    return placed, len(free)


def _busy(events: Sequence[Event], low: float, high: float) -> float:
    """Share of [low, high] that the union of the events other than waits covers; `events` are sorted by begin."""
    covered, until = 0.0, low
    for e in events:
        if e.kind != "wait":
            begin, end = max(e.begin, until), min(e.end, high)
            covered += max(0.0, end - begin)
            until = max(until, end)
    return covered / (high - low) if high > low else 0.0


def timeline_picture(
    events: Iterable[Event],
    path: str | os.PathLike[str],
    *,
    title: str = "Timeline of the simulated kernel",
    subtitle: str = "",
    unit: str = "logical clock",
    window: tuple[float, float] | None = None,
    tracks: Sequence[str] | None = None,
    dpi: int = 150,
) -> Path:
    """Draw a trace: one row per track, time from left to right.

    Args:
        events: objects with `track`, `name`, `kind` ("compute", "copy", "wait", "mma", "store"), `begin`, `end`. An event of kind
            "warp" is the life of a warp: what of it no wait covers is shown as "compute".
        path: .png, .svg or .pdf.
        title, subtitle, unit: words above the picture and below its time axis.
        window, tracks: what to show, see `arrange`.
        dpi: pixels per inch of a .png.

    Returns: the path written.

    Raises: Diagnostic PTX2501 where there is nothing to show and for options that cannot be, PTX2500 for a place that cannot
        be written.
    """
    if not isinstance(dpi, int | float) or not 1 <= dpi <= MAX_DPI:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _refused(f"dpi={dpi!r} is no resolution.", f"give 1 to {MAX_DPI} pixels per inch")
    events = list(events)
    rows = arrange(events, window, tracks)
    missing = left_out(events, rows) if tracks is None and window is None else 0
    if missing > 0:
        unit = f"{unit}; {len(rows)} of {len(rows) + missing} tracks, name others with tracks=[…]"
    low, high = shown_span(rows, window)
    heights = [0.46 + 0.17 * (t.lanes - 1) for t in rows]
    body, head, foot = sum(heights) + 0.16 * len(rows), 0.98 + (0.3 if subtitle else 0.0), 0.62
    width, height = 13.5, body + head + foot
    figure = new_figure(width, height)
    figure.text(0.3 / width, 1 - 0.34 / height, title, va="center", fontsize=16, fontweight="bold", color=INK)
    if subtitle:
        figure.text(0.3 / width, 1 - 0.66 / height, subtitle, va="center", fontsize=10.5, color=FAINT)
    left = 0.55 + 0.088 * max(len(t.name) for t in rows)
    right = 0.85
    ax = figure.add_axes((left / width, foot / height, (width - left - right) / width, body / height))
    ax.set(xlim=(low, high), ylim=(body, 0))
    per_inch = (ax.get_xlim()[1] - ax.get_xlim()[0]) / (width - left - right)
    labels = [MAX_LABELS]
    top = 0.0
    for track, tall in zip(rows, heights, strict=True):
        _draw_track(ax, track, top + 0.08, tall, per_inch, labels)
        top += tall + 0.16
        ax.axhline(top, color=RULE, linewidth=0.8, zorder=0)
    _axes(ax, unit)
    _legend(ax, rows)
    return save(figure, path, dpi)


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
