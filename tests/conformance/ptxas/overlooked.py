"""Where ptxlab and ptxas differ about whole modules on purpose: what ptxas overlooks, as changes of the text that take it away, and
what it refuses without being asked to, by its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

_TARGET: Final = re.compile(r"^[ \t]*\.target\b[^\n]*\n", re.MULTILINE)
_ALIGN: Final = r"\.align\s+(?:0[xX][0-9a-fA-F]+|\d+)\s*"
_OLD: Final = re.compile(r"(?<=\.target )sm_(?:1[0-3]|2[01]|3[0257])\b")


def _targets(text: str) -> Iterator[str]:
    """A second .target, behind the first or within a function; targets of which no ptxas makes code any more."""
    lines = list(_TARGET.finditer(text))
    yield from (text[: m.start()] + text[m.end() :] for m in lines[1:])
    yield _OLD.sub("sm_75", text)


def _declarations(text: str) -> Iterator[str]:
    """Alignments that stand twice or in another place, a function's declaration without its semicolon."""
    once = re.sub(rf"(?:{_ALIGN})+({_ALIGN})", r"\1", text)
    yield once
    yield re.sub(rf"^([ \t]*){_ALIGN}", r"\1", text, flags=re.MULTILINE)
    yield re.sub(rf"(\.param\s+{_ALIGN}\.\w+\s+){_ALIGN}", r"\1", text)
    yield re.sub(rf"({_ALIGN})(\.attribute\s*\([^;\n]*?\)\s*)(?=\.)", r"\2\1", text)


REWRITES: Final[tuple[Callable[[str], Iterator[str]], ...]] = (_targets, _declarations)


def rewritten(text: str) -> Iterator[str]:
    """The text without what ptxas overlooks: one thing, or two."""
    seen = {text}
    for first in REWRITES:
        for once in first(text):
            if once not in seen:
                seen.add(once)
                yield once
    for once in list(seen - {text}):
        for second in REWRITES:
            for twice in second(once):
                if twice not in seen:
                    seen.add(twice)
                    yield twice


REFUSED: Final[tuple[tuple[str, str, str], ...]] = (
    (
        r"Constant overflow",
        r"(?<![\w.])(?:\d{20,}|0[xX][0-9a-fA-F]{17,}|0[0-7]{22,}|0[bB][01]{65,})",
        "a number of more than 64 bits: ptxas cuts some and refuses others",
    ),
)
"""What ptxas says, what stands in the text, and why ptxlab takes it."""


def refused(text: str, said: str) -> str | None:
    """Why ptxlab takes what ptxas refuses with such words; None where nothing explains it."""
    return next((why for words, there, why in REFUSED if re.search(words, said) and re.search(there, text)), None)
