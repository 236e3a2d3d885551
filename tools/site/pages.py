"""Pages of the repository as the site's generator reads them.

They are written so that GitHub shows them. The generator differs in fences that name a file, in lists right behind a paragraph, and
in links that leave docs/.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from tools import notebooks

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<body>.*?)^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?P<open>\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)")
CODE = re.compile(r"`[^`\n]+`")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")
LEXERS = {"ptx": "text", "": "text"}
"""What Pygments calls a language, where it has another name for it, or none."""


def place(file: Path) -> Path:
    """Where a file of the repository stands in the site's sources."""
    if file == ROOT / "README.md":
        return Path("index.md")
    if file.is_relative_to(DOCS):
        return file.relative_to(DOCS)
    if file.suffix == ".md":
        inside = file.relative_to(ROOT)
        name = inside.stem if inside.stem != "README" else inside.parent.name
        return Path("project", f"{name.lower().replace('_', '-')}.md")
    shown = file.relative_to(ROOT)
    return Path("source", shown.with_name(f"{shown.name}.txt"))


class Sources:
    """Writes the site's sources into a folder: every page of docs/, and whatever they link to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: set[Path] = set()

    def write(self) -> None:
        # the README takes the place of docs/index.md, which lists the folders for readers of the repository
        pages = [p for p in sorted(DOCS.rglob("*")) if p.is_file() and p != DOCS / "index.md"]
        for file in (ROOT / "README.md", ROOT / "CHANGELOG.md", *pages):
            self.add(file)
        notebooks.write(self.folder / notebooks.TUTORIALS.relative_to(DOCS))

    def add(self, file: Path) -> Path:
        """Write a file and what it links to. Returns its place in the sources."""
        if file == DOCS / "index.md":
            file = ROOT / "README.md"
        if file not in self.done:
            self.done.add(file)
            target = self.folder / place(file)
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.suffix == ".md":
                _update(target, self.page(file))
            else:
                shutil.copyfile(file, target)
        return place(file)

    def page(self, file: Path) -> str:
        """A page as the generator reads it."""
        # the first page stands above all sections, so there is no navigation to show beside it
        out = ["---\nhide:\n  - navigation\n---\n\n"] if file == ROOT / "README.md" else []
        end = 0
        text = file.read_text(encoding="utf-8")
        for found in FENCE.finditer(text):
            out += [self.prose(text[end : found.start()], file), _fence(found)]
            end = found.end()
        made = "".join([*out, self.prose(text[end:], file)])
        if file in notebooks.pages():
            made = made.replace("\n", f"\n\n[This page as a notebook]({file.stem}.ipynb)\n", 1)
        return made

    def prose(self, text: str, file: Path) -> str:
        """What stands between fences: lists get a blank line before them, and links lead to the site's pages."""
        hidden: list[str] = []

        def hide(found: re.Match[str]) -> str:
            line = found.string[found.string.rfind("\n", 0, found.start()) + 1 :]
            hidden.append(
                found[0].replace("\\|", "|") if line.startswith("|") else found[0]
            )  # GitHub wants it escaped in a table
            return f"\0{len(hidden) - 1}\0"

        shown = LINK.sub(lambda found: self.link(found, file), CODE.sub(hide, _spaced(text)))
        return re.sub(r"\0(\d+)\0", lambda found: hidden[int(found[1])], shown)

    def link(self, found: re.Match[str], file: Path) -> str:
        """A link, relative to where its page stands on the site. One to a folder without a page is no link there."""
        target, anchor = found["target"], found["anchor"] or ""
        if not target or re.match(r"[a-z]+:", target):
            return found[0]
        wanted = (file.parent / target).resolve()
        if wanted.is_dir():
            wanted = next((w for name in ("index.md", "README.md") if (w := wanted / name).exists()), wanted)
        if not wanted.is_file():
            return found["open"][1:-2]
        there = os.path.relpath(self.add(wanted), place(file).parent)
        return f"{found['open']}{there}{anchor})"


def _fence(found: re.Match[str]) -> str:
    """A fenced block. The file that a block stands for becomes its title."""
    language, *names = found["info"].split()[:2] or [""]
    title = f' title="{names[0]}"' if names else ""
    return f"{found['indent']}```{LEXERS.get(language, language)}{title}\n{found['body']}{found['indent']}```"


def _spaced(text: str) -> str:
    """Text with a blank line before each list and table that follows a paragraph."""
    out: list[str] = []
    for line in text.split("\n"):
        before = out[-1] if out else ""
        starts = (ITEM.match(line) and not ITEM.match(before.lstrip())) or (line[:1] == "|" and before[:1] != "|")
        if starts and before.strip() and not before.startswith(" "):
            out.append("")
        out.append(line)
    return "\n".join(out)


def _update(file: Path, text: str) -> None:
    """Write a file where it changes, so that a server that watches it rebuilds no more than it has to."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
