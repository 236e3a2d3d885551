"""A ring whose stages two CTAs fill for each other: right with fences of shared memory, and told what is missing without."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.sanitizing import Watcher, watching
from ptxlab.diag import Diagnostic
from ptxlab.kernels import gemm
from ptxlab.sim.families.cluster.order import ClusterOrder
from ptxlab.sim.order.operations import Operations
from ptxlab.sim.order.sanitizer import Sanitizer

BF16 = np.dtype(ml_dtypes.bfloat16)

SCHEDULES = (("eager", 0), ("late", 0), ("random", 1), ("random", 2))
STEPS, ROWS, COLUMNS = 6, 16, 32


def summed(*, cluster: bool = True, publish: Any = "shared", drain: bool = True, write: bool = False) -> px.Kernel:
    """Each CTA loads half of every tile for both, and adds up all elements of its column.

    cluster: of the ring. publish: of the arrivals that give stages back. drain: the producer waits for the last of them.
    write: what is handed on is a write to global memory, too.
    """

    @px.kernel(threads=64, cluster=2)
    def summed(k: px.Builder, a: px.TensorMap, out: px.Ptr[px.f32], note: px.Ptr[px.u32]) -> None:
        tiles = k.smem(px.f32, (2, ROWS, COLUMNS), align=128)
        ring = k.ring(2, tiles, consumers=2, cluster=cluster)
        k.init_barriers()
        rank = k.cluster_ctarank
        with k.roles():
            with k.role(warp=0), k.elect():
                with k.loop(STEPS) as step, ring.produce() as slot:
                    if write:
                        with k.if_(step >= 2):
                            k.st.global_.u32(note[rank], k.ld.global_.u32(note[rank ^ 1]))
                    half = slot[0].part(rank, 2, axis=0)
                    k.tma_load(half, a, (0, step * ROWS + rank * (ROWS // 2)), slot.full, multicast=0b11)
                if drain:
                    with k.loop(2), ring.produce(expect=False):
                        pass
            with k.role(warp=1):
                there = ring.empty.remote(k.laneid & 1)
                total = k.mov.f32(0.0)
                with k.loop(STEPS), ring.consume(release=None) as slot:
                    for row in range(ROWS):
                        total += k.ld.shared.f32(slot[0].at(4 * (row * COLUMNS + k.laneid)))
                    k.bar.warp.sync(0xFFFFFFFF)
                    if write:
                        k.st.global_.u32(note[rank], 1, pred=k.laneid == 0)
                        k.bar.warp.sync(0xFFFFFFFF)
                    there[slot.stage].arrive(publish=publish, pred=k.laneid < 2)
                k.st.global_.f32(out[rank * COLUMNS + k.laneid], total)

    return summed


def run(kernel: px.Kernel, schedule: str, seed: int, sanitize: Any = True) -> tuple[set[str], bool]:
    """Codes of the findings, and whether the sums are right."""
    a = np.arange(STEPS * ROWS * COLUMNS, dtype=np.float32).reshape(-1, COLUMNS) % 17
    out, note = np.zeros(2 * COLUMNS, np.float32), np.zeros(2, np.uint32)
    args = [px.tensor_map(a, box=(ROWS // 2, COLUMNS)), out, note]
    report = px.simulate(kernel, grid=2, args=args, schedule=schedule, seed=seed, sanitize=sanitize)
    return {d.code for d in report.findings}, bool((out.reshape(2, -1) == a.sum(0)).all())


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_fences_of_shared_memory_are_enough(schedule: str, seed: int) -> None:
    assert run(summed(), schedule, seed) == (set(), True)
    assert run(summed(publish=True), schedule, seed) == (set(), True)


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_an_arrival_that_publishes_nothing_is_for_the_strict_sanitizer(schedule: str, seed: int) -> None:
    """As CUTLASS gives stages back. Phases end and CTAs exit in time whatever the scope, so of those nothing is reported."""
    assert run(summed(publish=False), schedule, seed) == (set(), True)
    assert run(summed(publish=False), schedule, seed, "strict") == ({"PTX9201", "PTX9213"}, True)


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_waits_at_the_scope_of_the_cta_are_for_the_strict_sanitizer(schedule: str, seed: int) -> None:
    assert run(summed(cluster=False), schedule, seed) == (set(), True)
    assert "PTX9201" in run(summed(cluster=False), schedule, seed, "strict")[0]


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_global_memory_is_not_handed_on(schedule: str, seed: int) -> None:
    found, _ = run(summed(write=True), schedule, seed)
    assert found & {"PTX9200", "PTX9201"}


def test_a_cta_that_leaves_before_the_last_arrival_is_told() -> None:
    with pytest.raises(Diagnostic, match="exited-cta"):
        run(summed(drain=False), "eager", 0)


@pytest.mark.parametrize("config", ["128x128-2c-cluster2x1", "128x128-2c-cluster1x2"])
def test_products_of_multicast_tiles_are_right_for_the_strict_sanitizer(config: str) -> None:
    a, b, c = (px.empty((256, 256), BF16) for _ in range(3))
    a[...] = b[...] = 1
    found: list[Diagnostic] = []
    with watching(Watcher("strict", lambda report: found.extend(report.findings))):
        gemm.gemm(a, b, c, config=config, device="sim")
    assert found == []
    assert (c == 256).all()


@pytest.mark.parametrize("config", ["128x128-2c-cluster2x1", "128x128-2c-cluster1x2"])
def test_machine_code_judges_what_right_rings_of_a_cluster_do(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python is not asked about copies, products, phases and exits."""
    asked: list[str] = []
    for one, name in ((Operations, "_touches"), (Sanitizer, "_noted"), (ClusterOrder, "_accesses_before_exit")):
        monkeypatch.setattr(one, name, lambda *args, name=name, **more: asked.append(name))
    a, b, c = (px.empty((256, 1024), BF16), px.empty((1024, 256), BF16), px.empty((256, 256), BF16))
    a[...] = b[...] = 1
    with watching(Watcher(True, lambda report: asked.extend(d.code for d in report.findings))):
        gemm.gemm(a, b, c, config=config, device="sim")
    assert (c == 1024).all()
    assert asked == []
