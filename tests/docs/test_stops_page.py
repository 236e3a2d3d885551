"""The page of what stops a launch names every code of the simulated machine, in the right table."""

from __future__ import annotations

import re
from pathlib import Path

from ptxlab.diag.codes import CODES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "stops.md"
# The debugger's, and those of processes that share a launch.
OF_TOOLS = re.compile(r"PTX903\d|PTX904\d")


def named(text: str) -> set[str]:
    """The codes of a text; `PTX9160 … PTX9165` names all between."""
    out = set(re.findall(r"PTX\d{4}", text))
    for first, last in re.findall(r"PTX(\d{4}) … PTX(\d{4})", text):
        out |= {f"PTX{n}" for n in range(int(first), int(last) + 1)}
    return out


def test_every_code_of_the_machine_is_there() -> None:
    of_machine = {c for c in CODES if c.startswith(("PTX90", "PTX91")) and not OF_TOOLS.fullmatch(c)}
    there = named(PAGE.read_text(encoding="utf-8"))
    assert of_machine <= there, f"say in docs/reference/stops.md what the chip does at {sorted(of_machine - there)}"
    assert there <= of_machine, f"docs/reference/stops.md names what is no code of the machine: {sorted(there - of_machine)}"


def test_stops_are_errors_and_findings_are_warnings() -> None:
    """But for those of tensor maps, which are errors of a launch that has run to its end."""
    stops, findings = PAGE.read_text(encoding="utf-8").split("## Findings")
    assert {CODES[c].severity for c in named(stops)} == {"error"}
    assert {c for c in named(findings) if CODES[c].severity == "error"} == {f"PTX{n}" for n in range(9160, 9166)}
