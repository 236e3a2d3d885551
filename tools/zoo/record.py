"""Logs of compute-sanitizer as a record: of each kernel of the zoo, what each tool said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.zoo.items import items, name_of
from tools.zoo.watch import TOOLS

_ENTRY = re.compile(r"\bz(\d{4})z\b")
_NOISE = re.compile(r"0x[0-9a-f]+|\d+")
_SAID = re.compile(
    r"(Race reported|Potential|Invalid|Uninitialized|Barrier error|Misaligned|Illegal|Unspecified|hazard|Unused memory)"
)


def record(logs: Sequence[Path]) -> dict[str, dict[str, str]]:
    """Of each kernel that ran, by tool: "silent", "error", "hang", or what the tool said first. What did not run is left out."""
    all_items = items()
    found: dict[int, dict[str, dict[str, Any]]] = {}
    for path in logs:
        tool = path.name.partition("-")[0]
        assert tool in TOOLS, path
        for number, word, said in _events(path):
            one = found.setdefault(number, {}).setdefault(tool, {"out": "", "said": []})
            if word:
                one["out"] = word
            if said and said not in one["said"]:
                one["said"].append(said)
    names = [name_of(*item) for item in all_items]
    return {
        names[number]: {tool: _verdict(one) for tool in TOOLS if (one := tools.get(tool)) and one["out"] != "stopped"}
        for number, tools in sorted(found.items())
        if number < len(names)
    }


def _events(path: Path) -> Iterator[tuple[int, str, str]]:
    """(kernel, how it went or "", what the tool said or "")."""
    current, heading = -1, ""
    for line in path.read_text(errors="replace").splitlines():
        words = line.split(maxsplit=2)
        if words[:1] == ["##"]:
            if words[1] != "end":
                current = int(words[1])
                if words[2] != "start":
                    yield current, words[2].split()[0], ""
            continue
        if not line.startswith("========="):
            continue
        text = line[9:].strip()
        if _SAID.search(text):
            heading = text
        entry = _ENTRY.search(line)
        if heading and entry:
            yield int(entry[1]), "", _words(heading)
            heading = ""


def _words(heading: str) -> str:
    """A message without its numbers and places."""
    text = re.sub(r" (at|between|by) .*", "", heading)
    text = re.sub(r"\s+", " ", _NOISE.sub("", _ENTRY.sub("", text))).strip(" :.")
    return text.removesuffix(" of size bytes").removesuffix(" detected")


def _verdict(one: dict[str, Any]) -> str:
    if one["said"]:
        return one["said"][0]
    return one["out"] if one["out"] in ("error", "hang") else "silent"


__all__ = ["record"]
