"""Lanes of a warp that access the same bytes by one instruction."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px

KERNEL = """.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {{
 .reg .b32 %r<8>; .reg .b64 %d<4>; .shared .align 16 .b8 row[256];
 ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r3, row;
 and.b32 %r1, %r0, 15; xor.b32 %r5, %r1, 1;
 shl.b32 %r1, %r1, 4; shl.b32 %r5, %r5, 4; add.u32 %r1, %r1, %r3; add.u32 %r5, %r5, %r3;
 mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d1, %d0; mov.u32 %r4, 0;
 {body}
 st.global.b32 [%d1], %r4; ret; }}"""


def codes(body: str) -> list[str]:
    """What a kernel of one warp finds."""
    kernel = px.parse(KERNEL.format(body=body), "k.ptx")["k"]
    report = px.simulate(kernel, grid=1, block=32, args=[np.zeros(64, np.uint32)], lints=False, sanitize=True)
    return sorted({f.code for f in report.findings})


@pytest.mark.parametrize("store", ["st.shared.b32 [%r1], 5;", "st.shared.v4.b32 [%r1], {5, 6, 7, %r1};"])
def test_lanes_may_store_one_value(store: str) -> None:
    assert codes(store) == []


@pytest.mark.parametrize("store", ["st.shared.b32 [%r1], %r0;", "st.shared.v4.b32 [%r1], {5, 6, %r0, 7};"])
def test_lanes_that_store_different_values_are_found(store: str) -> None:
    assert codes(store) == ["PTX9204"]


def test_what_lanes_have_stored_together_is_ordered_as_any_store() -> None:
    both = "st.shared.b32 [%r1], 5; {} ld.shared.b32 %r4, [%r5];"
    assert codes(both.format("")) == ["PTX9200"]
    assert codes(both.format("bar.warp.sync 0xffffffff;")) == []


def test_a_lane_does_not_come_behind_what_another_has_read() -> None:
    """Each lane's own load comes before its addition, those of the others need not."""
    both = "ld.global.b32 %r4, [%d0+128]; {} red.global.add.u32 [%d0+128], 1;"
    assert codes(both.format("")) == ["PTX9203"]
    assert codes(both.format("bar.warp.sync 0xffffffff;")) == []
