"""Shared memory of a CTA that has exited: whoever reaches for it ends the launch, as on an H100."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

TEXT = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) .explicitcluster {{
  .reg .b64 %out, %g; .reg .b16 %both; .reg .b32 %rank, %v, %far, %i; .reg .pred %p;
  .shared .align 8 .b8 s[64];
  ld.param.u64 %out, [out]; mov.u32 %rank, %cluster_ctarank; mov.u32 %v, 5; mov.u32 %i, 0; mov.u16 %both, 3;
  mbarrier.init.shared::cta.b64 [s], 1; st.shared.u32 [s+16], 77; fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive; barrier.cluster.wait;
  setp.eq.u32 %p, %rank, 1; @%p exit;
LOOP:
  nanosleep.u32 100; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 1000; @%p bra LOOP;
  mov.u32 %far, s; mapa.shared::cluster.u32 %far, %far, 1; cvt.u64.u32 %g, %far; cvta.shared::cluster.u64 %g, %g;
  {}
  st.global.u32 [%out], %v; ret;
}}
"""


def left(body: str) -> int:
    out = np.zeros(4, np.uint32)
    px.simulate(px.parse(TEXT.format(body))["k"], grid=2, block=1, cluster=2, args=[out])
    return int(out[0])


def told(body: str) -> str:
    """The message."""
    with pytest.raises(Diagnostic) as caught:
        left(body)
    assert caught.value.code == "PTX9024"
    assert "CTA (1, 0, 0), all of whose threads have exited" in caught.value.message
    return caught.value.message


SEED = 1
FLIES = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) .explicitcluster {{
  .reg .b32 %from, %to, %bar; .reg .pred %p; .reg .b32 %rank;
  .shared .align 128 .b8 s[4096]; .shared .align 8 .b64 full;
  mov.u32 %from, s; add.u32 %to, %from, 2048; mov.u32 %bar, full; mov.u32 %rank, %cluster_ctarank;
  mbarrier.init.shared::cta.b64 [full], 1; fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive; barrier.cluster.wait;
  setp.eq.u32 %p, %rank, 1; @%p exit;
  {}
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%to], [%from], 2048, [%bar];
  ret;
}}
"""


def fly(text: str, schedule: str) -> None:
    """Under `random`, with a seed that holds the copy back."""
    out = np.zeros(4, np.uint32)
    px.simulate(px.parse(text)["k"], grid=2, block=1, cluster=2, args=[out], schedule=schedule, seed=SEED)


@pytest.mark.parametrize(
    "body",
    [
        "ld.shared::cluster.u32 %v, [%far+16];",
        "ld.u32 %v, [%g+16];",
        "atom.shared::cluster.add.u32 %v, [%far+16], 1;",
        "red.shared::cluster.add.u32 [%far+16], 1;",
        "st.shared::cluster.u32 [%far+16], %v;",
        "st.u32 [%g+16], %v;",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%far];",
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%far], 16;",
        "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%far], 16;",
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%far], 16;",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%far+16], %v, [%far];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%far+16], %v, [%far];",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%far+16], [s+16], 16, [%far];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%far+16], [%out], 16, [%far];",
    ],
)
def test_every_way_to_reach_it_is_told(body: str) -> None:
    told(body)


def test_a_multicast_is_told() -> None:
    assert "cp.async.bulk" in told(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s+16], [%out], 16, [s], %both;"
    )


@pytest.mark.parametrize("schedule", ["late", "random"])
def test_a_copy_that_is_still_under_way_is_told(schedule: str) -> None:
    """Both CTAs exit while it is: that of the issuer may, that of the target may not."""
    text = FLIES.format("mapa.shared::cluster.u32 %to, %to, 1; mapa.shared::cluster.u32 %bar, %bar, 1;")
    with pytest.raises(Diagnostic) as caught:
        fly(text, schedule)
    assert caught.value.code == "PTX9024"
    fly(FLIES.format(""), schedule)


def test_while_it_lives_it_can_be_read() -> None:
    assert left("ld.shared.u32 %v, [s+16];") == 77
