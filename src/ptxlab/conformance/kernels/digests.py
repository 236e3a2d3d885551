"""The record of what an H100 wrote: one SHA-256 digest for each case, checksums of its bands, and where it came from."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.record.chip import Chip
from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    import numpy as np

RECORD: Final = Path(__file__).with_name("digests_h100.json")
BANDS: Final = 8
"""Bands of rows, and of columns, that an output is cut into to say where it differs."""


@dataclass(frozen=True, slots=True)
class Record(Chip):
    """Digests by case, and where they come from.

    Attributes:
        digests: SHA-256 of the output's bytes in hexadecimal, by the key of the case.
        bands: what `bands` makes of the same bytes, by the same keys.
    """

    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    bands: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def provenance(self) -> str:
        """One line that says where the digests come from."""
        return self.versions if self.digests else "nothing recorded yet"

    def difference(self, key: str, array: np.ndarray) -> str:
        """Empty where the array has the recorded bytes; else where it differs, by rows and columns. Raises KeyError."""
        found, recorded = digest(array), self.digests[key]
        if found == recorded:
            return ""
        return f"digest {found[:16]}…, recorded {recorded[:16]}…{self._where(key, array)}"

    def _where(self, key: str, array: np.ndarray) -> str:
        if key not in self.bands:
            return ""
        recorded, found = (text.split("/") for text in (self.bands[key], bands(array)))
        if list(map(len, recorded)) != list(map(len, found)):
            return f": the output has another shape than the recorded one, {array.shape}"
        sides = zip(("rows", "columns"), _matrix(array).shape, recorded, found, strict=True)
        return ": it differs in " + ", ".join(f"{name} {_ranges(n, old, new)}" for name, n, old, new in sides)


def digest(array: np.ndarray) -> str:
    """SHA-256 of the array's bytes in C order, in hexadecimal."""
    return hashlib.sha256(array.tobytes()).hexdigest()


def bands(array: np.ndarray) -> str:
    """CRC-32 of up to 8 bands of rows and of columns, eight hexadecimal digits each: rows, a slash, columns.

    Columns are those of the last dimension, rows all others together. Bands are as `_cut` has them.
    """
    matrix = _matrix(array)
    rows = (matrix[a:b] for a, b in _cut(matrix.shape[0]))
    columns = (matrix[:, a:b] for a, b in _cut(matrix.shape[1]))
    return "/".join("".join(f"{zlib.crc32(part.tobytes()):08x}" for part in side) for side in (rows, columns))


def _matrix(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1, array.shape[-1]) if array.ndim and array.size else array.reshape(1, -1)


def _cut(extent: int) -> list[tuple[int, int]]:
    """The bands of an extent: begin and end of each, none empty."""
    ends = [extent * i // BANDS for i in range(BANDS + 1)]
    return [(a, b) for a, b in pairwise(ends) if a < b]


def _ranges(extent: int, recorded: str, found: str) -> str:
    """Which bands differ, as ranges that are joined where they touch."""
    out: list[tuple[int, int]] = []
    for (begin, end), old, new in zip(_cut(extent), _words(recorded), _words(found), strict=True):
        if old != new:
            joins = bool(out) and out[-1][1] == begin
            out[-1:] = [(out[-1][0], end)] if joins else [*out[-1:], (begin, end)]
    return ", ".join(f"{a}–{b - 1}" if b - a > 1 else str(a) for a, b in out)


def _words(text: str) -> Iterator[str]:
    return (text[i : i + 8] for i in range(0, len(text), 8))


def read(path: Path = RECORD) -> Record:
    """The record; an empty one where there is no file.

    Raises: Diagnostic PTX2500 for a file that cannot be read or is no record.
    """
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        return Record(**found)
    except FileNotFoundError:
        return Record()
    except (OSError, ValueError, TypeError) as e:
        raise Diagnostic(
            "PTX2500", f"{path} is no record of digests: {e}.", help="record it again on an H100"
        ) from None


def write(record: Record, path: Path = RECORD) -> None:
    """Write the record, whole or not at all.

    Raises: Diagnostic PTX2500 where the place cannot be written.
    """
    from ptxlab.abi.cache import atomic_write

    try:
        atomic_write(path, ((json.dumps(asdict(record), indent=1, sort_keys=False) + "\n").encode(),))
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be written: {e.strerror}.", help="choose another place") from None
