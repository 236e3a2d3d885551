"""Docstrings as parts: what a name is, its arguments and attributes, what it raises, the PTX that it writes, and an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SECTIONS = ("Args", "Attributes", "Returns", "Raises", "PTX", "Example")
PROSE = ("Returns", "Raises", "PTX")
_HEAD = re.compile(rf"({'|'.join(SECTIONS)}):(?:\s+(.*))?$")
NAMED = re.compile(r"(?:^|(?<=[.:] )|(?<=, ))(?:\*\*|\*)?`?([A-Za-z_]\w*)`?(?=[:,] )")


@dataclass(slots=True)
class Docstring:
    """A docstring, taken apart.

    Attributes:
        text: what stands before the sections, in paragraphs. items: the lines of "Args" and "Attributes", one an entry.
        notes: the text of "Returns" and "Raises". opcodes: instructions that are written. example: code, or "".
        see: the name whose example shows this one too: `Example: see k.if_`.
    """

    text: str = ""
    items: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    notes: dict[str, str] = field(default_factory=dict[str, str])
    opcodes: tuple[str, ...] = ()
    example: str = ""
    see: str = ""

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text.split("\n\n")[0].split())

    def named(self) -> Iterator[tuple[str, str]]:
        """(name, line) of each argument and attribute that the sections describe."""
        for lines in self.items.values():
            for line in lines:
                for name in NAMED.findall(line):
                    yield name, line


def parse(value: object) -> Docstring:
    """The parts of the docstring of a class, a function or a property; empty where there is none."""
    return parse_text(_own(value))


def parse_text(text: str) -> Docstring:
    """The parts of a docstring."""
    found = Docstring()
    kept: list[str] = []
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        head = _HEAD.match(lines[i])
        if head is None:
            kept.append(lines[i])
            i += 1
            continue
        body = [head[2]] if head[2] else []
        i += 1
        while i < len(lines) and _goes_on(head, lines[i]):
            body.append(lines[i].removeprefix("    "))
            i += 1
        _take(found, head[1], body)
    found.text = "\n".join(kept).strip()
    return found


def _goes_on(head: re.Match[str], line: str) -> bool:
    """Whether a line belongs to a section: one that is indented does, and one behind text that begins at the section's head."""
    if line.startswith("    ") or not line.strip():
        return bool(line.strip()) or head[1] == "Example"
    return head[1] in PROSE and bool(head[2]) and _HEAD.match(line) is None


def _own(value: object) -> str:
    """The docstring that is written at a name itself: classes do not show that of their base."""
    if inspect.isclass(value):
        text = value.__dict__.get("__doc__") or ""
        return "" if text.startswith(f"{value.__name__}(") else inspect.cleandoc(text)
    text = getattr(value, "__doc__", None)
    return inspect.cleandoc(text) if isinstance(text, str) else ""


def _without_prompts(code: str) -> str:
    """Code as a session shows it, with what a line prints as a comment behind it."""
    if not code.startswith(">>>"):
        return code
    out: list[str] = []
    for line in code.splitlines():
        if line.startswith((">>>", "...")):
            out.append(line[4:])
        elif line.strip():
            out[-1] += f"  # {line}"
    return "\n".join(out) + "\n"


def _take(found: Docstring, section: str, body: list[str]) -> None:
    if section == "Example" and len(body) == 1 and body[0].startswith("see "):
        found.see = body[0].removeprefix("see ").rstrip(".").strip("`")
    elif section == "Example":
        found.example = _without_prompts("\n".join(body).strip("\n") + "\n")
    elif section == "PTX":
        found.opcodes = tuple(w.strip() for w in " ".join(body).rstrip(".").split(",") if w.strip())
    elif section in ("Args", "Attributes"):
        entries: list[str] = []
        for line in body:
            if line.startswith(" ") and entries:
                entries[-1] += f" {line.strip()}"
            else:
                entries.append(line.strip())
        found.items[section] = [e for e in entries if e]
    else:
        found.notes[section] = " ".join(line.strip() for line in body)
