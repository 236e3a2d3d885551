"""Registers of functions and blocks that have the same names: ranges and single ones."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse

HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
RANGE, SINGLE = ".reg .b32 %r<20>;", ".reg .b32 %r12, %r13;"


@pytest.mark.parametrize("inner", [RANGE, SINGLE])
@pytest.mark.parametrize("outer", [RANGE, SINGLE])
def test_a_function_leaves_registers_of_its_caller(outer: str, inner: str) -> None:
    text = f"""{HEAD}.func (.param .b32 r) f(.param .b32 a) {{ {inner} ld.param.b32 %r12, [a];
    add.u32 %r13, %r12, 5; st.param.b32 [r], %r13; ret; }}
    .visible .entry k(.param .u64 o) {{ {outer} .reg .b64 %x; .reg .b32 %s; ld.param.u64 %x, [o];
    mov.u32 %r12, 100; mov.u32 %r13, 200;
    {{ .param .b32 p, q; st.param.b32 [p], %r12; call (q), f, (p); ld.param.b32 %s, [q]; }}
    st.global.v2.b32 [%x], {{%r12, %r13}}; st.global.b32 [%x+8], %s; ret; }}"""
    program = lower(parse(text), "k")
    assert not set(program.registers) & set(program.functions[0].registers)
    out = np.zeros(3, np.uint32)
    px.simulate(px.parse(text)["k"], grid=1, block=1, args=[out])
    assert out.tolist() == [100, 200, 105]


@pytest.mark.parametrize("inner", [RANGE, SINGLE])
@pytest.mark.parametrize("outer", [RANGE, SINGLE])
def test_a_block_leaves_registers_of_the_one_around_it(outer: str, inner: str) -> None:
    text = f"""{HEAD}.visible .entry k(.param .u64 o) {{ {outer} .reg .b64 %x; ld.param.u64 %x, [o];
    mov.u32 %r12, 1; mov.u32 %r13, 2;
    {{ {inner} mov.u32 %r12, 3; mov.u32 %r13, 4; st.global.v2.b32 [%x+8], {{%r12, %r13}}; }}
    st.global.v2.b32 [%x], {{%r12, %r13}}; ret; }}"""
    out = np.zeros(4, np.uint32)
    px.simulate(px.parse(text)["k"], grid=1, block=1, args=[out])
    assert out.tolist() == [1, 2, 3, 4]


def test_names_that_do_not_meet_stay() -> None:
    body = "mov.u32 %r3, 1; mov.u32 %r4, 2; mov.u32 %r09, 3; ret;"
    text = f"{HEAD}.visible .entry k() {{ .reg .b32 %r<4>; .reg .b32 %r4, %r9, %r09; {body} }}"
    assert set(lower(parse(text), "k").registers) == {"%r3", "%r4", "%r09"}


def test_zeros_in_front_of_a_number_name_the_same_register() -> None:
    text = f"{HEAD}.visible .entry k() {{ .reg .b32 %r<12>; mov.u32 %r01, %r010; ret; }}"
    assert set(lower(parse(text), "k").registers) == {"%r1", "%r10"}


def test_a_range_whose_name_ends_in_a_digit_has_no_registers() -> None:
    (found,) = px.check(f"{HEAD}.visible .entry k() {{ .reg .b32 %r1<5>; mov.u32 %r12, 1; ret; }}", lints=False)
    assert found.code == "PTX0010"
