"""Diagnostics as the findings of an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ptxlab.checks.formats import as_data, suppressed_data
from ptxlab.diag import Diagnostic, Severity, Suppressed
from ptxlab.diag.boundary import without_command
from ptxlab.diag.excerpt import source_line
from ptxlab.diag.legible import limited, shortened
from ptxlab.diag.manual import example

_MOST = 50
"""Findings of an answer."""
_LINE = 400
"""Characters of a line that an answer shows."""
_WORDS, _NOTES = 4000, 100
"""Characters of a message, and notes of a finding."""


def finding(d: Diagnostic) -> dict[str, Any]:
    """A diagnostic: its JSON, its line, and what explains it."""
    return _bounded(as_data(without_command(d))) | _added(d)


def suppressed(s: Suppressed) -> dict[str, Any]:
    """The same of one that is suppressed."""
    return _bounded(suppressed_data(s)) | _added(s.finding)


def _bounded(data: dict[str, Any]) -> dict[str, Any]:
    """The same, words as long as a terminal shows them: a hostile text may have names of megabytes."""

    def words(text: str) -> str:
        return limited(shortened(text), _WORDS)

    said = {name: words(data[name]) for name in ("message", "help") if data[name] is not None}
    return data | said | {"notes": list(map(words, data["notes"][:_NOTES]))}


def _added(d: Diagnostic) -> dict[str, Any]:
    place = d.span or d.origin
    line = source_line(place) if place is not None else None
    causes = d.wait_graph["causes"] if d.wait_graph is not None else ()
    shown = example(d.code, causes[0]["rule"] if causes else None) or d.code
    return {
        "text": None if line is None else limited(line, _LINE),
        "next": {"tool": "explain", "arguments": {"what": shown}},
    }


def findings(found: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The first of them, errors before others."""
    ordered = sorted(found, key=lambda d: d.severity is not Severity.ERROR)
    return list(map(finding, ordered[:_MOST]))


def refusal(tool: str, d: Diagnostic) -> dict[str, Any]:
    """The answer to a request that cannot be carried out, or whose launch was stopped."""
    stopped = d.code.startswith("PTX9")
    return {"tool": tool, "status": "stopped" if stopped else "refused", "findings": findings(d.told())}


def status(found: Iterable[Diagnostic]) -> str:
    """Of a request that was carried out."""
    return "findings" if any(d.severity in (Severity.ERROR, Severity.WARNING) for d in found) else "clean"
