"""What is said while machine code is compiled."""

from __future__ import annotations

import sys
import threading

import pytest

from ptxlab.sim.engine.compiled import progress


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_said", False)
    monkeypatch.setattr(progress, "_spent", 0.0)
    monkeypatch.setattr(progress, "PATIENCE", 1.0)


def compile_until_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for as long as it takes until somebody is told."""
    told, show = threading.Event(), progress._Notice.show

    def shown(self: progress._Notice) -> None:
        show(self)
        told.set()

    monkeypatch.setattr(progress._Notice, "show", shown)
    with progress.compiling():
        assert told.wait(60)


def test_a_long_compilation_is_told_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    for _ in range(2):
        compile_until_said(monkeypatch)
    assert capsys.readouterr().err == progress.WORDS + "\n"


def test_a_terminal_shows_a_spinner_that_goes_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    compile_until_said(monkeypatch)
    shown = capsys.readouterr().err
    assert "compiling the simulator" in shown
    assert not shown.endswith(progress.WORDS + "\n")


def test_short_compilations_add_up(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_spent", 5.0)
    compile_until_said(monkeypatch)
    assert progress.WORDS in capsys.readouterr().err


def test_a_short_compilation_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.compiling():
        pass
    assert capsys.readouterr().err == ""
