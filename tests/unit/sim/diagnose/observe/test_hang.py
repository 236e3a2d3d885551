"""Launches that cannot end are reported, and only those."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import pytest

from ptxlab.abi.options import SimOptions
from ptxlab.diag import Diagnostic
from ptxlab.sim.diagnose.observe.hang import Watch
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.observer import Verdict

from ...launching import launch, record_of

HEAD = """.visible .entry k(.param .u64 a)
{
  .reg .b64 %rd<9>;  .reg .b32 %r<12>;  .reg .pred %p<5>;
  .shared .align 8 .b64 box[4];
  ld.param.u64 %rd1, [a];  mov.u32 %r1, %tid.x;  mov.u32 %r2, %ctaid.x;  mov.u32 %r9, box;
"""
TAIL = "\n  ret;\n}\n"
SECONDS = 5.0
"""Of CPU time: generous, but no launch that is waited for ends in it."""


def go(body: str, **options: Any) -> list[int]:
    a = np.zeros(16, "u4")
    launch(HEAD + body + TAIL, [a], **options)
    return a.tolist()


def hangs(body: str, **options: Any) -> Diagnostic:
    began = time.process_time()
    with pytest.raises(Diagnostic) as wrong:
        go(body, **options)
    assert wrong.value.code == "PTX9101", wrong.value
    assert time.process_time() - began < SECONDS
    return wrong.value


# --- found ------------------------------------------------------------------------------------------------------------
POLL = "ask: ld.acquire.gpu.global.u32 %r3, [%rd1+8];  setp.eq.u32 %p1, %r3, 0;  @%p1 bra ask;"


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_a_flag_that_nobody_sets(schedule: str) -> None:
    found = hangs(POLL, grid=(3, 1, 1), block=(64, 1, 1), schedule=schedule)
    assert found.notes == (
        "CTA (0, 0, 0) warp 0 and 5 more warps loop in line 9: `ld.acquire.gpu.global.u32 %r3, [%rd1+8]` "
        "reads `a + 0x8`, where 0x0 stands",
        "likely cause: threads 0-63 of CTA (0, 0, 0) and of 2 more CTAs poll `a + 0x8`, where 0x0 stands, in line 9; "
        "no other thread is left that could change it",
    )
    assert found.span is not None
    assert found.span.line == 9


@pytest.mark.parametrize(
    "body",
    [
        "ask: ld.volatile.shared.u32 %r3, [box];  setp.ne.u32 %p1, %r3, 77;  @%p1 bra ask;",
        "ask: atom.global.cas.b32 %r3, [%rd1], 0, 1;  setp.ne.u32 %p1, %r3, 0;  @%p1 bra ask;",
        "ask: atom.global.exch.b32 %r3, [%rd1], 1;  setp.ne.u32 %p1, %r3, 0;  @%p1 bra ask;",
        "ask: atom.global.add.u32 %r3, [%rd1], 0;  setp.ne.u32 %p1, %r3, 9;  @%p1 bra ask;",
        "ask: ld.global.u32 %r3, [%rd1];  setp.ne.u32 %p1, %r3, 9;  @%p1 bra ask;",
        "ask: st.volatile.global.u32 [%rd1+4], 5;  ld.volatile.global.u32 %r3, [%rd1];  setp.ne.u32 %p1, %r3, 9;  @%p1 bra ask;",
        "mov.u32 %r4, 8;  ask: nanosleep.u32 %r4;  shl.b32 %r4, %r4, 1;  min.u32 %r4, %r4, 256;"
        "  ld.volatile.global.u32 %r3, [%rd1];  setp.ne.u32 %p1, %r3, 9;  @%p1 bra ask;",
        "ask: ld.volatile.global.u32 %r3, [%rd1];  setp.ne.u32 %p1, %r3, 9;  bar.red.and.pred %p2, 0, %p1;  @%p2 bra ask;",
        "mbarrier.init.shared.b64 [%r9], 1;  ask: mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 0;  @!%p1 bra ask;",
        "all: .branchtargets ask; ask: brx.idx 0, all;",
        "ask: bra ask;",
    ],
)
def test_loops_that_nothing_ends(body: str) -> None:
    hangs(body, block=(1 if "mbarrier" in body else 64, 1, 1))


@pytest.mark.parametrize("options", [{"schedule": "late"}, {"schedule": "random"}, {"trace": True}])
def test_an_mbarrier_that_is_asked_in_python(options: dict[str, Any]) -> None:
    body = """mbarrier.init.shared.b64 [%r9], 1;
    ask: mbarrier.test_wait.parity.shared.b64 %p1, [%r9], 0;  @!%p1 bra ask;"""
    hangs(body, block=(1, 1, 1), **options)


def test_a_loop_without_a_question_is_called_one() -> None:
    assert "loop without end" in hangs("ask: bra ask;").message


def test_a_long_loop_over_many_flags() -> None:
    body = """
    again: mov.u32 %r4, 0;
    next: mul.wide.u32 %rd2, %r4, 4;  add.u64 %rd3, %rd1, %rd2;  ld.global.u32 %r3, [%rd3];
      setp.ne.u32 %p1, %r3, 0;  @%p1 bra out;
      add.u32 %r4, %r4, 1;  setp.lt.u32 %p2, %r4, 16;  @%p2 bra next;  bra again;
    out:"""
    hangs(body)


def test_a_loop_through_a_function() -> None:
    text = """
    .func (.param .b32 out) look(.param .b64 where) {
      .reg .b64 %rd<2>;  .reg .b32 %r<2>;
      ld.param.u64 %rd1, [where];  ld.volatile.global.u32 %r1, [%rd1];  st.param.b32 [out], %r1;  ret; }
    .visible .entry k(.param .u64 a) {
      .reg .b64 %rd<2>;  .reg .b32 %r<2>;  .reg .pred %p;
      ld.param.u64 %rd1, [a];
    ask:
      { .param .b64 where;  .param .b32 got;  st.param.b64 [where], %rd1;
        call.uni (got), look, (where);  ld.param.b32 %r1, [got]; }
      setp.eq.u32 %p, %r1, 0;  @%p bra ask;  ret; }"""
    with pytest.raises(Diagnostic) as wrong:
        launch(text, [np.zeros(4, "u4")])
    assert wrong.value.code == "PTX9101"


def test_lanes_that_wait_for_others_of_their_warp() -> None:
    found = hangs("setp.eq.u32 %p2, %r1, 3;  @%p2 bra sleep;" + POLL + "bra out;  sleep: bar.warp.sync -1;  out:")
    assert "`a + 0x8`" in found.notes[0]


def test_a_flag_in_the_shared_memory_of_another_cta() -> None:
    body = """mapa.shared::cluster.u32 %r5, %r9, 1;
    ask: ld.acquire.cluster.shared::cluster.u32 %r3, [%r5+4];  setp.eq.u32 %p1, %r3, %r3;  @%p1 bra ask;"""
    found = hangs(body, grid=(4, 1, 1), cluster=(2, 1, 1))
    assert any("`box` + 0x4 (shared + 0x4) of CTA (1, 0, 0)" in note for note in found.notes)


def test_who_waits_beside_those_that_loop_is_named_too() -> None:
    body = """
      setp.ne.u32 %p1, %r1, 0;  @%p1 bra start;  mbarrier.init.shared.b64 [%r9], 5;
    start: bar.sync 0;
      setp.lt.u32 %p2, %r1, 32;  @%p2 bra ask;
    wait: mbarrier.try_wait.parity.shared.b64 %p3, [%r9], 0;  @!%p3 bra wait;
      bra out;
    """
    found = hangs(body + POLL + "\nout:", block=(64, 1, 1))
    assert "ld.acquire" in found.notes[0]
    assert any("lacks 5 of 5 arrivals" in note for note in found.notes)


def test_max_instructions_do_not_hide_a_hang() -> None:
    assert hangs(POLL, max_instructions=1 << 30).code == "PTX9101"


# --- not mistaken -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("clock", ["clock64", "globaltimer"])
def test_waiting_for_the_time_ends_soon(clock: str) -> None:
    body = f"""mov.u64 %rd2, %{clock};
    ask: mov.u64 %rd3, %{clock};  sub.u64 %rd3, %rd3, %rd2;  setp.lt.u64 %p1, %rd3, 60000000000;  @%p1 bra ask;
    st.global.u64 [%rd1], %rd3;"""
    began = time.process_time()
    assert go(body, grid=(3, 1, 1))[1] >= 60_000_000_000 >> 32
    assert time.process_time() - began < SECONDS


def test_a_timeout_in_a_kernel_ends_its_wait() -> None:
    body = """mov.u64 %rd2, %globaltimer;
    ask: ld.acquire.gpu.global.u32 %r3, [%rd1+8];  setp.ne.u32 %p1, %r3, 0;  @%p1 bra out;
      mov.u64 %rd3, %globaltimer;  sub.u64 %rd3, %rd3, %rd2;  setp.lt.u64 %p1, %rd3, 2000000000;  @%p1 bra ask;
      st.global.u32 [%rd1], 7;
    out:"""
    assert go(body)[0] == 7


SLOW = "mov.u32 %r4, 0;  work: add.u32 %r4, %r4, 1;  setp.lt.u32 %p4, %r4, 3000000;  @%p4 bra work;"
SET = "st.release.gpu.global.u32 [%rd1+8], %r4;"


def test_a_slow_cta_is_waited_for() -> None:
    body = f"setp.eq.u32 %p2, %r2, 0;  @%p2 bra ask;  {SLOW} {SET} bra out;\n{POLL}\nout: st.global.u32 [%rd1], 1;"
    assert go(body, grid=(5, 1, 1))[:3] == [1, 0, 3_000_000]


def test_a_slow_warp_is_waited_for() -> None:
    body = f"setp.lt.u32 %p2, %r1, 32;  @%p2 bra ask;  {SLOW} {SET} bra out;\n{POLL}\nout: st.global.u32 [%rd1], 1;"
    assert go(body, block=(96, 1, 1))[:3] == [1, 0, 3_000_000]


def test_a_slow_lane_is_waited_for() -> None:
    body = f"setp.ne.u32 %p2, %r1, 9;  @%p2 bra ask;  {SLOW} {SET} bra out;\n{POLL}\nout: st.global.u32 [%rd1], 1;"
    assert go(body)[:3] == [1, 0, 3_000_000]


def test_a_last_cta_is_waited_for_from_the_first_one() -> None:
    body = f"setp.ne.u32 %p2, %r2, 131;  @%p2 bra ask;  mov.u32 %r4, 3;  {SET} bra out;\n{POLL}\nout: st.global.u32 [%rd1], 1;"
    assert go(body, grid=(132, 1, 1))[0] == 1


def test_retries_that_are_counted_end() -> None:
    body = """mov.u32 %r4, 0;
    ask: ld.volatile.global.u32 %r3, [%rd1+8];  setp.ne.u32 %p1, %r3, 0;  @%p1 bra out;
      add.u32 %r4, %r4, 1;  setp.lt.u32 %p1, %r4, 300000;  @%p1 bra ask;  st.global.u32 [%rd1], %r4;
    out:"""
    assert go(body)[0] == 300_000


def test_two_that_answer_each_other_get_on() -> None:
    """The flag goes to and fro; every few passes it is what it was before."""
    body = """and.b32 %r5, %r2, 1;  mov.u32 %r6, 0;  xor.b32 %r7, %r5, 1;
    ask: ld.acquire.gpu.global.u32 %r3, [%rd1+8];  setp.ne.u32 %p1, %r3, %r5;  @%p1 bra ask;
      st.release.gpu.global.u32 [%rd1+8], %r7;  add.u32 %r6, %r6, 1;  setp.lt.u32 %p2, %r6, 2000;  @%p2 bra ask;
      st.global.u32 [%rd1], %r6;"""
    assert go(body, grid=(2, 1, 1), block=(1, 1, 1))[0] == 2000


def test_what_changes_memory_for_ever_is_no_hang() -> None:
    body = "ask: atom.global.xor.b32 %r3, [%rd1], 1;  setp.ne.u32 %p1, %r3, 9;  @%p1 bra ask;"
    with pytest.raises(Diagnostic) as wrong:
        go(body, block=(1, 1, 1), max_instructions=1 << 24)
    assert wrong.value.code == "PTX9005"


PRINT = """
.extern .func (.param .b32 out) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 dot[2] = {46, 0};
.visible .entry k()
{
  .reg .b64 %rd<3>;  .reg .b32 %r<2>;  .reg .pred %p;
  mov.u64 %rd1, dot;  mov.u64 %rd2, 0;
again:
  { .param .b64 f;  .param .b64 v;  .param .b32 got;
    st.param.b64 [f], %rd1;  st.param.b64 [v], %rd2;
    call.uni (got), vprintf, (f, v);  ld.param.b32 %r1, [got]; }
  setp.ge.s32 %p, %r1, -5;
  @%p bra again;
  ret;
}
"""


def test_printing_for_ever_is_no_hang(capsys: pytest.CaptureFixture[str]) -> None:
    watch = Watch()
    machine = Machine(record_of(PRINT, [], block=(1, 1, 1)), SimOptions(), [watch])
    machine.resident = [machine.admit(0, (0, 0, 0))]
    assert watch.look().verdict is Verdict.MOVES
    assert "." in capsys.readouterr().out


def test_a_look_leaves_the_machine_as_it_was() -> None:
    a = np.zeros(16, "u4")
    watch = Watch()
    machine = Machine(record_of(HEAD + POLL + TAIL, [a]), SimOptions(), [watch])
    machine.resident = [machine.admit(0, (0, 0, 0))]
    starts = np.array(machine.image.starts) // 8
    handlers = machine.overlay.words[starts]
    look = watch.look()
    assert look.verdict is Verdict.HANGS
    assert [warp.index for warp in look.stuck] == [0]
    assert np.array_equal(machine.overlay.words[starts], handlers)
    a[2] = 1
    assert watch.look().verdict is Verdict.MOVES


# --- deadlocks ----------------------------------------------------------------------------------------------------------
def test_the_place_of_a_deadlock_is_that_of_whom_it_names_first() -> None:
    body = """
      setp.ne.u32 %p1, %r1, 0;  @%p1 bra start;
      mbarrier.init.shared.b64 [%r9], 5;  mbarrier.init.shared.b64 [%r9+8], 6;
    start: bar.sync 0;
      setp.lt.u32 %p2, %r1, 32;  @%p2 bra second;
    first: mbarrier.try_wait.parity.shared.b64 %p3, [%r9], 0;  @!%p3 bra first;
      bra out;
    second: mbarrier.try_wait.parity.shared.b64 %p3, [%r9+8], 0;  @!%p3 bra second;
    out:"""
    with pytest.raises(Diagnostic) as wrong:
        go(body, block=(64, 1, 1))
    assert wrong.value.code == "PTX9100"
    assert wrong.value.span is not None
    lines = (HEAD + body).splitlines()
    at = lines[wrong.value.span.line - 4]
    number = re.search(r"lacks (\d) of", wrong.value.notes[0])
    assert number is not None
    assert at.lstrip().startswith("first" if number[1] == "5" else "second")
