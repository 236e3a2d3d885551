"""The logical clock: copies are visible after their bars, and a wait of any kind lasts until what is waited for has come."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.engine.units.trace import COPY_BYTES, COPY_LATENCY

HEAD = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 data)
{
  .reg .pred p, first; .reg .b32 t, i, buf; .reg .b64 d, a;
  .shared .align 128 .b8 tile[4096];
  .shared .align 8 .b64 bar[2];
  ld.param.u64 d, [data];
  cvta.to.global.u64 d, d;
  mov.u32 t, %tid.x;
  setp.eq.u32 first, t, 0;
  mov.u32 buf, tile;
"""
STORE = "  cp.async.bulk.global.shared::cta.bulk_group [d], [tile], 2048;\n  cp.async.bulk.commit_group;\n"
SCHEDULES = ["eager", "late", "random"]


def events(lines: str, *, block: int = 32, schedule: str = "eager") -> list[px.TraceEvent]:
    module = px.parse(HEAD + lines + "  ret;\n}\n")
    report = px.simulate(
        module["k"],
        grid=1,
        block=block,
        args=[px.empty(1024, np.uint32)],
        trace=True,
        schedule=schedule,
        lints=False,
        sanitize=False,
    )
    assert report.trace is not None
    return list(report.trace)


def of(found: list[px.TraceEvent], kind: str, track: str = "") -> list[px.TraceEvent]:
    return [e for e in found if e.kind == kind and e.track.endswith(track)]


def lives(found: list[px.TraceEvent]) -> dict[str, int]:
    return {e.track: e.end for e in of(found, "warp")}


def work(count: int, name: str) -> str:
    """A loop that takes a thread some time."""
    return f"  mov.u32 i, {count};\n{name}:\n  sub.u32 i, i, 1;\n  setp.ne.u32 p, i, 0;\n  @p bra {name};\n"


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_bulk_group_is_waited_for_until_its_bytes_are_visible(schedule: str) -> None:
    found = events("  @!first ret;\n" + STORE + "  cp.async.bulk.wait_group 0;\n", schedule=schedule)
    (store,), (wait,) = of(found, "store"), of(found, "wait")
    assert store.end - store.begin == 1 + 2048 // COPY_BYTES
    assert store.visible == store.args["visible"] == store.end + COPY_LATENCY
    assert (wait.name, wait.end) == ("bulk group wait", store.visible)
    assert lives(found)["cta 0 warp 0"] >= store.visible


def test_read_waits_until_the_engine_has_read() -> None:
    lines = "  @!first ret;\n" + STORE + "  cp.async.bulk.wait_group.read 0;\n  cp.async.bulk.wait_group 0;\n"
    found = events(lines)
    (store,), waits = of(found, "store"), of(found, "wait")
    assert [w.end for w in waits] == [store.end, store.visible]


def test_as_many_groups_as_may_be_pending_are_not_waited_for() -> None:
    lines = "  @!first ret;\n" + 3 * STORE + "".join(f"  cp.async.bulk.wait_group {n};\n" for n in (3, 2, 0, 1))
    found = events(lines)
    stores, waits = of(found, "store"), of(found, "wait")
    assert [w.end for w in waits] == [stores[0].visible, stores[2].visible]
    again = events(
        "  @!first ret;\n" + STORE + "  cp.async.bulk.wait_group.read 0;\n" + STORE + "  cp.async.bulk.wait_group 1;\n"
    )
    assert [w.end for w in of(again, "wait")] == [of(again, "store")[0].end, of(again, "store")[0].visible]


def _small(count: int) -> str:
    one = "  cp.async.ca.shared.global [buf], [d], 4;\n  cp.async.commit_group;\n"
    return "  mad.wide.u32 d, t, 4, d;\n  mad.lo.u32 buf, t, 4, buf;\n" + count * one


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_small_copies_are_drawn_and_waited_for(schedule: str) -> None:
    found = events(_small(3) + "  cp.async.wait_group 1;\n  cp.async.wait_all;\n", schedule=schedule)
    copies, waits = of(found, "copy"), of(found, "wait")
    assert [e.track for e in copies] == 3 * ["cta 0 cp.async"]
    assert [e.args["bytes"] for e in copies] == 3 * [128]
    assert [w.name for w in waits] == 2 * ["cp.async wait"]
    assert [w.end for w in waits] == [copies[1].visible, copies[2].visible]


def test_lanes_count_their_own_groups() -> None:
    lines = "  setp.lt.u32 first, t, 16;\n" + _small(1) + "  @first cp.async.commit_group;\n  cp.async.wait_group 1;\n"
    found = events(lines)  # the upper lanes have one group, the lower ones a second, empty one
    assert [w.end for w in of(found, "wait")] == [of(found, "copy")[0].visible]
    none = events(
        "  setp.lt.u32 first, t, 0;\n" + _small(1) + "  @first cp.async.commit_group;\n  cp.async.wait_group 1;\n"
    )
    assert of(none, "wait") == []


def test_an_mbarrier_hears_of_small_copies_when_they_are_visible() -> None:
    lines = "  @first mbarrier.init.shared.b64 [bar], 32;\n  bar.sync 0;\n" + _small(1)
    lines += "  cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nagain:\n"
    lines += "  mbarrier.try_wait.parity.shared.b64 p, [bar], 0;\n  @!p bra again;\n"
    found = events(lines)
    assert of(found, "wait")[-1].end == of(found, "copy")[0].visible


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_barriers_are_waited_for_until_the_last_warp_comes(schedule: str) -> None:
    lines = "  setp.ge.u32 p, t, 32;\n  @p bra meet;\n" + work(100, "slow") + "meet:\n  bar.sync 0;\n"
    found = events(lines, block=96, schedule=schedule)
    waits = of(found, "wait")
    assert sorted((w.track, w.name, w.args["barrier"]) for w in waits) == [
        (f"cta 0 warp {n}", "barrier wait", 0) for n in (1, 2)
    ]
    ends = lives(found)
    assert len({w.end for w in waits}) == 1
    assert len(set(ends.values())) == 1
    assert waits[0].end > 200


def test_whoever_comes_last_waits_where_its_clock_is_behind() -> None:
    """Warp 0 runs first; the simulator lets warp 1 come later, with a clock that is not so far."""
    lines = "  setp.ge.u32 p, t, 32;\n  @p bra meet;\n" + work(100, "slow") + "meet:\n  bar.sync 0;\n  bar.sync 0;\n"
    found = events(lines, block=64)
    assert [(w.track, w.args["barrier"]) for w in of(found, "wait")] == [("cta 0 warp 1", 0)]


def test_an_arrival_counts_and_does_not_wait() -> None:
    lines = (
        "  setp.ge.u32 p, t, 32;\n  @p bra other;\n"
        + work(100, "slow")
        + "  bar.arrive 3, 64;\n  ret;\nother:\n  bar.sync 3, 64;\n"
    )
    found = events(lines, block=64)
    (wait,) = of(found, "wait")
    assert (wait.track, wait.args["barrier"]) == ("cta 0 warp 1", 3)
    assert wait.end == lives(found)["cta 0 warp 0"] - 1


def test_who_exits_has_come() -> None:
    lines = "  setp.ge.u32 p, t, 32;\n  @p bra other;\n" + work(100, "slow") + "  ret;\nother:\n  bar.sync 0;\n"
    found = events(lines, block=64)
    (wait,) = of(found, "wait")
    assert (wait.track, wait.end) == ("cta 0 warp 1", lives(found)["cta 0 warp 0"])


def test_lanes_may_come_one_after_the_other() -> None:
    lines = (
        "  setp.lt.u32 p, t, 16;\n  @p bra low;\n"
        + work(50, "slow")
        + "  barrier.sync 0;\n  bra on;\nlow:\n  barrier.sync 0;\non:\n"
    )
    found = events(lines, block=64)
    assert len(of(found, "wait")) <= 1
    assert sorted(lives(found)) == ["cta 0 warp 0", "cta 0 warp 1"]


def test_reductions_over_a_cta_wait_too() -> None:
    lines = (
        "  setp.ge.u32 p, t, 32;\n  @p bra meet;\n"
        + work(100, "slow")
        + "meet:\n  barrier.cta.red.and.pred p, 0, first;\n"
    )
    (wait,) = of(events(lines, block=64), "wait")
    assert (wait.track, wait.name) == ("cta 0 warp 1", "barrier wait")


@pytest.mark.parametrize("sanitize", [False, True])
@pytest.mark.parametrize("stats", [False, True])
def test_other_observers_and_results_are_as_without_a_trace(sanitize: bool, stats: bool) -> None:
    lines = "  mad.wide.u32 d, t, 4, d;\n  bar.sync 0;\n  st.global.u32 [d], t;\n"
    module = px.parse(HEAD + lines + "  ret;\n}\n")
    seen: list[tuple[object, ...]] = []
    for trace in (False, True):
        out = px.empty(1024, np.uint32)
        out[:] = 0
        report = px.simulate(
            module["k"], grid=2, block=64, args=[out], trace=trace, stats=stats, sanitize=sanitize, lints=False
        )
        waits = report.stats.waits if stats else 0
        seen.append((out.tobytes(), report.stats.instructions, waits, [d.code for d in report.findings]))
    assert seen[0] == seen[1]


def test_chrome_has_the_time_at_which_bytes_are_visible() -> None:
    module = px.parse(HEAD + "  @!first ret;\n" + STORE + "  cp.async.bulk.wait_group 0;\n  ret;\n}\n")
    report = px.simulate(module["k"], grid=1, block=32, args=[px.empty(1024, np.uint32)], trace=True, lints=False)
    assert report.trace is not None
    (store,) = [e for e in report.trace.chrome()["traceEvents"] if e.get("cat") == "store"]
    assert store["args"]["visible"] == store["ts"] + store["dur"] + COPY_LATENCY


def test_an_event_names_bytes_and_barriers() -> None:
    found = events("  @!first ret;\n" + STORE)
    (store,) = of(found, "store")
    assert repr(store).endswith(f"cp.async.bulk (store, 2,048 bytes, visible at {store.visible})>")
    args = {"mbarrier": "`full[1]` (shared + 0x8), `full[1]` (shared + 0x8)", "phase": 3, "bytes": 64}
    assert "copy, 64 bytes, `full[1]` and 1 more phase 3" in repr(px.TraceEvent("t", "n", "copy", 1, 2, args))


def test_a_trace_says_that_events_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from ptxlab.sim.engine.units import trace as kept

    monkeypatch.setattr(kept, "MAX_EVENTS", 3)
    module = px.parse(HEAD + "  @!first ret;\n" + 3 * STORE + "  ret;\n}\n")
    trace = px.simulate(
        module["k"], grid=1, block=32, args=[px.empty(1024, np.uint32)], trace=True, sanitize=False
    ).trace
    assert trace is not None
    assert (len(trace), trace.dropped) == (3, 1)
    assert repr(trace) == "<Trace: 3 events of 1 tracks; 1 later ones were not kept>"
    assert str(trace).endswith("Trace: 3 events of 1 tracks; 1 later ones were not kept")
