"""The zoo of launches: right programs are right and silent under every schedule, faulty ones are found at their lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.diag.causes import with_alike
from ptxlab.kernels.gemm import gemm
from ptxlab.kernels.grouped_packed import grouped_rows

from . import launches
from .launches import Fault, Program

PROGRAMS = [pytest.param(p, id=f"{p.file}/{p.name}") for p in launches.programs()]
FAULTY = [pytest.param(p, f, id=f"{p.file}/{p.name}-{f.name}") for p, f in launches.faulty()]
OURS = frozenset((launches.BEFORE, launches.ALONE, launches.STREAMS, launches.CHAIN))


pytestmark = pytest.mark.usefixtures("nothing_is_left")


def told(
    program: Program, fault: str, schedule: str, seed: int, *, strict: bool = False
) -> tuple[list[Diagnostic], launches.Checks]:
    """What is found, and what stands in arrays beside what should."""
    checks = program.queue(fault)
    try:
        reports = px.synchronize(schedule=schedule, seed=seed, sanitize="strict" if strict else True)
    except Diagnostic as stop:
        return with_alike([stop, *stop.also]), checks
    return with_alike([d for report in reports for d in report.findings]), checks


def places(found: Diagnostic) -> list[int]:
    """The lines of the two accesses."""
    return [place.line for place in (found.origin, found.other_origin or found.origin) if place is not None]


@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_right_programs_are_right_and_silent(program: Program, strict: bool) -> None:
    for schedule, seed in launches.SCHEDULES[: 1 if strict else None]:
        found, checks = told(program, "", schedule, seed, strict=strict)
        assert [str(d) for d in found] == [], (schedule, seed)
        assert checks
        for got, wanted in checks:
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
@pytest.mark.parametrize(("program", "fault"), FAULTY)
def test_faulty_programs_are_found_at_their_lines(program: Program, fault: Fault) -> None:
    named = launches.lines(program.file)
    first, second = (named[name] for name in fault.at)
    for schedule, seed in launches.SCHEDULES:
        found, _ = told(program, fault.name, schedule, seed)
        ours = [d for d in found if d.code in OURS]
        there = [places(d) for d in ours if d.code == fault.code]
        assert any(a in first and b in second for a, b in there), (schedule, seed, first, second, list(map(str, found)))
        assert {d.code for d in ours} == {fault.code}, (schedule, seed, list(map(str, ours)))


@pytest.mark.parametrize(("schedule", "seed"), launches.SCHEDULES)
def test_products_of_the_library_in_a_row_are_silent(schedule: str, seed: int) -> None:
    """Each begins early, and reads what the one in front of it stores; a list of products has its table from a grid of its own."""
    dice = np.random.default_rng(seed)
    x, w, y, z = (px.empty((128, 64), "bf16"), *(px.empty(s, "bf16") for s in ((64, 64), (128, 64), (128, 64))))
    x[...], w[...] = dice.integers(-2, 3, x.shape), dice.integers(-2, 3, w.shape)
    weights, out, stream = px.empty((2, 64, 64), "bf16"), px.empty((128, 64), "bf16"), px.Stream()
    weights[...] = dice.integers(-2, 3, weights.shape)
    gemm(x, w, y, stream=stream)
    gemm(y, w, z, stream=stream)
    grouped_rows(z, weights, out, np.array([0, 50, 128], np.int32), stream=stream)
    reports = px.synchronize(schedule=schedule, seed=seed, sanitize=True)
    assert len(reports) >= 4
    assert [str(d) for report in reports for d in report.findings] == []


def test_the_zoo_is_as_large_as_the_page_says() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "explanation" / "sanitizer.md").read_text(encoding="utf-8")
    bugs = sorted({p.bug for p in launches.programs() if p.bug})
    assert f"{len(PROGRAMS)} right programs of several launches and {len(FAULTY)} faulty ones" in page
    assert all(bug in page for bug in bugs), bugs


@px.kernel(threads=32)
def fill_two(k: px.Builder, a: px.Ptr[px.u32], b: px.Ptr[px.u32]) -> None:
    k.st.global_.u32(a[k.tid.x], 1)
    k.st.global_.u32(b[k.tid.x], 2)


@pytest.mark.parametrize("down", [False, True], ids=["up", "down"])
def test_findings_come_in_the_order_of_arguments_wherever_arrays_lie(down: bool) -> None:
    """An allocator gives one program other addresses each time; what is printed must not depend on them."""
    device = px.devices(1)[0]
    a, b = sorted((device.zeros(32, np.uint32) for _ in range(2)), key=lambda x: x.ctypes.data, reverse=down)
    for _ in range(2):
        fill_two[1](a, b, stream=px.Stream(device))
    with pytest.raises(Diagnostic) as raised:
        px.synchronize(sanitize=True)
    first, *others = (d.message for d in (raised.value, *raised.value.also))
    assert "`a[0]`" in first
    assert "`b[0]`" in others[0]
