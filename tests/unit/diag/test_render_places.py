from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.diag import Diagnostic, Span


def test_paths_are_as_short_as_the_reader_would_write_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Diagnostic("PTX0212", "wrong", origin=Span(str(tmp_path / "src" / "kernel.py"), 3, text="k.cp()"))
    monkeypatch.chdir(tmp_path)
    assert f"--> {Path('src', 'kernel.py')}:3\n" in str(found)
    monkeypatch.chdir(tmp_path.parent.parent)
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    assert "--> kernel.py:3\n" in str(found)
    monkeypatch.chdir("/")
    outside = Diagnostic("PTX0212", "wrong", span=Span("<ptx>", 3, 1, text="add"))
    assert "--> <ptx>:3:1\n" in str(outside)


def test_a_file_elsewhere_keeps_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    other = tmp_path / "there" / "kernel.py"
    assert f"--> {other}:3\n" in str(Diagnostic("PTX0212", "wrong", origin=Span(str(other), 3, text="k.cp()")))


def test_a_place_within_a_sentence_is_as_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Span(str(tmp_path / "src" / "kernel.py"), 3).shown == f"{Path('src', 'kernel.py')}:3"
    assert Span("<ptx>", 3, 7).shown == "<ptx>:3:7"
    elsewhere = tmp_path.parent / "kernel.py"
    assert Span(str(elsewhere), 3).shown == f"{elsewhere}:3"
