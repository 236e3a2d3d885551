"""Opcodes that ptxas takes for others: they are what they are taken for, with a warning."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.isa.form import FORMS
from ptxlab.isa.match import heads
from ptxlab.isa.spellings import REPEATED, meant

_HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<4>;\n"


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("bar.sync.sync", "bar.sync"),
        ("call.uni.uni.uni", "call.uni"),
        ("shfl.sync.idx.b32.sync", "shfl.sync.idx.b32"),
        ("cvt.rn.relu.satfinite.relu.satfinite.e4m3x2.f32", "cvt.rn.satfinite.relu.e4m3x2.f32"),
        ("wgmma.fence.sync", "wgmma.fence.sync.aligned"),
        ("wgmma.mma_async.sp.sync.sync.m64n8k32.f32.f16.f16", "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16"),
    ],
)
def test_an_opcode_that_is_taken_for_another(written: str, other: str) -> None:
    assert heads(written) == heads(other) != ()


@pytest.mark.parametrize(
    "written", ["fma.rn.rn.f32", "barrier.sync.aligned.aligned", "add.ftz.ftz.f32", "wgmma.fence.aligned"]
)
def test_an_opcode_that_is_taken_for_none(written: str) -> None:
    assert heads(written) == ()


def test_no_row_is_written_so_itself() -> None:
    assert meant(("setp", "eq", "s32")) == (("setp", "eq", "s32"), ())
    twice = [
        f.key for f in FORMS.values() for w in REPEATED if sum(w in s.values and not s.optional for s in f.slots) > 1
    ]
    assert twice == []


def test_the_warning_names_what_it_is_taken_for() -> None:
    text = _HEAD + "wgmma.fence.sync.sync;\nret;\n}\n"
    (found,) = px.check(text, lints=False)
    assert (found.code, found.severity) == ("PTX0233", "warning")
    assert (
        found.message
        == "`wgmma.fence.sync.sync` is not in the manual: `.sync` stands more than once, `.aligned` is left out"
    )
    assert found.help == "write `wgmma.fence.sync.aligned`, for which ptxas takes it"
    assert str(px.parse(text)) == text


def test_it_runs_as_what_it_is_taken_for() -> None:
    sum_ = "mov.u32 %r1, 5;\nbar.sync.sync 0;\nadd.s32.sat.sat %r2, %r1, 0x7fffffff;\n"
    body = sum_ + "setp.ne.s32 p, %r2, 0x7fffffff;\n@p trap;\nret;\n}\n"
    px.simulate(px.parse(_HEAD + ".reg .pred p;\n" + body)["k"], grid=1, block=1, args=[])
