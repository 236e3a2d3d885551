"""Waits of limited time: they end, programs go on, and a wait that only begins again is a deadlock."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxlab.diag import Diagnostic

from ...launching import launch

SCHEDULES = ["eager", "late", "random"]
HEAD = """.visible .entry k(.param .u64 a)
{
  .reg .b64 %rd<9>;  .reg .b32 %r<12>;  .reg .pred %p<5>;
  .shared .align 8 .b64 bar[4];
  ld.param.u64 %rd1, [a];  mov.u32 %r1, %tid.x;  mov.u32 %r2, %ctaid.x;  mov.u32 %r9, bar;
  setp.ne.u32 %p1, %r1, 0;  @%p1 bra start;
  mbarrier.init.shared.b64 [%r9], 2;
start: bar.sync 0;
"""
TAIL = "\n  ret;\n}\n"


def go(body: str, *, block: int = 32, grid: int = 1, **options: Any) -> list[int]:
    a = np.zeros(16, "u4")
    launch(HEAD + body + TAIL, [a], block=(block, 1, 1), grid=(grid, 1, 1), **options)
    return a.tolist()


def deadlock(body: str, **options: Any) -> Diagnostic:
    with pytest.raises(Diagnostic) as wrong:
        go(body, **options)
    assert wrong.value.code == "PTX9100", wrong.value
    assert any("lacks" in note for note in wrong.value.notes)
    return wrong.value


def waits() -> list[str]:
    """Every form: by state and parity, with and without a hint, with the semantics and scopes that there are."""
    out: list[str] = []
    for sem in ("", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"):
        for hint in ("", ", 0", ", 20000", ", %r8"):
            out.append(f"mbarrier.try_wait.parity{sem}.shared::cta.b64 %p2, [%r9], 0{hint};")
            out.append(f"mbarrier.try_wait{sem}.shared::cta.b64 %p2, [%r9], %rd8{hint};")
    return [*out, "cvta.shared.u64 %rd7, %rd6;  mbarrier.try_wait.parity.b64 %p2, [%rd7], 0;"]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", waits())
def test_every_form_ends_with_false(wait: str, schedule: str) -> None:
    body = f"""setp.ne.u32 %p1, %r1, 0;  @%p1 bra out;  mov.u32 %r8, 7;  cvt.u64.u32 %rd6, %r9;
      mbarrier.arrive.shared.b64 %rd8, [%r9];
      {wait}  selp.u32 %r3, 1, 9, %p2;  st.global.u32 [%rd1], %r3;
    out:"""
    assert go(body, schedule=schedule)[0] == 9


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("hint", [0, 64, 1000, 10_000_000])
def test_clocks_show_the_time_of_a_wait(hint: int, schedule: str) -> None:
    body = f"""setp.ne.u32 %p1, %r1, 0;  @%p1 bra out;
      mov.u64 %rd2, %globaltimer;  mov.u64 %rd4, %clock64;
      mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0, {hint};
      mov.u64 %rd3, %globaltimer;  mov.u64 %rd5, %clock64;
      sub.u64 %rd3, %rd3, %rd2;  st.global.u64 [%rd1], %rd3;  sub.u64 %rd5, %rd5, %rd4;  st.global.u64 [%rd1+8], %rd5;
    out:"""
    passed, _, ticks, _ = go(body, schedule=schedule)[:4]
    assert 3900 <= passed <= 4100  # as on the chip, which does not heed the hint
    assert 3900 <= ticks <= 4100


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_retries_that_are_counted_run_out(schedule: str) -> None:
    body = """mov.u32 %r3, 0;
    again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @%p2 bra out;
      add.u32 %r3, %r3, 1;  setp.lt.u32 %p3, %r3, 300;  @%p3 bra again;
      st.global.u32 [%rd1], %r3;
    out:"""
    assert go(body, schedule=schedule)[0] == 300


def test_retries_that_end_in_a_trap() -> None:
    body = """mov.u32 %r3, 0;
    again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @%p2 bra out;
      add.u32 %r3, %r3, 1;  setp.lt.u32 %p3, %r3, 10;  @%p3 bra again;  trap;
    out:"""
    with pytest.raises(Diagnostic) as wrong:
        go(body)
    assert wrong.value.code == "PTX9010"


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("hint", ["", ", 20"])
def test_a_timeout_by_the_clock(schedule: str, hint: str) -> None:
    body = f"""mov.u64 %rd2, %globaltimer;
    again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0{hint};  @%p2 bra out;
      mov.u64 %rd3, %globaltimer;  sub.u64 %rd3, %rd3, %rd2;  setp.lt.u64 %p3, %rd3, 5000000000;  @%p3 bra again;
      st.global.u32 [%rd1], 5;
    out:"""
    assert go(body, schedule=schedule)[0] == 5


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_who_polls_a_flag_that_is_set_after_a_wait_has_failed(schedule: str) -> None:
    body = """setp.lt.u32 %p1, %r1, 32;  @%p1 bra ask;
      mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  mov.u32 %r3, 1;  st.release.gpu.global.u32 [%rd1+8], %r3;  bra out;
    ask: ld.acquire.gpu.global.u32 %r4, [%rd1+8];  setp.eq.u32 %p3, %r4, 0;  @%p3 bra ask;
      st.global.u32 [%rd1], 7;
    out:"""
    assert go(body, block=64, schedule=schedule)[0] == 7


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_who_works_until_a_wait_has_failed(schedule: str) -> None:
    body = """setp.lt.u32 %p1, %r1, 32;  @%p1 bra ask;
      mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  mov.u32 %r3, 1;  st.release.gpu.global.u32 [%rd1+8], %r3;  bra out;
    ask: atom.global.add.u32 %r5, [%rd1+4], 1;  ld.acquire.gpu.global.u32 %r4, [%rd1+8];
      setp.eq.u32 %p3, %r4, 0;  @%p3 bra ask;  st.global.u32 [%rd1], 7;
    out:"""
    assert go(body, block=64, schedule=schedule)[0] == 7


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_who_arrives_after_a_wait_has_failed(schedule: str) -> None:
    """Each of two warps waits for what the other does once its own wait was in vain."""
    body = """setp.ge.u32 %p1, %r1, 32;  @%p1 bra second;
      mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0, 100;  mbarrier.arrive.shared.b64 %rd3, [%r9], 1;
      bra out;
    second: mov.u32 %r3, 0;
    again: add.u32 %r3, %r3, 1;  mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0, 70;  @!%p2 bra again;
      st.global.u32 [%rd1], 8;
    out:"""
    init = HEAD.replace("[%r9], 2", "[%r9], 32")
    a = np.zeros(16, "u4")
    launch(init + body + TAIL, [a], block=(64, 1, 1), schedule=schedule)
    assert a[0] == 8


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lanes_of_a_warp_wait_for_each_other(schedule: str) -> None:
    body = """setp.ge.u32 %p1, %r1, 2;  @%p1 bra out;  setp.eq.u32 %p1, %r1, 1;  @%p1 bra second;
    again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @!%p2 bra again;  st.global.u32 [%rd1], 3;  bra out;
    second: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  mbarrier.arrive.shared.b64 %rd3, [%r9], 2;
    out:"""
    assert go(body, schedule=schedule)[0] == 3


LOOPS = [
    "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @!%p2 bra again;",
    "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0, 50;  @!%p2 bra again;",
    "mbarrier.arrive.noComplete.shared.b64 %rd8, [%r9+8], 1;\n"
    "again: mbarrier.try_wait.shared.b64 %p2, [%r9+8], %rd8;  @!%p2 bra again;",
    "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @%p2 bra out;  nanosleep.u32 64;  bra again;\nout:",
    "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  selp.u32 %r3, 1, 0, %p2;\n"
    "setp.eq.u32 %p3, %r3, 0;  @%p3 bra again;",
    "again: mbarrier.test_wait.parity.shared.b64 %p2, [%r9], 0;  @%p2 bra out;\n"
    "mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0, 99;  @!%p2 bra again;\nout:",
    "again: st.shared.u32 [%r9+16], %r2;  mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @!%p2 bra again;",
]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_wait_that_comes_back_to_itself(loop: str, schedule: str) -> None:
    setup = "setp.ne.u32 %p1, %r1, 0;  @%p1 bra go;  mbarrier.init.shared.b64 [%r9+8], 200;\ngo: bar.sync 0;\n"
    found = deadlock(setup + loop, block=96, schedule=schedule)
    assert found.span is not None
    assert "try_wait" in (HEAD + setup + loop).splitlines()[found.span.line - 4]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_others_that_wait_for_those_at_a_barrier(schedule: str) -> None:
    body = """setp.lt.u32 %p1, %r1, 32;  @!%p1 bra meet;
    again: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @!%p2 bra again;
    meet: bar.sync 0;"""
    found = deadlock(body, block=96, grid=3, schedule=schedule)
    assert any("barrier 0" in note for note in found.notes)


def test_a_timeline_is_kept_of_waits_that_fail() -> None:
    body = "mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  st.global.u32 [%rd1], 4;"
    assert go(body, trace=True)[0] == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_in_several_processes_it_is_the_same(workers: int) -> None:
    body = """mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  selp.u32 %r3, 1, 9, %p2;
      mul.wide.u32 %rd2, %r2, 4;  add.u64 %rd2, %rd1, %rd2;  st.global.u32 [%rd2], %r3;"""
    assert go(body, grid=16, workers=workers) == [9] * 16
