"""The page of codes is what the codes say today, and leaves none out."""

from __future__ import annotations

from pathlib import Path

from ptxlab.diag import CODES
from ptxlab.reference import diagnostics

ROOT = Path(__file__).resolve().parents[3]


def test_it_is_up_to_date() -> None:
    assert (ROOT / diagnostics.PATH).read_text(encoding="utf-8") == diagnostics.text(), "run python -m tools.generate"


def test_every_code_has_one_row() -> None:
    rows = [line for line in diagnostics.text().splitlines() if line.startswith(("| PTX", "| [PTX"))]
    assert sorted(line.split(" | ")[0].strip("| [").partition("]")[0] for line in rows) == sorted(CODES)
