"""The sanitizer is silent on right concurrent programs, and the simulator gives their results: see tools/right_programs.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import ptxlab as px
from tools.right_programs import differences

SEEDS: list[Sequence[int]] = [*(range(start, start + 10) for start in range(0, 60, 10)), [500001, 500009, 541122]]
"""Among them are some that once had findings: a word is stored and an mbarrier made before a barrier of the CTA, and others change
the word atomically; a CTA exits behind its own read of a flag that a peer has set in its shared memory. The last three have a
barrier of a cluster of one CTA, at which the sanitizer once wrote over its own memory, and a store to a flag while the simulator
looks whether all hang, which once counted as another SM's."""

_PEER = """.version 8.1
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
.reqntid 32
.reqnctapercluster 2
{{
  .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  .shared .align 16 .b8 buf[256]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, buf; mov.u32 %r4, bar;
  setp.eq.u32 %p1, %r1, 0;
  xor.b32 %r5, %r2, 1; mapa.shared::cluster.u32 %r6, %r3, %r5; mapa.shared::cluster.u32 %r7, %r4, %r5;
  mad.lo.u32 %r8, %r1, 4, %r3; mad.lo.u32 %r9, %r1, 4, %r6;
  st.shared.u32 [%r8], 5; st.shared.u32 [%r8+128], %r1;
  {fence}
  @%p1 mbarrier.init.shared.b64 [bar], 1;
  {init}
  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  {operation}
  WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra WAIT;
  ld.shared.u32 %r10, [%r8];
  mad.lo.u32 %r11, %r2, 32, %r1; mul.wide.u32 %rd2, %r11, 4; add.u64 %rd2, %rd1, %rd2;
  st.global.u32 [%rd2], %r10;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  ret;
}}
"""
_REDUCES = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9], %r1, [%r7];"
_STORES = "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r9], %r1, [%r7];"
_COPIES = "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r3+128], 128, [%r7];"


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_right_programs(seeds: Sequence[int]) -> None:
    assert [line for seed in seeds for line in differences(seed)] == []


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("sanitize", [True, "strict"])
@pytest.mark.parametrize(
    ("operation", "fence", "codes"),
    [
        (_REDUCES, "", []),
        (_REDUCES, "fence.proxy.async.shared::cta;", []),
        (_STORES, "", []),
        (_COPIES, "fence.proxy.async.shared::cta;", []),
        (_COPIES, "", ["PTX9213"]),
    ],
)
def test_operations_of_a_peer(operation: str, fence: str, codes: list[str], schedule: str, sanitize: bool | str) -> None:
    """Memory that its own CTA has written before, and fenced where the peer's operation is in the async proxy."""
    init = "@%p1 fence.mbarrier_init.release.cluster;" if operation == _COPIES else ""
    text = _PEER.format(operation=operation, fence=fence, init=init)
    out = np.zeros((2, 32), np.uint32)
    report = px.simulate(
        px.parse(text, "k.ptx")["k"], grid=2, block=32, args=[out], schedule=schedule, sanitize=sanitize, lints=False
    )
    assert sorted({d.code for d in report.findings}) == codes
    assert np.array_equal(out[0], np.arange(32) + 5 * (operation == _REDUCES))
