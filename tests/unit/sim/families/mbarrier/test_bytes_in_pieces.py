"""A copy that brings more than its phase lacks: its bytes are counted in pieces, so the phase ends where the count is zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

TEXT = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
{{
  .reg .b64 %a, %src;  .reg .b32 %d, %m, %n, %x, %t;  .reg .pred %p, %q, %first;
  .shared .align 128 .b8 buf[16400];  .shared .align 8 .b64 bar;
  ld.param.u64 %a, [a];  mov.u32 %d, buf;  mov.u32 %m, bar;  mov.u32 %t, %tid.x;  setp.eq.u32 %first, %t, 0;
  @%first mbarrier.init.shared::cta.b64 [%m], 1;  fence.mbarrier_init.release.cluster;  bar.sync 0;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {expected};
  {copy}
  mov.u32 %n, 0;
first: mbarrier.test_wait.parity.shared::cta.b64 %p, [%m], 0;  @%p bra next;
  add.u32 %n, %n, 1;  setp.lt.u32 %q, %n, 5000;  @%q bra first;
next: selp.u32 %x, 1, 0, %p;  @%first st.global.u32 [%a], %x;
  @!%p bra out;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {rest};
  mbarrier.try_wait.parity.shared::cta.b64 %q, [%m], 1;  selp.u32 %x, 1, 0, %q;  @%first st.global.u32 [%a+4], %x;
out: ret;
}}
"""
LINEAR = (
    "add.u64 %src, %a, {source};  add.u32 %d, %d, {target};\n"
    "  @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%src], {size}, [%m];"
)


def ends(
    expected: int, size: int, source: int = 0, target: int = 0, **options: Any
) -> tuple[list[int], list[Diagnostic]]:
    """Whether the phase ends, whether the next one does with what is left, and the findings."""
    copy = LINEAR.format(size=size, source=source, target=target)
    text = TEXT.format(copy=copy, expected=expected, rest=size - expected)
    a = px.empty(8192, np.uint32)
    a[:] = 0
    found = px.simulate(px.parse(text)["k"], grid=1, block=32, args=[a], **options)
    return a[:2].tolist(), list(found.findings)


@pytest.mark.parametrize("schedule", ["eager", "late"])
@pytest.mark.parametrize("expected", [32, 1024, 2016])
def test_a_phase_ends_between_two_pieces(expected: int, schedule: str) -> None:
    both, findings = ends(expected, 2048, schedule=schedule)
    assert both == [1, 1]
    assert [d.code for d in findings] == ["PTX9118"]
    assert (
        f"brings 2048 bytes where phase 0 of `bar` (shared + 0x4010) of CTA (0, 0, 0) lacks {expected}"
        in findings[0].message
    )
    assert findings[0].span is not None
    assert findings[0].severity == "warning"


def test_under_random_it_ends_or_not() -> None:
    assert {tuple(ends(1024, 2048, schedule="random", seed=seed)[0]) for seed in range(12)} == {(1, 1), (0, 0)}


@pytest.mark.parametrize(
    ("source", "target", "piece"), [(0, 0, 32), (64, 32, 32), (16, 0, 16), (0, 16, 16), (16, 16, 16)]
)
def test_pieces_are_sectors(source: int, target: int, piece: int) -> None:
    """An H100 never ends a phase inside a piece."""
    both, findings = ends(1040, 2048, source, target)
    assert both == ([1, 1] if piece == 16 else [0, 0])
    assert [d.code for d in findings] == ["PTX9118"]


@pytest.mark.parametrize("size", [32, 2048])
def test_what_was_expected_is_no_finding(size: int) -> None:
    both, findings = ends(size, size)
    assert both[0] == 1
    assert not findings


def test_who_waits_for_what_never_comes_sees_how_much_has() -> None:
    copy = LINEAR.format(size=2048, source=0, target=0)
    copy += "\nwait: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0;  @!%p bra wait;"
    text = TEXT.format(copy=copy, expected=1040, rest=16)
    with pytest.raises(Diagnostic) as wrong:
        px.simulate(px.parse(text)["k"], grid=1, block=32, args=[px.empty(8192, np.uint32)])
    assert wrong.value.code == "PTX9100"
    assert any("an expect_tx for 1008 bytes that have come" in note for note in wrong.value.notes)


def test_a_copy_that_every_thread_issues() -> None:
    copy = LINEAR.replace("@%first ", "").format(size=16384, source=0, target=0)
    text = TEXT.format(copy=copy, expected=16384, rest=16)
    with pytest.raises(Diagnostic) as wrong:
        px.simulate(px.parse(text)["k"], grid=1, block=128, args=[np.zeros(8192, np.uint32)])
    assert wrong.value.code == "PTX9113"
    assert "65 copies by" in wrong.value.message
    assert wrong.value.help is not None
    assert "let one thread issue the copy" in wrong.value.help


@pytest.mark.parametrize(
    "body",
    [
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%d], %x, [%m];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%d], {%x, %x, %x, %x}, [%m];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%d], %x, [%m];",
    ],
)
def test_stores_that_signal_need_a_cluster(body: str) -> None:
    text = TEXT.format(copy=f"mov.u32 %x, 1;  {body}", expected=16, rest=16)
    with pytest.raises(Diagnostic) as wrong:
        px.simulate(px.parse(text)["k"], grid=1, block=32, args=[np.zeros(64, np.uint32)])
    assert wrong.value.code == "PTX9128"
