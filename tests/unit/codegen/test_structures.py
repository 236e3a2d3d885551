"""Native state is declared, not numbered: fields do not overlap, are aligned as the machine wants them, and each has a name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ptxlab.codegen.structure import Structure
from ptxlab.sim.engine.compiled import frame as F

ALIGNMENT = {"u32": 4, "i32": 4, "u64": 8, "pointer": 8, "bytes": 1}
PREFIXES = {
    "F_": F.FRAME,
    "B_": F.BARRIER,
    "M_": F.MBARRIER,
    "C_": F.CTA,
    "E_": F.ENVIRONMENT,
    "W_": F.WATCH,
    "R_": F.RECORD,
}
SOURCE = Path(F.__file__).read_text()


@pytest.mark.parametrize("structure", F.STRUCTURES, ids=lambda s: s.name)
def test_fields_are_aligned_and_apart(structure: Structure) -> None:
    end = 0
    for field in structure.fields:
        assert field.offset >= end, f"{structure.name}: the field at {field.offset} overlaps the one before it"
        assert field.offset % ALIGNMENT.get(field.type, 8) == 0
        end = field.end
    assert end <= structure.nbytes


def test_every_structure_is_in_the_list() -> None:
    declared = [v for v in vars(F).values() if isinstance(v, Structure)]
    assert set(declared) == set(F.STRUCTURES)


def test_no_offset_is_a_number() -> None:
    """A constant of a block is what its declaration gave, or computed from such."""
    for node in ast.parse(SOURCE).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            number = isinstance(node.value, ast.Constant) and name[:2] in PREFIXES
            assert not number or name == "W_WIDEST", f"line {node.lineno}: declare {name} as a field"


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_name_is_a_field(prefix: str) -> None:
    structure = PREFIXES[prefix]
    known = {f.offset for f in structure.fields} | {structure.nbytes}
    names = {n: v for n, v in vars(F).items() if n.startswith(prefix) and n != "W_WIDEST"}
    assert {n for n, v in names.items() if v not in known} == set()
    assert len(set(names.values()) - {structure.nbytes}) == len(structure.fields)


def test_a_structure_counts_for_itself() -> None:
    s = Structure("example")
    assert [s.u32(), s.u64(), s.u32(3), s.bytes(5), s.u32(align=64)] == [0, 8, 16, 28, 64]
    assert s.close(align=32) == 96
    outer = Structure("outer")
    outer.u32()
    assert outer.blocks(s, 2) == 8
    with pytest.raises(AssertionError, match="closed"):
        s.u32()
