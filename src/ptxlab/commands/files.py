"""The files that command lines name: `-` is standard input, and what is written appears as a whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from ptxlab.abi.cache import atomic_write
from ptxlab.diag import Diagnostic, allow_source
from ptxlab.diag.files import read_file, read_stream
from ptxlab.ptx.text import path_of, read, read_from

T = TypeVar("T")
STDIN: Final = Path("-")
STDIN_NAME: Final = "<stdin>"
"""What diagnostics call standard input."""


def text_of(file: Path) -> tuple[str, str]:
    """The PTX text of a file, or of standard input for `-`; and what diagnostics call it.

    Raises: Diagnostic PTX2500, PTX2504, PTX0002; PTX2316 for text in the place of a path.
    """
    if file == STDIN:
        return _from_stdin(lambda stream: read_from(stream, STDIN_NAME)), STDIN_NAME
    try:
        name = path_of(file)
    except Diagnostic as d:
        d.help = "name a file, or send the text to standard input and name -"
        raise
    return read(name), name


def allow_sources(folders: Iterable[Path] | None) -> None:
    """Let diagnostics show source lines from what --source-root names. Raises: Diagnostic PTX2501 for what is no folder."""
    for folder in folders or ():
        try:
            allow_source(folder)
        except (OSError, ValueError) as e:
            reason = (e.strerror if isinstance(e, OSError) else None) or str(e)
            raise Diagnostic("PTX2501", f"--source-root {folder}: {reason}.", help="name a folder") from None


def bytes_of(file: str, most: int) -> bytes:
    """The bytes of a file, or of standard input for `-`. Raises: Diagnostic PTX2500, PTX2504 for more than `most`."""
    if file == str(STDIN):
        return _from_stdin(lambda stream: read_stream(stream, STDIN_NAME, most))
    return read_file(file, most)


def _from_stdin(take: Callable[[BinaryIO], T]) -> T:
    try:
        return take(sys.stdin.buffer)
    except OSError as e:
        raise Diagnostic(
            "PTX2500", f"Standard input cannot be read: {e.strerror}.", help="send it a file: … < FILE"
        ) from None


def write_file(path: Path, data: bytes) -> None:
    """Write a file. It holds all of it or stays as it was; what is no regular file, such as a pipe, is written to directly.

    Raises: Diagnostic PTX2500.
    """
    try:
        target = Path(os.path.realpath(path))  # a link stays one
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
            return
        atomic_write(target, [data])
        if mode is not None:
            target.chmod(stat.S_IMODE(mode))
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be written: {e.strerror}.", help="choose another place") from None
