"""Registers of a wgmma that nobody has waited for: whoever uses them gets the product, and a finding says so.

An H200 gives the same: ptxas puts the wait there (C7517) or runs one product at a time (C7510 to C7519). Where A is changed in
a loop it need not be the same, and the finding is an error.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.layout.matrix_descriptor import MatrixDescriptor

D, E, A = "{d0, d1, d2, d3}", "{e0, e1, e2, e3}", "{a0, a1, a2, a3}"
FENCE, COMMIT = "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;"
STORE = "st.global.v4.f32 [o], {d0, d1, d2, d3}; st.global.v4.f32 [o+16], {e0, e1, e2, e3}; st.global.f32 [o+32], x0;"


def wait(left: int = 0) -> str:
    return f"wgmma.wait_group.sync.aligned {left};"


def product(d: str = D, a: str = "da") -> str:
    transposed = "0, 0" if a == "da" else "0"
    return f"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {d}, {a}, db, 1, 1, 1, {transposed};"


HALF = "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {h0, h1}, da, db, 1, 1, 1, 0, 0;"
SPARSE = "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16 {d0, d1, d2, d3}, da, db, m, 0, 1, 1, 1, 0, 0;"
TAIL = f"{wait()} {STORE}"


def loop(body: str) -> str:
    return f"mov.u32 i, 0; L: {body} add.u32 i, i, 1; setp.lt.u32 p1, i, 3; @p1 bra L;"


CASES = {
    "read": f"{FENCE} {product()} {COMMIT} <wait> add.f32 x0, d0, 0f3F800000; {TAIL}",
    "parts": f"{FENCE} {HALF} {COMMIT} <wait> mov.b32 {{s0, s1}}, h0; {wait()} st.global.v2.b16 [o], {{s0, s1}};",
    "write": f"{FENCE} {product()} {COMMIT} <wait> mov.f32 d0, 0f40A00000; {TAIL}",
    "load": f"{FENCE} {product()} {COMMIT} <wait> ld.global.f32 d0, [q+32]; {TAIL}",
    "both": f"{FENCE} {product()} {COMMIT} <wait> add.f32 d0, d0, d1; {TAIL}",
    "store": f"{FENCE} {product()} {COMMIT} <wait> {STORE}",
    "uncommitted": f"{FENCE} {product()} <commit> <wait> add.f32 x0, d0, 0f3F800000; {COMMIT} {TAIL}",
    "lanes": f"{FENCE} {product()} {COMMIT} <wait> shfl.sync.bfly.b32 x0, d0, 1, 31, -1; {TAIL}",
    "guarded read": f"{FENCE} {product()} {COMMIT} <wait> @p0 add.f32 x0, d0, 0f3F800000; {TAIL}",
    "guarded write": f"{FENCE} {product()} {COMMIT} <wait> @p0 mov.f32 d0, 0f40A00000; {TAIL}",
    "other block": f"{FENCE} {product()} {COMMIT} bra.uni N; N: <wait> add.f32 x0, d0, 0f3F800000; {TAIL}",
    "next pass": loop(f"<wait> add.f32 x0, x0, d0; {FENCE} {product()} {COMMIT}") + TAIL,
    "call": f"{FENCE} {product()} {COMMIT} <wait> {{ .param .f32 t; .param .f32 r; st.param.f32 [t], d0; "
    f"call (r), f, (t); ld.param.f32 x0, [r]; }} {TAIL}",
    "fragment": f"{FENCE} {product(a=A)} {COMMIT} <wait> add.u32 a0, a0, 1; {TAIL}",
    "fragment again": loop(f"{FENCE} {product(a=A)} {COMMIT} <wait> add.u32 a0, a0, 1;") + TAIL,
    "product as A": f"{FENCE} {product()} {COMMIT} <wait> cvt.rn.bf16x2.f32 a0, d0, d1; {FENCE} {product(E, A)} {COMMIT} {TAIL}",
    "half as A": f"{FENCE} {HALF} {COMMIT} <wait> wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {D}, "
    f"{{h0, h1, h2, h3}}, db, 1, 1, 1, 0; {COMMIT} {TAIL}",
    "metadata": f"{FENCE} {SPARSE} {COMMIT} <wait> mov.b32 m, 0xEEEEEEEE; {TAIL}",
    "left pending": f"{FENCE} {product()} {COMMIT} {product(E)} {COMMIT} {wait(1)} <wait> add.f32 x0, e0, d0; {TAIL}",
}

FREE = {
    "waited": f"{FENCE} {product()} {COMMIT} {wait()} add.f32 x0, d0, 0f3F800000; {STORE}",
    "older": f"{FENCE} {product()} {COMMIT} {product(E)} {COMMIT} {wait(1)} add.f32 x0, d0, 0f3F800000; {TAIL}",
    "others": f"{FENCE} {product()} {COMMIT} add.f32 x0, e0, 0f3F800000; {TAIL}",
    "fragment read": f"{FENCE} {product(a=A)} {COMMIT} cvt.rn.f32.u32 x0, a0; {TAIL}",
    "descriptor": f"{FENCE} {product()} {COMMIT} mov.b64 da, 0; {TAIL}",
    "ring": loop(f"{FENCE} {product()} {COMMIT} {wait()} add.f32 x0, x0, d0;") + TAIL,
}


def text(body: str) -> str:
    fill = " ".join(
        f"ld.global.v4.b32 {{w0, w1, w2, w3}}, [g+{i}]; st.shared.v4.b32 [at+{i}], {{w0, w1, w2, w3}};"
        for i in range(0, 64, 16)
    )
    return f""".version 8.2
.target sm_90a
.address_size 64
.func (.param .f32 r) f(.param .f32 a) {{ .reg .f32 t; ld.param.f32 t, [a]; add.f32 t, t, t; st.param.f32 [r], t; ret; }}
.visible .entry k(.param .u64 in, .param .u64 out)
{{
  .reg .f32 d<4>, e<4>, x0; .reg .b32 a<4>, h<4>, w<4>, i, m, t, mem, at; .reg .pred p<2>; .reg .b64 q, o, da, db, g;
  .reg .b16 s<2>; .shared .align 1024 .b8 smem[8192];
  ld.param.u64 q, [in]; ld.param.u64 o, [out]; mov.u32 t, %tid.x; mov.u32 mem, smem;
  mad.wide.u32 o, t, 64, o; mad.wide.u32 g, t, 64, q; add.u64 g, g, 16384; mad.wide.u32 q, t, 128, q;
  mad.lo.u32 at, t, 64, mem; {fill}
  fence.proxy.async.shared::cta; bar.sync 0;
  ld.global.v2.b64 {{da, db}}, [q]; shr.u32 mem, mem, 4; cvt.u64.u32 g, mem; add.u64 da, da, g; add.u64 db, db, g;
  ld.global.v4.f32 {D}, [q+16]; ld.global.v4.f32 {E}, [q+32]; ld.global.v4.b32 {A}, [q+48];
  ld.global.v4.b32 {{h0, h1, h2, h3}}, [q+64]; mov.b32 m, 0x44444444; mov.f32 x0, 0f00000000;
  and.b32 i, t, 1; setp.ne.b32 p0, i, 0;
  {body}
  ret;
}}"""


def operands() -> np.ndarray:
    """For each thread descriptors, accumulators and fragments; then what shared memory is filled with."""
    dice = np.random.default_rng(5)
    out = px.empty((16384 + 8192,), np.uint8, align=256)
    rows = out[:16384].view(np.uint32).reshape(128, 32)
    rows[:] = 0
    rows[:, 0:2] = np.array([MatrixDescriptor(0, leading=128, stride=256).encode()], np.uint64).view(np.uint32)
    rows[:, 2:4] = np.array([MatrixDescriptor(4096, leading=128, stride=512).encode()], np.uint64).view(np.uint32)
    rows[:, 4:12] = dice.integers(-8, 8, (128, 8)).astype(np.float32).view(np.uint32)
    rows[:, 12:16] = (dice.integers(-4, 5, (128, 4)).astype(np.float32).view(np.uint32) >> 16) * 0x10001
    rows[:, 16:20] = dice.integers(-4, 5, (128, 8)).astype(np.float16).view(np.uint32)
    out[16384:].view(np.uint16)[:] = dice.integers(-4, 5, 4096).astype(np.float32).view(np.uint32) >> 16
    return out


def launched(body: str, schedule: str) -> tuple[np.ndarray, list[str]]:
    out = np.zeros(128 * 64, np.uint8)
    kernel = px.parse(text(body))["k"]
    report = px.simulate(kernel, grid=1, block=128, args=[operands(), out], lints=False, schedule=schedule, seed=3)
    return out, [d.code for d in report.findings]


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("name", CASES)
def test_what_uses_registers_in_flight_gets_the_product_and_a_finding(name: str, schedule: str) -> None:
    body = CASES[name]
    waited, none = launched(body.replace("<commit>", COMMIT).replace("<wait>", wait()), "eager")
    found, codes = launched(body.replace("<commit>", "").replace("<wait>", ""), schedule)
    assert none == []
    assert set(codes) == {"PTX9133"}
    np.testing.assert_array_equal(found, waited)


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        (CASES["fragment"], "warning"),
        (CASES["fragment again"], "error"),
        (CASES["fragment again"].replace("add.u32 a0,", "@p0 add.u32 a0,"), "error"),
        # behind the loop
        (loop(f"{FENCE} {product(a=A)} {COMMIT}") + f"add.u32 a0, a0, 1; {TAIL}", "warning"),
        # accumulators: ptxas waits, in a loop, too
        (CASES["next pass"], "warning"),
        # with calls, ptxas runs products one by one
        (
            CASES["fragment again"].replace(
                "add.u32 a0, a0, 1;",
                "{ .param .f32 t; .param .f32 r; st.param.f32 [t], x0; call (r), f, (t); ld.param.f32 x0, [r]; } "
                "add.u32 a0, a0, 1;",
            ),
            "warning",
        ),
    ],
)
def test_a_change_of_a_in_a_loop_is_an_error(body: str, severity: str) -> None:
    kernel = px.parse(text(body.replace("<commit>", "").replace("<wait>", "")))["k"]
    report = px.simulate(kernel, grid=1, block=128, args=[operands(), np.zeros(128 * 64, np.uint8)], lints=False)
    assert {(d.code, str(d.severity)) for d in report.findings} == {("PTX9133", severity)}


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("name", FREE)
def test_what_leaves_them_alone_is_not_reported(name: str, schedule: str) -> None:
    assert launched(FREE[name], schedule)[1] == []


def test_a_place_is_reported_once_with_its_line() -> None:
    kernel = px.parse(text(CASES["next pass"].replace("<wait>", "\n")))["k"]
    report = px.simulate(kernel, grid=2, block=128, args=[operands(), np.zeros(128 * 64, np.uint8)], lints=False)
    (found,) = report.findings
    assert found.severity == "warning"
    assert found.span is not None
    assert "add.f32" in found.message
    assert "wgmma.mma_async" in found.message
