"""cp.async: sizes, zero fill, groups of each thread, mbarrier arrivals, faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px

from ...conftest import entry

SCHEDULES = ["eager", "late", "random"]
PRELUDE = """
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
    .shared .align 128 .b8 buf[2048]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [src]; ld.param.u64 %rd2, [dst];
    mov.u32 %r1, %tid.x; mov.u32 %r2, buf; mov.u32 %r3, bar;
    mul.wide.u32 %rd3, %r1, 16; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    mad.lo.u32 %r4, %r1, 16, %r2;
"""
BACK = "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4]; st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8}; ret;"
ONES = "mov.u32 %r9, -1; st.shared.v4.u32 [%r4], {%r9, %r9, %r9, %r9};"


def go(run: Callable[..., Any], body: str, block: int = 64, **options: Any) -> tuple[Any, Any]:
    src, dst = px.empty((block, 16), np.uint8), px.empty((block, 16), np.uint8)
    src[:] = np.random.default_rng(1).integers(0, 255, src.shape)
    dst[:] = 0
    run(entry(".param .u64 src, .param .u64 dst", PRELUDE + body + BACK), src, dst, block=block, **options)
    return src, dst


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("form", "size"), [("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)])
def test_sizes(run: Callable[..., Any], form: str, size: int, schedule: str) -> None:
    copies = "".join(f"cp.async.{form}.shared.global [%r4+{i}], [%rd1+{i}], {size};" for i in range(0, 16, size))
    src, dst = go(run, copies + "cp.async.commit_group; cp.async.wait_group 0;", schedule=schedule)
    assert np.array_equal(src, dst)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_source_size_fills_with_zeros(run: Callable[..., Any], schedule: str) -> None:
    body = ONES + "and.b32 %r10, %r1, 15; cp.async.ca.shared.global [%r4], [%rd1], 16, %r10; cp.async.wait_all;"
    src, dst = go(run, body, schedule=schedule)
    for t in range(64):
        assert np.array_equal(dst[t, : t % 16], src[t, : t % 16])
        assert not dst[t, t % 16 :].any()


def test_ignored_sources_are_not_read(run: Callable[..., Any]) -> None:
    body = ONES + "setp.gt.u32 %p0, %r1, 7; cp.async.ca.shared.global [%r4], [%rd1], 16, %p0; cp.async.wait_all;"
    src, dst = go(run, body)
    assert np.array_equal(dst[:8], src[:8])
    assert not dst[8:].any()


def test_late_copies_what_a_wait_demands(run: Callable[..., Any]) -> None:
    body = (
        ONES
        + "cp.async.ca.shared.global [%r4], [%rd1], 4; cp.async.commit_group;"
        + "cp.async.ca.shared.global [%r4+4], [%rd1+4], 4; cp.async.commit_group;"
        + "cp.async.ca.shared.global [%r4+8], [%rd1+8], 4;"
        + "cp.async.wait_group 1;"
    )
    src, dst = go(run, body, schedule="late")
    assert np.array_equal(dst[:, :4], src[:, :4])
    assert (dst[:, 4:] == 255).all()
    src, dst = go(run, body, schedule="eager")
    assert np.array_equal(dst[:, :12], src[:, :12])


@pytest.mark.parametrize("noinc", [False, True])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_arrival_on_an_mbarrier(run: Callable[..., Any], schedule: str, noinc: bool) -> None:
    arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];"
    if not noinc:
        arrive = "cp.async.mbarrier.arrive.shared.b64 [%r3]; mbarrier.arrive.shared.b64 %rd5, [%r3];"
    body = f"""
        setp.eq.u32 %p1, %r1, 0;
        @%p1 mbarrier.init.shared.b64 [%r3], 64;
        bar.sync 0;
        cp.async.ca.shared.global [%r4], [%rd1], 16;
        {arrive}
        W: mbarrier.try_wait.parity.shared.b64 %p0, [%r3], 0;
        @!%p0 bra W;
    """
    src, dst = go(run, body, schedule=schedule, seed=3)
    assert np.array_equal(src, dst)


@pytest.mark.parametrize(
    ("copy", "code"),
    [
        ("cp.async.ca.shared.global [%r4], [%rd1+2], 4;", "PTX9121"),
        ("cp.async.ca.shared.global [%r4+2], [%rd1], 4;", "PTX9121"),
        ("cp.async.ca.shared.global [%r4+4096], [%rd1], 4;", "PTX9122"),
        ("cp.async.ca.shared.global [%r4], [%rd1+16777216], 4;", "PTX9002"),
    ],
)
def test_faults(run: Callable[..., Any], copy: str, code: str) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        go(run, copy)
    assert caught.value.code == code
    assert caught.value.span is not None


@pytest.mark.parametrize(("count", "copied"), [(0, True), (256, True), (1, False), (-1, False), (255, False)])
def test_a_wait_counts_in_eight_bits(run: Callable[..., Any], count: int, copied: bool) -> None:
    """As ptxas encodes it: 256 waits for all, and -1 for next to none."""
    copies = "cp.async.cg.shared.global [%r4], [%rd1], 16; cp.async.commit_group;"
    src, dst = go(run, ONES + copies + f"cp.async.wait_group {count};", schedule="late")
    assert np.array_equal(src, dst) == copied
