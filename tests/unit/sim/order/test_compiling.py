"""The sanitizer's machine code is compiled once for a machine, entry by entry."""

from __future__ import annotations

import sys

import pytest

from ptxlab.sim.order.native import code


@pytest.mark.parametrize("terminal", [True, False])
def test_who_sits_at_a_terminal_is_told_once(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    code._say.cache_clear()
    for entry in ("drop", "end_mbarrier"):
        assert f"ptxlab_sanitizer_{entry}" in code._text(entry)
    code._say.cache_clear()
    assert capsys.readouterr().err.count("compiling the sanitizer") == terminal


def test_a_name_that_is_no_entry() -> None:
    assert not hasattr(code.native(), "unheard_of")
