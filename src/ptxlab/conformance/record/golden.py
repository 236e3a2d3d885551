"""A record of what a GPU wrote for every probe: one compressed NumPy archive."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.record.chip import Chip
from ptxlab.diag import Diagnostic

_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Golden(Chip):
    """Results by key, and where they come from.

    Attributes:
        seed: of the operands.
        results: bytes of the results by key.
        operands: CRC-32 of the operands by key, so that other operands are not taken for another meaning.
    """

    seed: int = 0
    results: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict[str, NDArray[np.uint8]])
    operands: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def provenance(self) -> str:
        """One line that says where the results come from."""
        return f"{self.versions}, seed {self.seed}"


def crc(data: NDArray[np.uint8]) -> int:
    """CRC-32 of bytes."""
    return zlib.crc32(data.tobytes())


def write(golden: Golden, path: Path) -> None:
    """Write the record, whole or not at all. Raises: Diagnostic PTX2500 where the place cannot be written."""
    from ptxlab.abi.cache import atomic_write

    keys = list(golden.results)
    meta = {k: v for k, v in asdict(golden).items() if k not in ("results", "operands")} | {"version": _VERSION}
    parts = [golden.results[k] for k in keys]
    out = io.BytesIO()
    np.savez_compressed(
        out,
        meta=_text(json.dumps(meta)),
        keys=_text("\n".join(keys)),
        sizes=np.array([len(p) for p in parts], np.uint32),
        operands=np.array([golden.operands[k] for k in keys], np.uint32),
        bytes=np.concatenate(parts),
    )
    try:
        atomic_write(path, (out.getvalue(),))
    except OSError as e:
        raise Diagnostic("PTX2500", f"{path} cannot be written: {e.strerror}.", help="choose another place") from None


def read(path: Path) -> Golden:
    """A record. Raises: Diagnostic PTX2500 for a file that cannot be read or is none."""
    try:
        with np.load(path, allow_pickle=False) as found:
            meta: dict[str, Any] = json.loads(found["meta"].tobytes())
            keys = found["keys"].tobytes().decode().split("\n")
            ends = np.cumsum(found["sizes"].astype(np.int64))
            pieces = np.split(found["bytes"], ends[:-1])
            operands = found["operands"].tolist()
        if meta.pop("version") != _VERSION:
            raise ValueError("another version")
        results = dict(zip(keys, pieces, strict=True))
        return Golden(**meta, results=results, operands=dict(zip(keys, operands, strict=True)))
    except (OSError, ValueError, TypeError, KeyError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as e:
        raise Diagnostic("PTX2500", f"{path} is no record of probes: {e}.", help="record it again on an H100") from None


def _text(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)
