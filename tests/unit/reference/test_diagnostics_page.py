"""What documents say of codes is what the codes say today, and leaves none out."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.diag import CODES
from tools.reference import diagnostics

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("path", [diagnostics.PATH, diagnostics.INDEX, *diagnostics.WITH_TABLES], ids=str)
def test_it_is_up_to_date(path: Path) -> None:
    made = diagnostics.made(ROOT)[path]
    assert (ROOT / path).read_text(encoding="utf-8") == made, "run python -m tools.generate"


def test_every_page_of_a_code_is_in_the_index() -> None:
    pages = {p.stem for p in (ROOT / diagnostics.INDEX).parent.glob("PTX*.md")}
    assert {line[3:10] for line in diagnostics.index().splitlines() if line.startswith("| [PTX")} == pages


def test_a_table_has_the_codes_between_two() -> None:
    page = "a\n\n<!-- codes PTX9270 to PTX9271 -->\nold\n<!-- end of codes -->\nb"
    made = diagnostics.with_tables(page)
    assert [line[3:10] for line in made.splitlines() if line.startswith("| [PTX")] == ["PTX9270", "PTX9271"]
    assert "old" not in made
    assert made == diagnostics.with_tables(made)
    assert made.endswith("|\n\n<!-- end of codes -->\nb")


def test_every_code_has_one_row() -> None:
    rows = [line for line in diagnostics.text().splitlines() if line.startswith(("| PTX", "| [PTX"))]
    assert sorted(line.split(" | ")[0].strip("| [").partition("]")[0] for line in rows) == sorted(CODES)


def test_every_code_is_given_by_something() -> None:
    package = ROOT / "src" / "ptxlab"
    text = "".join(p.read_text(encoding="utf-8") for p in package.rglob("*.py") if p.name != "codes.py")
    unused = [code for code in CODES if code not in text]
    assert not unused, f"nothing in src/ptxlab gives {unused}: report it, or take it out of diag/codes.py"


def test_every_lint_has_an_example() -> None:
    files = [*(ROOT / "tests" / "md").glob("*.md"), *(ROOT / "tests" / "unit").rglob("*.py")]
    text = "".join(p.read_text(encoding="utf-8") for p in files)
    lacking = [code for code in CODES if code.startswith("PTX50") and code not in text]
    assert not lacking, f"show PTX that {lacking} is about in tests/md/lints.md"
