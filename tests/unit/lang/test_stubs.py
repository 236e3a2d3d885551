"""The typed view of the instructions is what the rows say, and it fits the kernels."""

from __future__ import annotations

import ast
import keyword

import pytest

from ptxlab.isa.form import BY_ROOT, FORMS
from ptxlab.isa.sregs import SREGS
from ptxlab.lang import Builder, stubs
from ptxlab.lang._instructions import attribute_of, part_of


def test_up_to_date() -> None:
    assert stubs.PATH.read_text(encoding="utf-8") == stubs.text(), "run python -m tools.generate"


def test_it_is_python() -> None:
    ast.parse(stubs.text())


def test_parts_and_attributes() -> None:
    parts = {v for row in FORMS.values() for slot in row.slots for v in slot.values}
    assert parts >= {"2d", "shared::cta", "async", "global", "L2::128B", "ca"}
    for part in parts:
        name = attribute_of(part)
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert part_of(name) == part


def test_no_instruction_hides_behind_a_declaration() -> None:
    taken = {n for n in dir(Builder) if not n.startswith("_")}
    words = {attribute_of(w) for w in BY_ROOT} | {n[1:].split(".")[0] for n in SREGS}
    assert not taken & words


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("cp.async.commit_group", "def __call__(self, *, pred: _Guard = ...) -> None:"),
        (
            "elect.sync",
            "def __call__(self, membermask: _Value, *, d: _Result = ..., p: _Result = ..., pred: _Guard = ...)",
        ),
        ("mbarrier.init.b64", "def __call__(self, mbar: _Place, count: _Value, *, pred: _Guard = ...) -> None:"),
    ],
)
def test_signatures(opcode: str, expected: str) -> None:
    name = "_call_" + opcode.replace(".", "_")
    body = stubs.text().partition(f"class {name}:")[2].partition("\nclass ")[0]
    assert expected in body
