"""Where gaps may stand in PTX, and where not: as ptxas 13.1 reads hand-written text.

tests/conformance/ptxas/test_ptxas_gaps.py asks ptxas itself.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.ptx.format import formatted
from ptxlab.ptx.parser import parse

FRAME = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) {{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<3>; .reg .v4 .b32 %v; .reg .f32 %f<3>; .shared .b32 s[4];
	{}
	ret;
}}
"""


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("prmt .b32 %r2, %r1, %r1, 3   ;", "prmt.b32 %r2, %r1, %r1, 3;"),
        ("ld .global .u32 %r2, [%rd1];", "ld.global.u32 %r2, [%rd1];"),
        ("ld.global\n.u32 %r2, [%rd1];", "ld.global.u32 %r2, [%rd1];"),
        ("ld /* a load */ .global .u32 %r2, [%rd1];", "ld.global.u32 %r2, [%rd1];"),
        ("@! %p1 add .u32 %r2 , %r1,%r1 ;", "@!%p1 add.u32 %r2, %r1, %r1;"),
        ("setp .eq .u32 %p1|%p2, %r1, %r1;", "setp.eq.u32 %p1|%p2, %r1, %r1;"),
        ("membar .gl ;", "membar.gl;"),
        ("xor  .b32 %r1, %r2, -5;", "xor.b32 %r1, %r2, -5;"),
        ("ld\n.shared .u32 %r2, [%r1];", "ld.shared.u32 %r2, [%r1];"),
        ("st\n.shared\n.u32 [ s + 4 ], %r1;", "st.shared.u32 [s+4], %r1;"),
        ("discard .global .L2 [%rd1], 128;", "discard.global.L2 [%rd1], 128;"),
        ("mov.u32 %r1, %tid .x;", "mov.u32 %r1, %tid.x;"),
        ("mov.u32 %v\n.y, %ctaid/* axis */ .z;", "mov.u32 %v.y, %ctaid.z;"),
        ("@%p1 mov.b64 { %v .x , _ } ,%rd1 ;", "@%p1 mov.b64 {%v.x, _}, %rd1;"),
        ("ld.shared.u32 %r2, [ %r1 + - 4 ];", "ld.shared.u32 %r2, [%r1+-4];"),
        ('mov.u32 # 7 "x.h"\n %r1, 5;', 'mov.u32\n# 7 "x.h"\n        %r1, 5;'),
        ('mov.u32 %r1, 5; #line 7 "x.h" 3\n', "mov.u32 %r1, 5;"),
    ],
)
def test_gaps_within_an_opcode(written: str, canonical: str) -> None:
    text = FRAME.format(written)
    module = px.parse(text)
    assert str(module) == text
    made = formatted(parse(text))
    assert canonical in re.sub(r"/\* [a-z ]+ \*/ ", "", made)
    assert made.count("/*") == text.count("/*")
    assert parse(made) == parse(text)
    assert {d.code for d in px.check(text)} <= {"PTX5002", "PTX5003"}  # registers read before they are written


@pytest.mark.parametrize(
    "next_", [".reg .b32 x;", ".shared .b32 x;", ".local .b32 x;", ".loc 1 2 3", '.pragma "nounroll";']
)
def test_a_forgotten_semicolon_in_front_of_a_directive(next_: str) -> None:
    with pytest.raises(Diagnostic, match="expected `;`") as caught:
        px.parse(FRAME.format("membar.gl\n" + next_))
    assert caught.value.code == "PTX0001"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("mul .wide.u32 %rd1, %r1, %r2;", "`mul.wide` is one word"),
        ("mbarrier\n.init.shared.b64 [%r1], 1;", "`mbarrier.init` is one word"),
        ("cp.async /* here */ .commit_group;", "`cp.async.commit_group` is one word"),
        ("mov.u32 %r1, %tid. x;", "expected `;`"),
        ("add. u32 %r1, %r1, %r1;", "expected `;`"),
        ("\vmov.u32 %r1, 5;", r"found `\\x0b`"),
        ("#pragma unroll\n", "found `#`"),
        ("# 7 x.h\n", "found `#`"),
    ],
)
def test_places_for_no_gap(written: str, words: str) -> None:
    with pytest.raises(Diagnostic, match=words) as caught:
        px.parse(FRAME.format(written))
    assert caught.value.code == "PTX0001"


def test_a_mistake_behind_a_selector_that_stands_apart_is_shown_at_its_place() -> None:
    with pytest.raises(Diagnostic) as caught:
        px.parse(FRAME.format("mov.u32 %r1, %tid .x %r2;"))
    assert caught.value.span is not None
    assert caught.value.span.text is not None
    assert caught.value.span.text[caught.value.span.column - 1 :].startswith("%r2;")


@pytest.mark.parametrize("gap", ["\n", "/**/", " // which\n"])
def test_the_version_stands_beside_its_directive(gap: str) -> None:
    with pytest.raises(Diagnostic, match="another line") as caught:
        px.parse(FRAME.format("").replace(".version 9.0", f".version{gap}9.0"))
    assert caught.value.help == "write `.version 9.0`"


def test_a_directive_may_follow_the_target_at_once() -> None:
    text = FRAME.format("").replace(".target sm_90a\n", ".target sm_90a, texmode_independent")
    assert px.parse(text).target == "sm_90a"
    assert str(px.parse(text)) == text


@pytest.mark.parametrize(
    ("written", "value"),
    [(".5", 0.5), ("-.5e1", -5.0), ("+1.5", 1.5), ("(1.0+2.0)*3.0", 9.0), ("- -1.5", 1.5), ("7.0/2.0", 3.5)],
)
def test_numbers_with_a_point(written: str, value: float) -> None:
    out = np.zeros(2, np.float32)
    head = f".global .f32 x = {written};\n.visible"
    body = f"ld.param.u64 %rd1, [p]; mov.f32 %f1, {written}; st.f32 [%rd1], %f1; ld.global.f32 %f1, [x]; st.f32 [%rd1+4], %f1;"
    module = px.parse(FRAME.format(body).replace(".visible", head))
    assert str(module).count(written) == 2
    px.simulate(module["k"], grid=1, block=1, args=[out])
    assert out.tolist() == [value, value]


@pytest.mark.parametrize(("written", "value"), [("1.5<2.0", 1), ("(.s64)(1+2)", 3), ("(.u64)-1>>60", 15), ("1?2:3", 2)])
def test_integers_of_odd_spellings(written: str, value: int) -> None:
    out = np.zeros(1, np.uint32)
    text = FRAME.format(f"ld.param.u64 %rd1, [p]; mov.u32 %r1, {written}; st.u32 [%rd1], %r1;")
    assert str(px.parse(text)) == text
    px.simulate(px.parse(text)["k"], grid=1, block=1, args=[out])
    assert out.tolist() == [value]


@pytest.mark.parametrize(
    "written",
    [
        "ld.shared.u32 %r1, [s-4];",
        "mov.u32 %r1, s-4;",
        "mov.f32 %f1, -0f3F800000;",
        "mov.f32 %f1, 1.0*2;",
    ],
)
def test_what_ptxas_reads_in_no_way(written: str) -> None:
    assert [d.code for d in px.check(FRAME.format(written)) if d.severity == "error"] != []


def test_an_address_below_its_base_is_written_as_ptxas_reads_it() -> None:
    @px.kernel(target="sm_90a", threads=1)
    def below(k, a: px.Ptr[px.u32]):
        k.st.global_.u32(a[-1], 7)

    assert "[%a+-4]" in below.ptx


def test_no_pattern_needs_a_group_that_gives_nothing_back() -> None:
    """Python before 3.11.5 keeps half a turn of such a group: `(?:\\.\\w++)*+` takes the point of `add. u32`.

    Those that are left look ahead first, or have turns of a single character or an escaped one.
    """
    sound = (r"(?:(?=\.[\w:])\.[\w:]++)*+", r'(?:[^"\\\n]|\\.)*+')
    found: list[str] = []
    for path in Path(px.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for group in sound:
            text = text.replace(group, "")
        found += [
            f"{path.name}: {line.strip()}" for line in text.splitlines() if re.search(r"r[f]?['\"].*\)[*+?]\+", line)
        ]
    assert found == []
