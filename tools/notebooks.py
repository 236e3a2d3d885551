"""Notebooks of the tutorials: `python -m tools.notebooks [--out FOLDER]`. The site offers each beside its page.

Prose becomes cells of Markdown and blocks of Python cells of code, with what the page says that they print. A `diff` block becomes
the cell that it makes of the earlier one, a file of PTX a cell that writes it, and commands run by `!`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.blocks import Block, blocks, changed

ROOT = Path(__file__).resolve().parents[1]
TUTORIALS = ROOT / "docs" / "tutorials"
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)

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
    """The cells of a page, in its order."""
    kept: dict[str, Block] = {}
    end, code, last = 0, None, ""
    for block in blocks(text):
        kind = block.info[0] if block.info else ""
        name = block.info[1] if len(block.info) > 1 else ""
        start = text.rindex("```", 0, block.span[0])
        if kind == "text" and block.follows and code is not None:
            code["outputs"] = [{"name": "stdout", "output_type": "stream", "text": _lines(block.text)}]
            end, code = block.span[1] + len("```\n"), None
            continue
        made = block.text
        if kind == "diff":
            made = changed(kept[name].text, block.text)
            kind = kept[name].info[0]
        if kind not in ("python", "ipython", "ptx", "console") or (kind == "ptx" and not name):
            continue
        shown = text[end : block.span[1] + len("```\n")] if block.info[0] == "diff" else text[end:start]
        if shown.strip():
            yield {"cell_type": "markdown", "metadata": {}, "source": _lines(shown.strip("\n") + "\n")}
        end = block.span[1] + len("```\n")
        if name:
            kept[name] = Block((kind, *block.info[1:]), made, block.line, block.follows, block.span)
        if kind == "console":
            for command, wanted in _COMMAND.findall(block.text):
                outputs = (
                    [{"name": "stdout", "output_type": "stream", "text": _lines(wanted)}] if wanted.strip() else []
                )
                yield _code(f"!{command}\n", outputs)
            code = None
            continue
        if kind == "ptx":
            yield _code(f"%%writefile {name}\n{made}")
            if block.info[0] != "diff":
                code = None
                continue
            made = last  # what reads the file runs again
        else:
            last = made
        code = _code(made)
        yield code
    if text[end:].strip():
        yield {"cell_type": "markdown", "metadata": {}, "source": _lines(text[end:].strip("\n") + "\n")}


def _code(source: str, outputs: Sequence[Cell] = ()) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": list(outputs),
        "source": _lines(source.rstrip("\n")),
    }


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
