"""The timeline as SVG within HTML, for notebooks: text in the colour of the theme, bars that show on white and on black."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ptxlab.diag.html import heading
from ptxlab.view.timeline import (
    KINDS,
    OTHER,
    TAIL,
    Event,
    Track,
    arrange,
    left_out,
    shown_span,
    visible_of,
)

_WIDTH = 900
_LANE = 12
_GAP = 6
_LETTER = 6.6
"""Pixels of a letter of the labels."""


def timeline(events: Iterable[Event]) -> str:
    """An SVG picture of a trace: a row for each track, time from left to right; a tooltip says what a bar is.

    Bars that share a pixel are drawn as one. Traces of more than 24 tracks are shown by their first ones.
    """
    events = list(events)
    rows = arrange(events)
    missing = left_out(events, rows)
    low, high = shown_span(rows, None)
    left = 12 + _LETTER * max(len(t.name) for t in rows)
    scale = (_WIDTH - left - 8) / (high - low)
    out: list[str] = []
    top = 20.0
    for track in rows:
        tall = track.lanes * _LANE
        out.append(_text(left - 6, top + tall / 2 + 4, track.name, "end"))
        out += _bars(track, left, top, low, scale)
        top += tall + _GAP
    out.append(_text(left, top + 12, f"{low:g}", "start"))
    out.append(_text(_WIDTH - 8, top + 12, f"{high:g} on the logical clock", "end"))
    words = [*_legend(rows, left)]
    note = heading(f"{missing} more tracks: trace.picture(path, tracks=[…]) draws them") if missing > 0 else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top + 20:g}" role="img" '
        f'aria-label="timeline of the simulated kernel" style="width:100%;max-width:{_WIDTH}px" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="11">{"".join([*words, *out])}</svg>{note}'
    )


def _bars(track: Track, left: float, top: float, low: float, scale: float) -> list[str]:
    out: list[str] = []
    drawn: dict[tuple[int, str], int] = {}
    for e, lane in track.events:
        if visible_of(e) > e.end:
            x, end = left + (e.end - low) * scale, left + (visible_of(e) - low) * scale
            if int(end) >= drawn.get((lane, "tail"), -1):
                drawn[lane, "tail"] = int(end) + 1
                out.append(
                    f'<rect x="{x:.1f}" y="{top + lane * _LANE:g}" width="{max(end - x, 1):.1f}" '
                    f'height="{_LANE - 2}" {_fill("tail")}/>'
                )
    for e, lane in track.events:
        x, end = left + (e.begin - low) * scale, left + (e.end - low) * scale
        if int(end) < drawn.get((lane, e.kind), -1):
            continue  # its pixels are taken by one like it
        drawn[lane, e.kind] = int(max(end, x + 1)) + 1
        wide = max(end - x, 3 if e.kind == "note" else 1)
        late = f", bytes visible at {visible_of(e):g}" if visible_of(e) > e.end else ""
        said = escape(f"{e.name} ({e.kind}), {e.begin:g} to {e.end:g}{late}")
        out.append(
            f'<rect x="{x:.1f}" y="{top + lane * _LANE:g}" width="{wide:.1f}" height="{_LANE - 2}" '
            f"{_fill(e.kind)}><title>{said}</title></rect>"
        )
    return out


def _fill(kind: str) -> str:
    if kind == "tail":
        return f'fill="{TAIL[0]}" fill-opacity="0.55"'
    # waits fade into the page, whatever its colour is
    return 'fill="currentColor" fill-opacity="0.18"' if kind == "wait" else f'fill="{KINDS.get(kind, OTHER)[0]}"'


def _legend(rows: Sequence[Track], left: float) -> Iterable[str]:
    kinds = {e.kind if e.kind in KINDS else "other" for t in rows for e, _ in t.events}
    if any(visible_of(e) > e.end for t in rows for e, _ in t.events):
        kinds.add("tail")
    for kind, (_, word) in (*KINDS.items(), ("other", OTHER), ("tail", TAIL)):
        if kind in kinds:
            yield f'<rect x="{left:g}" y="3" width="10" height="10" {_fill(kind)}/>'
            yield _text(left + 14, 12, word, "start")
            left += 34 + _LETTER * len(word)


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="currentColor">{escape(words)}</text>'


__all__ = ["timeline"]
