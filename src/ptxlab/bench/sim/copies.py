"""What asynchronous copies cost a CTA: kernels of many small CTAs, where admission, groups and mbarriers are most of the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import ptxlab as px
from ptxlab.bench.sim.work import Work

if TYPE_CHECKING:
    from collections.abc import Mapping

THREADS = 128
_HEAD = f"""
.version 8.7
.target sm_90a
.address_size 64
.visible .entry copied(.param .u64 from, .param .u64 to) {{
    .reg .pred p<3>; .reg .b32 r<12>; .reg .b64 a, b, c, s; .shared .align 128 .b8 mem[{4 * 16 * THREADS}]; .shared .b64 bar;
    ld.param.u64 a, [from]; ld.param.u64 b, [to]; mov.u32 r0, %tid.x; mov.u32 r1, %ctaid.x; mad.lo.u32 r1, r1, {THREADS}, r0;
    mul.wide.u32 c, r1, 16; add.u64 a, a, c; add.u64 b, b, c; mov.u32 r2, mem; mad.lo.u32 r2, r0, 16, r2; setp.eq.u32 p0, r0, 0;
"""
_COPY = "cp.async.cg.shared.global [r2], [a], 16;"
_MADE = f"@p0 mbarrier.init.shared.b64 [bar], {THREADS}; bar.sync 0;"
_WAIT = "WAIT: mbarrier.try_wait.parity.shared.b64 p1, [bar], 0; @!p1 bra WAIT;"
_TAIL = "ld.shared.v4.b32 {r4, r5, r6, r7}, [r2]; st.global.v4.b32 [b], {r4, r5, r6, r7}; ret; }"
_STAGE = 16 * THREADS
KERNELS: Final[Mapping[str, str]] = {
    "cp.async": f"{_COPY} cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;",
    "cp.async and an mbarrier": f"{_MADE} {_COPY} cp.async.wait_all; mbarrier.arrive.shared.b64 s, [bar]; {_WAIT}",
    "cp.async that arrives": f"{_MADE} {_COPY} cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; {_WAIT}",
    "a ring of cp.async": f"""
        cp.async.cg.shared.global [r2], [a], 16; cp.async.commit_group;
        cp.async.cg.shared.global [r2+{_STAGE}], [a], 16; cp.async.commit_group;
        cp.async.cg.shared.global [r2+{2 * _STAGE}], [a], 16; cp.async.commit_group;
        mov.u32 r8, 0;
        TURN: cp.async.wait_group 2; bar.sync 0;
        add.u32 r9, r8, 3; and.b32 r9, r9, 3; mad.lo.u32 r9, r9, {_STAGE}, r2;
        cp.async.cg.shared.global [r9], [a], 16; cp.async.commit_group;
        add.u32 r8, r8, 1; setp.lt.u32 p1, r8, 12; @p1 bra TURN;
        cp.async.wait_all; bar.sync 0;""",
}
"""What CTAs do between the addresses and the way back of what has been copied; the ring has four stages and fifteen copies."""


def work(name: str, ctas: int) -> Work:
    """A kernel of so many CTAs, each of which copies 16 bytes for each of its threads."""
    import numpy as np

    size = 16 * THREADS * ctas
    source, target = px.empty(size, np.uint8), px.empty(size, np.uint8)
    source[:] = np.random.default_rng(12).integers(0, 255, size)
    kernel = px.parse(_HEAD + KERNELS[name] + _TAIL)["copied"]
    launch = kernel.prepare(grid=ctas, block=THREADS, args=[source, target])
    return Work(launch, size, THREADS * ctas, lambda: target.fill(0), lambda: bool(np.array_equal(source, target)))
