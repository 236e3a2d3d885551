"""Operands that instructions of their own compute: elements of arrays that a register names, addresses in 16 bits, sums."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import text

_HEAD = """.version 8.0
.target sm_90a
.address_size 64
.global .align 4 .u32 gu[8] = {10, 11, 12, 13, 14, 15, 16, 17};
.const .u16 cu[8] = {20, 21, 22, 23, 24, 25, 26, 27};
.global .f64 fu[4];
.entry k(.param .u64 o) .reqntid 1 {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<9>; .reg .b8 %b<4>; .reg .pred %p;
.shared .align 4 .u32 su[8]; .local .u32 lo[8];
ld.param.u64 %rd1, [o]; mov.u32 %r1, 2; mov.u64 %rd2, 0x100000003; mov.u16 %h1, 5; mov.u32 %r4, -1; mov.u32 %r2, 5;
"""
_CASES = [
    ("ld.global.u32 %r2, gu[%r1];", 12),
    ("ld.global.u32 %r2, gu[%r1+4];", 16),
    ("ld.global.u32 %r2, gu[ %r1 + 0x1 ];", 13),
    ("ld.global.u32 %r2, gu[%rd2];", 13),  # the lower half of the register
    ("ld.global.u32 %r2, gu[%h1];", 15),
    ("ld.global.u32 %r2, gu[%r4+3];", 12),  # the sum has 32 bits
    ("st.shared.u32 su[%r1+1], 99; ld.shared.u32 %r2, [su+12];", 99),
    ("st.local.u32 lo[%h1], 77; ld.local.u32 %r2, [lo+20];", 77),
    ("mov.u64 %rd3, gu[%r1]; ld.u32 %r2, [%rd3+4];", 13),
    ("mov.u32 %r3, su[%r1]; st.shared.u32 [%r3], 4; ld.shared.u32 %r2, su[2];", 4),
    ("ld.const.u16 %h2, cu[%r1+1]; cvt.u32.u16 %r2, %h2;", 23),
    ("st.global.f64 fu[%r1], 1.0; ld.global.u32 %r2, [fu+20];", 0x3FF00000),
    ("setp.eq.u32 %p, %r1, 3; @%p ld.global.u32 %r2, gu[%r1];", 5),
    ("{ .reg .b32 %r1; mov.u32 %r1, 7; ld.global.u32 %r2, gu[%r1]; }", 17),
    ("mov.u32 %r2, %r1+7;", 9),
    ("mul.lo.s32 %r2, %r1 + 5, %r1 + 2 + 3;", 49),
    ("add.u32 %r2, %r2+-3, 0x10;", 18),  # the register itself may be written
    ("add.u64 %rd3, %rd2+0xfffffffe, %rd2; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r2, %rd3;", 3),
    ("add.u16 %h2, %h1+65535, 0; cvt.u32.u16 %r2, %h2;", 4),
    ("st.shared.u32 [su], %r4+100; ld.shared.u32 %r2, [su];", 99),
    ("setp.eq.u32 %p, %r1+1, 3; @%p mov.u32 %r2, %r4 + 7;", 6),
    ("setp.eq.u32 %p, %r1+1, 2; @%p mov.u32 %r2, %r4 + 7;", 5),
    ("{ .reg .b32 %r1; mov.u32 %r1, 7; shl.b32 %r2, %r4, %r1+24; }", 1 << 31),
    ("add.u32 %r2, %rd2+0xffffffff, 7;", 9),  # the lowest bits of a wider sum
    ("mul.lo.u32 %r2, %rd2+1, %r1+1;", 12),
    ("add.u16 %h2, %r4+3, %h1; cvt.u32.u16 %r2, %h2;", 7),
    ("mov.u64 %rd3, gu; sub.u64 %rd3, gu+12, %rd3; cvt.u32.u64 %r2, %rd3;", 12),
    ("mov.u64 %rd3, gu; cvt.u32.u64 %r3, %rd3; sub.u32 %r2, gu+-8, %r3;", 0xFFFFFFF8),
    ("mov.u32 %r3, su; sub.u32 %r2, su+4, %r3;", 4),
    ("st.shared.b64 [su], gu+4; ld.shared.b64 %rd3, [su]; ld.global.u32 %r2, [%rd3];", 11),
    ("setp.eq.u64 %p, gu+8, %rd1; @!%p mov.u32 %r2, 3;", 3),
    ("div.u32 %r2, %rd2+9, %r1;", 6),  # expanded by ptxas, which computes the sum first
    ("vadd.u32.u32.u32.add %r2, %r1, %r1, %rd2+1;", 8),
]
_NARROW = [
    ("add.u64 %rd3, %r1+5, %rd2; cvt.u32.u64 %r2, %rd3;", 10),
    ("add.u32 %r3, %h1+2, 1; and.b32 %r2, %r3, 0xffff;", 8),
    ("mov.s64 %rd3, %h1+2; cvt.u32.u64 %r2, %rd3; and.b32 %r2, %r2, 0xffff;", 7),
    ("mov.u32 %r3, su; add.u64 %rd3, su+4, 0; cvt.u32.u64 %r2, %rd3; sub.u32 %r2, %r2, %r3;", 4),
]


def _run(body: str) -> int:
    out = np.zeros(1, np.uint32)
    px.parse(_HEAD + body + "\nst.global.u32 [%rd1], %r2;\nret;\n}\n")["k"][1](out)
    return int(out[0])


@pytest.mark.parametrize(("body", "want"), _CASES)
def test_an_element_that_a_register_names(body: str, want: int) -> None:
    whole = _HEAD + body + "\nret;\n}\n"
    assert text(parse(whole)) == whole
    assert _run(body) == want


@pytest.mark.parametrize(("body", "want"), _NARROW)
def test_a_sum_of_too_few_bits(body: str, want: int) -> None:
    whole = _HEAD + body + "\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
    assert [d.code for d in px.check(whole)] == ["PTX0122"]
    with pytest.warns(px.PtxWarning, match="PTX0122"):
        assert _run(body) == want


def test_the_upper_bits_of_such_a_sum_are_left_to_chance() -> None:
    body = "add.u64 %rd3, %r1+5, 0; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r2, %rd3;"
    whole = _HEAD + body + "\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
    kernel, seen = px.parse(whole)["k"], set[int]()
    for seed in range(4):
        out = np.zeros(1, np.uint32)
        px.simulate(kernel, grid=1, block=1, args=[out], seed=seed, lints=False)
        seen.add(int(out[0]))
    assert len(seen) > 1


def test_an_address_in_16_bits() -> None:
    body = "st.shared.u32 [su+12], 6; mov.u32 %r3, su; cvt.u16.u32 %h3, %r3; ld.shared.u32 %r2, [%h3+12];"
    assert [d.code for d in px.check(_HEAD + body + "\nret;\n}\n", lints=False)] == ["PTX0121"]
    with pytest.warns(px.PtxWarning, match="PTX0121"):
        assert _run(body) == 6


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("atom.global.add.u32 %r2, gu[%r1], 1;", "PTX0104"),  # elements stand in loads, stores and moves alone
        ("ld.shared.u32 %r2, gu[%r1];", "PTX0108"),
        ("ld.global.u32 %r2, gu[%p];", "PTX0104"),
        ("ld.global.u32 %r2, gu[%r1-4];", "PTX0104"),
        ("ld.global.u32 %r2, gu[%r1+%r2];", "PTX0104"),
        ("mov.u32 %r2, gu[%r1];", "PTX0105"),
    ],
)
def test_what_is_no_element(line: str, code: str) -> None:
    assert [d.code for d in px.check(_HEAD + line + "\nret;\n}\n", lints=False)] == [code]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("mov.u32 %r1+1, %r2;", "cannot be written"),
        ("add.u32 %r1+1, %r1+1, 2;", "cannot be written"),
        ("st.global.v2.u32 [%rd1], {%r1+1, %r2};", "a sum of a register and a number"),
        ("mov.u32 %r1, 1 + %r2;", "no operand here"),
        ("mov.u32 %r1, %r2-1;", "no operand here"),
        ("selp.b32 %r1, %r2, %r3, %p+1;", "no operand here"),
        ("st.global.u64 [%rd1], k+4;", "a symbol"),
        ("add.u64 k, %rd1, 4;", "cannot be written"),
        ("st.global.v2.u64 [%rd1], {k, %rd1};", "a symbol"),
        ("add.u64 %rd1, gu, 4;", "a symbol"),
    ],
)
def test_what_cannot_be(body: str, word: str) -> None:
    found = px.check(_HEAD + body + "\nret;\n}\n", lints=False)
    assert [d.code for d in found] == ["PTX0104"]
    assert word in str(found[0])


def test_the_address_of_a_function_is_a_value() -> None:
    text = """.version 8.0\n.target sm_90a\n.address_size 64
.func (.reg .b32 r) five(.reg .b32 x) { add.u32 r, x, 5; ret; }
.entry k(.param .u64 o) .reqntid 1 {
.reg .b64 %rd<9>; .reg .b32 %r<3>; .reg .pred %p; .shared .u64 place;
ld.param.u64 %rd1, [o]; mov.u64 %rd2, five;
st.shared.u64 [place], five; ld.shared.u64 %rd3, [place];
setp.eq.u64 %p, five, %rd2; @!%p trap; sub.u64 %rd4, %rd3, five; cvt.u32.u64 %r2, %rd4;
P: .callprototype (.reg .b32 _) _ (.reg .b32 _);
call (%r1), %rd3, (%r2), P;
st.global.u32 [%rd1], %r1; ret; }
"""
    assert str(parse(text)) == text
    assert not [d for d in px.check(text, lints=False) if d.severity == "error"]
    out = np.zeros(1, np.uint32)
    px.parse(text)["k"][1](out)
    assert out[0] == 5
