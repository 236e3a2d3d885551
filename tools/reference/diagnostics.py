"""What documents say of all diagnostic codes: `python -m tools.generate` writes it.

The page of all codes, the list of those that have a page of their own, and tables of codes on pages that are written by hand:
such a table stands between `<!-- codes PTX9200 to PTX9259 -->` and `<!-- end of codes -->`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ptxlab.diag import CODES, page
from ptxlab.diag.codes import Code
from tools import markdown

PATH: Final = Path("docs/reference/diagnostics.md")
INDEX: Final = Path("docs/findings/index.md")
WITH_TABLES: Final = (Path("docs/explanation/sanitizer.md"),)
"""Pages that are written by hand, and have tables of codes."""
_GROUPS = {
    "PTX00": "The text",
    "PTX01": "Instruction forms",
    "PTX02": "Rules of instructions: copies, mbarriers, matrices",
    "PTX03": "Rules of other instructions",
    "PTX06": "Litmus tests",
    "PTX10": "Targets and versions",
    "PTX20": "Launches: grids, clusters, memory",
    "PTX21": "Tensor maps and matrix descriptors",
    "PTX22": "The language",
    "PTX23": "Arguments and modules",
    "PTX24": "Assembling, and the GPU",
    "PTX25": "Options and files",
    "PTX26": "The server for agents",
    "PTX50": "Lints: patterns that rarely mean what they say",
    "PTX90": "While simulating: memory, control flow, the debugger",
    "PTX91": "While simulating: waits, copies, tensor maps",
    "PTX92": "The sanitizer",
    "PTX93": "Why a launch is not certified",
    "PTX94": "What a launch does without need",
}
_HEAD = """# Diagnostics

Made from the codes by `python -m tools.generate`. Every bad input gives one diagnostic with one of these codes, the place, and the
way out. Codes never change their meaning and are never used again for something else. `ptxlab explain PTX0212` says the same on the
command line. A code that is a link has a page with a small kernel that has the mistake, and its repair.

An error stops. A warning names a mistake in spite of which the launch went on. A lint is a pattern that rarely means what it says;
`ignore=` leaves one out. Where the table has no way out, each diagnostic brings its own.
"""
_INDEX = """# Findings, one page each

Made from the codes by `python -m tools.generate`. Each page has a small kernel with one mistake, what
[the sanitizer](../explanation/sanitizer.md) or the simulator says of it, and the repair. `ptxlab explain PTX9200` prints a page.
The kernels are tests: each gives exactly the finding of its page, under every schedule, and none once it is repaired.
"""


def made(root: Path) -> dict[Path, str]:
    """All files of a checkout that are made from the codes, as they should be."""
    found = {path: with_tables((root / path).read_text(encoding="utf-8")) for path in WITH_TABLES}
    return {PATH: text(), INDEX: index(), **found}


def index() -> str:
    """The list of the pages of codes."""
    rows = ((f"[{c.code}]({c.code}.md)", markdown.text(c.title)) for c in _codes() if page(c.code))
    return "\n".join((_INDEX, *markdown.table(("code", "what is wrong"), rows), ""))


def with_tables(text: str) -> str:
    """A page with its tables of codes as they should be."""

    def table(span: str) -> str:
        first, last = span.split(" to ")
        rows = ((_linked(c), _named(c), markdown.text(c.title)) for c in _codes() if first <= c.code <= last)
        return "\n".join(markdown.table(("code", "name", "what is wrong"), rows))

    return markdown.filled(text, "codes", table)


def _codes() -> list[Code]:
    return sorted(CODES.values(), key=lambda c: c.code)


def _linked(code: Code) -> str:
    return f"[{code.code}](../findings/{code.code}.md)" if page(code.code) else code.code


def _named(code: Code) -> str:
    return code.slug if code.severity == "error" else f"{code.slug} ({code.severity})"


def text() -> str:
    """The page of all codes."""
    parts = [_HEAD]
    for prefix, title in _GROUPS.items():
        rows = (
            (_linked(c), _named(c), markdown.text(c.title), markdown.text(c.help or ""))
            for c in _codes()
            if c.code.startswith(prefix)
        )
        table = markdown.table(("code", "name", "what is wrong", "way out"), rows)
        parts.append("\n".join((f"## {title}", "", *table)))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"
