"""What is said of opcodes that no row takes."""

from __future__ import annotations

import re

import pytest

from ptxlab.isa.match import why_no_head


@pytest.mark.parametrize(
    ("opcode", "words"),
    [
        ("fma.f32", "before it comes .rn, .rz, .rm or .rp; what may follow"),
        ("mul.u32", "before it comes .lo, .hi or .wide; what may follow"),
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.e4m3", "`.e4m3` goes with `.m64n8k32` in the place of `.m64n8k16`"),
        ("st.globl.u32", "did you mean `.global`?"),
        ("atom.global.sub.u32", "what may follow: .add"),
        ("max.rn.f32", "`max.f32` has no `.rn`; what may follow"),
        ("add.rn.u32", "`add.u32` has no `.rn`; what may follow"),
        ("ld.global.relaxed.u32", "the order is `ld.relaxed.global.u32`; what may follow"),
    ],
)
def test_help_with_a_part_that_does_not_fit(opcode: str, words: str) -> None:
    found = why_no_head(opcode)
    assert found.code == "PTX0101"
    assert found.help is not None
    assert found.help.startswith(words)


def test_a_list_that_is_cut_says_so() -> None:
    (cut, whole) = (why_no_head(o).help or "" for o in ("add.foo.f32", "add.rn.foo"))
    assert re.search(r", \.cc, … and \d+ more$", cut)
    assert "more" not in whole
