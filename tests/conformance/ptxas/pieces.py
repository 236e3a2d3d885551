"""Real PTX cut into small modules, which ptxas judges in ten milliseconds: a function, or lines of it, with what it names."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[%$A-Za-z_][\w$]*")
_RANGE = re.compile(r"(%\w*?)<\d+>")
_HEADER = (".version", ".target", ".address_size")
_LABEL = re.compile(r"([$\w]+):")
_DECLARES = re.compile(r"\s*\.(reg|local|shared|const|global|pragma)\b")
_NAMED = re.compile(r"\.(?:entry|func)\b\s*(?:\([^)]*\))?\s*([$\w]+)")
_VARIABLE = re.compile(r"([$%A-Za-z_][\w$]*)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?;\s*$", re.DOTALL)
_SHORT = 24  # lines of a function that stay together
_LONGEST = 4000  # characters: of a table's declaration nobody learns more than of its beginning


@dataclass(frozen=True)
class _Item:
    """What stands outside of functions."""

    text: str
    name: str
    function: bool

    @property
    def words(self) -> set[str]:
        return _words(self.text) - {self.name}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text))


def _tops(text: str) -> Iterator[_Item]:
    """The items of a module, in which every one ends with its line, as compilers write them."""
    lines: list[str] = []
    depth = 0
    for line in _COMMENT.sub("", text).splitlines():
        if not line.strip():
            continue
        lines.append(line.rstrip())
        depth += line.count("{") - line.count("}")
        first = lines[0].split()[0]
        whole = first in (*_HEADER, ".file") or lines[-1].endswith((";", "}"))
        if depth == 0 and whole:
            joined = "\n".join(lines)
            named = _NAMED.search(joined)
            variable = None if named else _VARIABLE.search(joined)
            yield _Item(joined, named[1] if named else variable[1] if variable else "", named is not None)
            lines = []


def cut(text: str, dice: random.Random) -> Iterator[str]:
    """Small modules made of a large one: for each function all of it where it is short, else some parts."""
    items = list(_tops(text))
    # Debug data is about the whole module.
    header = [i.text.strip().replace(", debug", "") for i in items if i.text.split()[0] in _HEADER]
    for item in items:
        if item.function and item.text.endswith("}"):
            for part in _parts(item.text, dice):
                yield "\n".join([*header, *_needed(part, item.name, items), part, *_debug_data(part), ""])


def _debug_data(part: str) -> Iterator[str]:
    """The labels of debug data that places of inlined code name."""
    for name in dict.fromkeys(re.findall(r"function_name ([$\w]+)", part)):
        yield f".section .debug_str {{\n{name}:\n.b8 0\n}}"


def _needed(part: str, own: str, items: Sequence[_Item]) -> list[str]:
    """What a part of a function names: files, variables, functions; in the order of the module."""
    named: dict[str, set[str]] = {}
    for item in items:
        if item.name:
            named.setdefault(item.name, set()).update(item.words)
    wanted, new = {own}, _words(part)
    while new:
        name = new.pop()
        if name in named and name not in wanted:
            wanted.add(name)
            new |= named[name]
    files = [i.text.strip() for i in items if i.text.split()[0] == ".file" and ".loc" in part]
    wanted.discard(own)
    kept = [i for i in items if i.name in wanted and len(i.text) < _LONGEST]
    bodies = {i.name for i in kept if i.text.endswith("}")}
    return [*files, *(i.text if not i.function or i.name in bodies else _outside(i.text) for i in kept)]


def _outside(declaration: str) -> str:
    """The declaration of a function whose body is left out."""
    return declaration if declaration.startswith((".extern", ".visible", ".weak")) else f".extern {declaration}"


def _parts(function: str, dice: random.Random) -> Iterator[str]:
    head, _, rest = function.partition("\n{")
    lines = rest.strip("\n").splitlines()[:-1]
    if len(lines) <= 2 * _SHORT:
        yield function
        return
    outer = [depth == 0 for depth in _depths(lines)]
    declared = [line for line, out in zip(lines, outer, strict=True) if out and _DECLARES.match(line)]
    body = [line for line, out in zip(lines, outer, strict=True) if not out or not _DECLARES.match(line)]
    for _ in range(2 if len(body) < 200 else 5):
        size = dice.randrange(6, _SHORT)
        first = _level(body, dice.randrange(0, max(1, len(body) - size)))
        last = _level(body, first + size)
        chosen = [_alone(line) for line in body[first:last]]
        if len(chosen) <= 2 * _SHORT:
            yield "\n".join([head, "{", *_used(declared, chosen), *chosen, *_labels(chosen), "\tret;", "}"])


def _depths(lines: Sequence[str]) -> Iterator[int]:
    """How many braces are open in front of each line."""
    depth = 0
    for line in lines:
        yield depth
        depth += line.count("{") - line.count("}")


def _alone(line: str) -> str:
    """A line without the place that it was inlined at, which another line would have to name."""
    return line.partition(", function_name")[0] if line.lstrip().startswith(".loc") else line


def _level(body: Sequence[str], at: int) -> int:
    """The first line from here on that no nested braces hold, and no statement of several lines."""
    depth = sum(line.count("{") - line.count("}") for line in body[:at])
    while at < len(body) and (depth or (at and not body[at - 1].rstrip().endswith((";", ":", "}", "{")))):
        depth += body[at].count("{") - body[at].count("}")
        at += 1
    return at


def _used(declared: Sequence[str], chosen: Sequence[str]) -> Iterator[str]:
    words = set(re.findall(r"%[a-z]+|[$\w]+", "\n".join(chosen)))
    for line in declared:
        ranged = _RANGE.search(line)
        if ranged is None or ranged[1] in words:
            yield line


def _labels(chosen: Sequence[str]) -> Iterator[str]:
    """Labels that are named and defined elsewhere."""
    text = "\n".join(chosen)
    there = set(_LABEL.findall(text))
    named = dict.fromkeys(re.findall(r"\$L_*[\w$]+|(?<=bra\s)\s*[$\w]+", text))
    yield from (f"{name.strip()}:" for name in named if name.strip() not in there)
