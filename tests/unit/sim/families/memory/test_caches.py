"""Polls that an SM's first-level cache answers: as an H200 has them, for every way to read and everything in between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

HEAD = ".version 8.8\n.target sm_90a\n.address_size 64\n"
SEES = (
    "ld.relaxed.cluster.global",
    "ld.acquire.cluster.global",
    "ld.relaxed.gpu.global",
    "ld.acquire.gpu.global",
    "ld.relaxed.sys.global",
    "ld.volatile.global",
    "ld.mmio.relaxed.sys.global",
    "ld.global.cg",
    "ld.global.lu",
    "ld.global.cv",
    "ld.global.L1::no_allocate",
    "ld.relaxed.cta.global.L1::no_allocate",
)
NEVER_SEES = (
    "ld.global",
    "ld.weak.global",
    "ld.relaxed.cta.global",
    "ld.acquire.cta.global",
    "ld.acquire.cta",
    "ld.global.ca",
    "ld.global.cs",
    "ld.global.nc",
    "ld.global.L1::evict_first",
    "ld.global.L1::evict_last",
)
FORGETS = (
    "fence.acq_rel.cluster;",
    "fence.acq_rel.gpu;",
    "fence.sc.gpu;",
    "fence.acq_rel.sys;",
    "membar.gl;",
    "fence.proxy.alias;",
    "fence.acquire.gpu;",
    "ld.acquire.gpu.global.u32 %x, [%f+4096];",
    "ld.acquire.cluster.global.u32 %x, [%f+4096];",
    "ld.relaxed.gpu.global.u32 %x, [%f+4];",
    "ld.volatile.global.u32 %x, [%f+4];",
    "ld.global.cg.u32 %x, [%f+4];",
    "mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %q, [mb], 1;",
)
KEEPS = (
    "fence.acq_rel.cta;",
    "fence.sc.cta;",
    "membar.cta;",
    "fence.proxy.async;",
    "fence.release.gpu;",
    "bar.sync 0;",
    "bar.warp.sync -1;",
    "nanosleep.u32 2000;",
    "ld.acquire.cta.global.u32 %x, [%f+4096];",
    "ld.global.lu.u32 %x, [%f+4];",
    "ld.global.nc.u32 %x, [%f+4];",
    "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %q, [mb], 1;",
    "prefetch.global.L1 [%f];",
)


def run(
    load: str, between: str = "", *, store: str = "st.relaxed.gpu.global.u32 [%f], 1;", passes: int = 0, **options: Any
) -> tuple[int, list[Diagnostic]]:
    """CTA 0 polls, `passes` times at most where there are any; CTA 1 stores. What the poll found last, and the findings."""
    end = f"add.u32 %n, %n, 1; setp.lt.and.u32 %p, %n, {passes}, %p;" if passes else ""
    text = f"""{HEAD}.visible .entry k(.param .u64 flag, .param .u64 out) {{
        .reg .b64 %f, %o; .reg .b32 %c, %v, %x, %n; .reg .pred %p, %q; .shared .align 8 .b64 mb;
        ld.param.u64 %f, [flag]; ld.param.u64 %o, [out]; mov.u32 %n, 0; mbarrier.init.shared.b64 [mb], 1;
        mov.u32 %c, %ctaid.x; setp.ne.u32 %p, %c, 0; @%p bra W;
        L: {between}
        {load}.u32 %v, [%f];
        setp.eq.u32 %p, %v, 0; {end} @%p bra L;
        st.global.u32 [%o], %v; ret;
        W: nanosleep.u32 100; {store}
        ret; }}"""
    flag, out = px.empty(2048, np.uint32, align=128), np.full(1, 7, np.uint32)
    flag[:] = 0
    report = px.simulate(px.parse(text)["k"], grid=2, block=1, args=[flag, out], lints=False, **options)
    return int(out[0]), report.findings


@pytest.mark.parametrize("load", SEES)
def test_loads_that_read_past_the_cache_see_what_another_sm_writes(load: str) -> None:
    assert run(load) == (1, [])


@pytest.mark.parametrize(
    ("load", "schedule"),
    [*((load, "eager") for load in NEVER_SEES), (NEVER_SEES[0], "late"), (NEVER_SEES[2], "random")],
)
def test_loads_that_the_cache_answers_never_do(load: str, schedule: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        run(load, "bar.warp.sync -1;", schedule=schedule)
    assert wrong.value.code == "PTX9101"
    assert wrong.value.help is not None
    assert ".gpu scope" in wrong.value.help
    (note,) = wrong.value.notes
    assert load in note
    assert "CTA (1, 0, 0) on another SM wrote it (`st.relaxed.gpu.global.u32 [%f], 1` in line" in note


@pytest.mark.parametrize("between", FORGETS)
def test_what_makes_the_cache_forget(between: str) -> None:
    assert run("ld.relaxed.cta.global", between) == (1, [])


@pytest.mark.parametrize("between", KEEPS)
def test_what_does_not(between: str) -> None:
    with pytest.raises(Diagnostic) as wrong:
        run("ld.relaxed.cta.global", between)
    assert wrong.value.code == "PTX9101"


def test_a_poll_that_gives_up_goes_on_with_a_finding() -> None:
    value, findings = run("ld.acquire.cta.global", passes=2000)
    assert value == 0
    (found,) = findings
    assert (found.code, found.severity) == ("PTX9029", "warning")
    assert "`ld.acquire.cta.global.u32 %v, [%f]` of CTA (0, 0, 0)" in found.message
    assert "CTA (1, 0, 0) on another SM has written since (`st.relaxed.gpu.global.u32 [%f], 1` in line" in found.message


TWO_WARPS = """.visible .entry k(.param .u64 flag, .param .u64 out) {{
    .reg .b64 %f, %o; .reg .b32 %c, %v, %t, %x; .reg .pred %p;
    ld.param.u64 %f, [flag]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;
    setp.ne.u32 %p, %c, 0; @%p bra W; setp.ge.u32 %p, %t, 32; @%p bra H;
    L: ld.relaxed.cta.global.u32 %v, [%f]; setp.eq.u32 %p, %v, 0; @%p bra L;
    st.global.u32 [%o], %v; ret;
    H: {helper} ret;
    W: {writer} ret; }}"""
SEEN = "G: ld.relaxed.gpu.global.u32 %x, [%f+4096]; setp.eq.u32 %p, %x, 0; @%p bra G;"


@pytest.mark.parametrize(
    ("helper", "writer"),
    [
        ("st.global.u32 [%f], 1;", ""),
        ("red.relaxed.gpu.global.or.b32 [%f], 1;", ""),
        (f"{SEEN} fence.acq_rel.gpu;", "st.global.u32 [%f], 1; st.release.gpu.global.u32 [%f+4096], 1;"),
        (
            f"{SEEN} ld.relaxed.gpu.global.u32 %x, [%f+64];",
            "st.global.u32 [%f], 1; st.release.gpu.global.u32 [%f+4096], 1;",
        ),
    ],
)
def test_other_warps_of_the_sm_write_into_its_cache_and_make_it_forget(helper: str, writer: str) -> None:
    flag, out = px.empty(2048, np.uint32, align=128), np.zeros(1, np.uint32)
    flag[:] = 0
    kernel = px.parse(HEAD + TWO_WARPS.format(helper=helper, writer=writer))["k"]
    report = px.simulate(kernel, grid=2, block=64, args=[flag, out], lints=False)
    assert out[0] == 1
    assert {d.code for d in report.findings} <= {"PTX9029"}


def test_generic_polls_of_shared_memory_are_none_of_the_caches_business() -> None:
    text = f"""{HEAD}.visible .entry k(.param .u64 out) {{
        .reg .b64 %s, %o; .reg .b32 %v, %t; .reg .pred %p; .shared .align 4 .b32 flag;
        ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; cvta.shared.u64 %s, flag;
        setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [flag], 0; bar.sync 0; setp.ge.u32 %p, %t, 32; @%p bra W;
        L: ld.acquire.cta.u32 %v, [%s]; setp.eq.u32 %p, %v, 0; @%p bra L;
        st.global.u32 [%o], %v; ret;
        W: st.release.cta.u32 [%s], 1; ret; }}"""
    out = np.zeros(1, np.uint32)
    report = px.simulate(px.parse(text)["k"], grid=2, block=64, args=[out], lints=False)
    assert (out[0], report.findings) == (1, [])


def test_a_loop_that_does_not_end_by_what_it_loads_runs_without_python() -> None:
    text = f"""{HEAD}.visible .entry k(.param .u64 in, .param .u64 out) {{
        .reg .b64 %i, %o; .reg .b32 %v, %n, %s; .reg .pred %p;
        ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %n, 0; mov.u32 %s, 0;
        L: ld.global.u32 %v, [%i]; add.u32 %s, %s, %v; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 100; @%p bra L;
        st.global.u32 [%o], %s; ret; }}"""
    given, out = np.full(1, 3, np.uint32), np.zeros(1, np.uint32)
    report = px.simulate(px.parse(text)["k"], grid=2, block=32, args=[given, out], lints=False)
    assert out[0] == 300
    assert not report.stats.traps
