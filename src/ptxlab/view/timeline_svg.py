"""The timeline as an SVG file: mid tones on a transparent ground, which are readable in a light and in a dark theme."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ptxlab.diag.svg import BLUE, GREEN, GREY, INK, ORANGE, PINK, TEAL, VIOLET, svg, text
from ptxlab.view.timeline import CROWDED, KINDS, MAX_LABELS, OTHER, TAIL, Track, Words, visible_of

WIDE = 860
RIGHT = 54
"""Pixels right of the bars, for how busy a track is."""
GAP = 9
"""Pixels between tracks."""
NARROW = 3
"""Pixels from which on a bar is drawn by itself, with space behind it; narrower ones that follow each other closely are one."""
LETTER = 0.54
"""Width of a letter, as a part of its height."""
FILLS = {
    "wait": f'fill="{GREY}" fill-opacity="0.12" stroke="{GREY}" stroke-width="0.8"',
    "tail": f'fill="{BLUE}" fill-opacity="0.35"',
    "copy": f'fill="{BLUE}"',
    "compute": f'fill="{ORANGE}"',
    "mma": f'fill="{GREEN}"',
    "store": f'fill="{VIOLET}"',
    "note": f'fill="{PINK}"',
    "other": f'fill="{TEAL}"',
}
NAMES = {**{kind: word for kind, (_, word) in KINDS.items()}, "other": OTHER[1], "tail": TAIL[1]}

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Clock:
    """Where a time lies: pixels from the left."""

    span: Span
    left: float

    def x(self, time: float) -> float:
        low, high = self.span
        inside = min(max(time, low), high)
        return self.left + (WIDE - RIGHT - self.left) * (inside - low) / (high - low)

    def ticks(self) -> Iterator[int]:
        """Whole numbers at round steps, eight at most."""
        low, high = self.span
        size = 10 ** max(0, math.floor(math.log10(high - low)) - 1)
        step = next(n * size for n in (1, 2, 5, 10, 20, 50) if (high - low) / (n * size) <= 8)
        return iter(range(math.ceil(low / step) * step, math.floor(high) + 1, step))


def timeline_svg(rows: Sequence[Track], span: Span, words: Words) -> str:
    """The picture of these tracks in this part of the clock."""
    parts, top = _head(words)
    clock = _Clock(span, 20 + 13 * LETTER * max(len(t.name) for t in rows))
    legend, top = _legend(rows, top + 8)
    top += 14
    heights = [30 + 11 * (t.lanes - 1) for t in rows]
    bottom = top + sum(heights) + GAP * len(rows)
    parts += [*legend, *_axis(clock, words.unit, top, bottom)]
    labels = MAX_LABELS
    for track, tall in zip(rows, heights, strict=True):
        drawn = _track(track, clock, top + GAP / 2, tall, labels)
        labels -= sum(part.startswith("<text") for part in drawn) - 2
        parts += drawn
        top += tall + GAP
    title = words.title or "Timeline of a simulated kernel"
    return svg(WIDE, bottom + 46, title, parts, description=" ".join(map(_said, rows)))


def _head(words: Words) -> tuple[list[str], float]:
    """The words above, and where they end."""
    parts: list[str] = []
    top = 6.0
    for said, size in ((words.title, 17), (words.subtitle, 13)):
        for one in textwrap.wrap(said, int((WIDE - 20) / (size * LETTER))):
            top += size + 4
            parts.append(text(10, top, one, size=size))
        top += 5
    return parts, top


def _kind(kind: str) -> str:
    return kind if kind in KINDS else "other"


def _legend(rows: Sequence[Track], top: float) -> tuple[list[str], float]:
    """The kinds there are, and where the last line of them ends."""
    kinds = {_kind(e.kind) for t in rows for e, _ in t.events}
    if any(visible_of(e) > e.end for t in rows for e, _ in t.events):
        kinds.add("tail")
    parts: list[str] = []
    x = 10.0
    for kind, word in NAMES.items():
        if kind not in kinds:
            continue
        wide = 36 + 12 * LETTER * len(word)
        if x + wide > WIDE:
            x, top = 10.0, top + 20
        parts += [
            f'<rect x="{x:g}" y="{top:g}" width="14" height="12" {FILLS[kind]}/>',
            text(x + 20, top + 11, word, size=12),
        ]
        x = round(x + wide, 1)
    return parts, top + 12


def _axis(clock: _Clock, unit: str, top: float, bottom: float) -> list[str]:
    end = WIDE - RIGHT
    ticks = [(round(clock.x(time), 1), time) for time in clock.ticks()]
    grid = "".join(f"M{x:g} {top:g}V{bottom:g}" for x, _ in ticks)
    return [
        f'<path d="{grid}M{clock.left:g} {bottom:g}H{end}" stroke="{GREY}" stroke-width="0.5" stroke-opacity="0.7"/>',
        *(text(x, bottom + 17, str(time), size=12, anchor="middle") for x, time in ticks),
        text(WIDE / 2, bottom + 37, unit, size=12, anchor="middle"),
        text(end + 8, top, "busy", size=12),
    ]


def _track(track: Track, clock: _Clock, top: float, tall: float, labels: int) -> list[str]:
    """The bars of a track and at most so many labels of them, its name and how busy it is."""
    lane_tall = tall / track.lanes
    parts: list[str] = []
    tails = [(lane, e.end, visible_of(e)) for e, lane in track.events if visible_of(e) > e.end]
    parts += _bars("tail", tails, track.lanes, clock, top, lane_tall)
    for kind in FILLS:
        mine = [(lane, e.begin, e.end) for e, lane in track.events if _kind(e.kind) == kind]
        parts += _bars(kind, mine, track.lanes, clock, top, lane_tall)
    if 0 < len(tails) <= CROWDED:
        ends = "".join(_upright(clock.x(end), top + lane * lane_tall, lane_tall) for lane, _, end in tails)
        parts.append(f'<path d="{ends}" stroke="{INK}" stroke-width="0.8"/>')
    parts += _labels(track, clock, top, lane_tall)[:labels]
    middle = round(top + tall / 2 + 4, 1)
    parts.append(text(clock.left - 8, middle, track.name, size=13, anchor="end"))
    return [*parts, text(WIDE - RIGHT + 8, middle, f"{track.busy:.0%}", size=13)]


def _bars(
    kind: str, found: Sequence[tuple[int, float, float]], lanes: int, clock: _Clock, top: float, lane_tall: float
) -> list[str]:
    """All bars of a kind as one path."""
    path: list[str] = []
    tall = round(lane_tall * (0.94 if lanes > 1 else 1), 1)
    for lane in range(lanes):
        y = round(top + lane * lane_tall, 1)
        for x, end in drawn_spans((clock.x(b), clock.x(e)) for at, b, e in found if at == lane):
            path.append(f"M{x:g} {y:g}h{round(end - x, 1):g}v{tall:g}H{x:g}z")
    return [f'<path d="{"".join(path)}" {FILLS[kind]}/>'] if path else []


def drawn_spans(spans: Iterable[Span]) -> list[Span]:
    """Bars as they are drawn, in pixels: each at least one wide, with a little space behind it; of narrow ones, one for many."""
    out: list[Span] = []
    after_narrow = False
    for begin, end in spans:
        narrow = end - begin < NARROW
        begin = round(begin, 1)
        end = round(max(end, begin + 1) if narrow else end - 0.8, 1)
        if narrow and after_narrow and begin <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(out[-1][1], end)
        else:
            out.append((begin, end))
        after_narrow = narrow
    return out


def _upright(x: float, y: float, tall: float) -> str:
    return f"M{round(x, 1):g} {round(y, 1):g}v{round(tall, 1):g}"


def _labels(track: Track, clock: _Clock, top: float, lane_tall: float) -> list[str]:
    """The names of events whose bars have space for them."""
    size = round(min(11, lane_tall * 0.62), 1)
    if size < 8:
        return []
    out: list[str] = []
    for e, lane in track.events:
        x, end = clock.x(e.begin), clock.x(e.end)
        if end - x > size * LETTER * len(e.name) + 5:
            middle, y = round((x + end) / 2, 1), round(top + (lane + 0.5) * lane_tall + size / 3, 1)
            out.append(text(middle, y, e.name, GREY if e.kind == "wait" else INK, size=size, anchor="middle"))
    return out


def _said(track: Track) -> str:
    """A track in words."""
    counts = Counter(NAMES[_kind(e.kind)] for e, _ in track.events)
    what = ", ".join(f"{count} × {word}" for word, count in counts.items())
    return f"{track.name}: busy {track.busy:.0%}; {what}."
