"""Which loops are taken for polls."""

from __future__ import annotations

import pytest

from ptxlab.sim.engine.decoded.polls import poll_branches

from ...launching import program_of

TEXT = """.visible .entry k(.param .u64 a)
{{
  .reg .b64 %rd<9>;  .reg .b32 %r<12>;  .reg .f32 %f<4>;  .reg .pred %p<5>;
  .shared .align 8 .b64 box[4];
  ld.param.u64 %rd1, [a];  mov.u32 %r9, 0;
again:
  {}
  @%p1 bra again;
  ret;
}}
"""
ZERO = "setp.eq.u32 %p1, %r1, 0;"


def polls(body: str) -> bool:
    program = program_of(TEXT.format(body))
    found = poll_branches(program)
    back = next(i for i, op in enumerate(program.ops) if op.inst.form.name == "bra" and op.guard is not None)
    assert found <= {back}
    return bool(found)


@pytest.mark.parametrize(
    "body",
    [
        f"ld.acquire.gpu.global.u32 %r1, [%rd1]; {ZERO}",
        f"ld.volatile.global.u32 %r1, [%rd1]; {ZERO}",
        f"ld.global.u32 %r1, [%rd1]; {ZERO}",  # without a register from pass to pass only memory can end it
        f"add.u64 %rd2, %rd1, 64; ld.relaxed.sys.global.u32 %r1, [%rd2]; {ZERO}",
        f"atom.global.cas.b32 %r1, [%rd1], 0, 1; {ZERO}",
        f"atom.global.exch.b32 %r1, [%rd1], 1; {ZERO}",
        f"atom.global.add.u32 %r1, [%rd1], 0; {ZERO}",
        f"add.u32 %r9, %r9, 1; ld.volatile.global.u32 %r1, [%rd1]; {ZERO}",  # it counts its passes
        f"mov.u32 %r1, %clock; {ZERO}",
        "mbarrier.test_wait.parity.shared.b64 %p1, [box], %r9;",
        f"ld.volatile.global.u32 %r1, [%rd1]; fence.acq_rel.gpu; bar.sync 0; {ZERO}",
        # one thread asks for the CTA
        f"ld.acquire.sys.global.u32 %r2, [%rd1]; st.shared.u32 [box], %r2; bar.sync 0; ld.shared.u32 %r1, [box]; {ZERO}",
    ],
)
def test_what_asks_the_same_again_is_a_poll(body: str) -> None:
    assert polls(body)


@pytest.mark.parametrize(
    "body",
    [
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 10;",
        f"add.u64 %rd1, %rd1, 4; ld.volatile.global.u32 %r1, [%rd1]; {ZERO}",  # a walk through an array
        f"ld.volatile.global.u32 %r1, [%rd1]; st.global.u32 [%rd1+4], %r1; {ZERO}",
        f"ld.volatile.global.u32 %r1, [%rd1]; st.shared::cluster.u32 [%rd2], %r1; {ZERO}",
        # it counts its passes in shared memory
        f"ld.volatile.global.u32 %r1, [%rd1]; ld.shared.u32 %r2, [box]; add.u32 %r2, %r2, 1; st.shared.u32 [box], %r2; {ZERO}",
        "ld.shared.u32 %r2, [box]; add.u32 %r2, %r2, 1; st.shared.u32 [box], %r2; setp.lt.u32 %p1, %r2, 9;",
        f"atom.global.add.u32 %r1, [%rd1], 1; {ZERO}",  # it takes a ticket
        f"red.global.add.u32 [%rd1], 1; {ZERO}",
        "mov.u32 %r2, %r9; add.u32 %r3, %r2, 5; atom.global.cas.b32 %r9, [%rd1], %r2, %r3; setp.ne.u32 %p1, %r9, %r2;",
        "ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f2, %f1, %f1, %f2; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 10;",
    ],
)
def test_what_works_is_none(body: str) -> None:
    assert not polls(body)
