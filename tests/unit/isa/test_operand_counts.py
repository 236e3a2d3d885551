"""Too many operands, or too few, are told as such: before what is wrong with one of them."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.isa.bind import bind
from ptxlab.isa.enumerate import Candidate, example
from ptxlab.isa.form import FORMS
from ptxlab.isa.match import heads


def plain(key: str) -> Candidate | None:
    found = example(FORMS[key])
    return found[0] if found is not None and found[0].operands else None


def takes(opcode: str, count: int) -> bool:
    """Whether a row that takes the opcode may have so many operands."""
    for row, _ in heads(opcode):
        least = sum(1 for p in row.places if not p.optional)
        if least <= count <= len(row.places):
            return True
    return False


@pytest.mark.parametrize("key", sorted(FORMS))
def test_the_number_of_operands_comes_first(key: str) -> None:
    one = plain(key)
    if one is None:
        return  # it has no operands, or none that are enumerated
    last = one.operands[-1]
    for given in ((*one.operands, last, last, last, last), one.operands[:-1]):
        if takes(one.opcode, len(given)):
            continue
        with pytest.raises(Diagnostic) as caught:
            bind(one.opcode, given)
        assert caught.value.code == "PTX0103"
        assert f"not {len(given)}" in caught.value.message


WGMMA = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {d0, d1, d2, d3}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{WGMMA}, {{a0, a1, a2, a3}}, db, 1, 1, 1, 0, 0;", "takes 7 operands here, not 8"),
        (f"{WGMMA}, {{a0, a1, a2, a3}}, db, 1, 1, 1;", "takes 7 operands here, not 6"),
        (f"{WGMMA}, da, db, 1, 1, 1, 0;", "takes 8 operands here, not 7"),
        (f"{WGMMA}, da, db, 1, 1, 1;", "takes 8 operands here, not 6"),
    ],
)
def test_of_two_rows_the_one_counts_that_the_operands_fit(text: str, words: str) -> None:
    """A by descriptor or in registers: a transpose flag too many is not said to be a wrong A."""
    module = (
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n"
        f".reg .f32 d<4>; .reg .b32 a<4>; .reg .b64 da, db;\n{text}\nret; }}"
    )
    (found,) = px.check(module, lints=False)
    assert found.code == "PTX0103"
    assert words in found.message
