"""Diagnostics as text for people: plain, and in colour through rich."""

from __future__ import annotations

import linecache
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from ptxlab.diag.model import Diagnostic, Severity, Span
from ptxlab.diag.shorten import line_shortened, shortened

_STYLE = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.LINT: "bold cyan",
    Severity.NOTE: "bold blue",
}


def _source_line(span: Span) -> str | None:
    text = span.text if span.text is not None else linecache.getline(span.file, span.line)
    return text.rstrip("\n") if text.strip() else None


def _place(span: Span) -> list[tuple[str, str]]:
    out = [("  --> ", "blue"), (f"{span.shown}\n", "")]
    line = _source_line(span)
    if line is None:
        return out
    # Indentation says nothing about the error and pushes long PTX lines off the screen.
    stripped = line.lstrip()
    cut = len(line) - len(stripped)
    stripped = stripped.replace("\t", " ")  # one column each, so that the marks stand below what they mark
    number = str(span.line)
    begin = max(0, span.column - 1 - cut)
    width = max(1, (span.end_column or span.column + 1) - span.column)
    shown, begin, end = line_shortened(stripped, begin, begin + width)
    out += [(f"{number:>4} | ", "blue"), (shown + "\n", "")]
    if span.column > cut:
        out += [("     | ", "blue"), (" " * begin + "^" * (end - begin) + "\n", "red")]
    return out


def fragments(d: Diagnostic) -> list[tuple[str, str]]:
    """The diagnostic as (text, style) pieces, ending in a newline. Very long names are shown by their ends."""
    out: list[tuple[str, str]] = [
        (f"{d.severity}[{d.code}]", _STYLE[d.severity]),
        (f" {d.slug}: ", "dim"),
        (shortened(d.message) + "\n", "bold"),
    ]
    if d.origin is not None:
        out += _place(d.origin)
    if d.span is not None:
        out += _place(d.span)
    for note in d.notes:
        out += [("   = ", "blue"), (shortened(note) + "\n", "")]
    if d.help:
        out += [("   = ", "blue"), ("help: ", "bold green"), (shortened(d.help) + "\n", "")]
    if d.isa:
        out += [("   = ", "blue"), (f"PTX ISA: {d.isa}\n", "")]
    return out


def plain(d: Diagnostic) -> str:
    """The diagnostic as plain text without a trailing newline."""
    return "".join(text for text, _ in fragments(d)).rstrip("\n")


def show(found: Iterable[Diagnostic], console: Console | None = None) -> None:
    """Print diagnostics to the terminal (standard error unless a console is given)."""
    console = console or Console(stderr=True)
    for d in found:
        console.print(Text.assemble(*fragments(d)), soft_wrap=True)
