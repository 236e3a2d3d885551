"""Tables for people: rich's on a terminal, text where Python prints one, HTML in a notebook."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection
from typing import Any

import rich.table
from rich.console import Console

from ptxlab.diag import html
from ptxlab.diag.terminal import needed


class Table(rich.table.Table):
    """A table that shows itself: by `print`, at Python's prompt, in a notebook, and in colour by rich's `print`.

    Example:
        @px.kernel(threads=32)
        def fill(k, y: px.Ptr[px.u32]):
            k.st.global_.u32(y[k.tid.x], 1)

        report = px.simulate(fill, grid=1, args=[np.zeros(32, np.uint32)], stats=True)
        print("st.global.u32" in str(report.stats.table()))  # True
    """

    def __str__(self) -> str:
        out = io.StringIO()
        console = Console(file=out, color_system=None, force_terminal=False)
        console.width = Console().width if sys.stdout.isatty() else needed(console, self)
        console.print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        heads = [_plain(c.header).replace("-\n", "").replace("\n", " ") for c in self.columns]
        rows = zip(*([_plain(cell) for cell in c.cells] for c in self.columns), strict=True)
        below = html.heading(_plain(self.caption)) if self.caption else ""
        return html.table(heads, rows, _plain(self.title or "")) + below

    def _repr_mimebundle_(
        self, include: Collection[str] = (), exclude: Collection[str] = (), **_: Any
    ) -> dict[str, str]:
        """What a notebook shows, in place of rich's."""
        bundle = {"text/plain": str(self), "text/html": self._repr_html_()}
        return {
            kind: data
            for kind, data in bundle.items()
            if (not include or kind in include) and kind not in (exclude or ())
        }


def _plain(cell: object) -> str:
    """A cell as text without its style."""
    from rich.text import Text

    return cell.plain if isinstance(cell, Text) else Text.from_markup(str(cell)).plain


__all__ = ["Table"]
