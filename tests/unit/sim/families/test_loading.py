"""Every module of a family that registers something is named where families are loaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ptxlab
from ptxlab.sim.families import meanings, units

FAMILIES = Path(ptxlab.__file__).parent / "sim" / "families"
REGISTERS = ("@meaning(", "\nmeaning(", "@trap(", "@unit\n", "@names_shared", "TIMES.append")


def _registers() -> list[str]:
    files = [p for p in sorted(FAMILIES.rglob("*.py")) if any(word in p.read_text() for word in REGISTERS)]
    return [".".join(p.relative_to(FAMILIES.parent).with_suffix("").parts) for p in files]


@pytest.mark.parametrize("module", _registers())
def test_what_registers_is_loaded(module: str) -> None:
    assert module in (*meanings.MODULES, *units.MODULES), (
        f"name {module} in families/meanings.py if it holds machine code or names, in families/units.py if it runs in Python"
    )


@pytest.mark.parametrize(
    "folder", [p for p in sorted(FAMILIES.glob("[a-z]*/")) if p.name != "plain"], ids=lambda p: p.name
)
def test_each_family_lists_its_files(folder: Path) -> None:
    listed = set(re.findall(r"\w+", (folder / "__init__.py").read_text()))
    for file in sorted(folder.glob("[a-z]*.py")):
        assert file.stem in listed, f"say what {file.stem} holds in the table of families/{folder.name}/__init__.py"


def test_registering_modules_are_found() -> None:
    assert {"families.mbarrier.unit", "families.plain.integer", "families.wgmma.meaning"} <= set(_registers())
