"""Numbers, and parts that are left out, in vectors and fragments: a number does what a register with its bits does.

A floating literal is what it is as a number where a load, a store or a move of that type takes it, and its bits everywhere
else: those of a double are cut off. What ptxas 13.1 puts into the code of sm_90a says so.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px

_HEAD = """
.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
{
.reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<40>; .reg .f64 %fd<9>; .reg .f16 %hf<4>; .reg .u32 %u<9>;
.shared .align 1024 .b8 buffer[4096];
ld.param.u64 %rd1, [a];
mov.u32 %r30, %tid.x;
mad.wide.u32 %rd1, %r30, 32, %rd1;
mov.b32 %r1, 0x3C003800; mov.b32 %r2, 0x4000BC00; mov.f32 %f1, 1.0; mov.f32 %f2, 0.5; mov.f64 %fd1, 2.0;
mov.b16 %h1, 0x1234; mov.u32 %u1, 9; mov.u64 %rd4, 77;
"""
_MADE = "mov.b32 %r20, 0x9999999A; mov.b32 %r21, 0x3F800000; mov.b32 %r22, 5; mov.b32 %r23, -1; mov.f64 %fd5, 1.1; "
_F = "st.global.v4.f32 [%rd1], {%f3, %f4, %f5, %f6};"
_S = "st.global.v2.u32 [%rd1], {%r3, %r4};"
_D = "st.global.v2.f64 [%rd1], {%fd2, %fd3};"
_W = "st.global.v4.f32 [%rd1], {%f3, %f5, %f6, %f7};"
_FOUR = "{%r1, %r2, %r1, %r1}"
_EIGHT = "{%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}"
_HALF = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
_TF32 = "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32"
_INT8 = "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"
_FP8 = "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32"
_DOUBLE = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"
_SPARSE = "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
_WMMA = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"
_STMATRIX = "mov.u32 %r31, buffer; mad.lo.u32 %r31, %r30, 16, %r31; stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r31], "
_STORED = " bar.warp.sync -1; ld.shared.v2.b32 {%r3, %r4}, [%r31]; " + _S
# With numbers, and with registers that hold their bits.
_CASES = {
    "f16": (
        f"{_HALF} {{%f3,%f4,%f5,%f6}}, {{%r1, 1.1}}, {{%r2}}, {{%f1, 1.1, 0f3F800000, %f2}}; {_F}",
        f"{_HALF} {{%f3,%f4,%f5,%f6}}, {{%r1, %r20}}, {{%r2}}, {{%f1, %r20, %f1, %f2}}; {_F}",
    ),
    "infinity": (
        f"{_HALF} {{%f3,%f4,%f5,%f6}}, {{%r1, %r1}}, {{%r2}}, {{0f7F800000, 0f00000000, 0f3F800000, %f2}}; {_F}",
        "mov.b32 %f10, 0x7F800000; mov.b32 %f11, 0; mov.f32 %f12, 1.0;"
        f"{_HALF} {{%f3,%f4,%f5,%f6}}, {{%r1, %r1}}, {{%r2}}, {{%f10, %f11, %f12, %f2}}; {_F}",
    ),
    "tf32": (
        f"{_TF32} {{%f3,%f4,%f5,%f6}}, {{%r1, 0x3F800000}}, {{%r2}}, {{%f1, %f1, %f2, 0f3F800000}}; {_F}",
        f"{_TF32} {{%f3,%f4,%f5,%f6}}, {{%r1, %r21}}, {{%r2}}, {{%f1, %f1, %f2, %r21}}; {_F}",
    ),
    "int8": (
        f"{_INT8} {{%r3,%r4,%r5,%r6}}, {{%r1, 5}}, {{%r2}}, {{7, -1, 0, 5}}; {_S}",
        f"mov.b32 %r24, 7; mov.b32 %r25, 0; {_INT8} {{%r3,%r4,%r5,%r6}}, {{%r1, %r22}}, {{%r2}}, {{%r24, %r23, %r25, %r22}}; {_S}",
    ),
    "fp8": (  # the one product in whose C a number is a value
        f"{_FP8} {{%f3,%f4,%f5,%f6}}, {{%r1, 5}}, {{%r2}}, {{1.5, 0.5, 1.0, 0f3F000000}}; {_F}",
        f"mov.f32 %f9, 1.5; {_FP8} {{%f3,%f4,%f5,%f6}}, {{%r1, %r22}}, {{%r2}}, {{%f9, %f2, %f1, %f2}}; {_F}",
    ),
    "f64": (
        f"{_DOUBLE} {{%fd2, %fd3}}, {{1.1}}, {{%fd1}}, {{0f3F800000, %fd1}}; {_D}",
        f"mov.b64 %fd6, 0x3F800000; {_DOUBLE} {{%fd2, %fd3}}, {{%fd5}}, {{%fd1}}, {{%fd6, %fd1}}; {_D}",
    ),
    "sparse": (
        f"{_SPARSE} {{%f3,%f4,%f5,%f6}}, {{%r1, 0x3C003C00}}, {{%r2, %r1}}, {{%f1, %f2, 0f3F800000, %f2}}, %r2, 0; {_F}",
        "mov.b32 %r24, 0x3C003C00;"
        f"{_SPARSE} {{%f3,%f4,%f5,%f6}}, {{%r1, %r24}}, {{%r2, %r1}}, {{%f1, %f2, %r21, %f2}}, %r2, 0; {_F}",
    ),
    "wmma": (
        f"{_WMMA} {{%f3,_,%f5,%f6,%f7,%f8,%f9,%f10}}, {{%r1,1.1,%r1,%r1,%r1,%r1,%r1,%r1}}, {_EIGHT}, "
        f"{{%f1,1.1,%f1,%f1,0f3F800000,%f1,%f1,%f1}}; {_W}",
        f"{_WMMA} {{%f3,%f4,%f5,%f6,%f7,%f8,%f9,%f10}}, {{%r1,%r20,%r1,%r1,%r1,%r1,%r1,%r1}}, {_EIGHT}, "
        f"{{%f1,%r20,%f1,%f1,%f1,%f1,%f1,%f1}}; {_W}",
    ),
    "stmatrix": (
        f"{_STMATRIX}{{%r1, 1.1}};{_STORED}",
        f"{_STMATRIX}{{%r1, %r20}};{_STORED}",
    ),
    "pack": (
        "mov.b64 %rd3, {%r1, 1.1}; st.global.b64 [%rd1], %rd3; mov.b32 %r3, {%h1, 0f3F801234}; st.global.b32 [%rd1+8], %r3;",
        "mov.b64 %rd3, {%r1, %r20}; st.global.b64 [%rd1], %rd3; mov.b32 %r3, 0x12341234; st.global.b32 [%rd1+8], %r3;",
    ),
    "store": (
        "st.global.v2.u32 [%rd1], {%r1, 1.1}; st.global.v2.f32 [%rd1+8], {%r1, 1.5}; "
        "st.global.v2.f64 [%rd1+16], {%rd4, 0f3F800000};",
        "st.global.v2.u32 [%rd1], {%r1, %r20}; mov.f32 %f9, 1.5; st.global.v2.f32 [%rd1+8], {%r1, %f9}; "
        "mov.u64 %rd5, 0x3F800000; st.global.v2.u64 [%rd1+16], {%rd4, %rd5};",
    ),
    "special": (
        "st.global.v2.u32 [%rd1], {%laneid, %r1}; mov.b64 %rd3, {%r1, %tid.x}; st.global.b64 [%rd1+8], %rd3;",
        "st.global.v2.u32 [%rd1], {%r30, %r1}; mov.b64 %rd3, {%r1, %r30}; st.global.b64 [%rd1+8], %rd3;",
    ),
    "integers for floats": (
        "st.global.v2.f32 [%rd1], {%u1, %u1}; ld.global.v2.f32 {%u2, %u3}, [%rd1]; st.global.v2.u32 [%rd1+8], {%u2, %u3};",
        "st.global.v4.u32 [%rd1], {%u1, %u1, %u1, %u1};",
    ),
    "atomic": (
        "red.global.add.v2.f32 [%rd1], {%f1, 1.1};",
        "red.global.add.v2.f32 [%rd1], {%f1, %r20};",
    ),
    "0f in f64": (
        "add.f64 %fd2, %fd1, 0f3FC00000; mov.f64 %fd3, 0f3FC00000; " + _D,
        "mov.b64 %fd6, 0x3FC00000; add.f64 %fd2, %fd1, %fd6; mov.b64 %fd3, 0x3FC00000; " + _D,
    ),
}


def _run(body: str) -> NDArray[np.uint32]:
    out = np.zeros((32, 8), np.uint32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.PtxWarning)
        px.simulate(px.parse(f"{_HEAD}{body}\nret;\n}}\n")["k"], grid=1, block=32, args=[out])
    return out


@pytest.mark.parametrize("which", _CASES)
def test_a_number_does_what_a_register_with_its_bits_does(which: str) -> None:
    numbers, registers = _CASES[which]
    found = _run(numbers)
    assert found.any()
    np.testing.assert_array_equal(found, _run(_MADE + registers))


_GROUP = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; "


def test_a_number_in_the_fragment_of_a_warpgroup() -> None:
    described = "mov.u32 %r31, buffer; st.shared.v4.b32 [%r31], {%r1, %r2, %r1, %r2}; fence.proxy.async; bar.sync 0; "
    described += "shr.u32 %r32, %r31, 4; cvt.u64.u32 %rd3, %r32; or.b64 %rd3, %rd3, 0x4000800010000; "
    product = "wgmma.fence.sync.aligned; "
    product += "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f3,%f4,%f5,%f6}}, {}, %rd3, 0, 1, 1, 0; "
    found = [
        _warpgroup(_MADE + described + product.format(a) + _GROUP + _F)
        for a in ("{%r1, 1.1, %r2, 0x3C003C00}", "{%r1, %r20, %r2, %r24}")
    ]
    assert found[0].any()
    np.testing.assert_array_equal(*found)


def _warpgroup(body: str) -> NDArray[np.uint32]:
    out = np.zeros((128, 8), np.uint32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.PtxWarning)
        kernel = px.parse(f"{_HEAD}mov.b32 %r24, 0x3C003C00; {body}\nret;\n}}\n")["k"]
        px.simulate(kernel, grid=1, block=128, args=[out], poison=False)
    return out


@pytest.mark.parametrize(
    "body",
    [
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, _}, [%r31]; st.global.u32 [%rd1], %r3;",
        "wmma.load.c.sync.aligned.row.m8n8k32.shared.s32 {_, %r3}, [%r31], 8; st.global.u32 [%rd1], %r3;",
        f"{_HALF} {{%f3, _, %f5, _}}, {{%r1, %r2}}, {{%r1}}, {{%f1, %f1, %f1, %f2}}; st.global.v2.f32 [%rd1], {{%f3, %f5}};",
    ],
)
def test_what_is_left_out_changes_nothing_else(body: str) -> None:
    filled = "mov.u32 %r31, buffer; mad.lo.u32 %r31, %r30, 8, %r31; st.shared.v2.b32 [%r31], {%r30, %r1}; "
    filled += "mov.u32 %r31, buffer; bar.warp.sync -1; "
    found = _run(filled + body)
    assert found.any()
    names = iter(("%r10", "%r11"))
    np.testing.assert_array_equal(found, _run(filled + re.sub(r"(?<=[{ ])_", lambda _: next(names), body)))
