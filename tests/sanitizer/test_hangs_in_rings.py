"""Rings of which one stage is never given back: the report says which, and which line leaves it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

TURNS = 8
LINES = Path(__file__).read_text(encoding="utf-8").splitlines()


@px.kernel(target="sm_90a", threads=64)
def sums(k: px.Builder, src: px.Ptr[px.s32], out: px.Ptr[px.s32], *, stages: int, variant: str, unrolled: bool) -> None:
    """A warp fills stages, another one adds up their elements, and gives them back in ways that are wrong but for one."""
    tiles = k.smem(px.s32, (stages, 32), align=128)
    full, empty = k.mbarrier(1, stages, name="full"), k.mbarrier(1, stages, name="empty")
    k.init_barriers()

    def fill(stage: Any, parity: Any) -> None:
        empty[stage].wait(parity)
        full[stage].arrive_expect_tx(128)
        k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(tiles[stage], src, 128, full[stage])

    def use(stage: Any, parity: Any, total: px.Register) -> None:
        full[stage].wait(parity)
        total += k.ld.shared.s32(tiles[stage].at(k.laneid * 4))
        k.bar.warp.sync(0xFFFFFFFF)
        leads = k.laneid == 0
        if variant == "right":
            empty[stage].arrive(pred=leads)
        elif variant == "index":
            empty[0].arrive(pred=leads)
        elif variant == "predicate":
            empty[stage].arrive(pred=leads & (k.mov.u32(stage) == 0))
        else:
            with k.if_(leads & (k.mov.u32(stage) != stages - 1)):
                empty[stage].arrive()

    with k.roles():
        with k.role(warp=0), k.elect():
            if unrolled:
                for turn in range(TURNS):
                    fill(turn % stages, (turn // stages & 1) ^ 1)
            else:
                with k.loop(TURNS) as t:
                    fill(t % stages, ((t // stages) & 1) ^ 1)
        with k.role(warp=1):
            total = k.mov.s32(0)
            if unrolled:
                for turn in range(TURNS):
                    use(turn % stages, turn // stages & 1, total)
            else:
                with k.loop(TURNS) as t:
                    use(t % stages, (t // stages) & 1, total)
            k.st.global_.s32(out[k.laneid], total)


def launched(schedule: str = "eager", **chosen: Any) -> None:
    """A launch; its sums are right."""
    src, out = np.arange(32, dtype=np.int32), np.zeros(32, np.int32)
    px.simulate(sums, grid=1, args=[src, out], schedule=schedule, sanitize=False, **chosen)
    assert (out == TURNS * src).all()


@pytest.mark.parametrize("unrolled", [False, True], ids=["loop", "unrolled"])
@pytest.mark.parametrize("variant", ["index", "predicate", "branch"])
@pytest.mark.parametrize("stages", [2, 3])
def test_the_stage_that_is_left_out_is_named(stages: int, variant: str, unrolled: bool) -> None:
    launched(stages=stages, variant="right", unrolled=unrolled)
    left = stages - 1 if variant == "branch" else 1
    for schedule in ("eager", "late"):
        with pytest.raises(Diagnostic) as stop:
            launched(schedule, stages=stages, variant=variant, unrolled=unrolled)
        graph = stop.value.wait_graph
        assert graph is not None
        cause = graph["causes"][0]
        assert cause["rule"] == "left-out", stop.value
        assert f"`empty[{left}]`" in cause["words"] + stop.value.notes[-2], stop.value
        line = int(cause["words"].rpartition("test_hangs_in_rings.py:")[2].split()[0])
        assert "empty[" in LINES[line - 1]
        assert ".arrive(" in LINES[line - 1]
        assert "nothing since" in str(stop.value)
        assert "in a circle" not in str(stop.value)


def test_ctas_that_give_a_stage_back_to_themselves_alone() -> None:
    @px.kernel(target="sm_90a", threads=64, cluster=2)
    def halves(k: px.Builder, src: px.Ptr[px.s32]) -> None:
        tiles = k.smem(px.s32, (2, 64), align=128)
        ring = k.ring(2, tiles, consumers=2, cluster=True)
        k.init_barriers()
        rank = k.cluster_ctarank
        with k.roles():
            with k.role(warp=0), k.elect(), k.loop(TURNS), ring.produce() as slot:
                copy = k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes.multicast__cluster
                copy(slot[0].at(rank * 128), src, 128, slot.full, 0b11)
            with k.role(warp=1), k.loop(TURNS), ring.consume(release=None) as slot:
                slot.empty.arrive(pred=k.laneid == 0)

    with pytest.raises(Diagnostic) as stop:
        px.simulate(halves, grid=2, args=[np.zeros(32, np.int32)], sanitize=False)
    graph = stop.value.wait_graph
    assert graph is not None
    assert graph["causes"][0]["rule"] == "own-cta", stop.value


def test_a_ring_that_stops_for_another_reason_leaves_nothing_out() -> None:
    """The first stages have been given back once more than the others, as they come first."""

    @px.kernel(target="sm_90a", threads=64)
    def stops(k: px.Builder, src: px.Ptr[px.s32]) -> None:
        tiles = k.smem(px.s32, (3, 32), align=128)
        ring = k.ring(3, tiles, consumers=32)
        k.init_barriers()
        with k.roles():
            with k.role(warp=0), k.elect(), k.loop(TURNS) as t, ring.produce() as slot:
                size = k.selp.u32(64, 128, t == 4)
                k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(slot[0], src, size, slot.full)
            with k.role(warp=1), k.loop(TURNS), ring.consume():
                pass

    with pytest.raises(Diagnostic) as stop:
        px.simulate(stops, grid=1, args=[np.zeros(32, np.int32)], sanitize=False)
    graph = stop.value.wait_graph
    assert graph is not None
    assert graph["causes"][0]["rule"] == "bytes", stop.value


@pytest.mark.parametrize("lanes", [1, 3])
def test_a_ring_that_counts_one_arrival_too_many_says_how_many_come(lanes: int) -> None:
    @px.kernel(target="sm_90a", threads=256)
    def sums(k: px.Builder, src: px.Ptr[px.s32], out: px.Ptr[px.s32]) -> None:
        tiles = k.smem(px.s32, (2, 32), align=128)
        ring = k.ring(2, tiles, consumers=4 * lanes + 1)
        k.init_barriers()
        with k.roles():
            with k.role(warpgroup=0), k.if_(k.thread == 0), k.loop(TURNS), ring.produce() as slot:
                k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(slot[0], src, 128, slot.full)
            with k.role(warpgroup=1):
                total = k.mov.s32(0)
                with k.loop(TURNS), ring.consume(release=k.laneid < lanes) as slot:
                    total += k.ld.shared.s32(slot[0].at(4 * k.laneid))
                    k.bar.warp.sync(0xFFFFFFFF)
                k.st.global_.s32(out[k.thread - 128], total)

    with pytest.raises(Diagnostic) as stop:
        px.simulate(sums, grid=1, args=[np.zeros(32, np.int32), np.zeros(128, np.int32)], sanitize=False)
    graph = stop.value.wait_graph
    assert graph is not None
    assert graph["causes"][0]["rule"] == "count", stop.value
    assert f"counts {4 * lanes + 1} arrivals a phase" in str(stop.value)
    assert f"and {4 * lanes} come" in str(stop.value)
    assert f"consumers={4 * lanes}" in str(stop.value.help)
