"""Rows and diagnostics name sections that the manual has, and a row says what it needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ptxlab
from ptxlab.isa.form import BY_ROOT, FORMS, form
from ptxlab.isa.order import GIVES, PROXY_FENCES, TAKES
from ptxlab.isa.sections import SECTIONS, wrong
from ptxlab.isa.targets import ANY

PACKAGE = Path(ptxlab.__file__).parent


def named() -> Iterator[tuple[str, str]]:
    """(place, section) of every `isa="…"` in the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg == "isa" and isinstance(keyword.value, ast.Constant) and keyword.value.value is not None:
                    yield f"{path.relative_to(PACKAGE)}:{keyword.lineno}", keyword.value.value


def test_the_package_names_sections_that_there_are() -> None:
    found = list(named())
    assert len(found) > 200
    assert [f"{place}: {wrong(section)}" for place, section in found if wrong(section)] == []


def test_rules_of_order_name_sections_that_there_are() -> None:
    assert {row.section for row in (*GIVES, *TAKES, *PROXY_FENCES)} <= SECTIONS


@pytest.mark.parametrize(
    ("section", "said"),
    [("cp.async", ""), ("8.8", ""), ("SIMD Video Instructions: vadd2", ""), ("cp.asinc", "is it 'cp.async'?"), ("9.7.1", "9.7.1")],
)
def test_what_is_wrong_with_a_section(section: str, said: str) -> None:
    assert (wrong(section) == "") if not said else said in wrong(section)


def test_a_row_names_a_section_and_its_needs() -> None:
    before = dict(FORMS)
    with pytest.raises(AssertionError, match=r"foo\.add: the PTX manual has no section 'foo\.add'.*isa/sections\.py"):
        form("foo.add", syntax="foo.add;", needs=ANY, isa="foo.add", doc="Nothing.")
    with pytest.raises(TypeError, match="needs"):
        form("foo.add", syntax="foo.add;", isa="add", doc="Nothing.")  # type: ignore[call-arg]
    assert before == FORMS
    assert "foo" not in BY_ROOT
