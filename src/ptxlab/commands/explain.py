"""`ptxlab explain`: what stands behind a code, an opcode or an instruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ptxlab.commands.command import Command
from ptxlab.commands.files import STDIN, text_of
from ptxlab.commands.shell import write
from ptxlab.reference.explain import explain


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to explain: words, which are joined."""

    what: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT",
            help="a code (PTX0212), the cause of a hang (first-parity), opcode (cp.async), shape (mma.m16n8k16), an instruction "
            "in quotes, or - for standard input",
        ),
    ]


def main(options: Options) -> int:
    """Print the explanation.

    Returns: 0.

    Raises: Diagnostic PTX2501, PTX0001, PTX0100 to PTX0102 for what is neither code, opcode nor instruction.
    """
    what = text_of(STDIN)[0].strip() if options.what == [str(STDIN)] else " ".join(options.what)
    write(explain(what) + "\n")
    return 0


COMMAND = Command(Options, main, settings={"ignore_unknown_options": True})
