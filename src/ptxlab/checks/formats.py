"""Findings for machines: JSON, SARIF 2.1.0 and the annotations of GitHub's workflows. Each is one string."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ptxlab.diag import CODES, Access, Diagnostic, Severity, Span, Suppressed, page, visible
from ptxlab.diag.text import other_place

_SARIF_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.LINT: "note", Severity.NOTE: "none"}
_GITHUB_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.LINT: "notice", Severity.NOTE: "notice"}
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def as_json(
    found: Iterable[Diagnostic], suppressed: Iterable[Suppressed] = (), more: Mapping[str, Any] | None = None
) -> str:
    """An object with the lists `findings` and `suppressed`, and more by its name, in ASCII. Diagnostics in that are written alike.

    Lines and columns count from 1, and are null where a finding has no place.
    """
    hidden = list(map(suppressed_data, suppressed))
    document = {"version": 1, "findings": list(map(as_data, found)), "suppressed": hidden, **(more or {})}
    return json.dumps(document, indent=2, default=as_data)


def suppressed_data(s: Suppressed) -> dict[str, Any]:
    """A suppressed finding as data that JSON can hold."""
    return {**as_data(s.finding), "reason": s.reason, "suppressed_at": _position(s.place), "in_source": s.in_source}


def as_data(d: Diagnostic) -> dict[str, Any]:
    """A finding as data that JSON can hold."""
    return {
        "code": d.code,
        "slug": d.slug,
        "severity": str(d.severity),
        "message": d.message,
        "help": d.help,
        "notes": list(d.notes),
        "isa": d.isa,
        "explain": _explain(d.code),
        **_position(d.span or d.origin),
        "source": _position(d.origin) if d.span and d.origin else None,
        "other": _two_positions(d.other, d.other_origin),
        "memory": asdict(d.memory) if d.memory is not None else None,
        "accesses": [_access(a) for a in d.accesses],
        "flag": [_access(a) for a in d.flag],
        "alike": [
            [_two_positions(one.span, one.origin), _two_positions(one.other, one.other_origin)] for one in d.alike
        ],
        **({"wait_graph": d.wait_graph} if d.wait_graph is not None else {}),
    }


def _position(place: Span | None) -> dict[str, Any]:
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": (place.column or None) if place else None,
        "end_column": (place.end_column or None) if place else None,
    }


def _two_positions(span: Span | None, origin: Span | None) -> dict[str, Any] | None:
    """A place in the PTX, with the place in the source behind it; None where neither is known."""
    place = span or origin
    return {**_position(place), "source": _position(origin) if span and origin else None} if place else None


def _access(a: Access) -> dict[str, Any]:
    return {
        "does": a.does,
        "thread": list(a.thread),
        "cta": list(a.cta),
        "instruction": a.instruction,
        "asynchronous": a.asynchronous,
        "place": _two_positions(a.span, a.origin),
    }


def _explain(code: str) -> str:
    """What shows the documentation of a code."""
    return f"ptxlab explain {code}"


def as_sarif(found: Sequence[Diagnostic], version: str, suppressed: Sequence[Suppressed] = ()) -> str:
    """A SARIF log with one run; `version` is the tool's own."""
    codes = sorted({d.code for d in found} | {s.finding.code for s in suppressed})
    tool = {
        "name": "ptxlab",
        "version": version,
        "rules": [_rule(code) for code in codes],
    }
    results = [_result(d, codes.index(d.code)) for d in found]
    if suppressed:  # a run that has suppressions says so of every result
        for result in results:
            result["suppressions"] = []
    for s in suppressed:
        results.append(_result(s.finding, codes.index(s.finding.code)) | {"suppressions": [_suppression(s)]})
    log = {"$schema": _SARIF, "version": "2.1.0", "runs": [{"tool": {"driver": tool}, "results": results}]}
    return json.dumps(log, indent=2)


def _suppression(s: Suppressed) -> dict[str, Any]:
    return {
        "kind": "inSource" if s.in_source else "external",
        "justification": s.reason,
        "location": {"physicalLocation": _location(s.place)},
    }


def _rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    out: dict[str, Any] = {"id": code, "name": known.slug, "shortDescription": {"text": known.title}}
    words = [known.help] if known.help else []
    out["help"] = {"text": "\n".join([*words, f"More: {_explain(code)}"])}
    file = page(code)
    if file is not None:
        out["help"]["markdown"] = file.read_text(encoding="utf-8")
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
    related = list(_related(d))
    if related:
        out["relatedLocations"] = related
    if d.memory is not None or d.accesses:
        out["properties"] = {
            "memory": asdict(d.memory) if d.memory else None,
            "accesses": list(map(_access, d.accesses)),
            "flag": list(map(_access, d.flag)),
        }
    if d.wait_graph is not None:
        out.setdefault("properties", {})["wait_graph"] = d.wait_graph
    return out


def _related(d: Diagnostic) -> Iterator[dict[str, Any]]:
    """The source behind the place, and the other place of a clash with the source behind that."""
    places = [(d.origin, "the source line") if d.span else None]
    words = other_place(d.code)
    places += [(d.other, words), (d.other_origin, f"{words}, the source line" if d.other else words)]
    for access, words in zip(d.flag, ("the store of the flag", "the load of the flag"), strict=False):
        places.append((access.span or access.origin, words))
    for number, (place, words) in enumerate(p for p in places if p and p[0]):
        assert place is not None
        yield {"id": number, "message": {"text": words}, "physicalLocation": _location(place)}


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
