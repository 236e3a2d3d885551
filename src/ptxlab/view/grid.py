"""A grid of small cells with texts, and what its rows and columns are called: fragments, metadata, swizzled tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from ptxlab.diag.svg import COLOURS, GREY, INK, box, svg, text, tint

ROW = 22


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell says, the number of its colour, and whether it has a frame."""

    text: str
    colour: int
    framed: bool = False


@dataclass(frozen=True, slots=True)
class Heads:
    """What the rows or the columns are called, and of what that holds ("16 bits")."""

    what: str
    names: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A grid and all around it. `right` and `below` say how it goes on, in a box with a dashed line."""

    cells: Sequence[Sequence[Cell]]
    rows: Sequence[Heads]
    columns: Sequence[Heads]
    right: str = ""
    below: str = ""
    width: int = 52
    notes: Sequence[str] = field(default_factory=tuple[str, ...])

    def drawn(self, title: str, description: str) -> str:
        parts, high, wide = self.parts(10, 8)
        return svg(wide + 20, high + 16, title, parts, description=description)

    def parts(self, left: int, top: int) -> tuple[list[str], int, int]:
        """The parts, and the height and width that they take."""
        aside = max((_width(Heads(h.what, [])) for h in self.columns if h.what), default=0)
        x0 = left + max(aside, sum(_width(h) for h in self.rows))
        y0 = top + 17 * len(self.columns) + (20 if any(heads.what for heads in self.rows) else 4)
        high, wide = ROW * len(self.cells), self.width * len(self.cells[0])
        parts = [*self._columns(x0, top), *self._rows(x0, y0), *self._boxes(x0, y0), *self._texts(x0, y0)]
        x1, y1 = x0 + wide, y0 + high
        if self.right:
            longest = max(len(word) for word in self.right.split("\n"))
            parts += _more(x1 + 6, y0, 16 + 7 * longest, high, self.right)
            x1 += 22 + 7 * longest
        if self.below:
            parts += _more(x0, y1 + 6, wide, 28, self.below)
            y1 += 36
        for note in self.notes:
            y1 += 18
            parts.append(text(x0, y1, note, size=12))
        return parts, y1 - top, max(x1, x0 + 7 * max(map(len, self.notes), default=0)) - left

    def _columns(self, x0: int, top: int) -> list[str]:
        parts: list[str] = []
        for i, heads in enumerate(self.columns):
            y = top + 12 + 17 * i
            if heads.what:
                parts.append(text(x0 - 8, y, heads.what, size=11, anchor="end"))
            parts += [
                text(x0 + self.width * (j + 0.5), y, name, size=11, anchor="middle")
                for j, name in enumerate(heads.names)
            ]
        return parts

    def _rows(self, x0: int, y0: int) -> list[str]:
        parts: list[str] = []
        for heads in reversed(self.rows):
            if heads.what:
                parts.append(text(x0 - 8, y0 - 6, heads.what, size=11, anchor="end"))
            parts += [
                text(x0 - 8, y0 + ROW * i + 15, name, size=11, anchor="end") for i, name in enumerate(heads.names)
            ]
            x0 -= _width(heads)
        return parts

    def _boxes(self, x0: int, y0: int) -> list[str]:
        places: dict[int, list[str]] = {}
        framed: list[str] = []
        for i, row in enumerate(self.cells):
            for j, one in enumerate(row):
                x, y = x0 + self.width * j, y0 + ROW * i
                places.setdefault(one.colour, []).append(f"M{x} {y}h{self.width}v{ROW}h-{self.width}z")
                if one.framed:
                    framed.append(f"M{x + 1} {y + 1}h{self.width - 2}v{ROW - 2}h-{self.width - 2}z")
        parts = [
            f'<path d="{"".join(found)}" fill="{tint(COLOURS[colour % len(COLOURS)])}" stroke="{GREY}" stroke-width="0.6"/>'
            for colour, found in sorted(places.items())
        ]
        if framed:
            parts.append(f'<path d="{"".join(framed)}" fill="none" stroke="{INK}" stroke-width="2"/>')
        return parts

    def _texts(self, x0: int, y0: int) -> list[str]:
        found = [
            f'<text x="{x0 + self.width * j + self.width // 2}" y="{y0 + ROW * i + 15}">{escape(one.text)}</text>'
            for i, row in enumerate(self.cells)
            for j, one in enumerate(row)
            if one.text
        ]
        return [f'<g font-size="11" text-anchor="middle" fill="{INK}">', *found, "</g>"]


def _width(heads: Heads) -> int:
    return 14 + 7 * max(len(name) for name in (heads.what, *heads.names))


def _more(x: int, y: int, width: int, height: int, what: str) -> list[str]:
    """A box with a dashed line: here the grid goes on."""
    lines = what.split("\n")
    top = y + height / 2 + 4 - 8 * (len(lines) - 1)
    words = [text(x + width / 2, top + 16 * i, word, size=12, anchor="middle") for i, word in enumerate(lines)]
    return [box(x, y, width, height, dashed=True), *words]
