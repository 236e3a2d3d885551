"""The committed SVG pictures are what the code draws, can be read aloud, and are used."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tools.pictures import DOCS, IMAGES, PAGES, PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_the_committed_picture_is_what_the_code_draws(name: str) -> None:
    drawn = PICTURES[name]()
    assert (IMAGES / name).read_text(encoding="utf-8") == drawn, "draw it anew: python -m tools.pictures"
    root = ElementTree.fromstring(drawn)
    assert len(list(root)) >= 8
    title = root.find("{*}title")
    assert title is not None
    assert len(title.text or "") > 20
    assert root.get("role") == "img"


def test_every_picture_is_on_a_page() -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert [name for name in PICTURES if f"images/{name})" not in shown] == []


@pytest.mark.parametrize("name", PAGES)
def test_the_committed_page_is_what_the_code_writes(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "write it anew: python -m tools.pictures"


def test_pictures_of_fragments_stay_light() -> None:
    sizes = [
        (IMAGES / name).stat().st_size for name in PICTURES if name.startswith(("fragment-", "metadata-", "ldmatrix"))
    ]
    assert len(sizes) > 30
    assert max(sizes) < 32_000
    assert sum(sizes) < 600_000


def test_every_picture_is_drawn_by_the_code_for_both_themes_and_light() -> None:
    files = {p.name: p.stat().st_size for p in IMAGES.iterdir()}
    assert files.keys() == PICTURES.keys()
    assert max(files.values()) < 200_000
