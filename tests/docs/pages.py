"""Markdown pages as programs: code blocks run in order, and what they print must be what the page says.

A page is one Python session in a folder that holds nothing but the repository's examples. A block fenced `python` runs; its
info string may name the file that it stands for (`python first_copy.py`), which is what diagnostics call it. A block fenced
`text` right behind it is all that it printed. A block fenced `ipython` is a cell of a notebook: `%load_ext ptxlab`,
or `%%ptx` and PTX. A block fenced `ptx race.ptx` is that file. A block fenced `diff race.py` changes the
block of that name: lines with `-` and `+`, with as much around them as makes the place unique, and `@@` between places. Then what
was changed runs again; for a file of PTX, the last block of Python. A block fenced `console` holds commands behind `$` and their
output. In an expected output a line `...` stands for any lines, and numbers of seconds are not compared.

`python tests/docs/pages.py PAGE…` writes into the pages what their blocks print now, where that differs. Read the diff.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import linecache
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import ptxlab

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where this file is run by itself

from tools.blocks import Block, blocks, changed

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HOME = str(Path(ptxlab.__file__).resolve().parents[1])
SECONDS = re.compile(r"\b\d+\.\d+(?= s\b)")


def matches(wanted: str, got: str) -> bool:
    """Whether an output is the expected one; `...` on a line of its own stands for any lines, none included."""
    parts = re.split(r"^\.\.\.\n", _comparable(wanted), flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, _comparable(got)) is not None


def _comparable(text: str) -> str:
    lines = (SECONDS.sub("0.0", line.rstrip()) for line in text.strip("\n").splitlines())
    return "".join(f"{line}\n" for line in lines)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Session:
    """Runs the blocks of one page inside an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / "examples").exists():
            (folder / "examples").symlink_to(EXAMPLES)
        self.names: dict[str, object] = {"__name__": "__page__"}
        self.files: dict[str, Block] = {}
        self.last: Block | None = None
        self.magics: dict[str, Callable[[str, str], object]] = {}

    def register_magic_function(self, func: Callable[[str, str], object], magic_kind: str, magic_name: str) -> None:
        """What IPython's shell does with an extension."""
        self.magics[magic_name] = func

    def push(self, variables: dict[str, object]) -> None:
        """The same."""
        self.names |= variables

    def cell(self, block: Block) -> str:
        """What a cell with a magic shows, but for the value of its last line."""
        first, _, rest = block.text.partition("\n")
        name, _, line = first.partition(" ")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            if name == "%load_ext":
                importlib.import_module(line.strip()).load_ipython_extension(self)
            else:
                self.magics[name.removeprefix("%%")](line, rest)
        return out.getvalue()

    def python(self, block: Block) -> str:
        """What the block prints."""
        name = block.name or f"page_line_{block.line}.py"
        self.last = block
        self.keep(name, block)
        linecache.checkcache()
        out = io.StringIO()
        with inside(self.folder), contextlib.redirect_stdout(out):
            exec(compile(block.text, name, "exec"), self.names)
            linecache.checkcache()
        return out.getvalue()

    def keep(self, name: str, block: Block) -> None:
        """Write a block into its file."""
        (self.folder / name).write_text(block.text, encoding="utf-8")
        self.files[name] = block

    def change(self, block: Block) -> str:
        """What a changed file prints."""
        name = block.name
        new = replace(self.files[name], text=changed(self.files[name].text, block.text))
        if new.kind == "python":
            return self.python(new)
        self.keep(name, new)
        assert self.last is not None
        return self.python(self.last)

    def run(self, block: Block) -> str | None:
        """What a block prints; None where it is none that runs."""
        if block.kind == "python":
            return self.python(block)
        if block.kind == "ipython":
            return self.cell(block)
        if block.kind == "diff":
            return self.change(block)
        if block.kind == "ptx" and block.name:
            self.keep(block.name, block)
        return None

    def console(self, block: Block) -> list[tuple[str, str, str]]:
        """(command, expected output, output) of each command of the block."""
        return [(command, wanted, self.shell(command)) for command, wanted in block.commands()]

    def shell(self, command: str) -> str:
        """What the command prints, errors included. `ptxlab` is the one under test."""
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        environment = {**os.environ, "PATH": path, "PYTHONPATH": HOME, "COLUMNS": "120", "NO_COLOR": "1"}
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=300, check=False,
        )  # fmt: skip
        return done.stdout


def check(page: Path, folder: Path) -> int:
    """Run a page. Returns how many blocks were run; raises AssertionError where one prints something else."""
    session, printed, ran = Session(folder), "", 0
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{page.name}:{block.line}"
        output = session.run(block)
        if output is not None:
            printed = output
            ran += 1
        elif block.kind == "text" and block.follows:
            assert matches(block.text, printed), f"{where}: the page says\n{block.text}\nbut it prints\n{printed}"
        elif block.kind == "console":
            for command, wanted, got in session.console(block):
                assert matches(wanted, got), f"{where}: `{command}` should print\n{wanted}\nbut prints\n{got}"
            ran += 1
    return ran


def rewritten(page: Path, folder: Path) -> str:
    """The page with the outputs of its blocks as they are now; an expected output that fits stays."""
    text, session, printed = page.read_text(encoding="utf-8"), Session(folder), ""
    changes: list[tuple[tuple[int, int], str]] = []
    for block in blocks(text):
        output = session.run(block)
        if output is not None:
            printed = output
        elif block.kind == "text" and block.follows and not matches(block.text, printed):
            changes.append((block.span, printed.strip("\n") + "\n"))
        elif block.kind == "console":
            found = session.console(block)
            if not all(matches(wanted, got) for _, wanted, got in found):
                shown = "\n\n".join(f"$ {command}\n{got.strip()}".strip() for command, _, got in found)
                changes.append((block.span, shown + "\n"))
    for (begin, end), new in reversed(changes):
        text = text[:begin] + "".join(f"{line.rstrip()}\n" for line in new.splitlines()) + text[end:]
    return text


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            new = rewritten(Path(name), Path(scratch))
        Path(name).write_text(new, encoding="utf-8")
