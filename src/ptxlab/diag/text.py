"""Diagnostics as text for people, in pieces with their styles.

What a diagnostic says may come from a hostile file: no character of it reaches the terminal that would steer it or turn the order
of what is read, and no length that nobody reads.
"""

from __future__ import annotations

from typing import Any, Protocol

from rich.cells import cell_len

from ptxlab.diag.excerpt import source_line
from ptxlab.diag.legible import GAP, limited, line_shortened, shortened, visible, visible_line
from ptxlab.diag.manual import example
from ptxlab.diag.span import Span

_STYLE = {"error": "bold red", "warning": "bold yellow", "lint": "bold cyan", "note": "bold blue"}
_PATH = 400  # characters of a place that are shown
_WORDS = 4000  # of a message, a note or a help


class Finding(Protocol):
    """What of a diagnostic is shown: see `Diagnostic`."""

    code: str
    slug: str
    message: str
    help: str | None
    span: Span | None
    origin: Span | None
    isa: str | None
    notes: tuple[str, ...]
    other: Span | None
    other_origin: Span | None
    wait_graph: dict[str, Any] | None

    @property
    def severity(self) -> str:
        """E.g. "error"."""
        ...


def _words(text: str) -> str:
    return visible(limited(shortened(text), _WORDS))


def _places(span: Span) -> list[tuple[str, str]]:
    """A place, and where its function was inlined."""
    out = _place(span)
    for call in span.calls:
        out += _place(call, "  inlined at ")
    return out


def _place(span: Span, head: str = "  --> ") -> list[tuple[str, str]]:
    out = [(head, "blue"), (f"{visible(limited(span.shown, _PATH))}\n", "")]
    line = source_line(span)
    if line is None:
        return out
    # Indentation says nothing about the error and pushes long PTX lines off the screen.
    stripped = line.lstrip()
    cut = len(line) - len(stripped)
    stripped = stripped.replace("\t", " ")  # one column each, so that the marks stand below what they mark
    number = str(span.line)
    begin = max(0, span.column - 1 - span.skipped - cut)
    width = max(1, (span.end_column or span.column + 1) - span.column)
    shown, begin, end = visible_line(*line_shortened(stripped, begin, begin + width))
    if span.skipped:
        shown, begin, end = GAP + shown.removeprefix(GAP), *(at + (not shown.startswith(GAP)) for at in (begin, end))
    out += [(f"{number:>4} | ", "blue"), (shown + "\n", "")]
    if span.column > span.skipped + cut:
        before, marked = cell_len(shown[:begin]), max(1, cell_len(shown[begin:end]))
        out += [("     | ", "blue"), (" " * before + "^" * marked + "\n", "red")]
    return out


def other_place(code: str) -> str:
    """Where the other one of two accesses is, in words: those of PTX926x are of two launches."""
    return "in the other launch" if "PTX9260" <= code < "PTX9270" else "earlier in this run"


def fragments(d: Finding) -> list[tuple[str, str]]:
    """The diagnostic as (text, style) pieces, ending in a newline. Very long names are shown by their ends."""
    out: list[tuple[str, str]] = [
        (f"{d.severity}[{d.code}]", _STYLE[d.severity]),
        (f" {d.slug}: ", "dim"),
        (_words(d.message) + "\n", "bold"),
    ]
    if d.origin is not None:
        out += _places(d.origin)
    if d.span is not None:
        out += _place(d.span)
    if (d.other, d.other_origin) not in ((None, None), (d.span, d.origin)):
        out += [("   = ", "blue"), (f"and, {other_place(d.code)}:\n", "")]
        for span in (d.other_origin, d.other):
            out += _places(span) if span is not None else []
    for note in d.notes:
        out += [("   = ", "blue"), (_words(note) + "\n", "")]
    if d.help:
        out += [("   = ", "blue"), ("help: ", "bold green"), (_words(d.help) + "\n", "")]
    if d.isa:
        out += [("   = ", "blue"), (f"PTX ISA: {d.isa}\n", "")]
    causes = d.wait_graph["causes"] if d.wait_graph is not None else ()
    shown = example(d.code, causes[0]["rule"] if causes else None)
    if shown is not None:
        out += [("   = ", "blue"), (f"an example and its repair: ptxlab explain {shown}\n", "")]
    return out


def plain(d: Finding) -> str:
    """The diagnostic as plain text without a trailing newline."""
    return "".join(text for text, _ in fragments(d)).rstrip("\n")


def placeless(d: Finding) -> str:
    """`plain` without the line of `origin`, for those who show that line themselves."""
    place = "" if d.origin is None else "".join(text for text, _ in _place(d.origin))
    return plain(d).replace(place, "", 1)
