"""Diagnostics on the terminal, in colour where that is wanted."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from ptxlab.diag.model import Diagnostic
from ptxlab.diag.terminal import console
from ptxlab.diag.text import fragments


def show(found: Iterable[Diagnostic], out: Console | None = None) -> None:
    """Print diagnostics to the terminal (standard error unless a console is given)."""
    out = out or console(stderr=True)
    for d in found:
        out.print(Text.assemble(*fragments(d)), soft_wrap=True)
