"""cp.async.bulk: directions, bulk groups under every schedule, and faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px

from ...conftest import entry

PARAMS = ".param .u64 src, .param .u64 dst"
PRELUDE = """
    .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
    .shared .align 128 .b8 buf[512];
    .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [src]; ld.param.u64 %rd2, [dst];
    mov.u32 %r1, bar; mov.u32 %r2, buf;
"""
LOAD = """
    mbarrier.init.shared::cta.b64 [%r1], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 256, [%r1];
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
    @!%p0 bra WAIT;
"""
SCHEDULES = ["eager", "late", "random"]


def arrays() -> tuple[Any, Any]:
    src, dst = px.empty(512, np.uint8), px.empty(512, np.uint8)
    src[:] = np.random.default_rng(0).integers(0, 256, 512)
    dst[:] = 0
    return src, dst


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_there_and_back(run: Callable[..., Any], schedule: str) -> None:
    src, dst = arrays()
    body = """
        cp.async.bulk.global.shared::cta.bulk_group [%rd2+16], [%r2+32], 128;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
    """
    run(entry(PARAMS, PRELUDE + LOAD + body + "ret;"), src, dst, block=1, schedule=schedule)
    assert np.array_equal(dst[16:144], src[32:160])
    assert not dst[:16].any()
    assert not dst[144:].any()


def overwrite_after(wait: str, schedule: str, run: Callable[..., Any]) -> bool:
    """Whether a store whose source is overwritten after `wait` still wrote the old bytes."""
    src, dst = arrays()
    body = f"""
        cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 16;
        cp.async.bulk.commit_group;
        {wait}
        mov.u32 %r5, 0; st.shared.v4.u32 [%r2], {{%r5, %r5, %r5, %r5}};
    """
    run(entry(PARAMS, PRELUDE + LOAD + body + "ret;"), src, dst, block=1, schedule=schedule)
    return np.array_equal(dst[:16], src[:16])


def test_a_source_may_be_reused_after_wait_group_read(run: Callable[..., Any]) -> None:
    for schedule in SCHEDULES:
        assert overwrite_after("cp.async.bulk.wait_group.read 0;", schedule, run)


def test_late_shows_a_missing_wait(run: Callable[..., Any]) -> None:
    assert overwrite_after("", "eager", run)
    assert not overwrite_after("", "late", run)
    assert not overwrite_after("cp.async.bulk.wait_group.read 1;", "late", run)


def test_groups_before_the_latest_are_waited_for(run: Callable[..., Any]) -> None:
    src, dst = arrays()
    body = """
        cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.global.shared::cta.bulk_group [%rd2+16], [%r2+16], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 1;
        mov.u32 %r5, 0; st.shared.v4.u32 [%r2], {%r5, %r5, %r5, %r5}; st.shared.v4.u32 [%r2+16], {%r5, %r5, %r5, %r5};
    """
    run(entry(PARAMS, PRELUDE + LOAD + body + "ret;"), src, dst, block=1, schedule="late")
    assert np.array_equal(dst[:16], src[:16])
    assert not dst[16:32].any()


def test_multicast_and_remote_copies(run: Callable[..., Any]) -> None:
    """CTA 0 loads for both CTAs; each CTA then sends its copy to the other's second buffer, and stores that."""
    body = """
        .shared .align 128 .b8 other[256]; .shared .align 8 .b64 bar2;
        mov.u32 %r6, bar2; mov.u32 %r7, other; mov.u32 %r3, %cluster_ctarank;
        mbarrier.init.shared::cta.b64 [%r1], 1; mbarrier.init.shared::cta.b64 [%r6], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 256;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        setp.ne.u32 %p1, %r3, 0;
        mov.b16 %h0, 3;
        @!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1], 256, [%r1], %h0;
        W1: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
        @!%p0 bra W1;
        xor.b32 %r4, %r3, 1;
        mapa.shared::cluster.u32 %r8, %r7, %r4; mapa.shared::cluster.u32 %r9, %r6, %r4;
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r2], 256, [%r9];
        W2: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r6], 0;
        @!%p0 bra W2;
        mul.wide.u32 %rd3, %r3, 256; add.u64 %rd2, %rd2, %rd3;
        cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r7], 256;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    """
    for schedule in SCHEDULES:
        src, dst = arrays()
        text = entry(PARAMS, PRELUDE + ".reg .b16 %h0;" + body + "ret;")
        run(text, src, dst, grid=2, cluster=2, block=1, schedule=schedule)
        assert np.array_equal(dst, np.tile(src[:256], 2))


def test_a_multicast_to_nobody_does_nothing(run: Callable[..., Any]) -> None:
    """As on an H200; a warning says so once. The phase lacks its bytes for ever."""
    body = """
        mbarrier.init.shared::cta.b64 [%r1], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;
        mov.b16 %h0, 0; mov.u32 %r3, 0; st.shared.u32 [%r2], 7;
        L: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1], 16, [%r1], %h0;
        add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra L;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [%r1], 0; selp.u32 %r3, 1, 0, %p0;
        ld.shared.u32 %r4, [%r2]; st.global.v2.u32 [%rd2], {%r3, %r4};
    """
    for schedule in SCHEDULES:
        src, dst = arrays()
        text = entry(PARAMS, PRELUDE + ".reg .b16 %h0;" + body + "ret;")
        report = run(text, src, dst, grid=2, cluster=2, block=1, schedule=schedule)
        assert list(dst[:8].view(np.uint32)) == [0, 7]
        assert [(d.code, d.severity) for d in report.findings if d.code == "PTX9129"] == [("PTX9129", "warning")]


@pytest.mark.parametrize(
    ("copy", "code", "words"),
    [
        ("[%r2], [%rd1], %r3, [%r1]", "PTX9120", "24 bytes"),
        ("[%r2+8], [%rd1], 16, [%r1]", "PTX9121", "destination"),
        ("[%r2], [%rd1+8], 16, [%r1]", "PTX9121", "source"),
        ("[%r2], [%rd1], 1024, [%r1]", "PTX9122", "shared memory"),
        ("[%r2], [%rd1+496], 64, [%r1]", "PTX9002", "src"),
        ("[%r2], [%rd1], 16, [%r1+8]", "PTX9122", "the mbarrier of"),
        ("[%r2], [%rd1], 16, [%r2]", "PTX9110", "no initialised mbarrier"),
    ],
)
def test_faults(run: Callable[..., Any], copy: str, code: str, words: str) -> None:
    src, dst = arrays()
    body = f"""
        mov.u32 %r3, 24; mbarrier.init.shared::cta.b64 [%r1], 1;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {copy};
    """
    with pytest.raises(px.Diagnostic) as caught:
        run(entry(PARAMS, PRELUDE + body + "ret;"), src, dst, block=1, schedule="late")
    assert caught.value.code == code
    assert words in str(caught.value)
    assert caught.value.span is not None
    assert "cp.async.bulk" in (caught.value.span.text or str(caught.value))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_copies_under_way_at_the_end_are_carried_out(run: Callable[..., Any], schedule: str) -> None:
    """A kernel may end without waiting for its stores; and a load that nobody waits for harms nobody."""
    src, dst = arrays()
    body = """
        cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 256;
        cp.async.bulk.commit_group;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+256], [%rd1], 256, [%r1];
    """
    run(entry(PARAMS, PRELUDE + LOAD + body + "ret;"), src, dst, block=1, schedule=schedule)
    assert np.array_equal(dst[:256], src[:256])


def test_a_byte_mask_keeps_the_other_bytes(run: Callable[..., Any]) -> None:
    src, dst = arrays()
    body = """
        mov.b16 %h0, 0x8005;
        cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd2], [%r2], 64, %h0;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
    """
    text = entry(PARAMS, PRELUDE + ".reg .b16 %h0;" + LOAD + body + "ret;").replace("sm_90a", "sm_100")
    run(text, src, dst, block=1)
    kept = np.isin(np.arange(64) % 16, (0, 2, 15))
    assert np.array_equal(dst[:64], np.where(kept, src[:64], 0))


def test_prefetches_change_nothing(run: Callable[..., Any]) -> None:
    src, dst = arrays()
    run(entry(PARAMS, PRELUDE + "cp.async.bulk.prefetch.L2.global [%rd1], 64; ret;"), src, dst, block=1)
    assert not dst.any()
