"""The committed SVG pictures are what the code draws."""

from __future__ import annotations

import pytest

from tools.pictures import DOCS, PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_the_committed_picture_is_what_the_code_draws(name: str) -> None:
    drawn = PICTURES[name]()
    assert drawn.count("<rect") >= 8
    assert (DOCS / "images" / name).read_text(encoding="utf-8") == drawn, "draw it anew: python -m tools.pictures"
