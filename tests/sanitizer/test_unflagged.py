"""Launches with flags: Python follows these only where they may order something."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order.accesses import Accesses
from ptxlab.sim.order.companions.rerun import Kept
from tools.without_flags import difference

# Each CTA stores how far it has got into a word of its own, and waits for that of the one before it: a chain of sums. `data` comes
# before the flag, and `guarded` reads what the CTA before has stored there.
CHAIN = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flags, .param .u64 data, .param .u64 out)
{{
.shared .align 4 .b8 bins[128];
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<8>;
ld.param.u64 %rd0, [flags]; ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
mov.u32 %r8, bins; shl.b32 %r7, %r0, 2; add.u32 %r7, %r7, %r8;
st.shared.u32 [%r7], 0;
bar.warp.sync -1;
atom.shared.add.u32 %r6, [bins], 1;
bar.sync 0;
mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd0, %rd3; add.u64 %rd5, %rd1, %rd3; add.u64 %rd6, %rd2, %rd3;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra END;
ld.global.u32 %r5, [%rd6]; add.u32 %r5, %r5, 1; st.global.u32 [%rd6], %r5;
{data}
mov.u32 %r2, 0;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra STORE;
POLL:
{fence}
ld.volatile.global.u32 %r2, [%rd4+-4];
setp.eq.u32 %p2, %r2, 0;
@%p2 bra POLL;
{guarded}
STORE:
ld.shared.u32 %r3, [bins];
add.u32 %r4, %r2, %r3;
st.volatile.global.u32 [%rd4], %r4;
END:
ret;
}}
"""
SCHEDULES = ("eager", "late", "random")
ALONE = {"data": "", "guarded": "", "fence": "membar.cta;"}
GUARDS = {
    "data": "st.global.u32 [%rd5], %r1; fence.acq_rel.gpu;",
    "guarded": "fence.acq_rel.gpu; ld.global.u32 %r3, [%rd5+-4];",
    "fence": "",
}


def launched(parts: dict[str, str], schedule: str) -> tuple[list[str], list[int], list[int]]:
    """The codes that 12 CTAs find, what they leave in their flags, and how often each has run."""
    kernel = px.parse(CHAIN.format(**parts), "k.ptx")["k"]
    arrays = [np.zeros(12, np.uint32) for _ in range(3)]
    report = px.simulate(kernel, grid=12, block=32, args=arrays, sanitize=True, schedule=schedule, lints=False)
    return [d.code for d in report.findings], arrays[0].tolist(), arrays[2].tolist()


SUMS, ONCE = [32 * n for n in range(1, 13)], [1] * 12


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_flags_that_hand_on_values_are_left_to_machine_code(schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    executes = Accesses.executes
    heard: list[str] = []

    def hears(self: Accesses, *of: object) -> None:
        heard.append(str(of[-1]))
        executes(self, *of)  # type: ignore[arg-type]

    monkeypatch.setattr(Accesses, "executes", hears)
    assert launched(ALONE, schedule) == ([], SUMS, ONCE)
    assert not heard


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_launch_whose_flags_order_something_begins_anew(schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put_back = Kept.put_back
    times: list[Kept] = []

    def puts_back(self: Kept) -> None:
        times.append(self)
        put_back(self)

    monkeypatch.setattr(Kept, "put_back", puts_back)
    assert launched(GUARDS, schedule) == ([], SUMS, ONCE)
    assert times


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("left_out", ["data", "guarded"])
def test_it_finds_what_lacks(left_out: str, schedule: str) -> None:
    """Without one of its two fences."""
    parts = {**GUARDS, left_out: GUARDS[left_out].replace("fence.acq_rel.gpu;", "")}
    codes, flags, runs = launched(parts, schedule)
    assert codes == ["PTX9200"]
    assert (flags, runs) == (SUMS, ONCE)


def test_a_weak_access_to_a_flag_is_told() -> None:
    parts = {**ALONE, "fence": "ld.global.u32 %r3, [%rd4+-4];"}
    assert launched(parts, "eager")[0] == ["PTX9252"]


def test_random_programs_with_and_without_their_flags() -> None:
    """`tools/without_flags.py` runs as many as one likes."""
    seeds = range(7, 37)
    results = [difference(seed) for seed in seeds]
    assert [text for _, text in results if text] == []
    assert {how for how, _ in results} == {"in full", "without flags"}
