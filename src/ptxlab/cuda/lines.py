"""From a line of PTX text to its place and to the source line that it came from."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Final

from ptxlab.diag import Span

_TABLE: Final = re.compile(r"^\s*\.(?:loc|file)\b")
_LOC: Final = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_FILE: Final = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOG_LINE: Final = re.compile(r"(?m)^(ptxas\S* .*?(?:, |in |around )line )(\d+)\b")


class LineMap:
    """The lines of one PTX text.

    Args:
        text: the module.
        file: what places call it.
        origin: gives the Python line behind a PTX line (counted from 1), or None; without it the text's .loc lines answer.
    """

    def __init__(self, text: str, file: str, origin: Callable[[int], Span | None] | None = None) -> None:
        self.file = file
        self._lines = text.split("\n")
        self._origin = origin

    @cached_property
    def stripped(self) -> str:
        """The text without line tables: the same program, whatever file it was written in."""
        return "\n".join(line for line in self._lines if not _TABLE.match(line))

    @cached_property
    def kept(self) -> list[int]:
        """Line numbers of the text that `stripped` keeps."""
        return [i for i, line in enumerate(self._lines, 1) if not _TABLE.match(line)]

    def strip_log(self, log: str) -> str:
        """ptxas's words with line numbers of `stripped`, so that they can be kept with it."""
        index = {line: i for i, line in enumerate(self.kept, 1)}
        return _LOG_LINE.sub(lambda m: f"{m[1]}{index.get(int(m[2]), 0)}", log)

    def restore_log(self, log: str) -> str:
        """The reverse of `strip_log`."""

        def restored(m: re.Match[str]) -> str:
            at = int(m[2])
            return f"{m[1]}{self.kept[at - 1] if 0 < at <= len(self.kept) else 0}"

        return _LOG_LINE.sub(restored, log)

    def find(self, words: str) -> int:
        """The first line (from 1) that has these words outside a comment; 0 where none does."""
        return next((i for i, line in enumerate(self._lines, 1) if words in line.partition("//")[0]), 0)

    def place(self, line: int) -> tuple[Span | None, Span | None]:
        """Place in the PTX text and in the source; (None, None) for line 0."""
        if not 0 < line <= len(self._lines):
            return None, None
        span = Span(self.file, line, text=self._lines[line - 1][:400])
        return span, self._origin(line) if self._origin is not None else self._from_loc(line)

    def _from_loc(self, line: int) -> Span | None:
        for at in range(line - 1, -1, -1):
            row = self._lines[at]
            found = _LOC.match(row)
            if found:
                name = self._files.get(int(found[1]))
                return Span(name, int(found[2]), ptx=self.file) if name and int(found[2]) else None
            if row.startswith("}") or ".entry" in row or ".func" in row:
                return None  # the line belongs to a function that says nothing of its source
        return None

    @cached_property
    def _files(self) -> dict[int, str]:
        return {int(m[1]): m[2] for m in map(_FILE.match, self._lines) if m}
