"""`px.explain` draws the fragments and the metadata of every shape as text, and the text is what the maps say."""

from __future__ import annotations

import re

import pytest

import ptxlab as px
from ptxlab.isa.form import FORMS
from ptxlab.layout.cells import cells, of
from ptxlab.layout.fragments import ldmatrix
from ptxlab.layout.shapes import MatrixFragment, matrices, names
from ptxlab.reference.shapes import named_by

FEW = [n for n in names() if "n8k" in n or "n40k" in n or "n256k" in n or n.startswith("wmma")]


def test_every_shape_of_the_rows_has_a_name_and_a_type_of_each_matrix() -> None:
    assert len(names()) > 200
    for name in names():
        letters = {one.matrix for one in matrices(name)}
        assert letters == set("acd" if name.startswith("wgmma") else "abcd"), name


@pytest.mark.parametrize("name", FEW)
def test_cells_and_their_steps_hold_every_element(name: str) -> None:
    for one in matrices(name):
        shown = of(one)
        for row, column in ((0, 0), (one.shape[0] - 1, one.shape[1] - 1), (one.shape[0] // 2, one.shape[1] // 3)):
            assert _by_cells(one, row, column) == one.lane_of(row, column)[:2], (name, one)
        assert shown.owner.shape[0] <= 16
        assert shown.owner.shape[1] <= 16


def _by_cells(one: MatrixFragment, row: int, column: int) -> tuple[int, int]:
    shown = of(one)
    down, right = shown.down, shown.right
    below, at = divmod(row // shown.high, down.cells) if down else (0, row // shown.high)
    beside, across = divmod(column // shown.wide, right.cells) if right else (0, column // shown.wide)
    thread, register = (int(x) for x in shown.owner[at, across])
    for count, step in ((below, down), (beside, right)):
        thread += count * (step.threads if step else 0)
        register += count * (step.registers if step else 0)
    return thread, register


@pytest.mark.parametrize("name", FEW)
def test_every_shape_is_explained(name: str) -> None:
    shown = px.explain(name)
    assert shown.startswith(f"{name}: ")
    assert max(map(len, shown.splitlines())) < 150
    for one in matrices(name):
        assert re.search(
            rf"^{'C and D' if one.matrix in 'cd' else one.matrix.upper()} of .*\.{one.dtype}\b", shown, re.MULTILINE
        )
    assert ("Metadata for" in shown) == (".sp." in name)


def test_what_the_text_shows() -> None:
    shown = px.explain("wgmma.m64n128k16").splitlines()
    at = shown.index("C and D of .f32: 64 × 128; each thread has 64 registers of 32 bits")
    assert shown[at + 3].split() == ["1", "4:0", "4:1", "5:0", "5:1", "6:0", "6:1", "7:0", "7:1"]
    assert "  each further 16 rows: thread + 32" in shown[at:]
    assert "  each further 8 columns: register + 4" in shown[at:]
    assert "selectors 0 to 1, of which 0 is shown; with selector s, lane + 2s" in px.explain("mma.sp.m16n8k32")


@pytest.mark.parametrize("name", ["ldmatrix", "stmatrix"])
@pytest.mark.parametrize("num", [1, 2, 4])
@pytest.mark.parametrize("trans", [False, True])
def test_matrices_that_are_moved(name: str, num: int, trans: bool) -> None:
    shown = px.explain(f"{name}.m8n8.x{num}{'.trans' if trans else ''}")
    lines = cells(ldmatrix(num, trans), 16, 32).text()
    assert len(lines) == 1 + (4 if trans else 8) * num
    assert all(f"  {line}" in shown.splitlines() for line in lines)


def test_a_shape_that_does_not_exist() -> None:
    with pytest.raises(px.Diagnostic, match="PTX2122") as wrong:
        px.explain("mma.m16n8k17")
    assert "mma.m16n8k16" in (wrong.value.help or "")


def test_rows_name_shapes_that_can_be_explained() -> None:
    found = {name for form in FORMS.values() for name in named_by(form) if name != "…"}
    assert {"mma.m16n8k16", "wgmma.m64n256k16", "wmma.m8n8k4", "stmatrix.m8n8.x4.trans"} <= found
    for name in found:
        px.explain(name)
    assert "mma.m16n8k16" in px.explain("mma.half")
