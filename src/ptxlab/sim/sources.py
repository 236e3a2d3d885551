"""Where the instructions of a program come from: lines of the PTX text, and of the Python or C++ that it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ptxlab.diag import Span
from ptxlab.ptx import tree
from ptxlab.ptx.program import Op


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
            at: list[Span | None] = [None]
            yield from _within(function.body.items, files, at)


def _within(
    items: Iterable[tree.Item], files: dict[int, str], at: list[Span | None]
) -> Iterator[tuple[tree.Instruction, Span | None]]:
    for item in items:
        if isinstance(item, tree.Loc):
            at[0] = Span(files.get(item.file, "?"), item.line) if item.line else None
        elif isinstance(item, tree.Instruction):
            yield item, at[0]
        elif isinstance(item, tree.Block):
            yield from _within(item.items, files, at)


def same_file(known: str, wanted: str) -> bool:
    """Whether a file is the one that somebody names by the last parts of its path."""
    parts = PurePath(wanted).parts
    return PurePath(known).parts[-len(parts) :] == parts
