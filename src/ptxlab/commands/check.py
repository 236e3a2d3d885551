"""`ptxlab check`: everything that is wrong in .ptx files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ptxlab.checks import check_tree
from ptxlab.checks.target import check_target
from ptxlab.commands.command import Command, Ignore, NoLints, SourceRoots, codes
from ptxlab.commands.files import STDIN, STDIN_NAME, allow_sources, text_of
from ptxlab.commands.formats import Format, FormatOption, write_document
from ptxlab.commands.shell import without_command
from ptxlab.diag import Diagnostic, Severity, console, show, visible
from ptxlab.isa import releases
from ptxlab.isa.targets import Release
from ptxlab.launch.python_file import SUFFIX, check_python
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.tree import Module


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is checked, and what is said of it."""

    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="PTX from anywhere, or Python with @px.kernel functions; - reads PTX"),
    ]
    target: Annotated[
        str | None, typer.Option(metavar="SM", help="check for this target, e.g. sm_90a, not for the file's own")
    ] = None
    ptxas: Annotated[
        str | None,
        typer.Option(metavar="RELEASE", help="check for this release of ptxas, e.g. 13.1, where they differ"),
    ] = None
    format: FormatOption = Format.TEXT
    no_lints: NoLints = False
    select: Annotated[
        list[str] | None, typer.Option(metavar="CODES", help="report these alone: PTX0212, or PTX50 for all such")
    ] = None
    ignore: Ignore = None
    source_root: SourceRoots = None


def main(options: Options) -> int:
    """Print all findings, each once, in the format asked for. A file that cannot be read is a finding of its own.

    Returns: 1 where one is an error, else 0.

    Raises: Diagnostic PTX2501 for a code, a target, a release of ptxas or a folder that does not exist.
    """
    if options.target is not None and check_target(Module(), options.target)[1]:
        raise Diagnostic("PTX2501", f"--target {options.target}: there is no such target.", help="write e.g. sm_90a")
    release = _release(options.ptxas)
    select, ignore = codes("--select", options.select), codes("--ignore", options.ignore)
    allow_sources(options.source_root)
    terminal, found = console(), list[Diagnostic]()
    for file in options.files:
        one, kernels = _checked(file, options, release)
        one = [
            d
            for d in dict.fromkeys(without_command(d) for d in one)
            if (not select or d.code.startswith(select)) and not (ignore and d.code.startswith(ignore))
        ]
        found += one
        if options.format is Format.TEXT:
            show(one)
            if kernels is not None:
                terminal.print(_summary(file, one, kernels), highlight=False, soft_wrap=True, markup=False)
    write_document(options.format, found)
    return 1 if any(d.severity is Severity.ERROR for d in found) else 0


def _release(text: str | None) -> Release | None:
    if text is None:
        return None
    try:
        return releases.parse(text)
    except ValueError as wrong:
        raise Diagnostic("PTX2501", f"--ptxas {text}: ptxlab does not know this release.", help=str(wrong)) from None


def _checked(file: Path, options: Options, release: Release | None) -> tuple[list[Diagnostic], int | None]:
    """What is found in a file, and how many kernels it has: None where it cannot be read."""
    if file.suffix == SUFFIX:
        return check_python(file, options.target, lints=not options.no_lints, ptxas=options.ptxas)
    try:
        text, name = text_of(file)
        module, found = parse_all(text, name)
    except Diagnostic as d:
        return d.told(), None
    more = check_tree(module, options.target, found, lints=not options.no_lints, release=release)
    return found + more, len(module.entries())


def _summary(file: Path, found: Sequence[Diagnostic], kernels: int) -> str:
    count = {s: sum(d.severity is s for d in found) for s in Severity}
    words = [
        _count(kernels, "kernel"),
        _count(count[Severity.ERROR], "error"),
        _count(count[Severity.WARNING], "warning"),
        *([_count(n, "lint")] if (n := count[Severity.LINT]) else []),
        *([_count(n, "note")] if (n := count[Severity.NOTE]) else []),
    ]
    return f"{visible(STDIN_NAME if file == STDIN else str(file))}: {', '.join(words)}"


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + ("s" if n != 1 else "")


COMMAND = Command(
    Options,
    main,
    "The status is 0 where all is well or merely warned of, 1 where there are errors, 2 where an option cannot be.",
)
