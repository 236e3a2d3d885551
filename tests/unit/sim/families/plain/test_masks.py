"""Lanes of several member masks in one warp: groups that are at the same instruction, or wait within each other."""

from __future__ import annotations

import numpy as np
import pytest

from ...launching import launch

HEAD = """.visible .entry k(.param .u64 out) {
    .reg .u32 t, v, m, x, n, s; .reg .u64 p; .reg .pred q, r; .shared .align 4 .b32 word[32];
    mov.u32 t, %tid.x; ld.param.u64 p, [out]; mad.wide.u32 p, t, 4, p; mov.u32 s, word; mad.lo.u32 s, t, 4, s;
    st.shared.u32 [s], 0;"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("vote.sync.ballot.b32 x, q, m;", lambda lane, mask, odd: mask & odd),
        ("redux.sync.add.u32 x, t, m;", lambda lane, mask, odd: sum(i for i in range(32) if mask >> i & 1)),
        ("match.any.sync.b32 x, n, m;", lambda lane, mask, odd: mask & (odd if lane & 1 else ~odd)),
        ("elect.sync x|r, m;", lambda lane, mask, odd: (mask & -mask).bit_length() - 1),
        ("vote.sync.all.pred r, q, m; selp.u32 x, 1, 0, r;", lambda lane, mask, odd: int(mask & odd == mask)),
    ],
)
def test_lanes_of_several_masks_come_to_one_instruction(text: str, wanted) -> None:
    out = np.zeros(32, np.uint32)
    # lanes with the same three low bits belong together; all of them come at once, by one way
    body = "and.b32 v, t, 7; shl.b32 m, 0x01010101, v; and.b32 n, t, 1; setp.ne.u32 q, n, 0;"
    launch(f"{HEAD} {body} {text} st.global.u32 [p], x; exit; }}", [out])
    odd = 0xAAAAAAAA
    assert out.tolist() == [wanted(i, 0x01010101 << (i & 7) & 0xFFFFFFFF, odd) & 0xFFFFFFFF for i in range(32)]


def test_lanes_of_two_masks_come_late_and_in_parts() -> None:
    out = np.zeros(32, np.uint32)
    # a quarter of each mask waits at the vote before the others, who come from behind it
    body = """setp.lt.u32 q, t, 16; selp.u32 m, 0x0000ffff, 0xffff0000, q; and.b32 n, t, 3; setp.ne.u32 q, n, 0; @q bra far;
    vote: vote.sync.ballot.b32 x, q, m; st.global.u32 [p], x; exit;
    far: setp.eq.u32 r, n, 1; @r bra vote; bra further;
    further: nanosleep.u32 1; bra vote; }"""
    launch(f"{HEAD} {body}", [out])
    assert out.tolist() == [0xEEEE] * 16 + [0xEEEE0000] * 16


def test_a_barrier_of_some_lanes_lets_no_others_go() -> None:
    out = np.zeros(32, np.uint32)
    # lanes 0 to 7 wait for all; the others meet by themselves, late, and write before they come
    body = """setp.lt.u32 q, t, 8; @q bra all; setp.ge.u32 r, t, 16; @r bra far;
    some: bar.warp.sync 0xffffff00; bra write;
    all: bar.warp.sync -1; xor.b32 s, s, 124; ld.shared.u32 x, [s]; st.global.u32 [p], x; exit;
    far: nanosleep.u32 1; bra some;
    write: add.u32 x, t, 100; st.shared.u32 [s], x; bra all; }"""
    launch(f"{HEAD} {body}", [out])
    assert out.tolist() == [100 + (i ^ 31) if (i ^ 31) >= 8 else 0 for i in range(32)]


def test_lanes_of_two_masks_come_to_one_barrier() -> None:
    out = np.zeros(32, np.uint32)
    body = """setp.lt.u32 q, t, 16; selp.u32 m, 0x0000ffff, 0xffff0000, q; and.b32 n, t, 1; setp.ne.u32 q, n, 0; @q bra far;
    meet: bar.warp.sync m; xor.b32 s, s, 4; ld.shared.u32 x, [s]; st.global.u32 [p], x; exit;
    far: st.shared.u32 [s], 7; bra meet; }"""
    launch(f"{HEAD} {body}", [out])
    assert out.tolist() == [7, 0] * 16
