"""The source line that a diagnostic shows. PTX names any file in .file and .loc: it is opened only where that is safe.

What may be shown:

- Python files of the user's that run in this process, and the kernels that ship with ptxlab;
- files in the folder of the PTX that names them, or below it, where that PTX was itself read from a file;
- files in folders, or below them, that the user has allowed (`px.sources`, `--source-root`).

Of the last two, regular files only, of bounded size, none whose path leaves its folder by `..` or a link, and none that is hidden.
"""

from __future__ import annotations

import linecache
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from ptxlab.diag.span import Span, ran_here

MOST: Final = 8 << 20
"""Bytes of a source file."""

_folders: dict[str, str] = {}
"""Real folders of the PTX files that were read, by what they are called."""
_roots: dict[str, None] = {}
"""Real folders that the user has allowed."""


def read_ptx(name: str) -> None:
    """Take note that the user has named this PTX file: what lies beside it may be shown."""
    _folders[name] = os.path.realpath(os.path.dirname(os.path.abspath(name)))


def allow_source(folder: str | os.PathLike[str]) -> None:
    """Show source lines from a folder, too. Raises: OSError where it is none."""
    real = os.path.realpath(folder, strict=True)
    if not os.path.isdir(real):
        raise NotADirectoryError(20, "Not a directory", os.fspath(folder))
    _roots[real] = None


def allowed_sources() -> tuple[Path, ...]:
    """Folders that the user has allowed."""
    return tuple(map(Path, _roots))


def source_line(span: Span) -> str | None:
    """The text of a place, without its line break; None where it is not known, empty, or not to be opened."""
    if span.text is not None:
        text = span.text
    elif span.ptx is None and ran_here(span.file):
        text = linecache.getline(span.file, span.line)
    else:
        text = _found(span)
    text = text.rstrip("\r\n")
    return text if text.strip() else None


def source_lines(span: Span) -> Sequence[str]:
    """All lines of the file that a place is in; none where it is not to be opened."""
    if "\0" in span.file:
        return ()
    if ran_here(span.file):  # also the .loc of a kernel in Python
        return linecache.getlines(span.file)
    own = _folders.get(span.ptx) if span.ptx is not None else None
    found = map(_lines, _candidates(span.file, [own] if own is not None else [], _roots))
    return next((lines for lines in found if lines is not None), ())


def _found(span: Span) -> str:
    lines = source_lines(span)
    return lines[span.line - 1] if 1 <= span.line <= len(lines) else ""


def _candidates(file: str, own: Iterable[str], roots: Iterable[str]) -> Iterator[str]:
    """Real paths of a file as each folder would find it, of those that lie within that folder."""
    for folder in (*own, *roots):
        path = os.path.normpath(os.path.join(folder, file))
        if not _within(path, folder):
            continue  # not even looked at: it may lie on a network
        try:
            real = os.path.realpath(path, strict=True)
        except (OSError, ValueError):
            continue
        if _within(real, folder):
            yield real


def _within(path: str, folder: str) -> bool:
    """Whether a path lies in a folder, and no part of it below that is hidden: what is private often is."""
    inside = os.path.relpath(path, folder)
    return not any(part.startswith(".") for part in inside.split(os.sep)) and os.path.isabs(path)


def _lines(path: str) -> tuple[str, ...] | None:
    """The lines of a regular file of bounded size that holds text; None for anything else."""
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MOST:
            return None
        return _kept(path, info.st_ino, info.st_mtime_ns, info.st_size)
    except OSError:
        return None


@lru_cache(maxsize=8)
def _kept(path: str, inode: int, changed: int, size: int) -> tuple[str, ...] | None:
    """The same; kept while the file stays as it is. Raises: OSError."""
    # It may be another thing than a moment ago: a pipe is not waited for, a link is not followed.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode) or (info.st_ino, info.st_size) != (inode, size):
            return None
        raw = file.read(MOST + 1)
    if len(raw) > MOST or b"\0" in raw:
        return None
    return tuple(raw.decode("utf-8", "replace").split("\n"))
