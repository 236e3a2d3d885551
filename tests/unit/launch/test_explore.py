"""`px.explore`: launches whose results or ends depend on the schedule, or on what nobody has written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rich.console import Console

import ptxlab as px
from ptxlab.diag import Diagnostic


@px.kernel(threads=64)
def racy(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    """Each warp reads a word that the other one writes: zero or the new number."""
    word = k.smem(px.u32, 64)
    i = k.tid.x
    k.st.shared.u32(word[i], 0)
    k.bar.sync(0)
    k.st.shared.u32(word[i], i + 1)
    k.st.global_.u32(out[i], k.ld.shared.u32(word[i ^ 32]))


@px.kernel(threads=64)
def right(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    word = k.smem(px.u32, 64)
    i = k.tid.x
    k.st.shared.u32(word[i], i + 1)
    k.bar.sync(0)
    before = k.ld.global_.u32(out[i])
    k.st.global_.u32(out[i], before + k.ld.shared.u32(word[i ^ 32]))


@px.kernel(threads=32)
def unwritten(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    word = k.smem(px.u32, 32)
    k.st.global_.u32(out[k.tid.x], k.ld.shared.u32(word[k.tid.x]))


@px.kernel(threads=64)
def may_hang(k: px.Builder, out: px.Ptr[px.u32]) -> None:
    """Warp 1 arrives only if it finds the flag that warp 0 sets meanwhile."""
    flag = k.smem(px.u32, 1)
    bar = k.mbarrier(1)
    with k.if_(k.tid.x == 0):
        k.st.shared.u32(flag[0], 0)
    k.init_barriers()
    with k.roles():
        with k.role(warp=0):
            k.st.shared.u32(flag[0], 1)
            bar.wait(0)
        with k.role(warp=1), k.elect(), k.if_(k.ld.shared.u32(flag[0]) == 1):
            bar.arrive()
    k.st.global_.u32(out[k.tid.x], 1)


@px.kernel(threads=64)
def locked(k: px.Builder, lock: px.Ptr[px.u32], count: px.Ptr[px.u32]) -> None:
    """Two warps change a counter under a lock. The first one takes it without an acquire: right only where it comes first."""
    with k.if_(k.laneid == 0):
        with k.if_(k.tid.x == 0):
            again = k.label("again")
            k.place(again)
            k.bra(again, pred=k.atom.relaxed.gpu.global_.cas.b32(lock[0], 0, 1) != 0)
        with k.if_(k.tid.x != 0):
            again = k.label("again")
            k.place(again)
            k.bra(again, pred=k.atom.acquire.gpu.global_.cas.b32(lock[0], 0, 1) != 0)
        k.st.global_.u32(count[0], k.ld.global_.u32(count[0]) * 3 + k.tid.x + 1)
        k.st.release.gpu.global_.u32(lock[0], 0)


def codes(found: px.Exploration) -> list[str]:
    return [d.code for d in found.findings]


def test_a_race_that_shows_in_the_results_and_its_cause() -> None:
    out = np.zeros(64, np.uint32)
    found = px.explore(racy, grid=1, args=[out], schedules=8)
    assert codes(found) == ["PTX9270", "PTX9200"]
    assert not found.same
    told, race = found.findings
    assert "PTX9200" in told.notes[-1]
    assert told.origin == race.origin is not None
    assert told.help is not None
    differing = [run for run in found.runs if run.differences]
    assert differing
    assert {(run.schedule, run.seed) for run in found.runs[:3]} == {("eager", 0), ("eager", 1), ("late", 0)}
    assert [(run.schedule, run.seed) for run in found.runs[3:]] == [("random", n) for n in range(1, 9)]
    run = differing[0]
    assert run.how in told.help
    (difference,) = run.differences
    assert (difference.array, difference.total) == ("out", 64)
    again = np.zeros(64, np.uint32)
    px.simulate(racy, grid=1, args=[again], schedule=run.schedule, seed=run.seed)
    where = np.flatnonzero(again != out)
    assert (len(where), (where[0],)) == (difference.elements, difference.index)
    assert difference.values == (str(out[where[0]]), str(again[where[0]]))
    assert difference.bits == (f"0x{out[where[0]]:08x}", f"0x{again[where[0]]:08x}")


def test_a_race_of_some_schedules_alone_and_its_cause() -> None:
    args = [np.zeros(1, np.uint32), np.zeros(1, np.uint32)]
    assert list(px.simulate(locked, grid=1, args=args, sanitize=True).findings) == []
    args[1][:] = 0
    found = px.explore(locked, grid=1, args=args, schedules=6)
    assert not found.runs[0].differences
    assert codes(found) == ["PTX9270", "PTX9200", "PTX9200"]
    assert "the sanitizer finds the cause: PTX9200" in str(found.findings[0])


def test_a_right_kernel_is_the_same_under_every_schedule_and_runs_once_for_its_arrays() -> None:
    out = np.full(64, 100, np.uint32)
    found = px.explore(right, grid=1, args=[out], schedules=3)
    assert (codes(found), found.same, found.errors, len(found.runs)) == ([], True, False, 6)
    assert out.tolist() == [101 + (i ^ 32) for i in range(64)]
    console = Console(record=True, width=100)
    console.print(found.table())
    rows = [line.split() for line in console.export_text().splitlines() if line.strip()][2:]
    assert rows == [[r.schedule, str(r.seed), "ends", *(["no"] if i else [])] for i, r in enumerate(found.runs)]


def test_results_that_depend_on_what_nobody_has_written() -> None:
    found = px.explore(unwritten, grid=1, args=[np.zeros(32, np.uint32)], schedules=2)
    assert codes(found) == ["PTX9272", "PTX9240"]
    assert [bool(run.differences) for run in found.runs] == [False, True, False, True, True]
    assert px.explore(unwritten, grid=1, args=[np.zeros(32, np.uint32)], schedules=2, poison=False).same


def test_a_hang_under_some_schedules() -> None:
    found = px.explore(may_hang, grid=1, args=[np.zeros(64, np.uint32)], schedules=8)
    assert codes(found)[:2] == ["PTX9271", "PTX9200"]
    assert "PTX9100" in codes(found)
    assert {run.outcome for run in found.runs} == {"ends", "PTX9100 deadlock"}
    told = found.findings[0]
    hung = next(run for run in found.runs if run.stop is not None)
    assert told.wait_graph == hung.stop.wait_graph is not None  # type: ignore[union-attr]
    assert any(hung.how in note for note in told.notes)
    with pytest.raises(Diagnostic) as stop:
        px.simulate(may_hang, grid=1, args=[np.zeros(64, np.uint32)], schedule=hung.schedule, seed=hung.seed)
    assert stop.value.code == "PTX9100"


def test_a_launch_that_always_stops_alike_is_told_once() -> None:
    text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { trap; }"
    found = px.explore(px.parse(text)["k"], grid=1, block=32, schedules=2)
    assert codes(found) == ["PTX9010"]
    assert (found.same, found.errors) == (True, True)


@pytest.mark.parametrize("options", [{"schedules": -1}, {"schedules": 1.5}, {"schedules": 10_001}, {"seed": -1}])
def test_options_that_cannot_be(options: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.explore(right, grid=1, args=[np.zeros(64, np.uint32)], **options)
    assert wrong.value.code == "PTX2501"


def test_arrays_of_floats_and_of_two_dimensions_are_told_by_element() -> None:
    @px.kernel(threads=32)
    def sums(k: px.Builder, out: px.Ptr[px.f32]) -> None:
        """The order in which numbers are added decides how the sum is rounded."""
        with k.if_(k.laneid == 0):
            k.red.global_.add.f32(out[5], k.cvt.rn.f32.u32(1 + k.ctaid.x * 16_777_215))
            k.red.global_.add.f32(out[5], 1.0)

    out = np.zeros((2, 4), np.float32)
    found = px.explore(sums, grid=3, args=[out], schedules=16)
    differences = [d for run in found.runs for d in run.differences]
    assert {d.index for d in differences} == {(1, 1)}
    assert all(float(one) != float(other) for one, other in (d.values for d in differences))
    assert codes(found) == ["PTX9270"]
    assert "leaves open" in found.findings[0].notes[-1]
