"""The replay as a trace, and the critical path through it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.timing.chip import chip
from ptxlab.timing.predict import predict
from ptxlab.timing.replay import Replay
from ptxlab.timing.trace import RUNS, traced


@px.kernel(target="sm_90a", threads=64)
def handed(k: px.Builder, x: px.Ptr[px.f32], y: px.Ptr[px.f32]) -> None:
    """One warp brings 16 KB for the other, which hands on what it has read."""
    buf, bar = k.smem(px.f32, 4096, align=128), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 32):
        bar.arrive_expect_tx(16384)
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(buf, x[0], 16384, bar)
    with k.if_(k.warp == 0):
        bar.wait(0)
        k.st.global_.f32(y[k.tid.x], k.ld.shared.f32(buf[k.tid.x]))


def _arrays() -> list[np.ndarray]:
    return [np.zeros(4096, np.float32), np.zeros(64, np.float32)]


def test_a_trace_has_the_waits_copies_and_instructions_of_the_replay(tmp_path: Path) -> None:
    found = px.profile(handed, grid=1, args=_arrays(), trace=True)
    trace = found.trace
    assert trace is not None
    assert trace.unit == "cycles"
    (copy,) = (e for e in trace if e.kind == "copy")
    assert copy.track == "cta 0 TMA"
    assert copy.args["bytes"] == 16384
    wait = max((e for e in trace if e.kind == "wait"), key=lambda e: e.end - e.begin)
    assert (wait.track, wait.name) == ("cta 0 warp 0", "mbarrier")
    assert copy.visible <= wait.end <= copy.visible + 2
    end = max(e.end for e in trace)
    assert end <= found.cycles - found.fixed + 1
    assert {e.track for e in trace if e.kind == "compute"} == {"cta 0 warp 0", "cta 0 warp 1"}
    events = json.loads(trace.save(tmp_path / "t.json").read_text())["traceEvents"]
    assert len([e for e in events if e["ph"] == "X"]) == len(trace)
    assert ">cycles<" in trace.save(tmp_path / "t.svg").read_text()


def test_events_of_a_track_of_a_warp_do_not_overlap() -> None:
    trace = px.profile(handed, grid=1, args=_arrays(), trace=True).trace
    assert trace is not None
    mine = sorted((e for e in trace if e.track == "cta 0 warp 0"), key=lambda e: (e.begin, e.end))
    assert all(one.end <= later.begin + 1 for one, later in pairwise(mine))


def test_without_being_asked_for_there_is_no_trace() -> None:
    assert px.profile(handed, grid=1, args=_arrays()).trace is None


def test_writing_a_replay_down_does_not_change_it() -> None:
    table = chip("h200")
    found = predict(handed.prepare(grid=1, args=_arrays(), lints=False).record, table)
    (one,) = found.recorded
    plain = Replay(table, found.items, dict(found.ways), [one], 1, found.share).run()
    assert traced(found, table, events=True).played == plain


def test_the_critical_path_goes_through_the_copy_that_is_waited_for() -> None:
    table = chip("h200")
    found = predict(handed.prepare(grid=1, args=_arrays(), lints=False).record, table)
    pieces = traced(found, table, events=False).path()
    assert sum(piece.cycles for piece in pieces) == pytest.approx(found.played.cycles, rel=0.35)
    copies = [piece for piece in pieces if piece.cause == "copies"]
    assert [found.ops[piece.op].text.split()[0].split(".")[0] for piece in copies] == ["cp"]
    assert copies[0].cycles > 16384 / table.figures["bulk.bytes_per_cycle"]
    assert RUNS in {piece.cause for piece in pieces}
    said = px.profile(handed, grid=1, args=_arrays()).path
    assert said.startswith("critical path of ")
    assert "copies" in said
    assert "test_replay_trace.py:" in said
