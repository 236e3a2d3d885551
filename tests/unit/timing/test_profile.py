"""What is recorded of a launch, and what `px.profile` says of it."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.timing import replay
from ptxlab.timing.chip import chip
from ptxlab.timing.predict import record_steps
from ptxlab.timing.profile import BY_MACHINE_CODE, BY_PTX
from ptxlab.timing.steps import ClusterSteps, Phase, Recorder

WITH_PTXAS = pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")


@px.kernel(target="sm_90a", threads=128)
def scale(k: px.Builder, x: px.Ptr[px.f32], stride: px.u32) -> None:
    i = (k.ctaid.x * 128 + k.tid.x) * stride
    k.st.global_.f32(x[i], k.ld.global_.f32(x[i]) * 2.0)


@px.kernel(target="sm_90a", threads=64)
def handed(k: px.Builder, x: px.Ptr[px.f32]) -> None:
    """A bulk copy, an mbarrier, a bank conflict and a barrier."""
    buf, bar = k.smem(px.f32, 64 * 32, align=16), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        bar.arrive_expect_tx(4096)
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(buf, x[0], 4096, bar)
    bar.wait(0)
    v = k.ld.shared.f32(buf[(k.tid.x & 31) * 32])
    k.bar.sync(0)
    k.st.global_.f32(x[k.tid.x], v)


def test_steps_know_sectors_wavefronts_phases_and_barriers() -> None:
    x = np.arange(1024, dtype=np.float32)
    before = x.copy()
    (cluster,) = record_steps(handed.prepare(grid=1, args=[x], lints=False).record, [0])
    assert (x == before).all()
    facts = [fact for warp in cluster.warps[0] for fact in warp.facts.values()]
    assert sum(fact.sectors for fact in facts) == 8
    assert max(fact.wavefronts for fact in facts) == 32
    assert len({phase for fact in facts for phase in fact.passes}) == 1
    assert len({fact.meets for fact in facts if fact.meets is not None}) == 2  # one of them in `init_barriers`
    (flight,) = cluster.flights.values()
    assert (flight.kind, flight.nbytes, len(flight.completes)) == ("in", 4096, 1)


def test_steps_are_those_that_ran() -> None:
    x = np.zeros(4096, np.float32)
    launch = scale.prepare(grid=4, args=[x, 1], lints=False)
    clusters = record_steps(launch.record, [1, 3])
    assert [c.index for c in clusters] == [1, 3]
    report = px.simulate(scale, grid=1, args=[x, 1], sanitize=False)
    assert clusters[0].steps == report.stats.warp_instructions


@pytest.mark.parametrize("kernel", [handed, scale], ids=lambda one: one.name)
def test_arrays_are_afterwards_as_they_were(kernel: px.Kernel) -> None:
    x = np.arange(4096, dtype=np.float32)
    before = x.copy()
    px.profile(kernel, grid=2, args=[x] if kernel is handed else [x, 1])
    assert (x == before).all()


def test_scattered_accesses_cost_more() -> None:
    x = px.empty(1 << 20, "f32")
    near, far = (px.profile(scale, grid=1024, args=[x, stride]) for stride in (1, 8))
    assert far.cycles - far.fixed > 1.5 * (near.cycles - near.fixed)
    assert far.moved == 8 * near.moved


def test_more_ctas_than_fit_take_several_waves() -> None:
    x = px.empty(1 << 22, "f32")
    one, many = (px.profile(scale, grid=grid, args=[x, 1]) for grid in (132, 132 * 128))
    assert one.waves < 1 < many.waves
    assert many.cycles - many.fixed > 4 * (one.cycles - one.fixed)


def test_a_report_says_what_it_rests_on() -> None:
    found = px.profile(scale, grid=132, args=[px.empty(132 * 128, "f32"), 1])
    assert set(found.bases.values()) <= {"measured", "interpolated", "assumed"}
    assert "memory" in {stall.cause for stall in found.stalls}
    assert json.loads(json.dumps(found.record()))["cycles"] == round(found.cycles)
    assert "assumed" in found.text()
    assert found.microseconds == found.cycles / found.clock
    slower = px.profile(scale, grid=132, args=[px.empty(132 * 128, "f32"), 1], clock=990)
    assert slower.cycles == found.cycles
    assert slower.microseconds == pytest.approx(2 * found.microseconds)


@WITH_PTXAS
@pytest.mark.ptxas
def test_without_an_assembler_the_costs_are_those_of_ptx(monkeypatch: pytest.MonkeyPatch) -> None:
    x = px.empty(132 * 128, "f32")
    by_code = px.profile(scale, grid=132, args=[x, 1])
    monkeypatch.setattr(ptxas, "find", lambda: None)
    by_ptx = px.profile(scale, grid=132, args=[x, 1])
    assert (by_code.used, by_ptx.used) == (BY_MACHINE_CODE, BY_PTX)
    assert by_ptx.cycles == pytest.approx(by_code.cycles, rel=0.3)


def test_bad_input_is_one_diagnostic_each() -> None:
    x = px.empty(128, "f32")
    for on, clock in (("h300", None), ("h200", 0.0)):
        with pytest.raises(px.Diagnostic) as caught:
            px.profile(scale, grid=1, args=[x, 1], on=on, clock=clock)
        assert caught.value.code == "PTX2501"
        assert caught.value.help


@px.kernel(target="sm_90a", threads=64, cluster=2)
def parted(k: px.Builder, x: px.Ptr[px.u32], steps: px.u32) -> None:
    """One lane waits for the other warp while the rest of its own has arrived at the cluster's barrier."""
    bar = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        bar.wait(0)
    with k.if_(k.tid.x == 32):
        with k.loop(steps):
            k.st.global_.u32(x[k.ctaid.x], steps)
        bar.arrive()
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()


def test_lanes_that_come_late_to_a_barrier_of_the_cluster_are_waited_for() -> None:
    x = np.zeros(2, np.uint32)
    (cluster,) = record_steps(parted.prepare(grid=2, args=[x, 5], lints=False).record, [0])
    meets = [
        [fact.meets.turn for _, fact in sorted(warp.facts.items()) if fact.meets is not None]
        for warp in cluster.warps[0]
    ]
    turns = sorted({turn for warp in meets for turn in warp})[-2:]
    assert [warp[-4:] for warp in meets] == [[turn for turn in turns for _ in "aw"]] * 2  # an arrival and a wait each
    short, long = (px.profile(parted, grid=2, args=[x, steps]) for steps in (5, 400))
    assert long.cycles > short.cycles + 395
    assert "barrier" in {stall.cause for stall in long.stalls}


def test_a_replay_that_does_not_end_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(1024, np.float32)
    monkeypatch.setattr(Recorder, "mbarrier_completed", lambda self, operation, place, phase: None)
    monkeypatch.setattr(Recorder, "mbarrier_arrived", lambda self, warp, lanes, place, phase, op: None)
    monkeypatch.setattr(replay, "_expected", lambda steps: (Counter(dict.fromkeys(_phases(steps), 1)), Counter()))
    with pytest.raises(px.Diagnostic, match="PTX9042") as caught:
        px.profile(handed, grid=1, args=[x])
    assert caught.value.help


def _phases(steps: ClusterSteps) -> set[Phase]:
    return {p for cta in steps.warps for warp in cta for fact in warp.facts.values() for p in fact.passes}


def test_a_hang_is_a_diagnostic() -> None:
    @px.kernel(target="sm_90a", threads=32)
    def waits(k: px.Builder) -> None:
        bar = k.mbarrier(1)
        k.init_barriers()
        bar.wait(0)

    with pytest.raises(px.Diagnostic) as caught:
        px.profile(waits, grid=1)
    assert caught.value.code.startswith("PTX91")


@px.kernel(target="sm_90a", threads=64)
def counted(k: px.Builder, x: px.Ptr[px.f32], halves: px.Ptr[px.b32]) -> None:
    """Per CTA: 64 × (2 + 1) FLOP in f32, 32 × 2 × 2 in halves, and no other."""
    i = k.ctaid.x * 64 + k.tid.x
    v = k.fma.rn.f32(k.ld.global_.f32(x[i]), 2.0, 1.0)
    k.st.global_.f32(x[i], k.add.rn.f32(v, 1.0))
    with k.if_(k.tid.x < 32):
        h = k.ld.global_.b32(halves[k.tid.x])
        k.st.global_.b32(halves[k.tid.x], k.fma.rn.f16x2(h, h, h))


def test_a_roofline_counts_what_threads_compute() -> None:
    x, halves = px.empty(64 * 264, "f32"), px.zeros_like(px.empty(32, "u32"))
    found = px.profile(counted, grid=264, args=[x, halves])
    assert found.roofline.flop == 264 * (64 * 3 + 32 * 4)
    assert found.roofline.moved == found.moved == 264 * 2 * 4 * (64 + 32)
    assert found.roofline.roof == "L2"
    assert "memory" not in found.roofline.roofs  # L2 holds the arrays
    cold = px.profile(counted, grid=264, args=[x, halves], cold=True)
    assert cold.roofline.roofs["memory"] > 0
    assert "L2 is the roof" in found.text()
    assert [line.split()[0] for line in found.text().splitlines() if line.startswith(("  L2 ", "  arithmetic "))] == [
        "L2",
        "arithmetic",
    ]


def test_products_of_matrices_are_counted_by_warpgroup_and_by_warp() -> None:
    from ptxlab.kernels.gemm import prepare

    a, b, c = px.empty((256, 128), "bf16"), px.empty((256, 128), "bf16"), px.empty((256, 256), "bf16")
    found = px.profile(prepare(a, b, c, b_layout="nk", config="64x64-1c"))
    assert found.roofline.flop == 2 * 256 * 256 * 128
    assert set(found.roofline.roofs) == {"arithmetic", "L2"}
    wide, deep = (
        px.profile(prepare(a, b, c, b_layout="nk", config="64x64-1c"), clock=clock).roofline for clock in (1000, 2000)
    )
    assert wide == deep  # in cycles
    alone = px.profile(scale, grid=1, args=[np.zeros(128, np.float32), 1])
    assert found.clock < alone.clock == chip("h200").clock  # tensor cores lower it

    @px.kernel(target="sm_90a", threads=32)
    def multiplied(k: px.Builder, x: px.Ptr[px.b32]) -> None:
        f = [k.mov.f32(0.0) for _ in range(4)]
        r = [k.ld.global_.b32(x[k.tid.x]) for _ in range(6)]
        d = k.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(r[:4], r[4:], f)
        k.st.global_.f32(x[k.tid.x], d[0])

    one = px.profile(multiplied, grid=1, args=[np.zeros(32, np.uint32)])
    assert one.roofline.flop == 2 * 16 * 8 * 16


def test_waits_for_copies_are_told_with_the_bytes_in_flight() -> None:
    found = px.profile(handed, grid=1, args=[np.zeros(1024, np.float32)])
    assert found.copies["in flight"] == pytest.approx(
        4096 * found.copies["latency"] / (found.cycles - found.fixed), rel=0.7
    )
    assert found.waits[0].startswith("warps 0-3 wait ")
    assert "cycles once for copies at" in found.waits[0]
    assert "Little's law" in found.waits[-1]
    assert found.record()["waits"] == list(found.waits)
    alone = px.profile(scale, grid=1, args=[np.zeros(128, np.float32), 1])
    assert (alone.copies, alone.waits) == ({}, ())
