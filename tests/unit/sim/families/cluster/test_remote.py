"""st.async and red.async: what arrives in another CTA, when its mbarrier says so, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ptxlab.diag import Diagnostic

from ...conftest import entry

PARAMS = ".param .u64 out"
PRELUDE = """
    .reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %rd<16>; .reg .f32 %f<4>;
    .shared .align 16 .b8 buf[1024]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, buf; mov.u32 %r4, bar; mov.u32 %r9, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    xor.b32 %r5, %r2, 1; mapa.shared::cluster.u32 %r6, %r3, %r5; mapa.shared::cluster.u32 %r7, %r4, %r5;
"""
SYNC = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
WAIT = "wait: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra wait;"


def begin(nbytes: int) -> str:
    return f"""@%p1 mbarrier.init.shared.b64 [bar], 1; {SYNC}
        @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], {nbytes};"""


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_vectors_of_every_width(run: Callable[..., Any], schedule: str) -> None:
    body = f"""
        {begin(32 * 16 + 32 * 8)}
        mad.lo.u32 %r10, %r1, 16, %r6; mad.lo.u32 %r11, %r2, 100, %r1; add.u32 %r12, %r11, 1000; neg.s32 %r13, %r11;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r10], {{%r11, %r12, %r13, %r2}}, [%r7];
        mad.lo.u32 %r10, %r1, 8, %r6; cvt.u64.u32 %rd3, %r11;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%r10+512], %rd3, [%r7];
        {WAIT}
        mad.lo.u32 %r10, %r1, 16, %r3; ld.shared.v4.u32 {{%r14, %r15, %r16, %r17}}, [%r10];
        mad.lo.u32 %r10, %r1, 8, %r3; ld.shared.u64 %rd4, [%r10+512];
        mad.lo.u32 %r18, %r9, 32, %r1; mul.wide.u32 %rd2, %r18, 32; add.u64 %rd2, %rd1, %rd2;
        st.global.v4.u32 [%rd2], {{%r14, %r15, %r16, %r17}}; st.global.u64 [%rd2+16], %rd4;
        {SYNC} ret;
    """
    out = np.zeros((2, 32, 8), np.int32)
    run(entry(PARAMS, PRELUDE + body), out, grid=2, cluster=2, block=32, schedule=schedule)
    base = 100 * np.array([1, 0])[:, None] + np.arange(32)
    assert np.array_equal(out[..., 0], base)
    assert np.array_equal(out[..., 1], base + 1000)
    assert np.array_equal(out[..., 2], -base)
    assert np.array_equal(out[..., 3], np.broadcast_to([[1], [0]], (2, 32)))
    assert np.array_equal(out[..., 4], base)
    assert not out[..., 5].any()


# Bytes of a lane, distance of lanes, lanes: bytes that an H200 counts together.
STORES = {
    (4, 4, 32): 64,
    (4, 4, 8): 32,
    (4, 16, 32): 8,
    (4, 32, 8): 8,
    (4, 64, 3): 8,
    (4, 16, 2): 8,
    (8, 8, 32): 64,
    (8, 16, 8): 16,
    (16, 16, 32): 64,
    (16, 16, 3): 32,
    (16, 32, 32): 32,
    (16, 16, 1): 16,
}
REDUCES = {
    (4, 4, 32): 64,
    (4, 16, 32): 16,
    (4, 32, 32): 8,
    (4, 64, 8): 8,
    (8, 8, 32): 64,
    (8, 16, 8): 32,
    (8, 32, 4): 16,
}
OPCODES = {4: "st.async{}.u32 [%r10], %r1, [%r7];", 8: "st.async{}.v2.u32 [%r10], {{%r1, %r1}}, [%r7];"}
OPCODES |= {16: "st.async{}.v4.u32 [%r10], {{%r1, %r1, %r1, %r1}}, [%r7];"}
REDUCING = {4: "red.async.relaxed.cluster{}.add.u32 [%r10], %r1, [%r7];"}
REDUCING |= {8: "red.async.relaxed.cluster{}.add.u64 [%r10], %rd3, [%r7];"}
WAYS = [(OPCODES, shape, piece) for shape, piece in STORES.items()] + [(REDUCING, s, p) for s, p in REDUCES.items()]


@pytest.mark.parametrize(("opcodes", "shape", "piece"), WAYS)
def test_bytes_of_a_warp_are_counted_in_pieces(
    run: Callable[..., Any], opcodes: dict[int, str], shape: tuple[int, int, int], piece: int
) -> None:
    """The phase ends where the count is zero behind a piece, and nowhere within one."""
    size, distance, lanes = shape
    total = size * lanes
    instruction = opcodes[size].format(".shared::cluster.mbarrier::complete_tx::bytes")
    for expected in [e for e in (4, 8, 12, 16, 24, 32, 48, 64, 96, 128) if e < total] + [total]:
        body = f"""
            {begin(expected)} {SYNC} setp.lt.u32 %p3, %r1, {lanes}; cvt.u64.u32 %rd3, %r1;
            mad.lo.u32 %r10, %r1, {distance}, %r6; @%p3 {instruction} {SYNC}
            mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; selp.u32 %r14, 1, 0, %p2;
            mad.wide.u32 %rd2, %r9, 4, %rd1; @%p1 st.global.u32 [%rd2], %r14; {SYNC} ret;
        """
        prelude = PRELUDE.replace("buf[1024]", "buf[4096]").replace(".align 16 .b8 buf", ".align 1024 .b8 buf")
        out = np.full(2, 7, np.uint32)
        run(entry(PARAMS, prelude + body), out, grid=2, cluster=2, block=32)
        assert out.tolist() == [int(expected == total or expected % piece == 0)] * 2, expected


REDUCTIONS: dict[tuple[str, str], Callable[[int, list[int]], int]] = {
    ("add", "u32"): lambda old, new: (old + sum(new)) & 0xFFFFFFFF,
    ("add", "s64"): lambda old, new: old + sum(new),
    ("min", "s32"): lambda old, new: min(old, *new),
    ("max", "u32"): lambda old, new: max(old, *new),
    ("and", "b32"): lambda old, new: int(np.bitwise_and.reduce([old, *new])),
    ("or", "b32"): lambda old, new: int(np.bitwise_or.reduce([old, *new])),
    ("xor", "b32"): lambda old, new: int(np.bitwise_xor.reduce([old, *new])),
}


@pytest.mark.parametrize(("op", "type_"), REDUCTIONS)
def test_reductions(run: Callable[..., Any], op: str, type_: str) -> None:
    size = int(type_[1:]) // 8
    start = {"min": 0, "s64": -5}.get(op, {"s64": -5}.get(type_, 0x0F0F00FF))
    value = "%rd3" if size == 8 else "%r11"
    body = f"""
        @%p1 mov.u64 %rd5, {start}; @%p1 st.shared.u64 [buf], %rd5; {begin(32 * size)}
        mul.lo.u32 %r11, %r1, 0x1003; sub.u32 %r11, %r11, 40000; cvt.s64.s32 %rd3, %r11;
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{type_} [%r6], {value}, [%r7];
        {WAIT}
        ld.shared.u64 %rd4, [buf]; mul.wide.u32 %rd2, %r9, 8; add.u64 %rd2, %rd1, %rd2; st.global.u64 [%rd2], %rd4;
        {SYNC} ret;
    """
    out = np.zeros(2, np.int64)
    run(entry(PARAMS, PRELUDE + body), out, grid=2, cluster=2, block=32)
    dtype = np.dtype(type_.replace("b", "u").replace("s", "i").replace(type_[1:], str(size)))
    given = (np.arange(32) * 0x1003 - 40000).astype(np.int64)
    want = REDUCTIONS[op, type_](start, [int(v) for v in given.astype(dtype)])
    assert [int(v) for v in out.view(dtype)[:: 8 // size]] == [want, want]


@pytest.mark.parametrize(("op", "limit", "want"), [("inc", 9, (7 + 32) % 10), ("dec", 9, (7 - 32) % 10)])
def test_counters_that_wrap(run: Callable[..., Any], op: str, limit: int, want: int) -> None:
    body = f"""
        @%p1 st.shared.u32 [buf], 7; {begin(128)}
        mov.u32 %r11, {limit};
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.u32 [%r6], %r11, [%r7];
        {WAIT}
        ld.shared.u32 %r14, [buf]; mul.wide.u32 %rd2, %r9, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r14;
        {SYNC} ret;
    """
    out = np.zeros(2, np.uint32)
    run(entry(PARAMS, PRELUDE + body), out, grid=2, cluster=2, block=32)
    assert out.tolist() == [want, want]


@pytest.mark.parametrize(
    ("address", "barrier", "code"),
    [
        ("%r6+2", "%r7", "PTX9121"),
        ("%r6+2048", "%r7", "PTX9122"),
        ("%r6", "%r4", "PTX9123"),
        ("%r6", "%r6+64", "PTX9110"),
    ],
)
def test_faults(run: Callable[..., Any], address: str, barrier: str, code: str) -> None:
    body = f"""
        {begin(128)}
        st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [{address}], %r1, [{barrier}]; {SYNC} ret;
    """
    with pytest.raises(Diagnostic) as caught:
        run(entry(PARAMS, PRELUDE + body), np.zeros(2, np.uint32), grid=2, cluster=2, block=32)
    assert caught.value.code == code
