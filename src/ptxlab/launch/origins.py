"""From lines of printed PTX back to the Python lines behind the nodes that were printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ptxlab.diag import Span
from ptxlab.ptx import tree


def instructions(module: tree.Module) -> Iterator[tree.Instruction]:
    """All instructions of all functions, in the order of the text."""
    for function in module.functions():
        if function.body is not None:
            yield from _within(function.body.items)


def _within(items: Iterable[tree.Item]) -> Iterator[tree.Instruction]:
    for item in items:
        if isinstance(item, tree.Instruction):
            yield item
        elif isinstance(item, tree.Block):
            yield from _within(item.items)


class Origins:
    """The Python line behind a line of `text`, which is `module` printed. The text is parsed only when somebody asks."""

    def __init__(self, module: tree.Module, text: str) -> None:
        self._module, self._text = module, text

    def __call__(self, line: int) -> Span | None:
        """The Python line behind PTX line `line` (from 1); None where no Python made it."""
        return self._table.get(line)

    @cached_property
    def _table(self) -> dict[int, Span]:
        from ptxlab.ptx.parser import parse

        made = list(instructions(self._module))
        if not any(i.origin for i in made):
            return {}
        out: dict[int, Span] = {}
        for source, printed in zip(made, instructions(parse(self._text)), strict=True):
            if source.origin is not None and printed.span is not None:
                out[printed.span.line] = source.origin
        return out
