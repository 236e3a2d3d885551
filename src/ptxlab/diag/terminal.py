"""How text reaches people: colours where they are wanted, tables as wide as the terminal, or as they need where there is none."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleRenderable, Group, RenderHook
from rich.measure import Measurement
from rich.text import Text

if TYPE_CHECKING:
    from rich.table import Table

NARROW = 60
"""Columns below which a table that does not fit is written as one block a row."""


def colourless() -> bool:
    """Whether the user wants no escape codes at all (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """The terminal, or what stands in its place. Where NO_COLOR is set, nothing but text is written.

    `width`: columns; None for those that the terminal has. Without a terminal tables take the width they need, unless COLUMNS
    says how many there are.
    """
    made = _Console(stderr=stderr, force_terminal=False if colourless() else None, width=width)
    made.push_render_hook(_Narrow(made))
    return made


def needed(console: Console, table: Table) -> int:
    """Columns that a table takes where nothing is wrapped."""
    # rich never measures more than the console has: it is asked how a wide one would be filled
    return Measurement.get(console, console.options.update(width=10_000), table).maximum


class _Console(Console):
    """A console on which tables are not squeezed where nothing says how wide it is."""

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich's."""
        from rich.table import Table  # every import of ptxlab would pay for it

        if any(isinstance(o, Table) for o in objects) and not (self._width or self.file.isatty()):
            options["crop"] = False
            objects = tuple(self._whole(o) if isinstance(o, Table) else o for o in objects)
        super().print(*objects, **options)

    def _whole(self, table: Table) -> Table:
        made = copy.copy(table)
        made.width = needed(self, table)
        return made


class _Narrow(RenderHook):
    """Writes tables that a narrow terminal would crush as blocks."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def process_renderables(self, renderables: Sequence[ConsoleRenderable]) -> list[ConsoleRenderable]:
        if self._console.width >= NARROW:
            return list(renderables)
        from rich.table import Table  # every import of ptxlab would pay for it

        return [self._blocks(r) if isinstance(r, Table) and not self._fits(r) else r for r in renderables]

    def _fits(self, table: Table) -> bool:
        return table.width is not None or needed(self._console, table) <= self._console.width

    def _blocks(self, table: Table) -> Group:
        """Title, then for each row a line `header: cell` for each cell that is not empty; an empty line between rows.

        A cell without a header stands in front of the next one, which then needs none.
        """
        lines = [self._text(table.title)] if table.title else []
        heads = [self._text(c.header).plain.replace("-\n", "-").replace("\n", " ") for c in table.columns]
        for row in zip_longest(*(list(c.cells) for c in table.columns), fillvalue=""):
            lines.append(Text())
            front = Text()
            for head, cell in zip(heads, row, strict=True):
                shown = self._text(cell)
                if not head:
                    front = Text.assemble(front, shown, " ") if shown.plain.strip() else front
                elif shown.plain.strip():
                    lines.append(Text.assemble(front or (f"{head}: ", "bold"), shown))
                    front = Text()
            lines += [front] if front else []
        if table.caption:
            lines += [Text(), self._text(table.caption)]
        return Group(*lines)

    def _text(self, cell: object) -> Text:
        return cell.copy() if isinstance(cell, Text) else self._console.render_str(str(cell), highlight=False)
