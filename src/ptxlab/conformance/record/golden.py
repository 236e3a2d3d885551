"""A record of what a GPU wrote: one compressed NumPy archive. A compact one holds digests where that is enough."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.record.chip import Chip
from ptxlab.diag import Diagnostic

DIGEST: Final = 8
"""Bytes of a digest."""
COMPACT: Final = Path(__file__).resolve().with_name("h100")
"""The package's own record of an H100: digests of all that a checkout's record holds, and a few random programs."""
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Golden(Chip):
    """Results by key, and where they come from.

    Attributes:
        seed: of the operands.
        results: bytes of the results by key.
        operands: CRC-32 of the operands by key, so that other operands are not taken for another meaning.
        digests: of results that are not held themselves, by key.
    """

    seed: int = 0
    results: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict[str, NDArray[np.uint8]])
    operands: Mapping[str, int] = field(default_factory=dict[str, int])
    digests: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def provenance(self) -> str:
        """One line that says where the results come from."""
        return f"{self.versions}, seed {self.seed}"

    @property
    def keys(self) -> list[str]:
        """Of all that it holds."""
        return [*self.results, *self.digests]

    def holds(self, key: str) -> bool:
        """Whether it has a result, or the digest of one."""
        return key in self.results or key in self.digests

    def same(self, key: str, ours: NDArray[np.uint8]) -> bool:
        """Whether a result has the bytes of the recorded one. Raises: KeyError where it holds none."""
        if key in self.digests:
            return digest(ours) == self.digests[key]
        return np.array_equal(self.results[key], ours)

    def part(self, keys: Iterable[str]) -> Golden:
        """What it has of some keys."""
        wanted = set(keys)
        results, digests, operands = (
            {k: v for k, v in held.items() if k in wanted} for held in (self.results, self.digests, self.operands)
        )
        return replace(self, results=results, digests=digests, operands=operands)


def crc(data: NDArray[np.uint8]) -> int:
    """CRC-32 of bytes."""
    return zlib.crc32(data.tobytes())


def digest(data: NDArray[np.uint8]) -> bytes:
    """The first bytes of the SHA-256 of bytes."""
    return hashlib.sha256(data.tobytes()).digest()[:DIGEST]


def write(golden: Golden, path: Path) -> None:
    """Write the record, whole or not at all. Raises: Diagnostic PTX2500 where the place cannot be written."""
    from ptxlab.abi.cache import atomic_write

    meta = {f.name: getattr(golden, f.name) for f in fields(Chip)} | {"seed": golden.seed, "version": _VERSION}
    parts = list(golden.results.values())
    out = io.BytesIO()
    np.savez_compressed(
        out,
        meta=_text(json.dumps(meta)),
        keys=_text("\n".join(golden.keys)),
        sizes=np.array([len(p) for p in parts], np.uint32),
        operands=np.array([golden.operands[k] for k in golden.keys], np.uint32),
        bytes=np.concatenate([np.zeros(0, np.uint8), *parts]),
        digests=_bytes(b"".join(golden.digests.values())),
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
            pieces = np.split(found["bytes"], ends[:-1]) if len(ends) else []
            operands = found["operands"].tolist()
            short = found["digests"].tobytes() if "digests" in found else b""  # older files have none
        if meta.pop("version") != _VERSION:
            raise ValueError("another version")
        results = dict(zip(keys, pieces, strict=False))
        left = [short[i : i + DIGEST] for i in range(0, len(short), DIGEST)]
        digests = dict(zip(keys[len(results) :], left, strict=True))
        operands = dict(zip(keys, operands, strict=True))
        return Golden(**meta, results=results, operands=operands, digests=digests)
    except (OSError, ValueError, TypeError, KeyError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as e:
        raise Diagnostic("PTX2500", f"{path} is no record of probes: {e}.", help="record it again on an H100") from None


def _text(text: str) -> NDArray[np.uint8]:
    return _bytes(text.encode())


def _bytes(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)
