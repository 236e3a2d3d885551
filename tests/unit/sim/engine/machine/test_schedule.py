"""Who runs when: residency, persistent and cooperative kernels, and the random schedule."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.options import SimOptions
from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.machine.machine import Machine

from ...launching import HEAD, launch, record_of

BARRIER = """.visible .entry k(.param .u64 come, .param .u64 out, .param .u32 times)
{
  .reg .b64 %rd<6>;  .reg .b32 %r<12>;  .reg .pred %p<4>;
  ld.param.u64 %rd1, [come];  ld.param.u64 %rd2, [out];  ld.param.u32 %r1, [times];
  mov.u32 %r2, %nctaid.x;  mov.u32 %r3, %ctaid.x;  mov.u32 %r4, %tid.x;  mov.u32 %r5, 0;
again:
  add.u32 %r5, %r5, 1;
  bar.sync 0;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 bra met;
  atom.add.release.gpu.global.u32 %r6, [%rd1], 1;
  mul.lo.u32 %r7, %r5, %r2;
ask:
  ld.acquire.gpu.global.u32 %r8, [%rd1];
  setp.lt.u32 %p2, %r8, %r7;
  @%p2 bra ask;
met:
  bar.sync 0;
  setp.lt.u32 %p3, %r5, %r1;
  @%p3 bra again;
  mov.u32 %r9, %smid;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r9;
  ret;
}
"""
"""A barrier of the grid, some times over; then each CTA writes its SM."""

WORK = """.visible .entry k(.param .u64 next, .param .u64 out, .param .u32 jobs)
{
  .reg .b64 %rd<6>;  .reg .b32 %r<8>;  .reg .pred %p<2>;
  ld.param.u64 %rd1, [next];  ld.param.u64 %rd2, [out];  ld.param.u32 %r1, [jobs];
more:
  atom.global.add.u32 %r2, [%rd1], 1;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd4, %rd2, %rd3;
  mov.u32 %r3, %ctaid.x;
  st.global.u32 [%rd4], %r3;
  bra more;
done:
  ret;
}
"""
"""A persistent kernel: jobs off a counter; each is marked with the CTA that did it."""

TICKETS = """.visible .entry k(.param .u64 next, .param .u64 out)
{
  .reg .b64 %rd<6>;  .reg .b32 %r<8>;
  ld.param.u64 %rd1, [next];  ld.param.u64 %rd2, [out];
  atom.global.add.u32 %r1, [%rd1], 1;
  mov.u32 %r2, %ctaid.x;  mov.u32 %r3, %ntid.x;  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r1;
  ret;
}
"""


def meet(ctas: int, threads: int = 32, times: int = 3, cluster: int = 1, **options: Any) -> Counter[int]:
    """How many CTAs each SM had."""
    come, out = np.zeros(1, "u4"), np.zeros(ctas, "u4")
    launch(
        BARRIER,
        [come, out, np.uint32(times)],
        grid=(ctas, 1, 1),
        block=(threads, 1, 1),
        cluster=(cluster, 1, 1),
        **options,
    )
    assert come[0] == times * ctas
    return Counter(out.tolist())


def test_ctas_that_wait_for_each_other_are_resident_together() -> None:
    assert meet(132, threads=64) == Counter(range(132))
    assert set(meet(264, shared=100_000).values()) == {2}


def test_clusters_that_wait_for_each_other_are_resident_together() -> None:
    sms = meet(32, threads=1024, cluster=8)
    assert len(sms) == 32


def test_more_ctas_than_fit_hang_and_the_report_says_how_many_do() -> None:
    with pytest.raises(Diagnostic) as wrong:
        meet(265, shared=100_000)
    assert wrong.value.code == "PTX9101"
    assert "grid of 265 CTAs, 264 fit" in wrong.value.message
    assert "ld.acquire" in str(wrong.value)
    assert "launch 264 CTAs" in (wrong.value.help or "")


def test_shared_memory_bounds_how_many_are_resident() -> None:
    with pytest.raises(Diagnostic) as wrong:
        meet(133, shared=200_000)
    assert "132 fit" in wrong.value.message


def test_memory_is_taken_for_residents_alone() -> None:
    machine = Machine(
        record_of(TICKETS, [np.zeros(1, "u4"), np.zeros(1 << 20, "u4")], grid=(4096, 1, 1), block=(256, 1, 1)),
        SimOptions(),
    )
    made = []
    admit = machine.admit
    machine.admit = lambda *where: made.append(where) or admit(*where)  # type: ignore[method-assign]
    machine.run()
    assert len(made) == 1


def test_a_persistent_kernel_does_each_job_once() -> None:
    next_, out = np.zeros(1, "u4"), np.full(1000, 9999, "u4")
    launch(WORK, [next_, out, np.uint32(1000)], grid=(132, 1, 1), block=(1, 1, 1))
    assert next_[0] == 1000 + 132
    assert out.max() < 132


def test_smid_of_ctas_that_follow_each_other() -> None:
    out = np.zeros(400, "u4")
    text = """.visible .entry k(.param .u64 out) {
      .reg .b64 %rd<4>;  .reg .b32 %r<4>;
      ld.param.u64 %rd1, [out];  mov.u32 %r1, %ctaid.x;  mov.u32 %r2, %smid;  mov.u32 %r3, %nsmid;
      mul.wide.u32 %rd2, %r1, 4;  add.u64 %rd3, %rd1, %rd2;  mad.lo.u32 %r2, %r3, 1000, %r2;  st.global.u32 [%rd3], %r2;  ret; }"""
    launch(text, [out], grid=(400, 1, 1))
    assert out.tolist() == [132_000 + i % 132 for i in range(400)]


# --- cooperative ------------------------------------------------------------------------------------------------------
def test_a_cooperative_grid_that_does_not_fit_is_refused_before_anything_runs() -> None:
    come, out = np.zeros(1, "u4"), np.zeros(265, "u4")
    record = record_of(BARRIER, [come, out, np.uint32(1)], grid=(265, 1, 1), block=(1024, 1, 1))
    with pytest.raises(Diagnostic) as wrong:
        Machine(replace(record, cooperative=True), SimOptions())
    assert wrong.value.code == "PTX2012"
    assert "264 fit" in wrong.value.message
    assert not come.any()


COOPERATIVE = """.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<8>;  .reg .b32 %r<12>;  .reg .pred %p<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %envreg2;  cvt.u64.u32 %rd2, %r1;
  mov.u32 %r2, %envreg1;  cvt.u64.u32 %rd3, %r2;
  bfi.b64 %rd4, %rd3, %rd2, 32, 32;
  setp.ne.s64 %p1, %rd4, 0;
  @%p1 bra valid;
  trap;
valid:
  atom.add.release.gpu.u32 %r3, [%rd4+4], 1;
  mov.u32 %r4, %nctaid.x;
ask:
  ld.acquire.gpu.u32 %r5, [%rd4+4];
  setp.lt.u32 %p2, %r5, %r4;
  @%p2 bra ask;
  mov.u32 %r6, %ctaid.x;
  mul.wide.u32 %rd5, %r6, 4;
  add.u64 %rd6, %rd1, %rd5;
  st.global.u32 [%rd6], %r5;
  ret;
}
"""
"""As compiled cooperative groups do it: the barrier lies where two special registers say."""


def test_a_cooperative_grid_finds_its_barrier_empty_at_every_launch() -> None:
    out = np.zeros(100, "u4")
    kernel = px.parse(HEAD + COOPERATIVE)["k"].prepare(grid=100, block=1, args=[out], cooperative=True)
    for _ in range(2):
        out[:] = 0
        kernel()
        assert (out == 100).all()


def test_without_the_promise_there_is_no_barrier() -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.parse(HEAD + COOPERATIVE)["k"].launch(grid=4, block=1, args=[np.zeros(4, "u4")])
    assert wrong.value.code == "PTX9010"


def test_simulate_and_debug_take_cooperative_grids() -> None:
    out = np.zeros(3, "u4")
    kernel = px.parse(HEAD + COOPERATIVE)["k"]
    px.simulate(kernel, grid=3, block=1, args=[out], cooperative=True)
    assert (out == 3).all()
    with px.debug(kernel, grid=3, block=1, args=[out], cooperative=True) as d:
        d.break_at("valid")
        assert d.run() is not None
    assert (out == 3).all()


# --- the random schedule ------------------------------------------------------------------------------------------------
def tickets(seed: int, ctas: int = 12, threads: int = 96, schedule: str = "random") -> tuple[int, ...]:
    """Which ticket each thread drew."""
    out = np.zeros(ctas * threads, "u4")
    launch(TICKETS, [np.zeros(1, "u4"), out], grid=(ctas, 1, 1), block=(threads, 1, 1), schedule=schedule, seed=seed)
    assert sorted(out.tolist()) == list(range(len(out)))
    return tuple(out.tolist())


def test_a_seed_gives_the_same_order_again_and_another_one_another() -> None:
    orders = [tickets(seed) for seed in range(6)]
    assert orders == [tickets(seed) for seed in range(6)]
    assert len(set(orders)) == 6


def test_the_order_of_ctas_and_of_warps_is_drawn() -> None:
    by_warp = np.array(tickets(1)).reshape(12, 3, 32)[:, :, 0]
    assert (np.diff(by_warp[:, 0]) < 0).any()  # a CTA before an earlier one
    assert (np.diff(by_warp, axis=1) < 0).any()  # a warp before an earlier one


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_the_other_schedules_take_everybody_in_turn(schedule: str) -> None:
    assert tickets(3, schedule=schedule) == tuple(range(12 * 96))


def test_the_random_schedule_cuts_loops_anywhere() -> None:
    """Which CTA does a job depends on how long each may run."""
    found = set()
    for seed in range(5):
        out = np.zeros(300, "u4")
        launch(
            WORK,
            [np.zeros(1, "u4"), out, np.uint32(300)],
            grid=(8, 1, 1),
            block=(1, 1, 1),
            schedule="random",
            seed=seed,
        )
        assert len(set(out.tolist())) > 1
        found.add(tuple(out.tolist()))
    assert len(found) == 5


def test_the_trace_of_a_seed_is_the_same_again() -> None:
    def trace(seed: int) -> list[Any]:
        report = launch(
            TICKETS,
            [np.zeros(1, "u4"), np.zeros(256, "u4")],
            grid=(8, 1, 1),
            block=(32, 1, 1),
            schedule="random",
            seed=seed,
            trace=True,
        )
        assert report.trace is not None
        return list(report.trace)

    assert trace(5) == trace(5)
    assert trace(5) != trace(6)


@pytest.mark.parametrize("seed", range(3))
def test_grid_barriers_hold_under_the_random_schedule(seed: int) -> None:
    assert meet(40, threads=64, schedule="random", seed=seed) == Counter(range(40))


def test_a_deadlock_is_found_under_the_random_schedule() -> None:
    text = """.visible .entry k() { .reg .b32 %r<2>;  .reg .pred %p;
      mov.u32 %r1, %tid.x;  setp.lt.u32 %p, %r1, 32;  @%p bar.sync 1, 64;  ret; }"""
    with pytest.raises(Diagnostic) as wrong:
        launch(text, [], grid=(3, 1, 1), block=(64, 1, 1), schedule="random", seed=1)
    assert wrong.value.code == "PTX9100"


@pytest.mark.parametrize("options", [{}, *({"schedule": "random", "seed": seed} for seed in range(4))])
def test_lanes_meet_again_behind_one_that_has_polled(options: dict[str, Any]) -> None:
    text = """.visible .entry k(.param .u64 flag, .param .u64 out)
    {
      .reg .b64 %rd<6>;  .reg .b32 %r<8>;  .reg .pred %p<4>;
      ld.param.u64 %rd1, [flag];  ld.param.u64 %rd2, [out];  mov.u32 %r1, %tid.x;  mov.u32 %r2, %ctaid.x;
      setp.eq.u32 %p1, %r2, 1;  @%p1 bra tell;
      setp.ne.u32 %p1, %r1, 0;  @%p1 bra met;
    ask:
      ld.acquire.gpu.global.u32 %r3, [%rd1];  setp.eq.u32 %p2, %r3, 0;  @%p2 bra ask;
    met:
      activemask.b32 %r4;
      mul.wide.u32 %rd3, %r1, 4;  add.u64 %rd4, %rd2, %rd3;  st.global.u32 [%rd4], %r4;
      ret;
    tell:
      mov.u32 %r5, 0;
    work:
      add.u32 %r5, %r5, 1;  setp.lt.u32 %p3, %r5, 200;  @%p3 bra work;
      st.release.gpu.global.u32 [%rd1], 1;
      ret;
    }"""
    out = np.zeros(32, "u4")
    launch(text, [np.zeros(1, "u4"), out], grid=(2, 1, 1), **options)
    assert out.tolist() == [0xFFFF_FFFF] * 32
