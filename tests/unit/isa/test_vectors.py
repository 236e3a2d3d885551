"""Operands in braces: what stands side by side, what a number is there, and vector registers by their name."""

from __future__ import annotations

import pytest

from ptxlab.checks import check
from ptxlab.diag import Diagnostic

_REGISTERS = (
    ".reg .b16 %h<9>; .reg .f16 %hf<9>; .reg .b32 %r<20>; .reg .u32 %u<9>; .reg .f32 %f<20>; .reg .f16x2 %hx<4>; "
    ".reg .b64 %rd<9>; .reg .f64 %fd<9>; .reg .v2 .b32 v; .reg .v4 .f32 w; .shared .align 128 .b8 buffer[128];"
)


def _said(body: str) -> list[Diagnostic]:
    text = f".version 9.1\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 a) {{ {_REGISTERS} {body} ret; }}\n"
    return check(text, lints=False)


def _codes(body: str) -> list[str]:
    return [d.code for d in _said(body)]


@pytest.mark.parametrize("vector", ["{%f1, %r1, %u1, %u2}", "{%r1, %hx1, _, %r2}", "{%u1, _, %r1, %f1}"])
def test_types_mix_where_an_untyped_register_stands_between(vector: str) -> None:
    assert _codes(f"ld.global.v4.u32 {vector}, [%rd1];") == []
    assert _codes(f"wmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {{{vector[1:].split(', ')[0]}, %r5}}, [%r1];") == []


@pytest.mark.parametrize("vector", ["{%f1, %u1}", "{%f1, _, %u1, %r1}", "{%r1, %u1, %hx1, %r2}"])
def test_typed_registers_of_two_kinds_do_not_stand_side_by_side(vector: str) -> None:
    (wrong,) = _said(f"ld.global.v{2 if vector.count(',') == 1 else 4}.u32 {vector}, [%rd1];")
    assert wrong.code == "PTX0105"
    assert "do not go together" in wrong.message


def test_one_type_alone_must_be_the_instructions() -> None:
    assert _codes("ld.global.v2.u32 {%f1, %f2}, [%rd1];") == ["PTX0105"]
    assert _codes("ld.global.v2.f32 {%u1, %u2}, [%rd1];") == []
    product = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {{%f1,%f2,%f3,%f4}}, {}, {{%r3}}, {{%f1,%f2,%f3,%f4}};"
    assert _codes(product.format("{%u1, %u2}")) == ["PTX0105"]
    assert _codes(product.format("{%hx1, %hx2}")) == []
    assert _codes(product.format("{%u1, %r2}")) == []


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        ("st.global.v2.u32 [%rd1], {%r1, 1.1};", "a double of which the lowest 32 bits are taken"),
        ("mov.b32 %r1, {%h1, 0f3F800000};", "of which the lowest 16 bits are taken"),
        ("red.global.v2.f32.add [%rd1], {%f1, 1.1};", "a double of which the lowest 32 bits are taken"),
        ("add.f64 %fd1, %fd2, 0f3FC00000;", "stands for its bits there, not for 1.5"),
        ("st.global.v2.f64 [%rd1], {%fd1, 0f3FC00000};", "stands for its bits there, not for 1.5"),
        ("st.global.v2.u8 [%rd1], {%h1, 300};", "its upper bits are lost"),
    ],
)
def test_a_number_that_is_not_what_it_looks_like_is_told(body: str, lost: str) -> None:
    (said,) = _said(body)
    assert (said.code, said.severity) == ("PTX0107", "warning")
    assert lost in said.message


@pytest.mark.parametrize(
    "body",
    [
        "st.global.v2.f32 [%rd1], {%f1, 1.1};",
        "st.global.v2.u32 [%rd1], {%r1, 0f3F800000};",
        "st.global.v2.f64 [%rd1], {%fd1, 1.5};",
        "red.global.v2.f32.add [%rd1], {%f1, 0f3F800000};",
        "add.f32 %f1, %f2, 0d3FF8000000000000;",
    ],
)
def test_a_number_that_is_taken_as_it_stands_is_not(body: str) -> None:
    assert _said(body) == []


def test_a_vector_register_by_its_name() -> None:
    product = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {}, {}, {{%r3}}, {};"
    assert _codes(product.format("w", "v", "{%f1,%f2,%f3,%f4}")) == []
    assert _codes(product.format("{%f1,%f2,%f3,%f4}", "v", "w")) == []
    (wrong,) = _said(product.format("w", "v", "w"))
    assert wrong.code == "PTX0104"
    assert wrong.help == "write its elements: `{w.x, w.y, w.z, w.w}`"
    assert _codes("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, v], [buffer];") == ["PTX0104"]
    assert _codes("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {v.x, v.y}], [buffer];") == []


def test_a_tensor_is_named_by_the_address_of_its_map_alone() -> None:
    copy = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [{}], [buffer];"
    assert _codes(copy.format("%rd1, {%r1}")) == []
    assert _codes(copy.format("%rd1+128, {%r1}")) == ["PTX0108"]
    assert _codes(copy.format("%rd1+0, {%r1}")) == ["PTX0108"]
    assert _codes(copy.format("%rd1, %r1")) == ["PTX0104"]


@pytest.mark.parametrize(
    "body",
    [
        "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 1.0;",
        "cp.async.ca.shared.global [%r1], [%rd1], 4.0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, 1, 1.0, 1, 0, 0;",
    ],
)
def test_a_fraction_is_none_of_some_integers(body: str) -> None:
    assert _codes(f".reg .pred %p<2>; {body}") == ["PTX0107"]
