"""Waits for mbarriers that need no Python: the sanitizer hears of them later, in order with what else the CTA does."""

from __future__ import annotations

import pytest

import ptxlab as px
from ptxlab.sim.report.report import Report

KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{{
    .reg .b32 %t, %r;
    .reg .pred %first, %other, %done;
    .shared .align 8 .b64 bar;
    .shared .b32 cell;
    mov.u32 %t, %tid.x;
    setp.eq.u32 %first, %t, 0;
    setp.ge.u32 %other, %t, 32;
    @%first mbarrier.init.shared::cta.b64 [bar], {count};
    bar.sync 0;
    @%other bra WAIT;
    @%first st.shared.b32 [cell], 1;
    mbarrier.arrive.shared::cta.b64 _, [bar];
WAIT:
    {wait}
    @%done bra ON;
    bra WAIT;
ON:
    ld.shared.b32 %r, [cell];
    ret;
}}
"""
TRY = "mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], {};"
TEST = "mbarrier.test_wait.parity.shared::cta.b64 %done, [bar], {};"


def run(wait: str, parity: int, count: int = 32) -> Report:
    kernel = px.parse(KERNEL.format(wait=wait.format(parity), count=count), "k.ptx")["k"]
    return px.simulate(kernel, grid=1, block=64, args=[], lints=False, sanitize=True)


@pytest.mark.parametrize("wait", [TRY, TEST])
def test_who_waits_without_python_knows_what_the_phase_publishes(wait: str) -> None:
    report = run(wait, 0)
    assert not report.findings
    assert (
        report.stats.traps.get("mbarrier.try_wait.parity", 0) <= 1
    )  # of two warps, one may have to wait for the other


@pytest.mark.parametrize("wait", [TRY, TEST])
def test_the_phase_before_the_first_one_publishes_nothing(wait: str) -> None:
    report = run(wait, 1, count=33)
    assert {d.code for d in report.findings} & {"PTX9200", "PTX9201", "PTX9202"}
