"""The disk cache survives concurrent writers, killed processes, damage and homes that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ptxlab.abi import cache


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_memory", {})
    monkeypatch.setattr(cache, "_pruned", set())


def files(root: Path) -> list[Path]:
    return sorted(p for p in root.rglob("*") if p.is_file())


def test_keys_keep_their_parts_apart() -> None:
    assert cache.key("ab", "c") != cache.key("a", "bc")
    assert cache.key("a", "b") == cache.key("a", b"b")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    name = cache.key("x")
    assert cache.read("cubin", name) is None
    cache.write("cubin", name, b"\0data")
    assert cache.read("cubin", name) == b"\0data"
    assert cache.read("handlers", name) is None
    assert [p.is_relative_to(tmp_path / "cache" / "cubin") for p in files(tmp_path)] == [True]


@pytest.mark.parametrize("damage", [b"", b"ptxlab1\n", b"garbage" * 20])
def test_damaged_entries_are_absent_and_go_away(tmp_path: Path, damage: bytes) -> None:
    name = cache.key("x")
    cache.write("cubin", name, b"data" * 100)
    [path] = files(tmp_path)
    path.write_bytes(damage)
    assert cache.read("cubin", name) is None
    assert files(tmp_path) == []
    cache.write("cubin", name, b"again")
    assert cache.read("cubin", name) == b"again"


def test_truncated_entry_is_absent(tmp_path: Path) -> None:
    name = cache.key("x")
    cache.write("cubin", name, b"data" * 100)
    [path] = files(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.read("cubin", name) is None


WRITER = """
import sys
from ptxlab.abi import cache
name = cache.key("shared")
for i in range(60):
    cache.write("cubin", name, bytes([int(sys.argv[1])]) * 200_000)
    got = cache.read("cubin", name)
    assert got is None or (len(got) == 200_000 and len(set(got)) == 1), "torn entry"
"""


def test_concurrent_writers_never_tear_an_entry(tmp_path: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(i)], env=os.environ) for i in (1, 2, 3)]
    assert [p.wait(120) for p in running] == [0, 0, 0]
    kept = cache.read("cubin", cache.key("shared"))
    assert kept is not None
    assert len(kept) == 200_000
    assert len(files(tmp_path)) == 1


def test_killed_writer_leaves_no_entry(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from ptxlab.abi import cache
def chunks():
    yield b"half"
    os.kill(os.getpid(), 9)
folder = cache.directory("cubin")
(folder / "ab").mkdir()
cache.atomic_write(folder / "ab" / "cd", chunks())
"""
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == -9
    assert [p.suffix for p in files(tmp_path)] == [".tmp"]
    assert cache.read("cubin", "abcd") is None


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")

    def broken():
        yield b"new"
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        cache.atomic_write(path, broken())
    assert path.read_bytes() == b"old"
    assert files(tmp_path) == [path]


def test_no_writable_directory_falls_back_to_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv(cache.VARIABLE, str(blocked / "below"))
    assert cache.directory("cubin") is None
    cache.write("cubin", "abcd", b"data")
    assert cache.read("cubin", "abcd") == b"data"
    assert files(tmp_path) == [blocked]


def test_read_only_home_uses_the_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.write_text("nothing can be made in here")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    cache._root.cache_clear()
    folder = cache.directory("cubin")
    assert folder is not None
    assert folder.is_relative_to(temporary)
    assert folder.parent.stat().st_mode & 0o077 == 0
    cache._root.cache_clear()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a directory away")
def test_directory_of_somebody_else_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    os.chown(foreign, 12345, 12345)
    monkeypatch.setenv(cache.VARIABLE, str(foreign))
    assert cache.directory("cubin") is None


def test_old_entries_go_when_the_limit_is_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [cache.key(str(i)) for i in range(5)]
    for i, name in enumerate(names):
        cache.write("cubin", name, bytes(1000))
        path = cache._path(tmp_path / "cache" / "cubin", name)
        os.utime(path, (1000 + i, 1000 + i))
    monkeypatch.setattr(cache, "LIMIT", 3500)
    monkeypatch.setattr(cache, "_pruned", set())
    cache.write("cubin", cache.key("new"), bytes(1000))
    assert [cache.read("cubin", n) is not None for n in names] == [False, False, False, True, True]
    assert cache.read("cubin", cache.key("new")) is not None
