"""Textures, surfaces and tensor memory: read, printed, checked, and refused by the simulator, as is what no chip has shown yet."""

from __future__ import annotations

import pytest

from ptxlab.checks import check
from ptxlab.diag import Diagnostic
from ptxlab.isa.match import why_no_head
from ptxlab.ptx.format import bare, formatted
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text
from ptxlab.sim.engine.decoded.decode import image_of


@pytest.mark.parametrize(
    ("opcode", "code"),
    [("mmma.sync", "PTX0100"), ("red.asink", "PTX0101"), ("wgmma.x", "PTX0101"), ("tcgen05.x", "PTX0101")],
)
def test_misspelt_ones_are_unknown(opcode: str, code: str) -> None:
    assert why_no_head(opcode).code == code


HEAD = """.version 8.8
.target sm_100a
.address_size 64
.global .texref picture = { width = 3, height=0x10 };
.global .surfref canvas;
.visible .entry k(.param .texref in, .param .surfref out, .param .u64 result) {
    .reg .f32 f<9>; .reg .b32 r<9>; .reg .s32 s<9>; .reg .b64 d<9>; .reg .b16 h<5>; .reg .pred p<3>; .reg .b32 %v<3>;
    .shared .align 16 .b8 held[64];
"""
OPAQUE = (
    HEAD
    + """    tex.3d.v4.s32.s32 {r1, r2, r3, r4}, [picture, {r1, r2, r3, r4}];
    tex.1d.v4.s32.s32 {r1, r2, r3, r4}, [picture, r1];
    tex.2d.v4.f32.f32 {f1, f2, f3, f4}|p1, [d1, {f1, f2}];
    tex.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, d2, {f1, f2}];
    tex.level.2d.v4.f32.f32 {f1, f2, f3, f4}, [in, {f1, f2}], f5;
    tex.grad.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f1, f2}], {f3, f4}, {f5, f6};
    tld4.r.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f1, f2}];
    txq.level.height.b32 r1, [d1], 2;
    suld.b.3d.v2.b64.trap {d1, d2}, [d3, {r1, r2, r3, r4}];
    sust.p.1d.v4.b32.trap [canvas, {r1}], {r1, r2, r3, r4};
    sured.b.add.2d.u32.trap [out, {r1, r2}], r5;
    suq.width.b32 r1, [out];
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [held], 128;
    tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r1, r2}, [r5+16], 2;
    @p2 tcgen05.mma.cta_group::1.kind::f16 [r1], d1, d2, r3, {r4, r5, r6, r7}, p1;
    ret;
}
"""
)


def test_they_are_read_printed_and_checked() -> None:
    assert text(parse(OPAQUE)) == OPAQUE
    assert bare(parse(formatted(parse(OPAQUE)))) == bare(parse(OPAQUE))
    assert {d.severity for d in check(OPAQUE)} <= {"lint", "warning"}


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("tex.3d.v4.s32.s32 {r1, r2, r3, r4}, [picture, {r1, r2, r3}];", "PTX0106"),
        ("tex.2d.v4.f32.f32 {f1, f2, f3, f4}, [canvas, {f1, f2}];", "PTX0108"),
        ("tex.2d.v4.f32.f32 {f1, f2, f3, f4}, [held, {f1, f2}];", "PTX0108"),
        ("tex.2d.v4.f32.f32 {f1, f2, f3, f4}, [r1, {f1, f2}];", "PTX0104"),
        ("tex.a1d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f1, f2}];", "PTX0105"),
        ("tex.2d.v2.f32.f32 {f1, f2}, [d1, {f1, f2}];", "PTX0341"),
        ("suld.b.1d.v4.b64.trap {d1, d2, d3, d4}, [d1, {r1}];", "PTX0341"),
        ("suq.width.b32 r1, [d1+16];", "PTX0104"),
        ("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [held], 33;", "PTX0107"),
        ("tcgen05.ld.sync.aligned.16x256b.x64.b32 {r1}, [r5];", "PTX0340"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {r1}, [d5];", "PTX0104"),
        ("tcgen05.mma.cta_group::2.kind::f16 [r1], d1, d2, r3, {r4, r5, r6, r7}, p1;", "PTX0104"),
        ("vadd.u32.u32.u32 r1.b0, r2, r3;", "PTX0103"),
        ("vadd2.u32.u32.u32 r1, r2.h14, r3, r4;", "PTX0104"),
        ("vmad.u32.u32.u32.po r1, -r2, r3, r4;", "PTX0104"),
        ("add.s32 r1, r2.b0, r3;", "PTX0104"),
    ],
)
def test_what_does_not_fit_is_said(wrong: str, code: str) -> None:
    found = check(f"{HEAD}    {wrong}\n    ret;\n}}\n")
    assert [d.code for d in found if d.severity == "error"] == [code]


def test_they_name_registers_and_variables() -> None:
    program = lower(parse(OPAQUE), "k")
    assert program.shared_static == 64
    assert {"f1", "f5", "p1", "d2", "d3", "r5"} <= set(program.registers)
    assert len(program.ops) == 16


def test_they_are_not_simulated() -> None:
    with pytest.raises(Diagnostic) as wrong:
        image_of(lower(parse(OPAQUE), "k"))
    assert wrong.value.code == "PTX9001"
    assert {d.code for d in wrong.value.also} == {"PTX9001"}


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_nor_are_functions_of_turns(name: str) -> None:
    text = f".version 9.5\n.target sm_90a\n.entry k() {{ .reg .f32 f<3>; {name}.approx.ftz.2pi.f32 f1, f2; ret; }}\n"
    assert not [d for d in check(text, lints=False) if d.severity == "error"]
    with pytest.raises(Diagnostic, match=f"{name}.approx.ftz.2pi.f32.*is not simulated yet") as wrong:
        image_of(lower(parse(text), "k"))
    assert wrong.value.code == "PTX9001"
