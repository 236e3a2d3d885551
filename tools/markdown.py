"""Markdown that tools write: tables, and the parts of handwritten pages that are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table. Cells are taken as they are: `cell` and `text` make them of words."""
    return [_line(heads), f"|{' --- |' * len(heads)}", *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(words: str) -> str:
    """Words as a cell, or a part of one, that is set as code or has Markdown of its own."""
    return words.replace("|", "\\|")


def text(words: str) -> str:
    """Words as a cell of plain text."""
    return cell(words).replace("<", "&lt;")


def filled(page: str, what: str, made: Callable[[str], str]) -> str:
    """A handwritten page with what is made between `<!-- WHAT … -->` and `<!-- end of WHAT -->`.

    Args:
        page: its text. what: a word. made: gives the part, from the words behind WHAT.
    """
    between = re.compile(rf"(<!-- {what}(?: (.+?))? -->\n).*?(<!-- end of {what} -->)", re.S)
    return between.sub(lambda found: f"{found[1]}\n{made(found[2] or '')}\n\n{found[3]}", page)
