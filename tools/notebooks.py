"""Notebooks of the tutorials: `python -m tools.notebooks [--out FOLDER]`. The site offers each beside its page.

Prose becomes cells of Markdown and blocks of Python cells of code, with what the page says that they print. A `diff` block becomes
the cell that it makes of the earlier one, a file of PTX a cell that writes it, and commands run by `!`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.blocks import Block, blocks, changed

ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = ROOT / "docs" / "tutorials"
_FENCE = "```"
_PYTHON = ("python", "ipython")

Cell = dict[str, Any]


def pages() -> list[Path]:
    """The tutorials."""
    return sorted(TUTORIALS.glob("[0-9]*.md"))


def notebook(page: Path) -> dict[str, Any]:
    """A page as a notebook, version 4.5 of the format."""
    made = list(_cells(page.read_text("utf-8")))  # all of them first: outputs come behind their cells
    cells = [{**cell, "id": f"{page.stem.split('-')[0]}-{i:03}"} for i, cell in enumerate(made)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def write(folder: Path) -> list[Path]:
    """Write the notebooks of all tutorials. Returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for page in pages():
        files.append(folder / f"{page.stem}.ipynb")
        files[-1].write_text(json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return files


def _cells(text: str) -> Iterator[Cell]:
    """The cells of a page, in its order. What a block prints stands behind it, so a cell gets its output after it was made."""
    kept: dict[str, Block] = {}
    end, code, reader = 0, None, ""
    for block in blocks(text):
        start, stop = text.rindex(_FENCE, 0, block.span[0]), block.span[1] + len(f"{_FENCE}\n")
        if block.kind == "text" and block.follows and code is not None:
            code["outputs"] = _said(block.text)
            end, code = stop, None
            continue
        diff = block.kind == "diff"
        made = replace(kept[block.name], text=changed(kept[block.name].text, block.text)) if diff else block
        runs = _runs(made, reader if diff else "")
        if not runs:
            continue
        yield from _prose(text[end : stop if diff else start])  # a change is shown, and then what it makes
        yield from runs
        end, code = stop, runs[-1] if diff or made.kind in _PYTHON else None
        if made.name:
            kept[made.name] = made
        if made.kind in _PYTHON:
            reader = made.text
    yield from _prose(text[end:])


def _runs(block: Block, reader: str) -> list[Cell]:
    """The cells of code that a block becomes; none where it is only shown. reader: runs again where a file has changed."""
    if block.kind == "console":
        return [_code(f"!{command}", output) for command, output in block.commands()]
    if block.kind == "ptx" and block.name:
        return [_code(f"%%writefile {block.name}\n{block.text}"), *([_code(reader)] if reader else [])]
    return [_code(block.text)] if block.kind in _PYTHON else []


def _prose(text: str) -> list[Cell]:
    stripped = text.strip("\n")
    return [{"cell_type": "markdown", "metadata": {}, "source": _lines(f"{stripped}\n")}] if text.strip() else []


def _code(source: str, output: str = "") -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": _said(output) if output.strip() else [],
        "source": _lines(source.rstrip("\n")),
    }


def _said(text: str) -> list[Cell]:
    return [{"name": "stdout", "output_type": "stream", "text": _lines(text)}]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write them."""
    parser = argparse.ArgumentParser(prog="python -m tools.notebooks", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "notebooks", help="where to (build/notebooks)")
    for file in write(parser.parse_args(arguments).out):
        print(file)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
