"""Every code of the sanitizer stands on its page, and some faulty kernel of the zoo has it."""

from __future__ import annotations

import re
from pathlib import Path

from ptxlab.diag.codes import CODES

from . import zoo

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "sanitizer.md"
OF_SANITIZER = {c for c in CODES if "PTX92" <= c < "PTX9260"}  # behind them: schedules and options


def test_the_page_has_a_row_for_every_code() -> None:
    assert set(re.findall(r"(?m)^\| (PTX92[0-5]\d) \|", PAGE.read_text(encoding="utf-8"))) == OF_SANITIZER


def test_every_code_has_a_faulty_kernel() -> None:
    assert {m.code for _, m in zoo.mutants()} & OF_SANITIZER == OF_SANITIZER


def test_every_code_is_found() -> None:
    assert zoo.FOUND == OF_SANITIZER
