"""HTML for notebooks. All text is escaped, and no background is set: the notebook's theme decides, dark or light."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_NUMBER = re.compile(r"-?[\d,.]+%?")
# Between the two themes: readable on white and on black.
_COLOURS = {"red": "#d64541", "yellow": "#b8860b", "cyan": "#1f8a9e", "blue": "#4a7fd0", "green": "#3a9a5b"}


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> str:
    """An HTML table of text; everything in it is escaped. Numbers stand on the right, words on the left."""
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    caption = f'<caption style="text-align:left">{escape(title)}</caption>' if title else ""
    shown = f"<thead><tr>{head}</tr></thead>" if any(heads) else ""
    return f"<table>{caption}{shown}<tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    text = str(value)
    side = "right" if _NUMBER.fullmatch(text) else "left"
    return f'<td style="text-align:{side}">{escape(text)}</td>'


def facts(title: str, pairs: Iterable[tuple[str, object]]) -> str:
    """A title, and a table of two columns: what, and its value. Values that are empty are left out."""
    return heading(title) + table(("", ""), [(name, value) for name, value in pairs if str(value)])


def of(shown: Any) -> str:
    """What a notebook shows of one of our objects."""
    return shown._repr_html_()


def count(number: int, what: str) -> str:
    """A number of things: "1 finding", "2 findings"."""
    return f"{number} {what}{'s' * (number != 1)}"


def heading(text: str) -> str:
    """A line in bold."""
    return f"<div><b>{escape(text)}</b></div>"


def preformatted(text: str) -> str:
    """Text as it stands, in letters of one width."""
    return f"<pre>{escape(text)}</pre>"


def folded(summary: str, body: str) -> str:
    """HTML that a click shows. `summary` is text."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def styled(pieces: Iterable[tuple[str, str]]) -> str:
    """(text, style) pieces as the terminal has them, e.g. ("error", "bold red"), in letters of one width."""
    return f"<pre>{''.join(_piece(text, style.split()) for text, style in pieces)}</pre>"


def _piece(text: str, words: Sequence[str]) -> str:
    rules = [f"color:{_COLOURS[w]}" for w in words if w in _COLOURS]
    rules += ["font-weight:bold"] * ("bold" in words) + ["opacity:0.7"] * ("dim" in words)
    return f'<span style="{";".join(rules)}">{escape(text)}</span>' if rules else escape(text)
