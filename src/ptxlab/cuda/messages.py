"""What ptxas writes, read: errors and warnings line by line, and the resources that `-v` reports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MESSAGE: Final = re.compile(
    r"^ptxas\S* (?:(?P<file>.+?), line (?P<line>\d+); )?(?P<kind>error|fatal|warning|info|information)\s*: (?P<text>.*)$"
)
_IN_LINE: Final = re.compile(r"\b(?:in|around) line (\d+)")  # messages about a kernel name their line in words
_CODE: Final = re.compile(r"^\((C\d+)\)\s*|\s*\((C\d+)\)$")
_ABORTED: Final = "Ptx assembly aborted due to errors"
_ENTRY: Final = re.compile(r"Compiling entry function '([^']+)'")
_SPILLS: Final = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED: Final = re.compile(r"Used (\d+) registers")
_AMOUNTS: Final = {
    "barriers": re.compile(r"used (\d+) barriers"),
    "shared": re.compile(r"(\d+) bytes smem"),
    "constant": re.compile(r"(\d+) bytes cmem"),
}


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `line` is 0 where none is named; `code` is e.g. "C7508", or empty."""

    kind: str
    text: str
    line: int = 0
    code: str = ""


def read_messages(log: str) -> list[Message]:
    """All errors, warnings and announced losses of performance, in order; repeated ones once."""
    out: dict[Message, None] = {}
    for row in log.splitlines():
        found = _MESSAGE.match(row)
        if not found:
            continue
        text, kind = found["text"].strip(), found["kind"]
        coded = _CODE.search(text)
        code = (coded.group(1) or coded.group(2)) if coded else ""
        if coded:
            text = _CODE.sub("", text, count=1).strip()
        if kind.startswith("info") and not code and "Performance" not in text:
            continue
        worded = _IN_LINE.search(text)
        line = found["line"] or (worded.group(1) if worded else 0)
        out[Message(kind, text, int(line), code)] = None
    kept = [m for m in out if m.text.rstrip(".") != _ABORTED]
    return kept or list(out)


def read_resources(log: str) -> dict[str, dict[str, int]]:
    """Per entry what `ptxas -v` says of it: registers, spills, stack, shared and constant memory, barriers."""
    out: dict[str, dict[str, int]] = {}
    entry: dict[str, int] | None = None
    for row in log.splitlines():
        if found := _ENTRY.search(row):
            entry = out.setdefault(found.group(1), {})
        elif entry is None:
            continue
        elif found := _SPILLS.search(row):
            # Called functions have such lines too; only the entry's own, directly behind its name, counts.
            if "spill_stores" not in entry:
                entry["stack"], entry["spill_stores"], entry["spill_loads"] = map(int, found.groups())
        elif found := _USED.search(row):
            entry["registers"] = int(found.group(1))
            for name, pattern in _AMOUNTS.items():
                amounts = pattern.findall(row)
                if amounts:
                    entry[name] = sum(map(int, amounts))
    return out
