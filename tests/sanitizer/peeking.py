"""Rings of two stages whose threads ask for the next stage's phase ahead, and wait only if that was too early.

RING is written by hand; CUTLASS is what nvcc makes of `cutlass::PipelineAsync`.
"""

from __future__ import annotations

from pathlib import Path

CUTLASS = (Path(__file__).parent / "peeking_cutlass.ptx").read_text()

RING = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred p, q, one; .reg .b32 t, i, s, ph, next, nph, at, full, empty, token, v, w, sum, bar; .reg .b64 o;
  .shared .align 16 .b8 row[16];
  .shared .align 8 .b64 bars[4];
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  setp.eq.u32 one, t, 0;
  @one mbarrier.init.shared::cta.b64 [bars], 1;
  @one mbarrier.init.shared::cta.b64 [bars+8], 1;
  @one mbarrier.init.shared::cta.b64 [bars+16], 1;
  @one mbarrier.init.shared::cta.b64 [bars+24], 1;
  bar.sync 0;
  mov.u32 bar, bars;
  mov.u32 i, 0;
  mov.u32 s, 0;
  mov.u32 ph, 0;
  mov.u32 sum, 0;
  setp.eq.u32 p, t, 32;
  @p bra PRODUCE;
  @!one bra DONE;
  mov.u32 full, bar;
  { .reg .pred P1;
  mbarrier.try_wait.parity.shared::cta.b64 P1, [full], ph;
  selp.b32 token, 1, 0, P1; }
CONSUME:
  shl.b32 at, s, 3;
  add.u32 full, at, bar;
  add.u32 empty, full, 16;
  setp.ne.s32 p, token, 0;
  @p bra READY;
  { .reg .pred P1;
LAB_WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 P1, [full], ph;
  @P1 bra LAB_DONE;
  bra LAB_WAIT;
LAB_DONE: }
READY:
  add.u32 next, s, 1;
  and.b32 next, next, 1;
  setp.eq.u32 q, next, 0;
  xor.b32 nph, ph, 1;
  selp.b32 nph, nph, ph, q;
  setp.eq.u32 q, i, 5;
  @q bra LAST;
  shl.b32 at, next, 3;
  add.u32 at, at, bar;
  { .reg .pred P1;
  mbarrier.try_wait.parity.shared::cta.b64 P1, [at], nph;
  selp.b32 token, 1, 0, P1; }
LAST:
  shl.b32 at, s, 3;
  mov.u32 v, row;
  add.u32 at, at, v;
  ld.shared.u32 v, [at];
  mad.lo.u32 sum, sum, 3, v;
  mbarrier.arrive.shared::cta.b64 _, [empty];
  mov.u32 s, next;
  mov.u32 ph, nph;
  add.u32 i, i, 1;
  setp.lt.u32 q, i, 6;
  @q bra CONSUME;
  st.global.u32 [o], sum;
  bra DONE;
PRODUCE:
  xor.b32 nph, ph, 1;
  shl.b32 at, s, 3;
  add.u32 full, at, bar;
  add.u32 empty, full, 16;
  mbarrier.test_wait.parity.shared::cta.b64 q, [empty], nph;
  @q bra FREE;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 q, [empty], nph;
  @!q bra WAIT;
FREE:
  mov.u32 v, row;
  add.u32 at, at, v;
  add.u32 v, i, 7;
  st.shared.u32 [at], v;
  mbarrier.arrive.shared::cta.b64 _, [full];
  add.u32 s, s, 1;
  and.b32 s, s, 1;
  setp.eq.u32 q, s, 0;
  xor.b32 nph, ph, 1;
  selp.b32 ph, nph, ph, q;
  add.u32 i, i, 1;
  setp.lt.u32 q, i, 6;
  @q bra PRODUCE;
DONE:
  ret;
}
"""
