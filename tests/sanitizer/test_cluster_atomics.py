"""Atomics on shared memory of other CTAs: machine code takes them down behind barriers of the cluster, and finds no less."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

CTAS, EACH = 4, 64
SCHEDULES = ["eager", "late", "random"]


@px.kernel(target="sm_90a", threads=EACH, cluster=CTAS)
def counts(k: px.Builder, values: px.Ptr[px.u32], out: px.Ptr[px.u32], n: px.u32) -> None:
    part = k.smem(px.u32, EACH)
    k.st.shared.u32(part[k.tid.x], 0)
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()
    i = k.mad.lo.u32(k.ctaid.x, EACH, k.tid.x)
    with k.while_(lambda: i < n):
        value = k.ld.global_.u32(values[i])
        there = k.mapa.shared__cluster.u32(part[k.and_.b32(value, EACH - 1)], k.shr.u32(value, 6))
        k.red.relaxed.cluster.shared__cluster.add.u32(there, 1)
        i += k.mul.lo.u32(k.nctaid.x, EACH)
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()
    first = k.mul.lo.u32(k.cluster_ctarank, EACH)
    k.red.relaxed.gpu.global_.add.u32(out[k.add.u32(first, k.tid.x)], k.ld.shared.u32(part[k.tid.x]))


TEXT = counts.ptx
ARRIVES = [m.span() for m in re.finditer(r"barrier\.cluster\.arrive;", TEXT)]
BOTH = re.compile(r"barrier\.cluster\.arrive;.*?barrier\.cluster\.wait;", re.DOTALL)


def without(number: int) -> str:
    """The kernel without one of its two barriers."""
    begin, end = [m.span() for m in BOTH.finditer(TEXT)][number]
    return TEXT[:begin] + TEXT[end:]


def relaxed(number: int) -> str:
    begin, end = ARRIVES[number]
    return TEXT[:begin] + "barrier.cluster.arrive.relaxed;" + TEXT[end:]


def run(text: str, schedule: str, clusters: int = 2) -> tuple[set[str], bool]:
    """The codes of what is found, and whether the result is right."""
    values = np.random.default_rng(5).integers(0, CTAS * EACH, 3000, dtype=np.uint32)
    out = np.zeros(CTAS * EACH, np.uint32)
    kernel = px.parse(text, "counts.ptx")["counts"]
    try:
        report = px.simulate(
            kernel,
            grid=CTAS * clusters,
            block=EACH,
            args=[values, out, len(values)],
            schedule=schedule,
            sanitize=True,
            lints=False,
        )
    except Diagnostic as stop:
        return {d.code for d in [stop, *stop.also]}, False
    return {d.code for d in report.findings}, bool(np.array_equal(out, np.bincount(values, minlength=CTAS * EACH)))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_histogram_is_silent(schedule: str) -> None:
    assert len(ARRIVES) == 2
    assert run(TEXT, schedule) == (set(), True)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (without(0), {"PTX9203", "PTX9235"}),
        (relaxed(0), {"PTX9203"}),
        (without(1), {"PTX9203", "PTX9024"}),
        (relaxed(1), {"PTX9203", "PTX9234"}),
        (TEXT.replace("red.relaxed.cluster", "red.relaxed.cta"), {"PTX9201"}),
    ],
    ids=["no barrier before", "relaxed before", "no barrier behind", "relaxed behind", "scope of the CTA"],
)
def test_what_is_missing_is_found(text: str, codes: set[str], schedule: str) -> None:
    assert run(text, schedule)[0] == codes


@px.kernel(target="sm_90a", threads=EACH, cluster=2)
def turns(k: px.Builder, out: px.Ptr[px.u32], *, late: bool) -> None:
    """In each of five turns one CTA of the two writes words of the other, which reads them behind a barrier.

    late: warp 1 reads those of the last turn without having waited for it.
    """
    words = k.smem(px.u32, EACH)
    k.st.shared.u32(words[k.tid.x], 0)
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()
    total = k.mov.u32(0)
    for turn in range(5):
        with k.if_(k.cluster_ctarank == turn % 2):
            k.st.shared__cluster.u32(k.mapa.shared__cluster.u32(words[k.tid.x], turn % 2 ^ 1), k.add.u32(k.tid.x, turn))
        k.barrier.cluster.arrive()
        if late and turn == 4:
            total += k.ld.shared.u32(words[k.xor.b32(k.tid.x, 1)])
        k.barrier.cluster.wait()
        total += k.ld.shared.u32(words[k.tid.x])
        k.barrier.cluster.arrive()
        k.barrier.cluster.wait()
    k.st.global_.u32(out[k.mad.lo.u32(k.ctaid.x, EACH, k.tid.x)], total)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_phases_are_told_apart(schedule: str) -> None:
    """What a warp knows by the barrier of the cluster is what was done before the phase that it has passed last."""
    for late, codes in ((False, set[str]()), (True, {"PTX9200"})):
        report = px.simulate(
            turns, grid=2, args=[np.zeros(2 * EACH, np.uint32)], late=late, schedule=schedule, sanitize=True
        )
        assert {d.code for d in report.findings} == codes, late
