"""The page of all diagnostic codes: `python -m tools.generate` writes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ptxlab.diag import CODES, page
from ptxlab.diag.codes import Code

PATH = Path("docs/reference/diagnostics.md")
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
    "PTX50": "Lints: patterns that rarely mean what they say",
    "PTX90": "While simulating: memory, control flow, the debugger",
    "PTX91": "While simulating: waits, copies, tensor maps",
    "PTX92": "The sanitizer",
}
_HEAD = """# Diagnostics

Made from the codes by `python -m tools.generate`. Every bad input gives one diagnostic with one of these codes, the place, and the
way out. Codes never change their meaning and are never used again for something else. `ptxlab explain PTX0212` says the same on the
command line. A code that is a link has a page with a small kernel that has the mistake, and its repair.

An error stops. A warning names a mistake in spite of which the launch went on. A lint is a pattern that rarely means what it says;
`ignore=` leaves one out. Where the table has no way out, each diagnostic brings its own.
"""


def text() -> str:
    """The page."""
    parts = [_HEAD]
    for prefix, title in _GROUPS.items():
        found = sorted((c for c in CODES.values() if c.code.startswith(prefix)), key=lambda c: c.code)
        parts.append(
            "\n".join(
                [f"## {title}", "", "| code | name | what is wrong | way out |", "|---|---|---|---|", *_rows(found)]
            )
        )
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _rows(found: list[Code]) -> Iterator[str]:
    for code in found:
        shown = f"[{code.code}](../findings/{code.code}.md)" if page(code.code) else code.code
        name = code.slug if code.severity == "error" else f"{code.slug} ({code.severity})"
        yield f"| {shown} | {name} | {_cell(code.title)} | {_cell(code.help or '')} |"


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;")
