"""What PTX has and the rows have not is not called unknown."""

from __future__ import annotations

import pytest

import ptxlab.isa  # noqa: F401  the rows
from ptxlab.check import check
from ptxlab.isa.match import root, split_opcode, why_no_head
from ptxlab.isa.rowless import ROWLESS


@pytest.mark.parametrize("name", sorted(ROWLESS))
def test_it_is_named_and_has_no_row(name: str) -> None:
    state = root(split_opcode(name)[0])
    for part in split_opcode(name)[1:]:
        state = state and state.step(part)
    assert state is None, "it has a row now: take it out of the list"
    found = why_no_head(name + ".x.y")
    assert found.code == "PTX0110"
    assert f"`{name}`" in found.message


@pytest.mark.parametrize(
    ("opcode", "code"), [("mmma.sync", "PTX0100"), ("red.asink", "PTX0101"), ("wgmma.x", "PTX0101")]
)
def test_misspelt_ones_are_still_unknown(opcode: str, code: str) -> None:
    assert why_no_head(opcode).code == code


def test_it_is_noted_once_a_kernel() -> None:
    twice = "spcompress.x d;\n" * 2
    source = f".version 8.8\n.target sm_100a\n.visible .entry k()\n{{ .reg .f64 d;\n{twice}ret; }}\n"
    (found,) = check(source)
    assert (found.code, found.severity, found.notes) == ("PTX0110", "note", ("and at 1 more place",))
    assert found.span is not None
    assert (found.span.line, found.span.column) == (5, 1)
