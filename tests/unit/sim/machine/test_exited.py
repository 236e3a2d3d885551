"""Shared memory of a CTA that has exited, as an H100 has it: reads end the launch, what is written there is lost."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

TEXT = """.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) .explicitcluster {{
  .reg .b64 %out, %g; .reg .b32 %rank, %v, %far, %i; .reg .pred %p;
  .shared .align 8 .b8 s[64];
  ld.param.u64 %out, [out]; mov.u32 %rank, %cluster_ctarank; mov.u32 %v, 5; mov.u32 %i, 0;
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
    out = np.zeros(1, np.uint32)
    px.simulate(px.parse(TEXT.format(body))["k"], grid=2, block=1, cluster=2, args=[out])
    return int(out[0])


@pytest.mark.parametrize(
    "body",
    [
        "ld.shared::cluster.u32 %v, [%far+16];",
        "ld.u32 %v, [%g+16];",
        "atom.shared::cluster.add.u32 %v, [%far+16], 1;",
        "red.shared::cluster.add.u32 [%far+16], 1;",
    ],
)
def test_reads_are_told(body: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        left(body)
    assert caught.value.code == "PTX9024"
    assert "CTA (1, 0, 0), all of whose threads have exited" in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        "st.shared::cluster.u32 [%far+16], %v;",
        "st.u32 [%g+16], %v;",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%far];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%far+16], %v, [%far];",
    ],
)
def test_writes_go_nowhere(body: str) -> None:
    assert left(body) == 5


def test_while_it_lives_it_can_be_read() -> None:
    assert left("ld.shared.u32 %v, [s+16];") == 77
