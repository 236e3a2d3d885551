"""Findings for machines: JSON, SARIF 2.1.0 and the annotations of GitHub's workflows. Each is one string."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ptxlab.diag import CODES, Diagnostic, Severity, Span, visible

_SARIF_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.LINT: "note", Severity.NOTE: "none"}
_GITHUB_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.LINT: "notice", Severity.NOTE: "notice"}
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def as_json(found: Iterable[Diagnostic]) -> str:
    """An object with the list `findings`, in ASCII; lines and columns count from 1, and are null where a finding has no place."""
    return json.dumps({"version": 1, "findings": [_plain(d) for d in found]}, indent=2)


def _plain(d: Diagnostic) -> dict[str, Any]:
    place = d.span or d.origin
    return {
        "code": d.code,
        "slug": d.slug,
        "severity": str(d.severity),
        "message": d.message,
        "help": d.help,
        "notes": list(d.notes),
        "isa": d.isa,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": (place.column or None) if place else None,
        "end_column": (place.end_column or None) if place else None,
    }


def as_sarif(found: Sequence[Diagnostic], version: str) -> str:
    """A SARIF log with one run; `version` is the tool's own."""
    codes = sorted({d.code for d in found})
    tool = {
        "name": "ptxlab",
        "version": version,
        "rules": [_rule(code) for code in codes],
    }
    results = [_result(d, codes.index(d.code)) for d in found]
    log = {"$schema": _SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": tool}, "results": results}]}
    return json.dumps(log, indent=2)


def _rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    out: dict[str, Any] = {"id": code, "name": known.slug, "shortDescription": {"text": known.title}}
    if known.help:
        out["help"] = {"text": known.help}
    return out


def _result(d: Diagnostic, rule: int) -> dict[str, Any]:
    words = [d.message, *d.notes, *([f"help: {d.help}"] if d.help else [])]
    out: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": _SARIF_LEVEL[d.severity],
        "message": {"text": "\n".join(words)},
    }
    place = d.span or d.origin
    if place is not None:
        out["locations"] = [{"physicalLocation": _location(place)}]
    return out


def _location(place: Span) -> dict[str, Any]:
    region = {"startLine": place.line}
    if place.column:
        region["startColumn"] = place.column
        region["endColumn"] = max(place.end_column, place.column + 1)
    return {"artifactLocation": {"uri": _uri(place.file)}, "region": region}


def _uri(file: str) -> str:
    from urllib.parse import quote  # rarely needed

    return quote(file.replace("\\", "/"))


def as_github(found: Iterable[Diagnostic]) -> str:
    """A workflow command a line; the text of a finding stands in one line, its breaks escaped."""
    return "\n".join(_command(d) for d in found)


def _command(d: Diagnostic) -> str:
    fields = {"title": f"{d.code} {d.slug}"}
    place = d.span or d.origin
    if place is not None:
        fields = {"file": visible(place.file), "line": str(place.line), **fields}
        if place.column:
            fields["col"] = str(place.column)
            fields["endColumn"] = str(max(place.end_column, place.column + 1))
    words = "\n".join(visible(w) for w in (d.message, *d.notes, *([f"help: {d.help}"] if d.help else [])))
    shown = ",".join(f"{k}={_escaped(v).replace(':', '%3A').replace(',', '%2C')}" for k, v in fields.items())
    return f"::{_GITHUB_LEVEL[d.severity]} {shown}::{_escaped(words)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
