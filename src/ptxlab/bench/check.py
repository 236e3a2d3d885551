"""`ptxlab check`: everything that is wrong in a .ptx file."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ptxlab.diag import Diagnostic, Severity, show
from ptxlab.launch.module import Module, load


def findings(module: Module) -> list[Diagnostic]:
    """What is wrong in the module's kernels: rules, targets and versions, names. The same finding comes once."""
    out: dict[Diagnostic, None] = {}
    for entry in module.entries:
        try:
            module.program(entry)
        except Diagnostic as d:
            out.update(dict.fromkeys((d, *d.also)))
    return list(out)


def main(file: Path, console: Console | None = None) -> int:
    """Print all findings. Returns: 1 where one is an error, else 0.

    Raises: Diagnostic PTX2500, PTX0002 and PTX0xxx where the file cannot be read as PTX.
    """
    console = console or Console()
    module = load(file)
    found = findings(module)
    show(found)
    errors = sum(d.severity is Severity.ERROR for d in found)
    kernels = f"{len(module.entries)} kernel{'s' if len(module.entries) != 1 else ''}"
    console.print(f"{file}: {kernels}, {errors} error{'s' if errors != 1 else ''}", highlight=False, soft_wrap=True)
    return 1 if errors else 0
