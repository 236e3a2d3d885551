"""How docstrings become entries of the reference."""

from __future__ import annotations

import pytest

from ptxlab.reference.language.docstring import parse_text
from tools.reference.language import marked

LINES = {
    "a: M × K, of bf16, f16, f32, int8": "`a`: M × K, of bf16, f16, f32, int8",
    "b: `gemm(a, w, c, b_layout=2)` and more: none": "`b`: `gemm(a, w, c, b_layout=2)` and more: none",
    "rows, columns: of a tile": "`rows`, `columns`: of a tile",
    "coords: a pixel. mbar, policy: as in `load`. Default: none": (
        "`coords`: a pixel. `mbar`, `policy`: as in `load`. Default: none"
    ),
    "**options: title, subtitle, dpi": "`**options`: title, subtitle, dpi",
    "poison: registers, shared memory; False: zeros": "`poison`: registers, shared memory; False: zeros",
    "ERROR, WARNING: the worst": "`ERROR`, `WARNING`: the worst",
    "stream: of torch, CuPy, or a handle": "`stream`: of torch, CuPy, or a handle",
}


@pytest.mark.parametrize(("line", "shown"), LINES.items(), ids=list(LINES))
def test_names_at_the_head_of_an_entry_are_code(line: str, shown: str) -> None:
    assert marked(line) == shown


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_section_goes_on_in_the_next_line(indent: str) -> None:
    found = parse_text(
        f"What it is.\n\nRaises: PTX1 where it is no\n{indent}text, PTX2.\n\nMore of it.\n\nReturns: a\n{indent}b."
    )
    assert found.notes == {"Raises": "PTX1 where it is no text, PTX2.", "Returns": "a b."}
    assert found.text == "What it is.\n\n\nMore of it."


def test_a_section_ends_where_the_next_begins() -> None:
    found = parse_text("What.\n\nArgs:\n    x: one\n        more.\n    y: two.\nRaises: PTX1.\nPTX: mov, add")
    assert (found.items, found.notes, found.opcodes) == (
        {"Args": ["x: one more.", "y: two."]},
        {"Raises": "PTX1."},
        ("mov", "add"),
    )
