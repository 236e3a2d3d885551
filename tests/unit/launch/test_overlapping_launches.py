"""What is found between launches that overlap, as data; launches that stop and hang beside others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

ROOM = 200 * 1024
"""Bytes of shared memory, so that an SM holds one CTA."""


pytestmark = pytest.mark.usefixtures("nothing_is_left")


@px.kernel(threads=32)
def produce(k: px.Builder, x: px.Ptr[px.u32]) -> None:
    k.griddepcontrol.launch_dependents()
    k.st.global_.u32(x[k.tid.x], 7)


@px.kernel(threads=32)
def early(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
    value = k.ld.global_.u32(x[k.tid.x])
    k.griddepcontrol.wait()
    k.st.global_.u32(y[k.tid.x], value)


@px.kernel(threads=32)
def follow(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
    index = k.ld.global_.u32(x[k.tid.x])
    k.griddepcontrol.wait()
    k.st.global_.u32(y[index], 1)


def zeros(count: int = 32) -> Any:
    return np.zeros(count, np.uint32)


def raised(**options: Any) -> Diagnostic:
    with pytest.raises(Diagnostic) as found:
        px.synchronize(**options)
    return found.value


def test_a_finding_names_both_launches_and_the_bytes() -> None:
    x, y, stream = zeros(), zeros(), px.Stream()
    produce[1](x, stream=stream)
    early[1](x, y, stream=stream)
    found = raised()
    assert found.code == "PTX9260"
    assert "`early` (launch 2 of the stream)" in found.message
    assert "`produce` (launch 1 of the stream)" in found.message
    assert found.memory is not None
    assert found.memory.array == "x"
    assert [(a.does, a.instruction.split()[0]) for a in found.accesses] == [
        ("reads", "ld.global.u32"),
        ("writes", "st.global.u32"),
    ]
    assert found.origin is not None
    assert found.other_origin is not None


def test_it_is_in_the_report_of_the_later_launch() -> None:
    @px.kernel(threads=32)
    def second(k: px.Builder, z: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.st.global_.u32(z[k.tid.x], 1)

    @px.kernel(threads=32)
    def third(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], k.ld.global_.u32(x[k.tid.x]))

    x, y, z, stream = zeros(), zeros(), zeros(), px.Stream()
    produce[1](x, stream=stream)
    second[1](z, stream=stream, programmatic=True)
    third[1](x, y, stream=stream)
    with pytest.warns(px.PtxWarning, match="PTX9263"):
        reports = px.synchronize()
    assert [[d.code for d in report.findings] for report in reports] == [[], [], ["PTX9263"]]


def test_a_comment_suppresses_it() -> None:
    @px.kernel(threads=32)
    def dependent(k: px.Builder, x: px.Ptr[px.u32], y: px.Ptr[px.u32]) -> None:
        value = k.ld.global_.u32(x[k.tid.x])  # ptxlab: ignore[PTX9260]: the old value will do
        k.griddepcontrol.wait()
        k.st.global_.u32(y[k.tid.x], value)

    x, y, stream = zeros(), zeros(), px.Stream()
    produce[1](x, stream=stream)
    dependent[1](x, y, stream=stream)
    reports = px.synchronize()
    assert [report.findings for report in reports] == [[], []]
    assert [s.finding.code for s in reports[1].suppressed] == ["PTX9260"]


def test_a_launch_that_stops_for_it_names_the_race() -> None:
    x, y, stream = zeros() + 1000, zeros(), px.Stream()
    produce[1](x, stream=stream)
    follow[1](x, y, stream=stream)
    found = raised(schedule="late")
    assert found.code == "PTX9002"
    assert "PTX9260" in [d.code for d in found.also]


def test_nothing_is_looked_for_without_the_sanitizer() -> None:
    x, y, stream = zeros(), zeros(), px.Stream()
    produce[1](x, stream=stream)
    early[1](x, y, stream=stream)
    assert [report.findings for report in px.synchronize(sanitize=False)] == [[], []]


def test_launches_far_apart_find_the_same_as_neighbours() -> None:
    """A chain of many launches, one of which looks ahead of its wait."""

    @px.kernel(threads=32)
    def step(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        k.griddepcontrol.wait()
        k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + 1)

    x, y, stream = zeros(), zeros(), px.Stream()
    for _ in range(20):
        step[1](x, stream=stream)
    early[1](x, y, stream=stream)
    for _ in range(20):
        step[1](x, stream=stream)
    found = raised()
    assert found.code == "PTX9260"
    assert "`early` (launch 21 of the stream)" in found.message
    # those before may still run, too, and are told by the nearest
    assert "`step` (launch 20 of the stream)" in found.message


@pytest.mark.parametrize("schedule", ["eager", "random"])
def test_a_hang_says_who_holds_the_room(schedule: str) -> None:
    """The dependents are there, and keep out a launch of another stream that the primary waits for."""

    @px.kernel(threads=32)
    def primary(k: px.Builder, flag: px.Ptr[px.u32]) -> None:
        k.griddepcontrol.launch_dependents()
        with k.while_(lambda: k.ld.acquire.gpu.global_.u32(flag[0]) == 0):
            pass

    @px.kernel(threads=32)
    def dependent(k: px.Builder, y: px.Ptr[px.u32]) -> None:
        k.smem(px.u8, ROOM)
        k.griddepcontrol.wait()
        k.st.global_.u32(y[k.ctaid.x * 32 + k.tid.x], 1)

    @px.kernel(threads=32)
    def signal(k: px.Builder, flag: px.Ptr[px.u32]) -> None:
        k.smem(px.u8, ROOM)
        k.st.release.gpu.global_.u32(flag[0], 1)

    flag, y, one, other = zeros(1), zeros(32 * 200), px.Stream(), px.Stream()
    primary[1](flag, stream=one)
    dependent[200](y, stream=one)
    signal[1](flag, stream=other)
    found = raised(schedule=schedule, sanitize=False)
    assert found.code == "PTX9101"
    notes = "\n".join(found.notes)
    assert "`dependent` (launch 2 of stream 1) holds room on the SMs: 132 of its 200 CTAs are there" in notes
    assert "CTAs of `signal` (launch 1 of stream 2) cannot begin" in notes
    assert "griddepcontrol.launch_dependents later" in str(found.help)
