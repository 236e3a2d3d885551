"""What the timeline of a simulated kernel shows: who computes, copies, stores and waits, on one logical clock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ptxlab.diag import Diagnostic, user_span

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


@dataclass(frozen=True, slots=True)
class Words:
    """What stands above the picture, and below its time axis."""

    title: str
    subtitle: str
    unit: str


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
        raise refused(
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


def refused(message: str, help: str) -> Diagnostic:
    """An option that cannot be."""
    return Diagnostic("PTX2501", message, help=help, origin=user_span())


def _check_window(window: object) -> None:
    if window is None:
        return
    pair: tuple[object, ...] = tuple(window) if isinstance(window, list | tuple) else ()  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    numbers = [n for n in pair if isinstance(n, int | float)]
    if len(pair) != 2 or len(numbers) != 2 or not numbers[0] < numbers[1]:
        raise refused(f"window={window!r} is no part of the clock.", "give (begin, end), begin first")


def _check_tracks(tracks: Sequence[str] | None, known: set[str]) -> None:
    if tracks is None:
        return
    listed = ", ".join(repr(t) for t in sorted(known, key=_flow)[:4]) + (", …" if len(known) > 4 else "")
    if isinstance(tracks, str) or not isinstance(tracks, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise refused(f"tracks={tracks!r} is no list.", f"give a list of names: {listed}")
    wrong = [t for t in tracks if t not in known]
    if wrong and known:
        raise refused(f"There is no track {wrong[0]!r}.", f"the tracks are {listed}")


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
