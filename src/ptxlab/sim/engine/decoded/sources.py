"""Where the instructions of a program come from: lines of the PTX text, and of the Python or C++ that it was made from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ptxlab.diag import Span
from ptxlab.ptx import tree
from ptxlab.ptx.program import Op

_MOST_CALLS = 8
"""Inlined calls that are kept of one place, so that a hostile text does not make a chain of any length."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where an instruction comes from: its line of the PTX text, and the source line behind it, if any is known."""

    line: int
    origin: Span | None


def sources(module: tree.Module, ops: Sequence[Op]) -> list[Source]:
    """The source of each instruction. Where Python made it, its origin is that line, else what .loc says.

    Lines are those of `str(module)`; for text that was parsed, these are its own.
    """
    nodes = list(_marked(module))
    lines = [n.span.line for n, _ in nodes if n.span is not None]
    if len(lines) < len(nodes):
        lines = _printed_lines(module)
    known = {id(n): Source(line, n.origin or at) for (n, at), line in zip(nodes, lines, strict=True)}
    nowhere = Source(0, None)
    return [known.get(id(op.node), nowhere) for op in ops]


def _printed_lines(module: tree.Module) -> list[int]:
    from ptxlab.ptx.parser import parse

    return [n.span.line for n, _ in _marked(parse(str(module))) if n.span is not None]


def _marked(module: tree.Module) -> Iterator[tuple[tree.Instruction, Span | None]]:
    """All instructions in the order of the text, each with the place that .loc gives it."""
    files = {item.index: item.name for item in module.items if isinstance(item, tree.File)}
    for function in module.functions():
        if function.body is not None:
            yield from _within(function.body.items, _Place(files))


def _within(items: Iterable[tree.Item], at: _Place) -> Iterator[tuple[tree.Instruction, Span | None]]:
    for item in items:
        at.reach(item)
        if isinstance(item, tree.Loc):
            at.move(item)
        elif isinstance(item, tree.Instruction):
            yield item, at.span
        elif isinstance(item, tree.Block):
            yield from _within(item.items, at)


class _Place:
    """The source line at hand, while a text is walked.

    Inside inline assembly LLVM counts the lines of the assembly on, beginning at the source line that it stands in; all of it
    belongs to that line.
    """

    BEGIN, END = "// begin inline asm", "// end inline asm"

    def __init__(self, files: dict[int, str]) -> None:
        self.span: Span | None = None
        self._files, self._end, self._inline = files, 0, False
        self._named: dict[tuple[int, int, int], Span] = {}

    def reach(self, item: tree.Item) -> None:
        """Go on to an item; comments in front of it tell where inline assembly begins and ends."""
        if item.source is not None:
            between = item.source.text[self._end : item.start] if item.start > self._end > 0 else ""
            began, ended = between.rfind(self.BEGIN), between.rfind(self.END)
            self._inline = began > ended if began != ended else self._inline
            self._end = item.start if isinstance(item, tree.Block) else item.end

    def move(self, loc: tree.Loc) -> None:
        """What a .loc says."""
        if not self._inline:
            ptx = loc.source.file if loc.source is not None else None
            self.span = Span(self._files.get(loc.file, "?"), loc.line, ptx=ptx) if loc.line else None
            self._inlined(loc)

    def _inlined(self, loc: tree.Loc) -> None:
        """Note where the function at hand was inlined: at a place that an earlier .loc has named."""
        if self.span is None:
            return
        call = self._named.get(loc.inlined_at) if loc.inlined_at is not None else None
        if call is not None and len(call.calls) < _MOST_CALLS:
            self.span = dataclasses.replace(self.span, within=call)
        self._named[loc.file, loc.line, loc.column] = self.span


def same_file(known: str, wanted: str) -> bool:
    """Whether a file is the one that somebody names by the last parts of its path."""
    parts = PurePath(wanted).parts
    return PurePath(known).parts[-len(parts) :] == parts
