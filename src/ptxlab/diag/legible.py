"""Text that is fit to be shown: control characters by their numbers, names and lines that are too long to read by their ends."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 160  # characters of a name that is shown whole
_HEAD, _TAIL = 60, 40
_LONG = re.compile(rf"[\w$%]{{{_LONGEST + 1},}}")
_LINE = 240  # characters of a source line that are shown
GAP = "…"


def visible(text: str) -> str:
    """The text with each character that a terminal would not print written as its number: `\\x1b`, `\\u202e`.

    These are controls (C0, C1), line breaks, marks that turn the direction of reading, and whatever else has no picture.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else _number(c) for c in text)


def visible_lines(text: str) -> str:
    """The same of a text of several lines, which stay lines."""
    return "\n".join(map(visible, text.splitlines()))


def _number(c: str) -> str:
    n = ord(c)
    return f"\\x{n:02x}" if n < 0x100 else f"\\u{n:04x}" if n < 0x10000 else f"\\U{n:08x}"


def visible_line(line: str, begin: int, end: int) -> tuple[str, int, int]:
    """A line as `visible` writes it, and where in it the columns `begin` to `end` (from 0) are now."""
    begin, end = (len(visible(line[:at])) + max(0, at - len(line)) for at in (begin, end))
    return visible(line), begin, end


def limited(text: str, most: int) -> str:
    """The text; of one longer than `most`, its two ends."""
    return text if len(text) <= most else f"{text[: most // 2]}{GAP}{text[-(most // 2) :]}"


def shortened(text: str) -> str:
    """The text with the middle of each very long name left out."""
    return _LONG.sub(lambda name: _cut(name[0]), text)


def _cut(name: str) -> str:
    return f"{name[:_HEAD]}{GAP}{name[-_TAIL:]}"


def meant(name: str, known: Iterable[str]) -> str:
    """The one known name that is shown as this; the name itself where there is none, or more than one."""
    head, gap, tail = name.partition(GAP)
    fits = [k for k in known if k.startswith(head) and k.endswith(tail) and len(k) > len(name)] if gap else []
    return fits[0] if len(fits) == 1 else name


def line_shortened(line: str, begin: int, end: int) -> tuple[str, int, int]:
    """A source line fit to be shown, and where in it the columns `begin` to `end` (from 0) are now."""
    out, at, marks = "", 0, [begin, end]
    for name in _LONG.finditer(line):
        out += line[at : name.start()]
        shown = _cut(name[0])
        for i, mark in enumerate((begin, end)):
            if mark >= name.end():
                marks[i] += len(shown) - len(name[0])
            elif mark > name.start():
                marks[i] = len(out) + (len(shown) if i else 0)
        out += shown
        at = name.end()
    return _window(out + line[at:], *marks)


def _window(line: str, begin: int, end: int) -> tuple[str, int, int]:
    """The part of a line around what is marked."""
    if len(line) <= _LINE:
        return line, begin, end
    first = max(0, min(begin - _LINE // 3, len(line) - _LINE))
    last = first + _LINE
    front, back = GAP if first else "", GAP if last < len(line) else ""
    shift = len(front) - first
    return f"{front}{line[first:last]}{back}", begin + shift, min(end, last) + shift
