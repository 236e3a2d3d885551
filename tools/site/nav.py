"""The site's navigation: the four kinds of pages, each in the order of its index; pages that no index names come last."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SECTIONS = {
    "tutorials": "Tutorials",
    "how-to": "How-to",
    "reference": "Reference",
    "explanation": "Explanation",
    "project": "Project",
}
INSIDE = {"findings": "reference", "adr": "project"}
"""Folders that stand in a section though they lie beside it."""
TITLES = {"adr": "Decisions", "instructions": "Instructions", "findings": "Findings", "language": "The language"}
_LINK = re.compile(r"\]\(([^)#\s]+\.md)[)#]")

Entry = dict[str, Any]


def nav(folder: Path) -> list[Entry]:
    """The navigation of the sources in a folder, as the generator's `nav:` wants it."""
    sections = [
        {title: _section(folder, folder / name)} for name, title in SECTIONS.items() if (folder / name).is_dir()
    ]
    return [{"ptxlab": "index.md"}, *sections]


def pages(entries: Any) -> Iterator[str]:
    """All pages of a navigation, in its order."""
    if isinstance(entries, str):
        yield entries
        return
    for entry in entries.values() if isinstance(entries, dict) else entries:
        yield from pages(entry)


def title(page: Path) -> str:
    """A page's own title, without marks."""
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]).strip() if found else page.stem


def _section(root: Path, folder: Path) -> list[Entry | str]:
    inside = [root / name for name, section in INSIDE.items() if section == folder.name and folder.parent == root]
    folders = [p for p in (*sorted(folder.iterdir()), *inside) if p.is_dir() and any(p.glob("*.md"))]
    entries = {p.resolve(): p for p in (*sorted(folder.glob("*.md")), *folders)}
    out: list[Entry | str] = []
    for key in [*_order(folder), *entries]:
        if (entry := entries.pop(key, None)) is not None:
            out.append(_entry(root, folder, entry))
    return out


def _entry(root: Path, folder: Path, entry: Path) -> Entry | str:
    where = entry.relative_to(root).as_posix()
    if entry.is_dir():
        return {TITLES.get(entry.name, entry.name.capitalize()): _section(root, entry)}
    if entry.name == "index.md":
        return where
    return {entry.stem if folder.name == "instructions" else title(entry): where}


def _order(folder: Path) -> list[Path]:
    """What a folder's index links to, in its order: the index itself, pages, and folders where it links to a page in one."""
    index = folder / "index.md"
    if not index.exists():
        return []
    linked = [(folder / target).resolve() for target in _LINK.findall(index.read_text(encoding="utf-8"))]
    both = [where for page in linked for where in ((page,) if page.parent == folder.resolve() else (page.parent,))]
    return [index.resolve(), *both]
