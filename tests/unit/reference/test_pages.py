"""The pages of the reference are what the rows say today."""

from __future__ import annotations

from pathlib import Path

from ptxlab.isa import FAMILIES
from ptxlab.isa.form import FORMS
from tools.reference import instructions as pages

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "reference" / "instructions"


def test_they_are_up_to_date() -> None:
    made = pages.pages()
    stale = [name for name, text in made.items() if not (FOLDER / name).exists() or (FOLDER / name).read_text() != text]
    assert stale == [], "run python -m tools.generate"
    assert pages.generated(FOLDER) == made.keys()


def test_every_row_is_on_a_page() -> None:
    everything = "\n".join(pages.pages().values())
    for key in FORMS:
        assert f"\n## {key}\n" in everything


def test_they_are_written(tmp_path: Path) -> None:
    pages.write(tmp_path)
    (tmp_path / "cluster.md").rename(tmp_path / "old.md")
    (tmp_path / "by_hand.md").write_text("# kept")
    pages.write(tmp_path)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {**pages.pages(), "by_hand.md": "# kept"}


def test_families_are_explained_on_pages_that_exist() -> None:
    assert pages.EXPLAINED.keys() <= set(FAMILIES)
    explanation = FOLDER.parents[1] / "explanation"
    named = {name for names in pages.EXPLAINED.values() for name in names}
    assert [name for name in named if not (explanation / f"{name}.md").exists()] == []
