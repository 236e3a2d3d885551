"""wgmma that machine code follows: what is found is what Python alone finds, and right loops cost no Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.sim.order import parts as companions
from ptxlab.sim.order import sites
from ptxlab.sim.order.companions.companion import Companion
from ptxlab.sim.order.parts import parts
from ptxlab.sim.report.report import Report

TURNS = 6
PROGRAM = """\
.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) .maxntid {threads}, 1, 1 {{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<4>;
  .reg .pred %p<2>;
  .shared .align 1024 .b8 tile[16384];
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd1, %r1, 16, %rd1;
  mov.u32 %r2, tile;
  mad.lo.u32 %r3, %r1, 16, %r2;
  shr.u32 %r4, %r2, 4;
  cvt.u64.u32 %rd2, %r4;
  or.b64 %rd2, %rd2, {layout};
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, 0f00000000;
  mov.f32 %f3, 0f00000000;
  mov.u32 %r5, 0;
TURN:
{turn}
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p1, %r5, {turns};
  @%p1 bra TURN;
{end}
  ret;
}}
"""
MULTIPLY = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd2, %rd2, 1, 1, 1, 0, 0;"
STORED = ["st.shared.v4.b32 [%r3], {%r1, %r1, %r1, %r1};", "fence.proxy.async.shared::cta;", "bar.sync 0;"]
COPIED = [
    "cp.async.cg.shared.global [%r3], [%rd1], 16;",
    "cp.async.commit_group;",
    "cp.async.wait_group 0;",
    "fence.proxy.async;",
    "bar.sync 0;",
]
USED = [
    "wgmma.fence.sync.aligned;",
    MULTIPLY,
    "wgmma.commit_group.sync.aligned;",
    "wgmma.wait_group.sync.aligned 0;",
    "bar.sync 0;",
]
RIGHT = {
    "stored": [*STORED, *USED],
    "copied": [*COPIED, *USED],
    "meets often": [*STORED, "bar.sync 0;", *USED, "bar.sync 0;"],
}
WAIT_BEHIND = ["wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]


def simulated(turn: list[str], *, grid: int = 1, threads: int = 128, end: list[str] = WAIT_BEHIND) -> Report:
    text = PROGRAM.format(
        threads=threads, layout=8 << 16 | 16 << 32, turns=TURNS, turn="\n".join(turn), end="\n".join(end)
    )
    kernel = px.parse(text, "k.ptx")["k"]
    return px.simulate(kernel, grid=grid, block=threads, args=[np.ones(1024, np.uint32)], lints=False, sanitize=True)


def found(turn: list[str], **more: int | list[str]) -> set[tuple[str, str, str]]:
    findings = [d for d in simulated(turn, **more).findings if isinstance(d, Diagnostic)]  # type: ignore[arg-type]
    findings = [d for cause in findings for d in (cause, *cause.also)]
    return {(d.code, str(d.span), str(d.other)) for d in findings if d.code not in ("PTX9221", "PTX9243")}


@pytest.mark.parametrize("turn", RIGHT.values(), ids=RIGHT)
def test_right_products_need_no_python(turn: list[str]) -> None:
    report = simulated(turn, grid=3)
    assert {d.code for d in report.findings if isinstance(d, Diagnostic)} <= {"PTX9221", "PTX9243"}
    assert sum(report.stats.traps.values()) == 1  # the first product, which tells machine code how it is carried out


FAULTY = {
    f"{name} without {turn[i].split(';')[0].split(' ')[0]} {i}": [*turn[:i], *turn[i + 1 :]]
    for name, turn in RIGHT.items()
    for i in range(len(turn))
    if turn[i] != MULTIPLY
}


@pytest.mark.parametrize("turn", FAULTY.values(), ids=FAULTY)
def test_python_alone_finds_the_same(turn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    mine = found(turn)
    sites.forget()
    monkeypatch.setattr(sites, "_products_of", lambda *of, **more: [])
    theirs = found(turn)
    sites.forget()
    assert mine == theirs


def test_who_never_waits_for_products_is_told() -> None:
    codes = {code for code, *_ in found([*STORED, *USED[:2], "bar.sync 0;"], end=[])}
    assert "PTX9222" in codes


def test_a_wait_that_leaves_too_many_is_told() -> None:
    turn = [*STORED, *USED[:3], "wgmma.wait_group.sync.aligned 7;", "bar.sync 0;"]
    assert {"PTX9211", "PTX9223"} <= {code for code, *_ in found(turn)}


def test_fences_between_products_do_not_fill_the_notes() -> None:
    """Without barriers in between, more fences than there is room for notes."""
    turn = ["fence.proxy.async;", *USED[:4]] * 30
    assert not found([*STORED, *turn, "bar.sync 0;"])


class Hears(Companion):
    """Somebody who has to hear of each product."""

    @property
    def hears_products(self) -> bool:
        return True


@pytest.mark.parametrize("turn", RIGHT.values(), ids=RIGHT)
def test_somebody_else_may_hear_of_each_product(turn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    alone = found([*turn[:-1]])
    known = parts()
    monkeypatch.setattr(companions, "parts", lambda: replace(known, behind=(*known.behind, Hears)))
    assert not found(turn)
    assert found([*turn[:-1]]) == alone
