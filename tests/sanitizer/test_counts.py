"""Findings of threads whose accesses nobody waits for, as the mbarrier counts fewer arrivals than there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

WORDS = 128


@px.kernel(target="sm_90a", threads=160)
def pipeline(
    k: px.Builder,
    src: px.Ptr[px.b32],
    out: px.Ptr[px.b32],
    *,
    count: int = 128,
    leaders: bool = False,
    synchronous: bool = False,
) -> None:
    """Warp 4 fills a buffer, by copies or itself; the others read it, and give it back, each thread or one lane of each warp."""
    row = k.smem(px.b32, WORDS, align=128, name="row")
    full = k.mbarrier(32 if synchronous else 1, name="full")
    empty = k.mbarrier(count, name="empty")
    k.init_barriers()
    with k.if_(k.warp == 4):
        for turn in range(3):
            empty.wait(1 - turn & 1)
            if synchronous:
                k.st.shared.v4.b32(row.at(k.laneid * 16), [turn] * 4)
                full.arrive()
            else:
                with k.elect():
                    full.arrive_expect_tx(4 * WORDS)
                    k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(row, src, 4 * WORDS, full)
    with k.else_():
        for turn in range(3):
            full.wait(turn & 1)
            k.st.global_.b32(out[k.tid.x], k.ld.shared.b32(row[k.tid.x ^ 1]))
            k.fence.proxy.async_.shared__cta()
            if leaders:
                k.bar.warp.sync(0xFFFFFFFF)
            empty.arrive(pred=k.laneid == 0 if leaders else None)


def found(**options: Any) -> list[Diagnostic]:
    try:
        report = px.simulate(
            pipeline, grid=1, args=[np.zeros(WORDS, np.uint32) for _ in range(2)], lints=False, sanitize=True, **options
        )
    except Diagnostic as stop:
        return [stop, *stop.also]
    return list(report.findings)


def notes(findings: list[Diagnostic]) -> list[str]:
    return [note for d in findings for note in d.notes if "threads arrive there" in note]


@pytest.mark.parametrize(("schedule", "trace"), [("eager", False), ("eager", True), ("late", False), ("random", False)])
@pytest.mark.parametrize(
    ("options", "code", "counts", "without"),
    [
        ({"count": 127}, "PTX9210", "127 arrivals a phase", ("thread (",)),
        ({"count": 96}, "PTX9210", "96 arrivals a phase", ("thread (",)),
        ({"count": 3, "leaders": True}, "PTX9210", "3 arrivals a phase", ("warp 3 of CTA", "thread (96, 0, 0)")),
        ({"count": 127, "synchronous": True}, "PTX9200", "127 arrivals a phase", ("thread (",)),
    ],
)
def test_fewer_are_counted_than_arrive(
    options: dict[str, Any], code: str, counts: str, without: tuple[str, ...], schedule: str, *, trace: bool
) -> None:
    findings = found(**options, schedule=schedule, trace=trace)
    told = [d for d in findings if d.code == code]
    assert told, findings
    (note,) = notes(told[:1])
    threads = 4 if "leaders" in options else 128
    assert note.startswith("`empty` (shared + 0x208) counts ")
    assert f"counts {counts} (" in note
    assert f"and {threads} threads arrive there: its phase 0 has ended without" in note
    assert any(words in note for words in without)
    help_ = told[0].help
    assert help_ is not None
    assert help_.startswith(f"let the phase wait for all threads that arrive: `k.mbarrier({threads}, …)` (")


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_who_does_not_arrive_at_all_has_no_such_note(schedule: str) -> None:
    """Nothing is miscounted where the leaders arrive without having waited for the others of their warps."""
    assert found(schedule=schedule) == []

    @px.kernel(target="sm_90a", threads=64)
    def early(k: px.Builder, src: px.Ptr[px.b32], out: px.Ptr[px.b32]) -> None:
        row = k.smem(px.b32, 32, align=128)
        full = k.mbarrier(1)
        k.init_barriers()
        with k.if_(k.warp == 1):
            k.st.global_.b32(out[k.laneid], k.ld.shared.b32(row[k.laneid]))
        with k.if_(k.tid.x == 0):
            full.arrive_expect_tx(128)
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(row, src, 128, full)
        full.wait(0)

    report = px.simulate(
        early, grid=1, args=[np.zeros(32, np.uint32) for _ in range(2)], lints=False, sanitize=True, schedule=schedule
    )
    assert "PTX9210" in [d.code for d in report.findings]
    assert notes(list(report.findings)) == []


@px.kernel(target="sm_90a", threads=160)
def ring(
    k: px.Builder, src: px.Ptr[px.b32], out: px.Ptr[px.b32], *, consumers: int, turns: int, halves: bool = False
) -> None:
    """A ring of four stages. `halves`: two warps consume the even turns, and the two others the odd ones."""
    tiles = k.smem(px.b32, (4, WORDS), align=128)
    stages = k.ring(4, tiles, consumers=consumers)
    k.init_barriers()
    with k.roles():
        with k.role(warp=4), k.elect(), k.loop(turns), stages.produce() as slot:
            k.cp.async_.bulk.shared__cta.global_.mbarrier__complete_tx__bytes(slot[0], src, 4 * WORDS, slot.full)
        with k.role(warp=range(4)):
            total = k.mov.u32(0)
            with k.loop(turns) as i, stages.consume(release=((k.warp ^ i) & 1) == 0 if halves else True) as slot:
                total += k.ld.shared.u32(slot[0].at((k.tid.x ^ 1) * 4))
            k.st.global_.u32(out[k.tid.x], total)


def in_ring(**options: Any) -> list[Diagnostic]:
    args = [np.arange(WORDS, dtype=np.uint32), np.zeros(WORDS, np.uint32)]
    return list(px.simulate(ring, grid=1, args=args, lints=False, sanitize=True, **options).findings)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("turns", [1, 3, 4])
@pytest.mark.parametrize("consumers", [127, 96])
def test_a_count_is_wrong_in_a_run_that_is_too_short_to_show_it(consumers: int, turns: int, schedule: str) -> None:
    (found,) = in_ring(consumers=consumers, turns=turns, schedule=schedule)
    assert found.code == "PTX9238"
    assert f"counts {consumers} arrivals a phase" in found.message
    assert "and 128 threads arrive there" in found.message
    assert found.help is not None
    assert "`k.ring(…, consumers=128)`" in found.help


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize(
    "options",
    [{"consumers": 128, "turns": 4}, {"consumers": 128, "turns": 11}, {"consumers": 64, "turns": 4, "halves": True}],
)
def test_right_counts_are_silent(options: dict[str, Any], schedule: str) -> None:
    assert in_ring(**options, schedule=schedule) == []


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_phases_that_are_left_over_may_be_right(schedule: str) -> None:
    """Three warps take turns to arrive, two in a phase: the last phase lacks one, and nobody waits for it."""

    @px.kernel(threads=96)
    def turns(k: px.Builder, out: px.Ptr[px.u32]) -> None:
        pairs = k.mbarrier(2)
        k.init_barriers()
        with k.if_(k.warp < 2):
            pairs.arrive(pred=k.laneid == 0)
        with k.if_(k.warp == 2):
            pairs.wait(0)
            pairs.arrive(pred=k.laneid == 0)
        k.st.global_.u32(out[k.tid.x], 1)

    report = px.simulate(turns, grid=1, args=[np.zeros(96, np.uint32)], lints=False, sanitize=True, schedule=schedule)
    assert list(report.findings) == []
