"""Names too long to read, as mangled C++ has them: their ends are shown, and what stands between is not."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 160  # characters of a name that is shown whole
_HEAD, _TAIL = 60, 40
_LONG = re.compile(rf"[\w$%]{{{_LONGEST + 1},}}")
_LINE = 240  # characters of a source line that are shown
GAP = "…"


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
