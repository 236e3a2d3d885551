"""Flags that fail: a finding names the data, the accesses to the flag, and what either side lacks. Right flags are silent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.diag.causes import with_consequences

SCHEDULES: tuple[dict[str, Any], ...] = (
    {"sanitize": True},
    {"sanitize": True, "schedule": "late"},
    {"sanitize": True, "schedule": "random", "seed": 5},
    {"sanitize": "strict"},
)
MESSAGE = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 flag, .param .u64 out)
{{
.reg .pred %p<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
ld.param.u64 %rd0, [data]; ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
setp.ne.u32 %p0, %r1, 0;
@%p0 bra TAKE;
setp.ne.u32 %p1, %r0, {writer};
@!%p1 st.global.u32 [%rd0], 7;
{meet}
setp.ne.u32 %p1, %r0, 0;
@%p1 bra END;
{release}
{store} [%rd1], 1;
bra END;
TAKE:
setp.ne.u32 %p1, %r0, 0;
@%p1 bra END;
POLL:
{load} %r2, [%rd1];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra POLL;
{acquire}
ld.global.u32 %r3, [%rd0];
st.global.u32 [%rd2], %r3;
END:
ret;
}}
"""
STORE, LOAD, FENCE = "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", "fence.acq_rel.gpu;"
RIGHT: tuple[dict[str, str], ...] = (
    {"release": FENCE, "acquire": FENCE},
    {"release": "fence.sc.gpu;", "acquire": "fence.sc.gpu;"},
    {"release": "fence.release.gpu;", "acquire": "fence.acquire.gpu;", "store": "red.relaxed.gpu.global.add.u32"},
    {"store": "st.release.gpu.global.u32", "load": "ld.acquire.gpu.global.u32"},
    {"store": "st.release.sys.global.u32", "acquire": "fence.acquire.sys;"},
    {"store": "red.release.gpu.global.add.u32", "load": "ld.acquire.gpu.global.u32"},
    {"release": FENCE, "acquire": FENCE, "writer": "40", "meet": "bar.sync 0;"},
)
NARROW = "fence.acq_rel.cta;"
WRONG: tuple[tuple[dict[str, str], list[str]], ...] = (
    ({"acquire": FENCE}, ["{store} does not release, and no fence in front of it does"]),
    ({"release": FENCE}, ["{load} does not acquire, and no fence behind it does"]),
    (
        {},
        [
            "{store} does not release, and no fence in front of it does",
            "{load} does not acquire, and no fence behind it does",
        ],
    ),
    ({"release": NARROW, "acquire": FENCE}, ["`fence.acq_rel.cta` in line {release} has the scope .cta"]),
    ({"release": FENCE, "acquire": NARROW}, ["`fence.acq_rel.cta` in line {acquire} has the scope .cta"]),
    ({"release": FENCE, "acquire": FENCE, "store": "st.relaxed.cta.global.u32"}, ["{store} has the scope .cta"]),
    ({"release": FENCE, "acquire": FENCE, "load": "ld.relaxed.cluster.global.u32"}, ["{load} has the scope .cluster"]),
    ({"store": "st.release.cta.global.u32", "load": "ld.acquire.gpu.global.u32"}, ["{store} has the scope .cta"]),
    ({"release": FENCE, "acquire": FENCE, "store": "st.global.u32"}, ["{store} is weak"]),
    ({"acquire": FENCE, "store": "red.relaxed.gpu.global.add.u32"}, ["{store} does not release"]),
    ({"acquire": FENCE, "writer": "40", "meet": "bar.sync 0;"}, ["{store} does not release"]),
    ({"release": "fence.acquire.gpu;", "acquire": FENCE}, ["{store} does not release"]),
    ({"release": FENCE, "acquire": "fence.release.gpu;"}, ["{load} does not acquire"]),
)


def text(**parts: str) -> str:
    known = {"writer": "0", "meet": "", "release": "", "acquire": "", "store": STORE, "load": LOAD}
    return MESSAGE.format(**(known | parts))


def found(code: str, options: dict[str, Any]) -> list[Diagnostic]:
    arrays = [np.zeros(4, np.uint32) for _ in range(3)]
    report = px.simulate(px.parse(code, "k.ptx")["k"], grid=2, block=64, args=arrays, lints=False, **options)
    return with_consequences(report.findings)


def line_of(code: str, part: str) -> int:
    return next(i for i, line in enumerate(code.splitlines(), 1) if line.startswith(part))


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize("parts", RIGHT, ids=str)
def test_right_flags(parts: dict[str, str], options: dict[str, Any]) -> None:
    assert found(text(**parts), options) == []


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize(("parts", "lacks"), WRONG, ids=str)
def test_what_a_flag_lacks(parts: dict[str, str], lacks: list[str], options: dict[str, Any]) -> None:
    code = text(**parts)
    (race,) = [d for d in found(code, options) if d.flag]
    store, load = (line_of(code, parts.get(name, one)) for name, one in (("store", STORE), ("load", LOAD)))
    assert race.span is not None
    assert race.other is not None
    assert (race.span.line, race.other.line) == (line_of(code, "ld.global"), line_of(code, "@!%p1 st.global"))
    assert [access.span.line for access in race.flag if access.span] == [store, load]
    assert [access.cta for access in race.flag] == [(0, 0, 0), (1, 0, 0)]
    names = {
        name: f"`{code.splitlines()[line - 1].strip(';')}` in line {line}"
        for name, line in (("store", store), ("load", load))
    }
    names |= {side: str(line_of(code, parts[side])) for side in ("release", "acquire") if side in parts}
    flag, *said = [note for note in race.notes if " in line " in note]
    assert flag.startswith("the flag between them: thread (0, 0, 0) of CTA (0, 0, 0) stores it by")
    assert [note.startswith(wanted.format(**names)) for note, wanted in zip(said, lacks, strict=True)] == [True] * len(
        lacks
    )


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_what_a_weak_flag_does_not_order_follows_from_the_flag(options: dict[str, Any]) -> None:
    arrays = [np.zeros(4, np.uint32) for _ in range(3)]
    code = text(release=FENCE, acquire=FENCE, store="st.global.u32")
    (flag,) = px.simulate(px.parse(code, "k.ptx")["k"], grid=2, block=64, args=arrays, lints=False, **options).findings
    assert [len(d.flag) for d in (flag, *flag.also)] == [0, 2]


# --- floods ----------------------------------------------------------------------------------------------------------------
def filled(stores: int, loads: int, *, meet: str = "") -> str:
    """Threads fill shared memory by two bytes, and read it by four."""
    lines = [f"st.shared.b16 [%r1+{256 * i}], %h0;" for i in range(stores)]
    lines += [meet, *(f"ld.shared.b32 %r4, [%r3+{256 * i}]; add.u32 %r5, %r5, %r4;" for i in range(loads))]
    return "\n".join([
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{",
        ".reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %rd<3>; .shared .align 16 .b8 row[16384];",
        "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r2, row; mov.b16 %h0, 0; mov.u32 %r5, 0;",
        "shl.b32 %r1, %r0, 1; add.u32 %r1, %r1, %r2; shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r2;",
        *lines,
        "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], %r5; ret; }",
    ])  # fmt: skip


def flooded(code: str, options: dict[str, Any]) -> list[Diagnostic]:
    kernel = px.parse(code, "k.ptx")["k"]
    return px.simulate(kernel, grid=1, block=128, args=[np.zeros(128, np.uint32)], lints=False, **options).findings


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_a_missing_barrier_is_one_finding(options: dict[str, Any]) -> None:
    (race,) = flooded(filled(16, 15), options)
    assert len(race.alike) >= 15
    assert f"the same is so of {len(race.alike)} more pairs of instructions: k.ptx:" in race.notes[-1]
    assert race.notes[-1].endswith(f"; and {len(race.alike) - 4} more")
    assert flooded(filled(16, 15, meet="bar.sync 0;"), options) == []


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_a_few_pairs_are_told_each(options: dict[str, Any]) -> None:
    races = flooded(filled(2, 2), options)
    assert 1 < len(races) <= 4
    assert not any(race.alike for race in races)


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_two_missing_barriers_are_two_findings(options: dict[str, Any]) -> None:
    """The accesses behind the barrier in the middle know more than those before it, and so they have another cause."""
    code = filled(8, 7)
    first, second = code.index("st.shared"), code.index("mul.wide")
    middle = code[first:second]
    twice = code[:second] + "bar.sync 0;\n" + middle + code[second:]
    races = flooded(twice, options)
    assert len(races) == 2
    lines = [{d.span.line for d in (race, *race.alike) if d.span} for race in races]
    assert max(lines[0]) < min(lines[1])


# --- counters ---------------------------------------------------------------------------------------------------------------
@px.kernel(threads=32)
def total(
    k: px.Builder, part: px.Ptr[px.u32], count: px.Ptr[px.u32], out: px.Ptr[px.u32], *, how: str = "relaxed"
) -> None:
    """Each CTA stores its part and counts; the last one adds all parts up."""
    with k.if_(k.laneid == 0):
        k.st.global_.u32(part[k.ctaid.x], 1)
        if how == "fences":
            k.fence.acq_rel.gpu()
        before = (k.atom.acq_rel if how == "acq_rel" else k.atom.relaxed).gpu.global_.add.u32(count, 1)
        with k.if_(before == 3):
            if how != "relaxed":
                k.fence.acq_rel.gpu()
            k.st.global_.u32(out, sum(k.ld.global_.u32(part[i]) for i in range(4)))


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize("how", ["relaxed", "acquire", "fences", "acq_rel"])
def test_a_counter_is_a_flag_of_its_own(how: str, options: dict[str, Any]) -> None:
    arrays = [np.zeros(4, np.uint32), np.zeros(1, np.uint32), np.zeros(1, np.uint32)]
    races = px.simulate(total, grid=4, args=arrays, lints=False, how=how, **options).findings
    if how in ("fences", "acq_rel"):
        assert races == []
        return
    (race,) = races
    said = [words for note in race.notes for words in ("does not release", "does not acquire") if words in note]
    assert said == ["does not release", "does not acquire"][: 2 if how == "relaxed" else 1]
