"""Modules drawn from the grammar in module_forms.txt: declarations, functions, calls, directives, headers, debug data, textures."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mutations import Mutant

RULE = re.compile(r"`(\w+)`")
_WEIGHT = re.compile(r"(\d+)\* ")


@cache
def grammar() -> dict[str, tuple[list[str], list[int]]]:
    """The lines under each name, and how likely they are."""
    out: dict[str, tuple[list[str], list[int]]] = {}
    lines: list[str] = []
    weights: list[int] = []
    for line in (Path(__file__).parent / "module_forms.txt").read_text().splitlines():
        if line[:1] not in ("#", " "):
            lines, weights = out.setdefault(line, ([], []))
        elif line[:1] == " ":
            text = line[4:]
            found = _WEIGHT.match(text)
            weights.append(int(found[1]) if found else 1)
            lines.append((text[found.end() :] if found else text).replace(r"\n", "\n"))
    return out


def _drawn(rule: str, dice: random.Random) -> str:
    lines, weights = grammar()[rule]
    return RULE.sub(lambda m: _drawn(m[1], dice), dice.choices(lines, weights)[0])


def draw(count: int, seed: int = 0) -> Iterator[Mutant]:
    """As many modules; `why` is the class that each is from."""
    lines, weights = grammar()["module"]
    for number in range(count):
        dice = random.Random(f"{seed}:{number}")
        line = dice.choices(lines, weights)[0]
        yield Mutant(RULE.sub(lambda m, dice=dice: _drawn(m[1], dice), line), line, number)
