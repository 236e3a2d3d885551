"""Measurements as JSON lines: one object a line, so that a record grows and old ones stay."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ptxlab import __version__
from ptxlab.diag import Diagnostic


def append(path: str | os.PathLike[str], record: Mapping[str, Any]) -> None:
    """Add one line to the file, with the version of ptxlab; the file and its directory are made where they are missing.

    Raises: Diagnostic PTX2500 where the place cannot be written, PTX2501 for numbers that JSON does not have.
    """
    place = Path(path)
    try:
        line = json.dumps({**record, "ptxlab": __version__}, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError as e:
        raise Diagnostic("PTX2501", f"The measurement is no JSON: {e}.", help="a run failed; measure again") from None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # One write of one line in append mode: records of two processes never mix.
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            _append(handle, line.encode())
        finally:
            os.close(handle)
    except OSError as e:
        raise Diagnostic("PTX2500", f"{place} cannot be written: {e.strerror}.", help="choose another place") from None


def _append(handle: int, line: bytes) -> None:
    """Write all of a line; where the disk takes a part alone, take that back. Raises: OSError."""
    done = os.write(handle, line)
    if done < len(line):
        os.ftruncate(handle, max(0, os.fstat(handle).st_size - done))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """All records of a file, oldest first; none where there is no file.

    Raises: Diagnostic PTX2500 where it cannot be read, or a line is no record.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be read: {e.strerror}.", help="check the path") from None
    out: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            out.append(json.loads(line))
        except ValueError as e:
            raise Diagnostic("PTX2500", f"{path}, line {number}, is no JSON: {e}.", help="remove the line") from None
    return out
