"""A matrix descriptor that reads a box with another swizzle than the tensor map wrote it with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.layout import MatrixDescriptor

from ...conftest import entry

Run = Callable[..., Any]
SPAN = {"none": 16, "32B": 32}


def kernel(read: str, *, between: str = "") -> str:
    """A (64 × 16) and B (8 × 16) come through maps; a wgmma reads both with the swizzle `read`."""
    stride = 8 * SPAN[read] if read != "none" else 256
    fields = MatrixDescriptor(0, leading=128 if read == "none" else 16, stride=stride, swizzle=read).encode()  # type: ignore[arg-type]
    return entry(
        ".param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128]",
        f"""
        .reg .pred %p<4>; .reg .b32 %r<8>, %f<4>; .reg .b64 %rd<8>;
        .shared .align 1024 .b8 buf[4096]; .shared .align 8 .b64 bar;
        mov.b64 %rd1, ma; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, mb; cvta.param.u64 %rd2, %rd2;
        mov.u32 %r1, bar; mov.u32 %r2, buf; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0;
        @!%p1 mbarrier.init.shared::cta.b64 [%r1], 1;
        bar.sync 0;
        @%p1 bra W;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 2304;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, {{0, 0}}], [%r1];
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2+2048], [%rd2, {{0, 0}}], [%r1];
        W: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], 0;
        @!%p0 bra W;
        {between}
        shr.u32 %r4, %r2, 4; cvt.u64.u32 %rd3, %r4; or.b64 %rd4, %rd3, {fields}; add.u64 %rd5, %rd4, 128;
        wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{%f0, %f1, %f2, %f3}}, %rd4, %rd5, 0, 1, 1, 0, 0;
        wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        ret;
        """.replace("%p0, [%r1]", "%p2, [%r1]").replace("@!%p0", "@!%p2"),
    )


def simulate(run: Run, text: str, write: str, schedule: str = "eager") -> Any:
    a, b = px.empty((64, 16), ml_dtypes.bfloat16), px.empty((8, 16), ml_dtypes.bfloat16)
    for array in (a, b):
        array[...] = np.arange(array.size).reshape(array.shape) % 7
    maps = [px.tensor_map(a, box=(64, 16), swizzle=write), px.tensor_map(b, box=(8, 16), swizzle=write)]
    return run(text, *maps, block=128, schedule=schedule)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_another_swizzle_is_found(run: Run, schedule: str) -> None:
    report = simulate(run, kernel("none"), "32B", schedule)
    assert [d.code for d in report.findings] == ["PTX9165"]
    found = report.findings[0]
    assert "swizzle none" in found.message
    assert "swizzle 32B" in found.message
    assert any("cp.async.bulk.tensor" in note for note in found.notes)
    assert found.span is not None
    assert found.other is not None
    assert found.other.line < found.span.line


@pytest.mark.parametrize("mode", ["32B"])
def test_the_same_swizzle_is_not(run: Run, mode: str) -> None:
    assert simulate(run, kernel(mode), mode).findings == []


def test_what_was_written_over_has_no_layout(run: Run) -> None:
    """Ordinary stores may lay the tile out anew."""
    clear = "".join(f"st.shared.b32 [%r2+{at}], %r3;" for at in range(0, 2304, 32))
    assert simulate(run, kernel("none", between=clear), "32B").findings == []
