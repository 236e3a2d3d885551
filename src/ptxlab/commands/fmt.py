"""`ptxlab fmt`: PTX in its canonical form."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ptxlab.commands.command import Command
from ptxlab.commands.files import STDIN, text_of, write_file
from ptxlab.commands.shell import write
from ptxlab.diag import Diagnostic
from ptxlab.ptx.format import formatted
from ptxlab.ptx.parser import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which files, and what becomes of their canonical form."""

    files: Annotated[list[Path], typer.Argument(metavar="FILE.ptx…", help="PTX from anywhere; - reads standard input")]
    check: Annotated[bool, typer.Option("--check", help="write nothing; status 1 where a file has another form")] = (
        False
    )
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="write the files themselves")] = False


def main(options: Options) -> int:
    """Print the canonical form of PTX files, write it back (`in_place`), or say whether they have it (`check`).

    Returns: 1 where a checked file has another form, else 0.

    Raises: Diagnostic PTX2500, PTX0002 for files that cannot be read or written, PTX0xxx for errors of syntax, PTX2501 for
    both options at once. Nothing is written then.
    """
    if options.check and options.in_place:
        raise Diagnostic("PTX2501", "--check writes nothing, and --in-place does.", help="give one of the two")
    if options.in_place and STDIN in options.files:
        raise Diagnostic("PTX2501", "--in-place cannot write standard input.", help="leave --in-place out")
    texts = {file: text_of(file) for file in options.files}
    made = {file: formatted(parse(text, name)) for file, (text, name) in texts.items()}
    if options.check:
        return max([_compared(name, text, made[file]) for file, (text, name) in texts.items()])
    for file, (text, _) in texts.items():
        if not options.in_place:
            write(made[file])
        elif made[file] != text:
            write_file(file, made[file].encode())
    return 0


def _compared(name: str, have: str, want: str) -> int:
    if have == want:
        return 0
    lines = difflib.unified_diff(have.splitlines(True), want.splitlines(True), name, f"{name} (canonical)", n=1)
    write("".join(line if line.endswith("\n") else line + "\n" for line in lines))
    return 1


COMMAND = Command(Options, main)
