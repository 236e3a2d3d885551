"""Registers of types that few people use in places where ptxas looks at the type: pairs, 128 bits, handles, elements of vectors."""

from __future__ import annotations

import pytest

from ptxlab.checks import check

_HEAD = """.version 9.1
.target {target}
.address_size 64
.global .texref tex; .global .align 16 .b8 gvar[64]; .shared .align 128 .b8 svar[256];
.visible .entry k(.param .u64 a)
{{
.reg .pred %p<2>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .b128 %q<2>; .reg .f16x2 %x<4>;
.reg .f32 %f<4>; .reg .f64 %fd<4>;
.reg .v2 .b64 v;
"""


def _takes(text: str, target: str = "sm_90a") -> bool:
    module = _HEAD.format(target=target) + text + "\nret;\n}\n"
    return not [d for d in check(module, lints=False) if d.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        "add.u32 %x0, %x1, %x2;",
        "add.sat.s32 %x0, %x1, %x2;",
        "popc.b32 %r0, %x1;",
        "bfe.u32 %x0, %x1, 4, 8;",
        "dp4a.u32.s32 %r0, %x1, %x2, %r3;",
        "cvt.pack.sat.u16.s32 %x0, %r1, %r2;",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd0], 0, %x1;",
        "bar.red.popc.u32 %x0, 1, %p0;",
        "activemask.b32 %x0;",
    ],
)
def test_a_pair_holds_an_integer_of_the_opcodes_type(text: str) -> None:
    assert _takes(text)


@pytest.mark.parametrize(
    "text",
    [
        "popc.b64 %x0, %rd1;",
        "bfe.u32 %r0, %r1, %x1, 8;",
        "bmsk.clamp.b32 %r0, %x1, %r2;",
        "dp4a.u32.s32 %r0, %r1, %r2, %x3;",
        "redux.sync.add.s32 %x0, %r1, -1;",
        "bar.sync %x0;",
        "nanosleep.u32 %x0;",
        "mapa.u32 %r0, %r1, %x2;",
        "cp.async.ca.shared.global [svar], [%rd0], 8, %x1;",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r0], %x1;",
        "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, {%f0, %f1}], {%x0, %x1};",
    ],
)
def test_a_pair_holds_no_operand_with_a_type_of_its_own(text: str) -> None:
    assert not _takes(text)


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("ld.global.u32 %r0, [%rd0];", True),
        ("ld.global.u32 %r0, [%q0];", False),
        ("atom.global.add.u32 %r0, [%q0], 1;", False),
        ("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%h0];", False),
        ("createpolicy.range.L2::evict_last.b64 %rd0, [%h1], 1, 1;", False),
        ("ld.global.f32 %f0, [v.y];", False),
        ("st.global.f32 [v.x+4], %f0;", False),
        ("mov.b64 %rd0, v.y;", True),
        ("multimem.red.add.u32 [%rd0], %r0;", True),
        ("multimem.red.global.add.u32 [%r0], %r1;", False),
    ],
)
def test_what_holds_an_address(text: str, legal: bool) -> None:
    assert _takes(text) == legal


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("mov.u64 %rd0, tex;", True),
        ("cvta.global.u64 %rd0, tex;", True),
        ("cvta.shared.u64 %rd0, tex;", False),
        ("mov.b64 %rd0, tex;", False),
        ("mov.u32 %r0, tex;", False),
        ("mapa.u64 %rd0, svar, 1;", True),
        ("mapa.u64 %rd0, gvar, 1;", False),
        ("getctarank.u64 %r0, gvar;", False),
    ],
)
def test_symbols_as_values(text: str, legal: bool) -> None:
    assert _takes(text) == legal


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("mov.b32 %r0, %envreg1;", True),
        ("mov.f32 %f0, %envreg1;", False),
        ("mov.f32 %f0, %reserved_smem_offset_begin;", False),
        ("mov.v4.b32 {%f0, %f1, %f2, %f3}, %tid;", True),
        ("mov.v4.f32 {%f0, %f1, %f2, %f3}, %tid;", False),
        ("st.global.v4.u32 [%rd0], %tid;", False),
        ("st.global.v4.f32 [%rd0], {%tid.x, %f0, %f1, %f2};", True),
        ("red.global.add.v4.f32 [%rd0], %tid;", False),
    ],
)
def test_special_registers_are_no_floats_and_stand_alone_in_mov(text: str, legal: bool) -> None:
    assert _takes(text) == legal


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("mapa.s32 %r0, %r1, 1;", ["PTX0233"]),
        ("mapa.s64 %rd0, %rd1, 1;", ["PTX0233"]),
        ("mapa.shared::cluster.s32 %r0, svar, 1;", ["PTX0233", "PTX0234"]),
        ("mapa.shared::cluster.u32 %r0, svar, 1;", []),
        ("getctarank.shared::cluster.s64 %r0, %rd1;", ["PTX0233"]),
        ("getctarank.shared::cluster.s32 %r0, %r1;", ["PTX0233", "PTX0234"]),
    ],
)
def test_signed_addresses_of_a_cluster_are_taken_with_a_warning(text: str, codes: list[str]) -> None:
    found = check(_HEAD.format(target="sm_90a") + text + "\nret;\n}\n", lints=False)
    assert [(d.code, d.severity) for d in found] == [(code, "warning") for code in codes]


_F64 = "row.col.f64.f64.f64.f64 {%rd0, %rd1, %rd2, %rd3}, {%fd0, %fd1}, {%fd0}, {%fd0, %fd1, %fd2, %fd3};"


@pytest.mark.parametrize(("target", "legal"), [("sm_90a", True), ("sm_100a", False), ("sm_120a", False)])
def test_the_larger_products_of_f64_give_no_integers_where_ptxas_takes_them_apart(target: str, legal: bool) -> None:
    text = f"mma.sync.aligned.m16n8k4.{_F64}"
    assert _takes(text, target)
    assert _takes(f".reg .s64 %s<4>; {text.replace('%rd', '%s')}", target) == legal
