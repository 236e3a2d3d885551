"""`ptxlab to-python`: a .ptx file as a program in the language that writes it again."""

from __future__ import annotations

import sys
from pathlib import Path

from ptxlab.diag import Diagnostic
from ptxlab.lang.to_python import to_python
from ptxlab.launch.module import read
from ptxlab.ptx.parser import parse


def main(file: Path, out: Path | None = None) -> int:
    """Print the program, or write it to a file.

    Returns: 0.

    Raises: Diagnostic PTX2500, PTX0002 for files that cannot be read or written, PTX2503 where the program would replace the
    PTX, PTX0xxx for errors of syntax. Nothing is written then.
    """
    made = to_python(parse(read(str(file)), str(file)))
    if out is None:
        sys.stdout.write(made)
        return 0
    if out.resolve() == file.resolve():
        raise Diagnostic("PTX2503", f"{out} is the PTX itself.")
    try:
        out.write_text(made, encoding="utf-8")
    except OSError as e:
        raise Diagnostic("PTX2500", f"{out} cannot be written: {e.strerror}.", help="choose another place") from None
    return 0
