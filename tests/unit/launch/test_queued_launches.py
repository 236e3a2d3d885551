"""Streams, events and copies, as far as the simulator has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

SCHEDULES = ("eager", "late", "random")


pytestmark = pytest.mark.usefixtures("nothing_is_left")


@px.kernel(threads=32)
def add(k: px.Builder, x: px.Ptr[px.u32], n: px.u32) -> None:
    k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + n)


@px.kernel(threads=32)
def primary(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.griddepcontrol.launch_dependents()
    k.st.global_.u32(x[k.tid.x], 7)


@px.kernel(threads=32)
def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32], *, late: bool) -> None:
    if late:
        k.griddepcontrol.wait()
    v = k.ld.global_.u32(x[k.tid.x])
    if not late:
        k.griddepcontrol.wait()
    k.st.global_.u32(y[k.tid.x], v)


@px.kernel(threads=32)
def signal(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.st.release.gpu.global_.u32(x[0], 1)


@px.kernel(threads=32)
def follow(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
    with k.while_(lambda: k.ld.acquire.gpu.global_.u32(x[0]) == 0):
        pass
    k.st.global_.u32(y[k.tid.x], 1)


def zeros() -> np.ndarray:
    return np.zeros(32, np.uint32)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_stream_runs_in_order(schedule: str) -> None:
    x, y, stream = zeros(), zeros(), px.Stream()
    add[1](x, 1, stream=stream)
    px.copy(y, x, stream=stream)
    add[1](x, 2, stream=stream)
    assert x[0] == 0  # nobody has waited for it
    reports = px.synchronize(stream, schedule=schedule)
    assert (x == 3).all()
    assert (y == 1).all()
    assert [report.stats.ctas for report in reports] == [1, 1]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_event_puts_two_streams_in_order(schedule: str) -> None:
    x, one, other = zeros(), px.Stream(), px.Stream()
    add[1](x, 1, stream=one)
    event = one.record()
    add[1](zeros(), 1, stream=one)
    other.wait(event)
    add[1](x, 2, stream=other)
    px.synchronize(schedule=schedule, sanitize=False)
    assert (x == 3).all()


def test_a_call_without_a_stream_stands_behind_all_that_is_queued() -> None:
    x, stream = zeros(), px.Stream()
    add[1](x, 1, stream=stream)
    add[1](x, 2)
    assert (x == 3).all()
    add[1](x, 1, stream=stream)
    y = zeros()
    px.copy(y, x)
    assert (y == 4).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_grids_of_two_streams_wait_for_each_other(schedule: str) -> None:
    flag, y, one, other = zeros(), zeros(), px.Stream(), px.Stream()
    follow[1](flag, y, stream=one)
    signal[1](flag, stream=other)
    px.synchronize(schedule=schedule)
    assert (y == 1).all()


def test_a_stream_whose_grid_waits_for_the_one_behind_it_hangs() -> None:
    flag, y, stream = zeros(), zeros(), px.Stream()
    follow[1](flag, y, stream=stream)
    signal[1](flag, stream=stream)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize()
    assert raised.value.code == "PTX9101"


def test_grids_that_wait_in_vain_for_each_other_hang() -> None:
    flag, y, one, other = zeros(), zeros(), px.Stream(), px.Stream()
    follow[1](flag, y, stream=one)
    follow[1](flag, y, stream=other)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize()
    assert raised.value.code == "PTX9101"


def test_a_dependent_that_reads_before_its_wait_sees_it_under_late() -> None:
    seen = {}
    for late in (False, True):
        for schedule in SCHEDULES:
            x, y, stream = zeros(), zeros(), px.Stream()
            primary[1](x, stream=stream)
            dependent[1](x, y, late=late, stream=stream)
            px.synchronize(schedule=schedule, sanitize=False)
            seen[late, schedule] = int(y[0])
    assert seen[False, "eager"] == 7
    assert seen[False, "late"] == 0
    assert all(seen[True, schedule] == 7 for schedule in SCHEDULES)


def test_programmatic_says_whether_a_grid_begins_early() -> None:
    for programmatic, found in ((None, 0), (True, 0), (False, 7)):
        x, y, stream = zeros(), zeros(), px.Stream()
        primary[1](x, stream=stream)
        dependent[1](x, y, late=False, stream=stream, programmatic=programmatic)
        px.synchronize(schedule="late", sanitize=False)
        assert y[0] == found, programmatic


def test_nothing_overlaps_outside_of_streams() -> None:
    x, y = zeros(), zeros()
    primary[1](x)
    dependent[1](x, y, late=False)
    assert (y == 7).all()


def test_a_launch_prepared_for_a_stream_is_queued_each_time() -> None:
    x, stream = zeros(), px.Stream()
    launch = add.prepare(grid=1, args=[x, 1], stream=stream)
    for _ in range(2):
        assert launch() is None
    assert x[0] == 0
    stream.synchronize()
    assert (x == 2).all()


def test_many_launches_are_queued_in_little_time_and_memory() -> None:
    x, stream = zeros(), px.Stream()
    for _ in range(300):
        add[1](x, 1, stream=stream)
    assert len(stream.state.pending) == 1
    px.synchronize(sanitize=False)
    assert (x == 300).all()


def test_findings_of_queued_launches_are_raised_together() -> None:
    @px.kernel(threads=64)
    def racing(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        row = k.smem(px.u32, 64)
        k.st.shared.u32(row.at(k.tid.x * 4), k.tid.x)
        k.st.global_.u32(x[k.tid.x], k.ld.shared.u32(row.at((63 - k.tid.x) * 4)))

    out, stream = np.zeros(64, np.uint32), px.Stream()
    racing[1](out, stream=stream)
    racing[1](out, stream=stream)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(sanitize=True)
    assert raised.value.code == "PTX9200"
    assert [d.code for d in raised.value.also].count("PTX9200") >= 1


def test_behind_a_launch_that_stops_none_runs() -> None:
    short, x, stream = np.zeros(4, np.uint32), zeros(), px.Stream()
    add[1](x, 1, stream=stream)
    add[1](short, 1, stream=stream)
    add[1](x, 1, stream=stream)
    with pytest.raises(Diagnostic) as raised:
        stream.synchronize()
    assert raised.value.code == "PTX9002"
    assert (x == 1).all()
    assert px.synchronize() == []  # it is not in the queue any more


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_grid_that_stops_beside_another_one_says_where(schedule: str) -> None:
    flag, y, one, other = zeros(), zeros(), px.Stream(), px.Stream()
    follow[1](flag, y, stream=one)
    add[1](np.zeros(4, np.uint32), 1, stream=other)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(schedule=schedule)
    assert raised.value.code == "PTX9002"
    assert raised.value.origin is not None or raised.value.span is not None


def test_launches_that_nobody_has_waited_for_are_told_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "forgets.py"
    file.write_text(
        "import numpy as np\nimport ptxlab as px\n\n@px.kernel(threads=32)\ndef one(k, x: px.Ptr[px.u32]):\n"
        "    k.st.global_.u32(x[k.tid.x], 1)\n\none[1](np.zeros(32, np.uint32), stream=px.Stream())\n"
    )
    done = subprocess.run([sys.executable, file], capture_output=True, text=True)
    assert done.returncode == 0
    assert "PTX2327" in done.stderr
    assert "Traceback" not in done.stderr


# --- bad input ----------------------------------------------------------------------------------------------------------
def test_an_event_that_was_never_recorded() -> None:
    for wrong in (lambda: px.Stream().wait(px.Event()), lambda: px.Event().synchronize()):
        with pytest.raises(Diagnostic) as raised:
            wrong()
        assert raised.value.code == "PTX2326"


@pytest.mark.parametrize("stream", [7, "s", object()])
def test_what_is_no_stream(stream: object) -> None:
    for wrong in (
        lambda: add[1](zeros(), 1, stream=stream),
        lambda: px.copy(zeros(), zeros(), stream=stream),
        lambda: px.Event().record(stream),  # type: ignore[arg-type]
    ):
        with pytest.raises(Diagnostic) as raised:
            wrong()
        assert raised.value.code == "PTX2314"


def test_copies_that_do_not_fit() -> None:
    x = zeros()
    x.flags.writeable = False
    for to, source in ((zeros(), np.zeros(31, np.uint32)), (zeros(), np.zeros(32, np.int32)), (x, zeros())):
        with pytest.raises(Diagnostic) as raised:
            px.copy(to, source)
        assert raised.value.code == "PTX2325"


def test_copies_take_arrays_of_any_strides() -> None:
    there, here = np.zeros((4, 8), np.float32), np.arange(64, dtype=np.float32).reshape(8, 8)
    stream = px.Stream()
    px.copy(there[::-1], here[::2], stream=stream)
    stream.synchronize()
    assert (there[::-1] == here[::2]).all()


def test_an_array_that_is_resized_while_its_launch_is_queued() -> None:
    x, stream = np.zeros(32, np.uint32), px.Stream()
    add[1](x, 1, stream=stream)
    x.resize(1 << 20, refcheck=False)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize()
    assert raised.value.code == "PTX2321"


def test_options_that_do_not_exist() -> None:
    stream = px.Stream()
    add[1](zeros(), 1, stream=stream)
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(schedule="soon")
    assert raised.value.code == "PTX2501"
