"""`[[tool.ptxlab.suppress]]` of pyproject.toml: codes that are suppressed in files and kernels, and why.

The file is the nearest pyproject.toml in the working directory or above it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from ptxlab.diag import CODES, Diagnostic, Span

FILE: Final = "pyproject.toml"
_MARK: Final = b"tool.ptxlab"
_HEADER: Final = re.compile(r"^\s*\[\[\s*tool\s*\.\s*ptxlab\s*\.\s*suppress\s*\]\]", re.MULTILINE)
_KEYS: Final = ("codes", "files", "kernels", "reason")


@dataclass(frozen=True, slots=True)
class Rule:
    """A table.

    Attributes:
        codes: of findings. files, kernels: patterns for files that findings name, and for names of kernels; empty: all.
        reason: why; "" where it is not said. place: of the table. folder: that of pyproject.toml.
    """

    codes: tuple[str, ...]
    files: tuple[str, ...]
    kernels: tuple[str, ...]
    reason: str
    place: Span
    folder: str

    def concerns(self, kernel: str) -> bool:
        """Whether it is for a kernel of this name."""
        return not self.kernels or any(fnmatch(kernel, pattern) for pattern in self.kernels)

    def names(self, files: Iterable[str]) -> bool:
        """Whether it is for one of these files."""
        return not self.files or any(fnmatch(self._short(file), pattern) for file in files for pattern in self.files)

    def _short(self, file: str) -> str:
        """A file as the patterns name it: from the folder of pyproject.toml on."""
        path = os.path.normpath(file)
        inside = path.removeprefix(os.path.join(self.folder, "")) if os.path.isabs(path) else path
        return inside.replace(os.sep, "/")


def rules_here() -> tuple[Rule, ...]:
    """The rules for launches of this process. Raises: Diagnostic PTX2501 for a table that is none."""
    for folder in _folders():
        path = os.path.join(folder, FILE)
        try:
            info = os.stat(path)
        except OSError:
            continue
        return _read(path, info.st_mtime_ns, info.st_size)
    return ()


def _folders() -> Iterator[str]:
    try:
        here = Path.cwd()
    except OSError:  # it has been deleted
        return
    yield from map(str, (here, *here.parents))


@lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> tuple[Rule, ...]:
    try:
        raw = Path(path).read_bytes()
    except OSError:
        return ()
    if _MARK not in raw:
        return ()
    import tomllib

    text = raw.decode("utf-8", "replace")
    try:
        found: Any = tomllib.loads(text).get("tool", {}).get("ptxlab", {})
    except tomllib.TOMLDecodeError as e:
        raise Diagnostic("PTX2501", f"{path} is not valid TOML: {e}.", help="correct the file") from None
    tables = found.get("suppress", []) if isinstance(found, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    lines = [text.count("\n", 0, m.end()) + 1 for m in _HEADER.finditer(text)]
    if not isinstance(tables, list):
        raise _wrong(Span(path, lines[0] if lines else 1), "`suppress` is no list of tables")
    entries = cast("list[Any]", tables)
    places = lines if len(lines) == len(entries) else [1] * len(entries)
    return tuple(_rule(table, Span(path, line)) for table, line in zip(entries, places, strict=True))


def _rule(table: Any, place: Span) -> Rule:
    if not isinstance(table, dict):
        raise _wrong(place, "an entry of `suppress` is no table")
    entries = cast("dict[str, Any]", table)
    unknown = next((key for key in entries if key not in _KEYS), None)
    if unknown is not None:
        raise _wrong(place, f"`{unknown}` is no key of a suppression")
    codes, files, kernels = (_words(entries, key, place) for key in _KEYS[:3])
    if not codes or not (files or kernels):
        raise _wrong(
            place, "a suppression names no codes" if not codes else "a suppression names no files and no kernels"
        )
    for code in codes:
        if not code.startswith("PTX9") or code not in CODES:
            raise _wrong(place, f"`{code}` is no code of a finding")
    reason = entries.get("reason", "")
    if not isinstance(reason, str):
        raise _wrong(place, "`reason` is no text")
    return Rule(codes, files, kernels, reason.strip(), place, os.path.dirname(place.file))


def _words(table: dict[str, Any], key: str, place: Span) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):  # pyright: ignore[reportUnknownVariableType]
        raise _wrong(place, f"`{key}` is no list of texts")
    return tuple(cast("list[str]", value))


def _wrong(place: Span, message: str) -> Diagnostic:
    return Diagnostic(
        "PTX2501",
        f"{place.shown}: {message}.",
        help='write e.g. codes = ["PTX9200"], kernels = ["copy_*"], files = ["kernels/*.ptx"], reason = "…"',
        origin=place,
    )


__all__ = ["Rule", "rules_here"]
