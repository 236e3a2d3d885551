"""The cluster's barrier, distributed shared memory, and their faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px

from ...conftest import entry

PARAMS = ".param .u64 out"
PRELUDE = """
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
    .shared .align 16 .b8 buf[512];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, buf; mov.u32 %r9, %ctaid.x;
    mad.lo.u32 %r4, %r9, 64, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2;
    mad.lo.u32 %r5, %r1, 4, %r3;
"""
SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"


def test_neighbours_read_each_others_memory(run: Callable[..., Any]) -> None:
    body = f"""
        mad.lo.u32 %r6, %r2, 1000, %r1; st.shared.u32 [%r5], %r6;
        {SYNC}
        add.u32 %r7, %r2, 1; and.b32 %r7, %r7, 3;
        mapa.shared::cluster.u32 %r8, %r5, %r7;
        ld.shared::cluster.u32 %r10, [%r8];
        getctarank.shared::cluster.u32 %r11, %r8;
        mad.lo.u32 %r10, %r11, 1000000, %r10;
        st.global.u32 [%rd2], %r10;
        {SYNC}
        ret;
    """
    out = np.zeros((8, 64), np.uint32)
    run(entry(PARAMS, PRELUDE + body), out, grid=8, cluster=4, block=64)
    peer = (np.arange(8) % 4 + 1) % 4
    assert np.array_equal(out, peer[:, None] * 1001000 + np.arange(64))


def test_generic_addresses_of_other_ctas(run: Callable[..., Any]) -> None:
    body = f"""
        {SYNC}
        xor.b32 %r7, %r2, 1;
        cvt.u64.u32 %rd3, %r5; cvta.shared.u64 %rd3, %rd3;
        mapa.u64 %rd4, %rd3, %r7;
        mad.lo.u32 %r6, %r2, 1000, %r1;
        st.u32 [%rd4], %r6;
        getctarank.u64 %r12, %rd4;
        {SYNC}
        ld.shared.u32 %r10, [%r5]; mad.lo.u32 %r10, %r12, 1000000, %r10;
        st.global.u32 [%rd2], %r10; ret;
    """
    out = np.zeros((2, 64), np.uint32)
    run(entry(PARAMS, PRELUDE + body), out, grid=2, cluster=2, block=64)
    peer = np.array([1, 0])
    assert np.array_equal(out, peer[:, None] * 1001000 + np.arange(64))


def test_remote_arrivals(run: Callable[..., Any]) -> None:
    """Every thread of the cluster arrives at CTA 0's barrier; CTA 0 waits for them all."""
    body = f"""
        .shared .align 8 .b64 bar;
        mov.u32 %r6, bar; mov.u32 %r7, 0;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 mbarrier.init.shared::cta.b64 [%r6], 128;
        fence.mbarrier_init.release.cluster;
        {SYNC}
        mapa.shared::cluster.u32 %r8, %r6, %r7;
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];
        setp.ne.u32 %p2, %r2, 0;
        @%p2 bra END;
        W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p0, [%r6], 0;
        @!%p0 bra W;
        mov.u32 %r10, 1; st.global.u32 [%rd2], %r10;
        END: {SYNC}
        ret;
    """
    out = np.zeros((2, 64), np.uint32)
    run(entry(PARAMS, PRELUDE + body), out, grid=2, cluster=2, block=64)
    assert out[0].all()
    assert not out[1].any()


def test_exited_threads_count_as_arrived(run: Callable[..., Any]) -> None:
    body = """
        setp.gt.u32 %p1, %r1, 39;
        @%p1 ret;
        setp.eq.u32 %p2, %r2, 1;
        @%p2 ret;
        barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r10, 7; st.global.u32 [%rd2], %r10; ret;
    """
    out = np.zeros((2, 64), np.uint32)
    run(entry(PARAMS, PRELUDE + body), out, grid=2, cluster=2, block=64)
    assert (out[0, :40] == 7).all()
    assert not out[0, 40:].any()
    assert not out[1].any()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("barrier.cluster.arrive; barrier.cluster.arrive;", "again without waiting"),
        ("barrier.cluster.wait;", "without having arrived"),
    ],
)
def test_out_of_turn(run: Callable[..., Any], body: str, words: str) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        run(entry(PARAMS, PRELUDE + body + "ret;"), np.zeros((2, 64), np.uint32), grid=2, cluster=2, block=64)
    assert caught.value.code == "PTX9140"
    assert words in str(caught.value)


def test_a_barrier_that_never_completes_is_reported(run: Callable[..., Any]) -> None:
    body = """
        setp.eq.u32 %p1, %r2, 1;
        @%p1 bra STUCK;
        barrier.cluster.arrive; barrier.cluster.wait; ret;
        STUCK: bar.sync 0, 96; ret;
    """
    with pytest.raises(px.Diagnostic) as caught:
        run(entry(PARAMS, PRELUDE + body), np.zeros((2, 64), np.uint32), grid=2, cluster=2, block=64)
    assert caught.value.code == "PTX9100"
    notes = " ".join(caught.value.notes)
    assert "cluster's barrier" in notes
    assert "CTA (1, 0, 0) warp 0" in notes
