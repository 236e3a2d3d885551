"""Readers that go on before all have counted: found in each run, as a poll may have found any value that it goes on with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

SCHEDULES: tuple[dict[str, Any], ...] = (
    {"sanitize": True},
    {"sanitize": True, "schedule": "late"},
    {"sanitize": True, "schedule": "random", "seed": 4},
    {"sanitize": "strict"},
)


@px.kernel(threads=96)
def warps(
    k: px.Builder, data: px.Ptr[px.u32], count: px.Ptr[px.u32], out: px.Ptr[px.u32], *, wanted: int, how: str
) -> None:
    """Two warps store and count; the third one waits for a count, and reads what all have stored."""
    i = k.tid.x
    with k.if_(i < 64):
        k.st.global_.u32(data[i], i)
        if how == "fences":
            k.fence.acq_rel.gpu()
            k.red.relaxed.gpu.global_.add.u32(count[0], 1)
        else:
            k.red.release.gpu.global_.add.u32(count[0], 1)
    with k.if_(i >= 64):
        with k.if_(i == 64):
            if how == "fences":
                with k.while_(lambda: k.ld.relaxed.gpu.global_.u32(count[0]) < wanted):
                    pass
                k.fence.acq_rel.gpu()
            elif how == "not equal":
                with k.while_(lambda: k.ld.acquire.gpu.global_.u32(count[0]) != 64):
                    pass
            else:
                with k.while_(lambda: k.ld.acquire.gpu.global_.u32(count[0]) < wanted):
                    pass
        k.bar.warp.sync(0xFFFF_FFFF)
        first, second = k.ld.global_.u32(data[i - 64]), k.ld.global_.u32(data[i - 32])
        k.st.global_.u32(out[i - 64], first + second)


@px.kernel(threads=32)
def ctas(
    k: px.Builder, data: px.Ptr[px.u32], count: px.Ptr[px.u32], out: px.Ptr[px.u32], *, wanted: int, reads: int = 8
) -> None:
    """Eight CTAs count; the ninth one reads what so many of them have stored."""
    with k.if_(k.tid.x == 0):
        with k.if_(k.ctaid.x < 8):
            k.st.global_.u32(data[k.ctaid.x], 1)
            k.atom.acq_rel.gpu.global_.add.u32(count[0], 1)
        with k.if_(k.ctaid.x == 8):
            with k.while_(lambda: k.ld.acquire.gpu.global_.u32(count[0]) < wanted):
                pass
            k.st.global_.u32(out[0], sum(k.ld.global_.u32(data[i]) for i in range(reads)))


@px.kernel(threads=64)
def steps(
    k: px.Builder, data: px.Ptr[px.u32], flag: px.Ptr[px.u32], out: px.Ptr[px.u32], *, step: int, used: bool = False
) -> None:
    """A thread stores four words, and raises a flag by one behind each; another one waits for a step, and reads its word."""
    with k.if_(k.tid.x == 0):
        for i in range(4):
            k.st.global_.u32(data[i], 10 * i)
            k.st.release.cta.global_.u32(flag[0], i + 1)
    with k.if_(k.tid.x == 32):
        if used:  # what has been found says how far it may read
            value = k.ld.acquire.cta.global_.u32(flag[0])
            with k.if_(value == 4):
                k.st.global_.u32(out[1], value + k.ld.global_.u32(data[3]))
            k.st.global_.u32(out[0], value)
        else:
            with k.while_(lambda: k.ld.acquire.cta.global_.u32(flag[0]) < step):
                pass
            k.st.global_.u32(out[0], k.ld.global_.u32(data[2]))


def found(kernel: Any, options: dict[str, Any], grid: int = 1, **constants: Any) -> list[Diagnostic]:
    args = [np.zeros(64, np.uint32), np.zeros(1, np.uint32), np.zeros(64, np.uint32)]
    return px.simulate(kernel, grid=grid, args=args, lints=False, **options, **constants).findings


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize("how", ["release", "fences"])
@pytest.mark.parametrize("wanted", [1, 33, 63])
def test_threads_that_count_after_the_reader_has_gone_on(wanted: int, how: str, options: dict[str, Any]) -> None:
    races = found(warps, options, wanted=wanted, how=how)
    assert {race.code for race in races} == {"PTX9200"}
    assert any(f"and goes on with {wanted}, too" in note for note in races[0].notes)
    assert races[0].memory is not None
    assert races[0].memory.element is not None
    assert races[0].memory.element[0] >= wanted


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize("how", ["release", "fences", "not equal"])
def test_readers_that_wait_for_all(how: str, options: dict[str, Any]) -> None:
    assert found(warps, options, wanted=64, how=how) == []


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_counts_of_ctas(options: dict[str, Any]) -> None:
    """Which CTAs the first five are is left open, so that who reads what five have stored is as wrong as who reads all."""
    assert {race.code for race in found(ctas, options, grid=9, wanted=5)} == {"PTX9200"}
    assert found(ctas, options, grid=9, wanted=8) == []


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_flags_that_are_raised_step_by_step(options: dict[str, Any]) -> None:
    assert {race.code for race in found(steps, options, step=2)} == {"PTX9200"}
    assert found(steps, options, step=3) == []
    assert found(steps, options, step=4) == []
    assert found(steps, options, step=0, used=True) == []


def test_schedules_are_explored_with_the_finding() -> None:
    args = [np.zeros(64, np.uint32), np.zeros(1, np.uint32), np.zeros(64, np.uint32)]
    outcome = px.explore(ctas, grid=9, args=args, schedules=6, wanted=5)
    assert {"PTX9270", "PTX9200"} <= {d.code for d in outcome.findings}
