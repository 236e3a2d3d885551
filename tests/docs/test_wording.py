"""Pages, docstrings, comments and messages use none of the phrases that readers stumbled over.

Spelling is codespell's (`./dev lint`). A phrase goes on the list when it has been mended everywhere.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "examples").rglob("*.py"),
]

INSTEAD = {
    r"\bhangs? on (?!the (GPU|chip|hardware))": "depends on",
    r"\bgets? company\b|\bwithout company\b|\bneeds? company\b": "others run beside it",
    r"\bmakes? no end\b": "does not end",
    r"\b(from|at|in) the begin\b": "from the start, at the beginning",
    r"\bown(s|ed)? the arithmetic\b": "does the arithmetic",
    r"\bhold(s|ing)? every instruction to a record\b": "compares every instruction with a record",
    r"\bthrough the whole of\b": "throughout",
    r"\bon its own account\b": "by itself",
}
"""Phrase → what to write."""


def _found(text: str, phrase: str) -> list[str]:
    """The lines of a text that hold a phrase, also where it is broken over two lines."""
    pattern = re.compile(phrase.replace(" ", r"[ \t]*(?:[ \t]|\n[ \t]*(?:[#>][ \t]+)?)"), re.IGNORECASE)
    return [text[text.rfind("\n", 0, m.start()) + 1 : text.find("\n", m.end())].strip() for m in pattern.finditer(text)]


@pytest.mark.parametrize("phrase", INSTEAD)
def test_no_text_has_the_phrase(phrase: str) -> None:
    found = {str(path.relative_to(ROOT)): lines for path in TEXTS if (lines := _found(path.read_text("utf-8"), phrase))}
    assert not found, f"write «{INSTEAD[phrase]}»"


def test_a_phrase_is_found_across_lines() -> None:
    assert _found("Who runs next hangs\n# on the seed.\n", next(iter(INSTEAD)))
    assert not _found("It hangs on the GPU.", next(iter(INSTEAD)))
