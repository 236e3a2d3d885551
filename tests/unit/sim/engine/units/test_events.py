"""The policy: where events fall, replay of a seed, and what a timeline shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.units.events import draw
from ptxlab.sim.report.report import Trace

from ...conftest import entry

# Two loads into the same bytes: which one wins depends on the schedule.
RACE = entry(
    ".param .u64 src, .param .u64 dst",
    """
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
    .shared .align 128 .b8 buf[128]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [src]; ld.param.u64 %rd2, [dst];
    mov.u32 %r1, bar; mov.u32 %r2, buf;
    mbarrier.init.shared::cta.b64 [%r1], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 32;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 16, [%r1];
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1+16], 16, [%r1];
    W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
    @!%p0 bra W;
    cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 16;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
    ret;
    """,
)


def winner(run: Callable[..., Any], **options: Any) -> int:
    src, dst = px.empty(32, np.uint8), px.empty(16, np.uint8)
    src[:16], src[16:] = 1, 2
    run(RACE, src, dst, block=1, **options)
    return int(dst[0])


def test_random_schedules_differ_by_seed_and_repeat(run: Callable[..., Any]) -> None:
    first = [winner(run, schedule="random", seed=s) for s in range(24)]
    assert set(first) == {1, 2}
    assert first == [winner(run, schedule="random", seed=s) for s in range(24)]


@px.kernel(target="sm_90a", threads=64)
def polls(k: px.Builder, x: px.Ptr[px.u32], out: px.Ptr[px.u32]) -> None:
    """A thread waits for a copy and sets a flag in memory; another one polls the flag, so that the CTA is never idle."""
    room, mbar = k.smem(px.u32, 64, align=16), k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        mbar.arrive_expect_tx(256)
        k.cp.async_.bulk.shared__cluster.global_.mbarrier__complete_tx__bytes(room, x[0], 256, mbar)
        mbar.wait(0)
        k.red.release.gpu.global_.add.u32(out[0], k.ld.shared.u32(room[5]))
    with k.if_(k.tid.x == 32):
        with k.while_(lambda: k.ld.acquire.gpu.global_.u32(out[0]) == 0):
            pass
        k.st.global_.u32(out[1], 1)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_who_polls_memory_sees_what_follows_from_a_copy(schedule: str) -> None:
    for seed in range(12):
        x, out = px.empty(64, np.uint32), px.empty(2, np.uint32)
        x[:], out[:] = np.arange(64), 0
        polls.prepare(grid=(1, 1, 1), args=[x, out])(schedule=schedule, seed=seed, max_instructions=3_000_000)
        assert out.tolist() == [5, 1]


def test_eager_and_late_keep_the_order_of_issue(run: Callable[..., Any]) -> None:
    assert winner(run, schedule="eager") == 2
    assert winner(run, schedule="late") == 2


def test_draws_depend_on_every_word_of_the_key() -> None:
    values = [draw(a, b, c) for a in range(8) for b in range(8) for c in range(8)]
    assert len(set(values)) == 512
    bits = Counter(bit for v in values for bit in range(64) if v >> bit & 1)
    assert all(180 < bits[bit] < 332 for bit in range(64))


def test_polling_without_waiting_makes_progress(run: Callable[..., Any]) -> None:
    text = RACE.replace("mbarrier.try_wait", "mbarrier.test_wait")
    src, dst = px.empty(32, np.uint8), px.empty(16, np.uint8)
    src[:] = 5
    run(text, src, dst, block=1, schedule="late")
    assert (dst == 5).all()


def test_a_timeline_has_copies_and_waits(run: Callable[..., Any]) -> None:
    src, dst = px.empty(32, np.uint8), px.empty(16, np.uint8)
    report = run(RACE, src, dst, block=1, trace=True)
    kinds = Counter(e.kind for e in report.trace)
    assert kinds["copy"] == 2
    assert kinds["store"] == 1
    assert kinds["wait"] >= 1
    assert all(e.begin <= e.end for e in report.trace)
    wait = next(e for e in report.trace if e.kind == "wait")
    copies = [e for e in report.trace if e.kind == "copy"]
    assert wait.end >= max(e.end for e in copies)
    assert run(RACE, src, dst, block=1).trace is None


def test_events_name_their_instruction_bytes_and_barrier(run: Callable[..., Any], tmp_path: Path) -> None:
    src, dst = px.empty(32, np.uint8), px.empty(16, np.uint8)
    trace = run(RACE, src, dst, block=1, trace=True).trace
    copy = next(e for e in trace if e.kind == "copy")
    assert copy.args["instruction"].startswith("cp.async.bulk")
    assert copy.args["instruction"] in RACE.splitlines()[copy.args["line"] - 1]
    assert copy.args["bytes"] == 16
    wait = next(e for e in trace if e.kind == "wait")
    assert wait.args["instruction"].startswith("mbarrier.try_wait")
    assert wait.args["mbarrier"] == copy.args["mbarrier"]
    assert (copy.args["phase"], wait.args["phase"]) == (0, 0)

    made = json.loads(trace.save(tmp_path / "t.json").read_text())["traceEvents"]
    names = {(e["pid"], e.get("tid")): e["args"]["name"] for e in made if e["ph"] == "M"}
    shown = [e for e in made if e["ph"] == "X"]
    assert len(shown) == len(trace)
    for e, event in zip(shown, trace, strict=True):
        assert f"{names[e['pid'], None]} {names[e['pid'], e['tid']]}" == event.track
        assert (e["ts"], e["ts"] + e["dur"]) == (event.begin, event.end)
        assert e["args"] == dict(event.args)


def test_a_trace_goes_nowhere_that_cannot_be_written(run: Callable[..., Any], tmp_path: Path) -> None:
    src, dst = px.empty(32, np.uint8), px.empty(16, np.uint8)
    trace = run(RACE, src, dst, block=1, trace=True).trace
    with pytest.raises(px.Diagnostic) as found:
        trace.save(tmp_path / "none" / "t.json")
    assert found.value.code == "PTX2500"


@pytest.mark.parametrize(("name", "begin"), [("t.png", b"\x89PNG"), ("t.svg", b"<svg"), ("deep/t.pdf", b"%PDF")])
def test_a_trace_draws_itself(run: Callable[..., Any], tmp_path: Path, name: str, begin: bytes) -> None:
    src, dst = px.empty(32, np.uint8), px.empty(16, np.uint8)
    trace = run(RACE, src, dst, block=1, trace=True).trace
    assert trace.save(tmp_path / name).read_bytes().startswith(begin)
    drawn = trace.picture(tmp_path / "named.svg", title="one copy", window=(0, 4)).read_text()
    assert "<title>one copy</title>" in drawn
    with pytest.raises(px.Diagnostic) as found:
        trace.picture(tmp_path / "t.json")
    assert found.value.code == "PTX2501"
    with pytest.raises(px.Diagnostic) as found:
        type(trace)().picture(tmp_path / "nothing.png")
    assert found.value.code == "PTX2501"


@pytest.mark.parametrize("name", ["t.jpg", "t", "t.json.gz"])
def test_a_timeline_says_in_its_name_what_it_is(name: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="does not end like a timeline"):
        Trace().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
