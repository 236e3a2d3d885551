"""`ptxlab fmt`: PTX in its canonical form."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

from ptxlab.diag import Diagnostic
from ptxlab.launch.module import read
from ptxlab.ptx.format import formatted
from ptxlab.ptx.parser import parse


def main(files: list[Path], check: bool = False, in_place: bool = False) -> int:
    """Print the canonical form of PTX files, write it back (`in_place`), or say whether they have it (`check`).

    Returns: 1 where a checked file has another form, else 0.

    Raises: Diagnostic PTX2500, PTX0002 for files that cannot be read or written, PTX0xxx for errors of syntax, PTX2501 for
    both options at once. Nothing is written then.
    """
    if check and in_place:
        raise Diagnostic("PTX2501", "--check writes nothing, and --in-place does.", help="give one of the two")
    texts = {file: read(str(file)) for file in files}
    made = {file: formatted(parse(text, str(file))) for file, text in texts.items()}
    if check:
        return max([_compared(file, texts[file], made[file]) for file in files], default=0)
    for file in files:
        if not in_place:
            sys.stdout.write(made[file])
        elif made[file] != texts[file]:
            _write(file, made[file])
    return 0


def _compared(file: Path, have: str, want: str) -> int:
    if have == want:
        return 0
    lines = difflib.unified_diff(have.splitlines(True), want.splitlines(True), str(file), f"{file} (canonical)", n=1)
    sys.stdout.writelines(line if line.endswith("\n") else line + "\n" for line in lines)
    return 1


def _write(file: Path, text: str) -> None:
    """Replace a file in one step, so that a killed process leaves one of the two texts."""
    part = file.with_name(file.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(file)
    except OSError as e:
        part.unlink(missing_ok=True)
        raise Diagnostic("PTX2500", f"{file} cannot be written: {e.strerror}.", help="check its permissions") from None
