"""The disk cache: bytes under a name that is a hash of what made them.

An entry is one file, written beside its place and renamed over it, so a reader sees all of it or none, whatever a
concurrent writer or a killed process does. Each holds the digest of its own content: a damaged one counts as absent.
Where no directory can be written (a read-only home, a full disk) entries live as long as the process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

VARIABLE: Final = "PTXLAB_CACHE_DIR"
LIMIT: Final = 1 << 30  # bytes of one kind of entries before the oldest go
_MAGIC: Final = b"ptxlab1\n"

_memory: dict[tuple[str, str], bytes] = {}
_pruned: set[Path] = set()


def key(*parts: str | bytes) -> str:
    """A name for what `parts` determine: 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


def directory(kind: str) -> Path | None:
    """The writable directory for entries of one kind, such as "cubin"; None where there is none."""
    root = _root(os.environ.get(VARIABLE, ""), os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", ""))
    if root is None:
        return None
    path = root / kind
    return path if _usable(path) else None


def read(kind: str, name: str) -> bytes | None:
    """The entry's bytes; None where there is none or it is damaged. Never raises OSError."""
    found = _memory.get((kind, name))
    if found is not None:
        return found
    folder = directory(kind)
    if folder is None:
        return None
    path = _path(folder, name)
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    head = len(_MAGIC) + 32
    if raw[: len(_MAGIC)] != _MAGIC or hashlib.sha256(raw[head:]).digest() != raw[len(_MAGIC) : head]:
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # pruning goes by the last use
    return raw[head:]


def write(kind: str, name: str, data: bytes) -> None:
    """Keep `data` under `name`. Never raises OSError: what cannot be written stays in memory."""
    folder = directory(kind)
    if folder is None or not _store(_path(folder, name), _MAGIC + hashlib.sha256(data).digest() + data):
        _memory[(kind, name)] = data
        return
    _prune(folder)


def atomic_write(path: Path, chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file so that it holds all of `chunks` or stays as it was. Raises OSError."""
    atomic_write_all({path: chunks})


def atomic_write_all(files: Mapping[Path, Iterable[bytes | memoryview]]) -> None:
    """Write files as `atomic_write` does; none is touched before the chunks of all are on disk. Raises OSError."""
    staged: dict[str, Path] = {}
    try:
        for path, chunks in files.items():
            handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:64]}.", suffix=".tmp", dir=path.parent)
            staged[temporary] = path
            with os.fdopen(handle, "wb") as out:
                for chunk in chunks:
                    out.write(chunk)
                out.flush()
                os.fsync(out.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
        for temporary, path in staged.items():
            os.replace(temporary, path)
    except BaseException:
        for temporary in staged:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise


def _path(folder: Path, name: str) -> Path:
    return folder / name[:2] / name[2:]


def _store(path: Path, data: bytes) -> bool:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(path, (data,))
    except OSError:
        return False
    return True


@lru_cache(maxsize=8)
def _root(chosen: str, xdg: str, home: str) -> Path | None:
    """The cache's root for these three environment variables."""
    if chosen:
        candidates = [Path(chosen)]
    else:
        usual = "Library/Caches" if sys.platform == "darwin" else ".cache"
        base = Path(xdg) if xdg else Path(home, usual) if home else Path()
        candidates = [base / "ptxlab"] if base.is_absolute() else []
        candidates.append(Path(tempfile.gettempdir(), f"ptxlab-{_user()}"))
    return next((path for path in candidates if _usable(path)), None)


def _usable(path: Path) -> bool:
    """Whether the directory is there, ours alone to write, and takes a file."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = path.stat()
        # The shared temporary directory may hold a folder of this name that somebody else made: entries are code.
        if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & stat.S_IWOTH):
            return False
        return os.access(path, os.R_OK | os.W_OK | os.X_OK)
    except OSError:
        return False


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


@lru_cache(maxsize=1)
def _umask() -> int:
    value = os.umask(0o077)
    os.umask(value)
    return value


def _prune(folder: Path) -> None:
    """Once a process: drop the entries longest unused while their sum exceeds the limit, and what killed writers left."""
    if folder in _pruned:
        return
    _pruned.add(folder)
    entries: list[tuple[float, int, Path]] = []
    for path in folder.glob("*/*"):
        with contextlib.suppress(OSError):
            info = path.stat()
            entries.append((info.st_mtime, info.st_size, path))
    total = sum(size for _, size, _ in entries)
    newest = max((when for when, _, _ in entries), default=0.0)
    for when, size, path in sorted(entries):
        abandoned = path.suffix == ".tmp" and when < newest - 3600
        if total > LIMIT or abandoned:
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size
