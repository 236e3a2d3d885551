"""`ptxlab to-python`: a .ptx file as a program in the language that writes it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ptxlab.commands.command import Command
from ptxlab.commands.files import text_of, write_file
from ptxlab.commands.shell import write
from ptxlab.diag import Diagnostic
from ptxlab.lang.to_python import to_python
from ptxlab.ptx.parser import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which file, and where the program goes; None: to standard output."""

    file: Annotated[Path, typer.Argument(metavar="FILE.ptx", help="PTX from anywhere; - reads standard input")]
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE.py", help="write it there")] = None


def main(options: Options) -> int:
    """Print the program, or write it to a file.

    Returns: 0.

    Raises: Diagnostic PTX2500, PTX0002 for files that cannot be read or written, PTX2503 where the program would replace the
    PTX, PTX0xxx for errors of syntax. Nothing is written then.
    """
    text, name = text_of(options.file)
    made = to_python(parse(text, name))
    if options.out is None:
        write(made)
        return 0
    if options.out.resolve() == options.file.resolve():
        raise Diagnostic("PTX2503", f"{options.out} is the PTX itself.")
    write_file(options.out, made.encode())
    return 0


COMMAND = Command(Options, main)
