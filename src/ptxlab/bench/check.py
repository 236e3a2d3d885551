"""`ptxlab check`: everything that is wrong in a .ptx file."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ptxlab.check import check
from ptxlab.diag import Severity, show
from ptxlab.launch.module import read
from ptxlab.ptx.parser import parse_all


def main(file: Path, target: str | None = None, console: Console | None = None) -> int:
    """Print all findings, each once; `target` instead of the module's own, e.g. "sm_90a".

    Returns: 1 where one is an error, else 0.

    Raises: Diagnostic PTX2500, PTX0002 where the file cannot be read as text.
    """
    console = console or Console()
    module, wrong = parse_all(read(str(file)), str(file))
    found = list(dict.fromkeys([*wrong, *check(module, target)]))
    show(found)
    errors = sum(d.severity is Severity.ERROR for d in found)
    kernels = len(module.entries())
    console.print(
        f"{file}: {_count(kernels, 'kernel')}, {_count(errors, 'error')}, {_count(len(found) - errors, 'warning')}",
        highlight=False,
        soft_wrap=True,
    )
    return 1 if errors else 0


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + ("s" if n != 1 else "")
