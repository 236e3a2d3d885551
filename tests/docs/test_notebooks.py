"""The tutorials as notebooks: valid by the format's schema, with the page's blocks as cells, and they run."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pytest

from tools import notebooks
from tools.blocks import blocks

PAGES = notebooks.pages()


def _code(made: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]


def test_every_tutorial_has_one(tmp_path: Path) -> None:
    files = notebooks.write(tmp_path)
    assert [f.stem for f in files] == [p.stem for p in PAGES]
    assert len(files) >= 8


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_cells_are_the_blocks_of_the_page(page: Path) -> None:
    made = notebooks.notebook(page)
    code = _code(made)
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.kind == "python":
            assert block.text.rstrip("\n") in code
    said = "".join("".join(o["text"]) for cell in made["cells"] for o in cell.get("outputs", ()))
    prose = "".join("".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "markdown")
    assert "```python" not in prose
    assert all(
        b.text in said or b.text in prose for b in blocks(page.read_text(encoding="utf-8")) if b.info == ("text",)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_format_is_valid(page: Path) -> None:
    nbformat: Any = pytest.importorskip("nbformat", reason="there is no nbformat: install the extra `notebook`")
    nbformat.validate(notebooks.notebook(page), version=4, version_minor=5)


def test_a_changed_kernel_is_a_cell_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "9-page.md"
    page.write_text(
        "# A page\n\n```python one.py\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\nNow two:\n\n"
        "```diff one.py\n-x = 1\n+x = 2\n```\n\n"
        "```text\n2\n```\n\n```sh\nptxlab doctor\n```\n\n```console\n$ echo 3\n3\n```\n\nThe end.\n",
        encoding="utf-8",
    )
    made = notebooks.notebook(page)
    assert _code(made) == ["x = 1\nprint(x)", "x = 2\nprint(x)", "!echo 3"]
    for cell in made["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.startswith("!"):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(source, {})
            assert out.getvalue() == "".join(cell["outputs"][0]["text"])
    assert [c["cell_type"] for c in made["cells"]] == [
        "markdown",
        "code",
        "markdown",
        "code",
        "markdown",
        "code",
        "markdown",
    ]
    assert "ptxlab doctor" in "".join(made["cells"][4]["source"])
