"""A PTX text with its name: offsets become places."""

from __future__ import annotations

from bisect import bisect_right

from ptxlab.diag import Span

_QUOTED = 400
"""Characters of a line that a place takes along."""
_BEFORE = 150
"""Of them in front of what is marked, where that stands far to the right."""


class Source:
    """A text and its name; turns offsets into places."""

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self._starts: list[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """The place of text[start:end]; it ends with the line."""
        if self._starts is None:
            starts = [0]
            at = self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._starts = starts
        line = bisect_right(self._starts, start) - 1
        first = self._starts[line]
        last = self._starts[line + 1] - 1 if line + 1 < len(self._starts) else len(self.text)
        # A file of one gigantic line must not be quoted at full length in each diagnostic.
        column = start - first + 1
        skipped = column - _BEFORE if column > _QUOTED - _BEFORE else 0
        shown = self.text[first + skipped : min(last, first + skipped + _QUOTED)]
        end_column = max(column + 1, min(end, last) - first + 1)
        return Span(self.file, line + 1, column, end_column, shown, skipped)
