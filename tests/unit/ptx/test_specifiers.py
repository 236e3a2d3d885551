"""`.align` and `.attribute` wherever ptxas takes them, and vectors as parameters."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import check
from ptxlab.ptx.format import formatted
from ptxlab.ptx.lower import lower
from ptxlab.ptx.parser import parse
from ptxlab.ptx.tree import RegDecl, VarDecl, alignments, attributes
from ptxlab.ptx.variables import alignment

HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"


def _variable(text: str) -> VarDecl:
    found = parse(HEAD + text).items[-1]
    assert isinstance(found, VarDecl)
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (".global .f32 a;", 4),
        (".global .align 1 .f32 a;", 4),
        (".global .align 4 .v4 .f32 a;", 16),
        (".global .align 16 .f32 a;", 16),
        (".align 64 .global .f32 a;", 64),
        (".global .align 64 .align 8 .f32 a;", 64),
        (".global .align 8 .align 64 .f32 a;", 64),
        (".align 32 .global .align 8 .f32 a;", 32),
        (".align 4 .global .align 8 .attribute(.managed) .align 16 .f32 a;", 16),
    ],
)
def test_the_largest_alignment_counts(text: str, wanted: int) -> None:
    assert alignment(_variable(text)) == wanted


def test_what_is_aligned_to_less_than_its_elements() -> None:
    """Places as in ptxas' own table of parameters (KPARAM_INFO) and section of shared memory."""
    text = f"""{HEAD}.entry k(.param .b8 p, .param .align 1 .b32 x, .param .b8 q, .param .align 2 .b64 y[1],
    .param .b8 r, .param .align 4 .v2 .b32 z[1])
    {{ .shared .b8 a; .shared .align 1 .b32 b; .shared .b8 c; .shared .align 4 .v4 .f32 d;
    st.shared.b8 [a], 1; st.shared.b8 [c], 2; st.shared.b32 [b], 3; st.shared.f32 [d], 0f40800000; ret; }}"""
    program = lower(parse(text), "k")
    assert [p.offset for p in program.params] == [0, 4, 8, 16, 24, 32]
    assert {v.name: v.offset for v in program.variables} == {"a": 0, "b": 4, "c": 8, "d": 16}


@pytest.mark.parametrize(
    ("formal", "given", "fits"),
    [
        (".align 1 .b32 x[2]", ".align 4 .b8 a[8]", True),
        (".align 1 .b32 x[2]", ".align 1 .b8 a[8]", False),
        (".align 1 .b32 x[2]", ".b32 a[2]", True),
        (".align 4 .b8 x[8]", ".align 1 .b32 a[2]", True),
        (".b8 x[8]", ".align 1 .b32 a[2]", False),
        (".align 8 .align 4 .b8 x[8]", ".align 8 .b8 a[8]", True),
        (".align 8 .align 4 .b8 x[8]", ".align 4 .b8 a[8]", False),
        (".v2 .b32 x[1]", ".align 8 .b8 a[8]", False),  # to ptxas nothing is such an array
    ],
)
def test_arguments_have_the_alignment_that_counts(formal: str, given: str, fits: bool) -> None:
    text = f"{HEAD}.func f(.param {formal}) {{ ret; }}\n.entry k() {{ .param {given}; call f, (a); ret; }}\n"
    found = [d.code for d in check(text, lints=False) if d.severity == "error"]
    assert found == ([] if fits else ["PTX0022"])


@pytest.mark.parametrize("gap", ["\f ", "\r", "\t", " \f"])
def test_a_version_may_stand_behind_a_form_feed(gap: str) -> None:
    text = f".version{gap}8.5\n.target sm_90a\n.entry k() {{ ret; }}\n"
    assert str(parse(text)) == text


def test_all_alignments_and_attributes_are_found() -> None:
    text = ".align 4 .attribute(.managed) .global .align 8 .attribute(.unified(1, 2)) .align 16 .f32 a;"
    node = _variable(text)
    assert alignments(node) == [4, 8, 16]
    assert " ".join(attributes(node)) == ".attribute ( .managed ) .attribute ( .unified ( 1 , 2 ) )"
    assert formatted(parse(HEAD + text)).endswith(f"\n{text}\n")


def test_a_node_that_changes_prints_its_change() -> None:
    module = parse(f"{HEAD}.align 8 .global .align 4 .align 16 .f32 a;")
    node = module.items[-1]
    assert isinstance(node, VarDecl)
    node.align, node.ahead = None, ()
    assert str(module).endswith("\n.global .align 4 .f32 a;")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".align 3 .global .f32 a;", "PTX0016"),
        (".global .align 3 .align 8 .f32 a;", "PTX0016"),
        (".align 8 .visible .global .f32 a;", "PTX0001"),
        (".align 8 .entry f() { ret; }", "PTX0001"),
        (".attribute(.managed) .shared .f32 a;", "PTX0015"),
        (".entry f() { .align 8 .attribute(.managed) .reg .b32 x; ret; }", "PTX0015"),
        ('.entry f() { .align 8 .pragma "x"; ret; }', "PTX0001"),
        (".func f(.param .v4 .f32 x) { ret; }", "PTX0015"),
        (".func f(.align 256 .param .f32 x) { ret; }", "PTX0016"),
        (".func f(.reg .v4 .b64 x) { ret; }", "PTX0015"),
        (".func f(.reg .v4 .f32 x) { ret; } .entry k() { .reg .v2 .f32 a; call f, (a); ret; }", "PTX0022"),
        (".func f(.reg .v4 .f32 x) { ret; } .entry k() { .reg .f32 a; call f, (a); ret; }", "PTX0022"),
        (".func f(.reg .v4 .f32 x) { ret; } .entry k() { call f, (1.0); ret; }", "PTX0022"),
        (".entry f() { .param .v4 .b32 x[2], y; ret; }", "PTX0015"),
        (".entry f() { .reg .attribute(.managed) .b32 %r<4>, x; ret; }", "PTX0015"),
        (".entry f() { .reg .attribute(.managed, .unified(1, 2)) .b32 %r<4>; ret; }", "PTX0015"),
    ],
)
def test_what_is_wrong_with_them(text: str, code: str) -> None:
    found = [d for d in check(HEAD + text + "\n", lints=False) if d.severity == "error"]
    assert [d.code for d in found] == [code]
    assert found[0].span is not None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".extern .func f(.param .attribute(.managed) .b64 x, .param .b64 x);", None),
        (".extern .func (.reg .attribute(.unified(1, 2)) .b32 x) f(.param .b64 x);", "PTX0015"),
        (".func f(.param .b64 x, .param .b64 x); .func f(.param .b64 x, .param .b64 y) { ret; }", None),
        (".extern .func f(.param .align 256 .e4m3 x);", None),
        (".extern .func f(.param .v4 .f32 x);", None),
        (".extern .func f(.reg .texref x);", None),
        (".extern .func f(.reg .b32 x[4]);", None),
        (".extern .func f(.param .bf16 x);", "PTX0015"),
        (".extern .func f(.param .v4 .b64 x);", "PTX0015"),
        (".extern .func f(.param .v2 .pred x);", "PTX0015"),
        (".extern .func f(.param .align 3 .b32 x);", "PTX0016"),
        (".extern .func f(.param .b32 .align 8 x);", "PTX0015"),
        (".extern .func f(.param .b64 .ptr x);", "PTX0015"),
        (".extern .func f(.param .b64 _);", "PTX0015"),
        (".extern .entry f(.param .b32 x[]);", "PTX0015"),
        (".func f(.param .b64 x, .param .b64 x) { ret; }", "PTX0013"),
        (".func f(.param .attribute(.managed) .b64 x) { ret; }", "PTX0015"),
        (".entry f(.param .f16x2 x[128]) { ret; }", None),
        (".func f(.param .f16x2 x[128]) { .param .f16x2 y[2]; ret; }", None),
        (".entry f(.param .f16x2 x) { ret; }", "PTX0015"),
        (".entry f() { .reg .b128 %q; .reg .b32 %r; ld.global.u32 %r, [%q]; ret; }", "PTX0105"),
        (".global .b32 g[4]; .entry f() { .reg .b128 %q; .reg .b32 %r; ld.global.u32 %r, g[%q]; ret; }", "PTX0104"),
        (".entry f(.param .b32 w) { { w: bra w; } }", None),
        (".entry f(.param .b32 w) { bra w; }", "PTX0104"),
        (".common .global .texref t;", "PTX0015"),
        (".section .debug_str { .b8 -0 }", "PTX0015"),
        (".section .debug_str { .b64 -0 .b8 0, -0 .b32 -1 }", None),
        (".entry f() { membar \r\n.gl; membar\f.gl; ret; }", None),
    ],
)
def test_what_mutations_of_modules_showed(text: str, code: str | None) -> None:
    whole = HEAD + text + "\n"
    assert [d.code for d in check(whole, lints=False) if d.severity == "error"] == ([code] if code else [])
    assert code or str(parse(whole)) == whole


@pytest.mark.parametrize("directives", [".maxntid 128 .minnctapersm 0", ".reqntid 0 .minnctapersm 1"])
def test_no_threads_and_no_ctas_beside_setmaxnreg(directives: str) -> None:
    text = f"{HEAD}.entry f() {directives} {{ setmaxnreg.inc.sync.aligned.u32 232; ret; }}\n"
    assert all(d.code[:4] == "PTX2" for d in check(text, lints=False))


def test_ranges_of_registers_may_have_attributes() -> None:
    text = HEAD + ".entry f() { .reg .attribute(.managed) .b32 %r<4>; mov.b32 %r1, 5; ret; }"
    body = parse(text).entries()[0].body
    assert body is not None
    assert isinstance(body.items[0], RegDecl)
    assert not [d for d in check(text, lints=False) if d.severity == "error"]


_VECTORS = f"""{HEAD}
.func (.reg .v2 .b32 r) swapped(.reg .b32 k, .reg .v2 .b32 x, .reg .v4 .u16 h)
{{
    .reg .b32 t; cvt.u32.u16 t, h.w;
    add.u32 r.x, x.y, k; add.u32 r.y, x.x, t; ret;
}}
.entry k(.param .u64 out, .param .v2 .b32 given[2])
{{
    .reg .b64 %rd<3>; .reg .v2 .b32 x, y; .reg .v4 .u16 h; .reg .s32 s;
    ld.param.u64 %rd1, [out]; ld.param.v2.b32 x, [given+8];
    mov.u16 h.x, 1; mov.u16 h.y, 2; mov.u16 h.z, 3; mov.u16 h.w, 1000;
    call (y), swapped, (7, x, h);
    {{ .reg .v2 .s32 x; mov.b32 x.x, y.x; mov.b32 x.y, y.y; call (x), swapped, (1, x, h);
    st.global.v2.b32 [%rd1+8], x; }}
    st.global.v2.b32 [%rd1], y; ret;
}}
"""


def test_functions_take_and_return_vectors_in_registers() -> None:
    assert not check(_VECTORS)
    out = np.zeros(4, np.uint32)
    px.parse(_VECTORS)["k"].launch(grid=1, block=1, args=[out, np.array([1, 2, 30, 40], np.uint32).tobytes()])
    assert out.tolist() == [47, 1030, 1031, 1047]


def test_a_parameter_of_vectors_is_as_large_as_they_are() -> None:
    found = lower(parse(_VECTORS), "k").params[1]
    assert (found.size, found.align, found.count, found.is_array) == (16, 8, 4, True)
