"""What a diagnostic shows: no character that steers a terminal, marks below what they mark, lines of Python that ran."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic, Span, plain, visible
from ptxlab.diag.legible import limited, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ASCII, größer × π", None),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\tb\nc\r\x7f", "a\\x09b\\x0ac\\x0d\\x7f"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\u2028\u200b\ufeff", "\\u2028\\u200b\\ufeff"),
        ("\udcff", "\\udcff"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, shown: str | None) -> None:
    assert visible(text) == (shown if shown is not None else text)
    assert visible(text).isprintable()


def test_marks_move_along() -> None:
    assert visible_line("a\x1bb\x1bcd", 4, 6) == ("a\\x1bb\\x1bcd", 10, 12)
    assert visible_line("a\x1bb", 1, 2) == ("a\\x1bb", 1, 5)
    assert visible_line("ab", 3, 5) == ("ab", 3, 5)  # behind the end


@pytest.mark.parametrize(("before", "cells"), [("漢字", 4), ("é", 1), ("\x1b", 4)])
def test_marks_stand_below_what_they_mark(before: str, cells: int) -> None:
    line = f"{before} nope"
    at = line.index("nope") + 1
    *_, marks = plain(Diagnostic("PTX0001", "x", help="", span=Span("<ptx>", 1, at, at + 4, line))).splitlines()
    assert marks == "     | " + " " * (cells + 1) + "^^^^"


def test_every_word_of_a_diagnostic_is_visible_and_bounded() -> None:
    bad = "\x1b[2J\u202e" + ". " * 100_000
    found = Diagnostic(
        "PTX0001", bad, help=bad, notes=[bad], span=Span(bad, 1, 1, 2, bad), origin=Span(bad, 1, text=bad)
    )
    text = plain(found)
    assert text.replace("\n", "").isprintable()
    assert len(text) < 20_000
    assert found.message == bad  # what machines get is whole


def test_both_ends_of_a_long_text_stay() -> None:
    assert limited("abc" * 10, 30) == "abc" * 10
    assert limited("abcdefgh", 4) == "ab…gh"


@px.kernel(target="sm_90a", threads=32)
def wrong(k: px.Builder, a: px.Ptr[px.b32]) -> None:
    k.ld.global_.v4.b32(a.at(k.tid.x), nothing=1)  # the line that is shown


def test_lines_of_the_users_python_are_shown() -> None:
    with pytest.raises(Diagnostic) as found:
        wrong.launch(grid=1, args=[px.empty(32, "u32")])
    assert "| k.ld.global_.v4.b32(a.at(k.tid.x), nothing=1)  # the line that is shown\n" in str(found.value)


def test_a_place_alone_opens_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("SECRET\n")
    for place in (Span(str(tmp_path / "secret"), 1), Span(str(tmp_path / "secret"), 1, ptx=str(tmp_path / "k.ptx"))):
        assert "SECRET" not in plain(Diagnostic("PTX0001", "x", span=place, origin=place))
