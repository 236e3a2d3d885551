"""Rows of the tensor cores: what is said of products that do not exist, and which row takes those that do."""

from __future__ import annotations

import pytest

from ptxlab.checks import check

REGISTERS = ".reg .b32 r<9>; .reg .f32 f<9>; .reg .s32 s<9>; .reg .f64 d<9>; .reg .b16 h<5>; .reg .b64 p;"


def codes(instruction: str, target: str = "sm_90a", version: str = "9.1") -> list[tuple[str, str, str]]:
    """Code, message and help of what is found in a kernel of one instruction, lints aside."""
    kernel = f".visible .entry k()\n{{ {REGISTERS}\n{instruction}\nret; }}\n"
    found = check(f".version {version}\n.target {target}\n.address_size 64\n{kernel}")
    return [(d.code, d.message, d.help or "") for d in found if d.severity in ("error", "warning")]


F32 = "{f1, f2, f3, f4}"
A4 = "{r1, r2, r3, r4}"
SCALES = "r7, {0, 1}, r8, {0, 3}"


@pytest.mark.parametrize(
    ("instruction", "target"),
    [
        (f"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {F32}, {A4}, {{r5, r6}}, {F32};", "sm_80"),
        ("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 {f1,f2,f3,f4,f5,f6,f7,f8}, {r1,r2}, {r3,r4}, {r5,r6,r7,r8};", "sm_80"),
        ("mma.sync.aligned.m16n8k4.row.col.rz.f64.f64.f64.f64 {d1,d2,d3,d4}, {d5,d6}, {d7}, {d1,d2,d3,d4};", "sm_90"),
        ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {s1, s2}, {r1}, {r5}, {s1, s2};", "sm_80"),
        (f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 {F32}, {A4}, {{r5, r6}}, {F32};", "sm_120a"),
        (
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 "
            f"{F32}, {A4}, {{r5, r6}}, {F32}, {SCALES};",
            "sm_120a",
        ),
        (f"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {F32}, {A4}, {A4}, {F32}, r7, 1;", "sm_80"),
        ("wmma.load.a.sync.aligned.row.m32n8k16.shared.s8 {r1, r2, r3, r4}, [p], 32;", "sm_80"),
        ("wmma.store.d.sync.aligned.col.m16n16k16.f16 [p], {r1, r2, r3, r4};", "sm_80"),
        ("movmatrix.sync.aligned.m8n8.trans.b16 r1, r2;", "sm_75"),
        ("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64 {r1, r2, r3, r4}, [p];", "sm_100a"),
        ("stmatrix.sync.aligned.m16n8.x2.trans.b8 [p], {r1, r2};", "sm_120a"),
    ],
)  # fmt: skip
def test_taken(instruction: str, target: str) -> None:
    assert codes(instruction, target) == []


@pytest.mark.parametrize(
    ("instruction", "code", "message", "help_"),
    [
        (
            f"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {F32}, {A4}, {A4}, {F32};",
            "PTX0330",
            "mma has no shape `.m16n8k32` for .f16",
            "its shapes there: .m16n8k8, .m16n8k16",
        ),
        (
            f"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {F32}, {A4}, {{r5, r6}}, {F32};",
            "PTX0331",
            "mma multiplies operands of one type here, not .f16 by .bf16",
            "convert one operand; 8-bit floats and integers of one width do mix",
        ),
        (
            f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {F32}, {A4}, {{r5, r6}}, {{r7, r8}};",
            "PTX0332",
            "this product adds and returns one type, not .f16 and .f32",
            "give C and D the same type",
        ),
        (
            f"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {F32}, {A4}, {{r5, r6}}, {F32};",
            "PTX0333",
            "this product takes A by rows and B by columns, not `.row.row`",
            "write `.row.col`; ldmatrix with .trans, or movmatrix, turns a matrix around",
        ),
        (
            f"mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {F32}, {A4}, {A4}, {F32}, r7, 2;",
            "PTX0334",
            "the metadata of `.m16n8k16` is chosen by 0 to 1, not by 2",
            "write 0 to 1",
        ),
        (
            f"mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {F32}, {A4}, {A4}, {F32}, r7, 0;",
            "PTX0337",
            "this product takes ordered metadata only",
            "write `mma.sp::ordered_metadata`, with the metadata of every four elements in increasing order",
        ),
        (
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue4m3 "
            f"{F32}, {A4}, {{r5, r6}}, {F32}, {SCALES};",
            "PTX0335",
            "scales of .ue4m3 come four a row",
            "write `.scale_vec::4X`, or .ue8m0",
        ),
        (
            "wmma.load.a.sync.aligned.row.m16n16k8.bf16 {r1, r2, r3, r4}, [p];",
            "PTX0338",
            "wmma.load.a of .bf16 has no shape `.m16n16k8`",
            "its shapes: .m16n16k16, .m8n32k16, .m32n8k16",
        ),
    ],
)
def test_rejected(instruction: str, code: str, message: str, help_: str) -> None:
    assert codes(instruction, "sm_120a") == [(code, message, help_)]


@pytest.mark.parametrize(
    ("vector", "selectors", "broken"),
    [
        ("4X", "{0, 0}, r8, {0, 3}", 0),
        ("4X", "{2, 0}, r8, {0, 0}", 1),
        ("2X", "{2, 0}, r8, {0, 0}", 0),
        ("2X", "{1, 0}, r8, {0, 0}", 1),
        ("2X", "{2, 2}, r8, {0, 4}", 2),
        ("2X", "{h1, h2}, r8, {h3, 3}", 0),
    ],
)
def test_scales_lie_where_they_may(vector: str, selectors: str, broken: int) -> None:
    found = codes(
        f"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::{vector}.f32.e2m1.e2m1.f32.ue8m0 "
        f"{F32}, {A4}, {{r5, r6}}, {F32}, r7, {selectors};",
        "sm_120a",
    )
    assert [code for code, _, _ in found] == ["PTX0336"] * broken


@pytest.mark.parametrize(
    ("target", "version", "expected"),
    [("sm_80", "9.1", ["PTX1001"]), ("sm_89", "8.1", ["PTX1002"]), ("sm_89", "8.4", []), ("sm_90a", "8.4", [])],
)
def test_where_fp8_products_exist(target: str, version: str, expected: list[str]) -> None:
    text = f"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {F32}, {A4}, {{r5, r6}}, {F32};"
    assert [code for code, _, _ in codes(text, target, version)] == expected


def test_a_selector_that_ptxas_lets_pass_is_a_warning() -> None:
    text = f"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {F32}, {A4}, {A4}, {F32}, r7, 3;"
    assert [code for code, _, _ in codes(text)] == ["PTX0334"]
