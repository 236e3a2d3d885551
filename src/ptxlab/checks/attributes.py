"""`.attribute(…)` of variables, registers and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ptxlab.checks.names import Names
from ptxlab.diag import Diagnostic
from ptxlab.isa.targets import ptx, sm
from ptxlab.ptx.numbers import literal

_UNIFIED: Final = ptx(8, 0) & sm(90)


def check_attributes(words: Sequence[str], name: str, space: str, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with all .attribute(…) of a declaration, token by token; `space` is where it lies, e.g. global."""
    inner: list[str] = []
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if depth == 0 and word == ")":
            yield from _one(inner[1:], name, space, names)
            inner = []
        elif depth:
            inner.append(word)


def _one(words: list[str], name: str, space: str, names: Names) -> Iterator[Diagnostic]:
    if not _well_formed(words):
        yield Diagnostic(
            "PTX0001",
            f"the attributes of `{name}` cannot be read: `{' '.join(words)}`",
            help="write `.attribute(.managed)`, or `.attribute(.unified(1, 2))`",
        )
    elif space != "global":
        yield Diagnostic(
            "PTX0015", f"`{name}` is {words[0]} in .{space} memory", help="such variables lie in .global memory"
        )
    elif ".unified" in words:
        found = list(names.needs("the attribute .unified", _UNIFIED))
        yield from found or [
            Diagnostic(
                "PTX0015",
                f"`{name}` is .unified, which ptxas takes only in a file that is linked with others",
                help="leave the attribute out",
            )
        ]


def _well_formed(words: list[str]) -> bool:
    """Whether words are attributes with commas between them: .managed, or .unified(number, number)."""
    pieces: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == "," and depth == 0:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return all(piece == [".managed"] or _is_unified(piece) for piece in pieces)


def _is_unified(piece: list[str]) -> bool:
    return (
        piece[:2] == [".unified", "("]
        and piece[3:4] == [","]
        and piece[5:] == [")"]
        and all(map(literal, piece[2:5:2]))
    )
