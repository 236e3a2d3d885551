"""The timeline in letters, for terminals: a row for each track, a letter for each piece of time."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence

from ptxlab.diag import Diagnostic, user_span
from ptxlab.view.timeline import KINDS, OTHER, TAIL, Event, Track, arrange, left_out, shown_span, visible_of

LETTERS = {"compute": "#", "mma": "M", "copy": "=", "store": ">", "wait": ".", "note": "!", "tail": "-", "other": "?"}
_NARROWEST, _WIDEST = 40, 160
_PERCENT = 6


def timeline_text(
    events: Iterable[Event],
    *,
    window: tuple[float, float] | None = None,
    tracks: Sequence[str] | None = None,
    width: int | None = None,
) -> str:
    """A trace as lines of plain characters; see `Trace.text`.

    Raises: Diagnostic PTX2501 where there is nothing to show, and for a window, a track or a width that is none.
    """
    if width is None:
        width = min(max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST)
    if not isinstance(width, int) or width < _NARROWEST:  # pyright: ignore[reportUnnecessaryIsInstance]
        help_ = f"give {_NARROWEST} columns or more"
        raise Diagnostic("PTX2501", f"width={width!r} is no width of a timeline.", help=help_, origin=user_span())
    events = list(events)
    rows = arrange(events, window, tracks)
    low, high = shown_span(rows, window)
    name = min(max(len(t.name) for t in rows), width // 2)
    cells = width - name - 1 - _PERCENT
    lines = [f"{t.name[-name:]:>{name}} {_row(t, low, high, cells)} {t.busy:>4.0%}" for t in rows]
    scale = f"{f'{low:g}':<{cells - len(f'{high:g}')}}{high:g}"
    head = f"{'':>{name}} {scale} busy"
    return "\n".join([head, *lines, *_legend(rows, width), *_more(events, rows, window, tracks)])


def _row(track: Track, low: float, high: float, cells: int) -> str:
    """What goes on most in each piece of time; a note wins."""
    shares: list[dict[str, float]] = [{} for _ in range(cells)]
    scale = cells / (high - low)
    for e, _ in track.events:
        kind = e.kind if e.kind in KINDS else "other"
        spans = [(kind, e.begin, e.end), ("tail", e.end, visible_of(e))]
        for what, begin, end in spans:
            first, last = (begin - low) * scale, (end - low) * scale
            if what == "note":
                last = first + cells
                if 0 <= first <= cells:
                    shares[min(int(first), cells - 1)][what] = cells
                continue
            # time under way counts only where nothing else goes on
            weight = 1e-6 if what == "tail" else 1
            for cell in range(max(int(first), 0), min(int(last) + 1, cells)):
                share = min(last, cell + 1) - max(first, cell)
                if share > 0:
                    shares[cell][what] = shares[cell].get(what, 0) + share * weight
    return "".join(LETTERS[max(share, key=share.__getitem__)] if share else " " for share in shares)


def _legend(rows: Sequence[Track], width: int) -> list[str]:
    kinds = {e.kind if e.kind in KINDS else "other" for t in rows for e, _ in t.events}
    words = [f"{LETTERS[kind]} {word}" for kind, (_, word) in (*KINDS.items(), ("other", OTHER)) if kind in kinds]
    if any(visible_of(e) > e.end for t in rows for e, _ in t.events):
        words.append(f"{LETTERS['tail']} {TAIL[1]}")
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 3 + len(word) > width:
            lines.append("")
        lines[-1] += f"   {word}" if lines[-1] else word
    return lines


def _more(events: Sequence[Event], rows: Sequence[Track], window: object, tracks: Sequence[str] | None) -> list[str]:
    missing = left_out(events, rows) if tracks is None and window is None else 0
    return [f"{missing} more tracks: trace.text(tracks=[…]) shows them"] if missing else []


__all__ = ["timeline_text"]
