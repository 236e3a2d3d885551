"""Values that are followed through instructions, as their rows say."""

from __future__ import annotations

import pytest

from ptxlab.checks.analysis import Analysis
from ptxlab.checks.values import Place, constant
from ptxlab.isa.effects import Compute
from ptxlab.isa.form import FORMS
from ptxlab.ptx.lower import lowered
from ptxlab.ptx.parser import parse

_HEAD = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u32 n)
{
    .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .shared .align 16 .b8 buffer[64];
"""


def values(text: str) -> Analysis:
    return Analysis(lowered(parse(_HEAD + text + "ret;\n}\n"), "k")[0])


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        ("add.u32 %r1, 7, 5;", 12),
        ("sub.u32 %r1, 5, 7;", 0xFFFFFFFE),
        ("sub.s32 %r1, 5, 7;", -2),
        ("mul.lo.u32 %r1, 7, 5;", 35),
        ("mul.hi.u32 %r1, 7, 5;", None),
        ("and.b32 %r1, 12, 10;", 8),
        ("or.b32 %r1, 12, 10;", 14),
        ("xor.b32 %r1, 12, 10;", 6),
        ("not.b32 %r1, 1;", 0xFFFFFFFE),
        ("shl.b32 %r1, 3, 4;", 48),
        ("shr.u32 %r1, 48, 4;", 3),
        ("cvt.u8.u32 %r1, 300;", 44),
        ("cvt.sat.u8.u32 %r1, 300;", None),
        ("add.u16x2 %r1, 7, 5;", None),
        ("@%p1 mov.u32 %r1, 3;", None),
    ],
)
def test_numbers(instruction: str, value: int | None) -> None:
    assert constant(values(instruction).values.register("%r1")) == value


def test_predicates_and_places() -> None:
    found = values(
        "setp.lt.u32 %p1, 3, 4; not.pred %p2, %p1; setp.lt.and.u32 %p3, 3, 4, %p1; mov.u32 %r1, buffer;"
        "add.u32 %r2, 8, %r1; sub.u32 %r3, %r2, 4; sub.u32 %r4, 4, %r2; elect.sync _|%p4, -1; cvta.shared.u64 %rd1, buffer;"
    ).values
    assert [constant(found.register(f"%p{i}")) for i in (1, 2, 3)] == [1, 0, None]
    assert found.register("%p4") == (1,) + 31 * (0,)
    assert [found.register(f"%r{i}") for i in (2, 3, 4)] == [Place("buffer", 8), Place("buffer", 4), None]
    assert found.register("%rd1") == Place("buffer", 0)


def test_rows_that_are_followed_name_operands_that_they_have() -> None:
    followed = [f for f in FORMS.values() if isinstance(f.effect, Compute) and f.effect.each is not None]
    assert len(followed) > 15
    for form in followed:
        effect = form.effect
        assert isinstance(effect, Compute)
        assert {effect.to, *effect.of} <= set(form.operands), form.key
