"""Modifiers may stand apart from their opcode, as hand-written PTX in CUDA C++ has them; ptxas reads them so."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.ptx.format import formatted
from ptxlab.ptx.parser import parse

FRAME = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) {{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<3>;
	{}
	ret;
}}
"""


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("prmt .b32 %r2, %r1, %r1, 3   ;", "prmt.b32 %r2, %r1, %r1, 3;"),
        ("ld .global .u32 %r2, [%rd1];", "ld.global.u32 %r2, [%rd1];"),
        ("ld.global\n.u32 %r2, [%rd1];", "ld.global.u32 %r2, [%rd1];"),
        ("ld /* a load */ .global .u32 %r2, [%rd1];", "ld.global.u32 %r2, [%rd1];"),
        ("@! %p1 add .u32 %r2 , %r1,%r1 ;", "@!%p1 add.u32 %r2, %r1, %r1;"),
        ("setp .eq .u32 %p1|%p2, %r1, %r1;", "setp.eq.u32 %p1|%p2, %r1, %r1;"),
        ("membar .gl ;", "membar.gl;"),
        ("xor  .b32 %r1, %r2, -5;", "xor.b32 %r1, %r2, -5;"),
    ],
)
def test_gaps_within_an_opcode(written: str, canonical: str) -> None:
    text = FRAME.format(written)
    module = px.parse(text)
    assert str(module) == text
    made = formatted(parse(text))
    assert canonical in made.replace("/* a load */ ", "")
    assert made.count("/*") == text.count("/*")
    assert parse(made) == parse(text)
    assert {finding.code for finding in px.check(text)} <= {"PTX5002"}  # registers read before they are written


@pytest.mark.parametrize(
    "next_", [".reg .b32 x;", ".shared .b32 x;", ".local .b32 x;", ".loc 1 2 3", '.pragma "nounroll";']
)
def test_a_forgotten_semicolon_in_front_of_a_directive(next_: str) -> None:
    with pytest.raises(Diagnostic, match="expected `;`") as caught:
        px.parse(FRAME.format("membar.gl\n" + next_))
    assert caught.value.code == "PTX0001"
