"""What PTX has and the rows have not is not called unknown."""

from __future__ import annotations

import pytest

import ptxlab.isa  # noqa: F401  the rows
from ptxlab.check import check
from ptxlab.diag import Diagnostic
from ptxlab.isa.match import root, split_opcode, why_no_head
from ptxlab.isa.rowless import ROWLESS
from ptxlab.ptx.format import bare, formatted
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text
from ptxlab.sim.decoded.decode import image_of


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
    twice = "tcgen05.wait::ld.sync.aligned;\n" * 2
    source = f".version 8.8\n.target sm_100a\n.visible .entry k()\n{{ .reg .f64 d;\n{twice}ret; }}\n"
    (found,) = check(source)
    assert (found.code, found.severity, found.notes) == ("PTX0110", "note", ("and at 1 more place",))
    assert found.span is not None
    assert (found.span.line, found.span.column) == (5, 1)


OPAQUE = """.version 8.8
.target sm_100a
.address_size 64
.global .texref picture = { width = 3, height=0x10 };
.global .samplerref sampler = { addr_mode_0 = clamp_to_border, filter_mode = nearest };
.global .surfref canvas;
.visible .entry k(.param .texref in, .param .surfref out, .param .u64 result) {
    .reg .f32 f<9>; .reg .b32 r<9>; .reg .s32 s<9>; .reg .b64 d<9>; .reg .b16 h<5>; .reg .pred p<3>; .reg .b32 %v<3>;
    .shared .align 16 .b8 held[64];
    tex.3d.v4.s32.s32 {r1, r2, r3, r4}, [picture, {r1, r2, r3, r4}];
    tex.2d.v4.f32.f32 {f1, f2, f3, f4}|p1, [d1, {f1, f2}];
    tex.level.2d.v4.f32.f32 {f1, f2, f3, f4}, [in, {f1, f2}], f5;
    tex.grad.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f1, f2}], {f3, f4}, {f5, f6};
    tld4.r.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f1, f2}];
    txq.level.height.b32 r1, [d1], 2;
    suld.b.3d.v2.b64.trap {d1, d2}, [d3, {r1, r2, r3, r4}];
    sust.p.1d.v4.b32.trap [canvas, {r1}], {r1, r2, r3, r4};
    sured.b.add.2d.u32.trap [out, {r1, r2}], r5;
    suq.width.b32 r1, [out];
    vadd.s32.s32.u32.sat.min s1, %v2.b0, r3.h1, s4;
    vmad.u32.u32.u32.shr7 r0, %v1.h0, %v2.h0, r3;
    vadd4.u32.u32.u32 r1.b3210, r2.b7531, r3.b0246, r4;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [held], 128;
    tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r1, r2}, [r5+16], 2;
    @p2 tcgen05.mma.cta_group::1.kind::f16 [r1], d1, d2, r3, {r4, r5, r6, r7}, p1;
    ret;
}
"""


def test_textures_surfaces_video_and_tensor_memory_are_read_and_printed() -> None:
    assert text(parse(OPAQUE)) == OPAQUE
    assert bare(parse(formatted(parse(OPAQUE)))) == bare(parse(OPAQUE))
    found = check(OPAQUE)
    assert {d.severity for d in found} <= {"note", "lint", "warning"}
    roots = {"tex", "tld4", "txq", "suld", "sust", "sured", "suq", "vadd", "vmad", "vadd4", "tcgen05"}
    assert {d.message.split("`")[1] for d in found if d.code == "PTX0110"} == roots


def test_they_name_registers_and_variables() -> None:
    program = lower(parse(OPAQUE), "k")
    assert program.shared_static == 64
    assert {"f1", "f5", "p1", "%v1", "%v2", "d3", "r5"} <= set(program.registers)
    assert len(program.ops) == 17


def test_they_are_not_simulated() -> None:
    with pytest.raises(Diagnostic) as wrong:
        image_of(lower(parse(OPAQUE), "k"))
    assert wrong.value.code == "PTX9001"
    assert len(wrong.value.also) == 15
