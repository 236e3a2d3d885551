"""The page of the rules of order is the one that the rows make, and has all of them."""

from __future__ import annotations

from pathlib import Path

from ptxlab.isa.order import CARRIERS, GIVES, PROXY_FENCES, TAKES
from tools.reference import order

ROOT = Path(__file__).parents[3]


def test_the_page_is_fresh() -> None:
    assert (ROOT / order.PATH).read_text(encoding="utf-8") == order.text(), "run python -m tools.generate"


def test_every_row_is_shown() -> None:
    text = order.text()
    assert text.count("\n| gives |") == len(GIVES)
    assert text.count("\n| takes |") == len(TAKES)
    assert all(f"`{line}`" in text for fence in PROXY_FENCES for line in fence.lines)
    assert {row.by for row in (*GIVES, *TAKES)} == set(CARRIERS)
