"""clmad against its reference: it is younger than the PTX that the suites of probes are written in."""

from __future__ import annotations

import random

import numpy as np

import ptxlab as px
from ptxlab.isa.plain import carryless

_TEXT = """.version 9.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b64 %a<12>; .reg .b32 %r<4>;
ld.param.u64 %a1, [in]; ld.param.u64 %a2, [out];
mov.u32 %r1, %tid.x; mul.wide.u32 %a3, %r1, 24; add.s64 %a4, %a1, %a3; mul.wide.u32 %a5, %r1, 16; add.s64 %a5, %a2, %a5;
ld.global.u64 %a6, [%a4]; ld.global.u64 %a7, [%a4+8]; ld.global.u64 %a8, [%a4+16];
clmad.lo.u64 %a9, %a6, %a7, %a8; clmad.hi.u64 %a10, %a6, %a7, 0x8000000000000001;
st.global.u64 [%a5], %a9; st.global.u64 [%a5+8], %a10; ret; }
"""


def test_both_halves() -> None:
    dice = random.Random(1)
    corners = [0, 1, 2, 1 << 63, (1 << 64) - 1, 0x8000000000000001]
    triples = [(a, b, c) for a in corners for b in corners for c in (0, (1 << 64) - 1)]
    triples += [tuple(dice.getrandbits(64) for _ in range(3)) for _ in range(128 - len(triples))]  # type: ignore[misc]
    given, out = np.array(triples, np.uint64), np.zeros((len(triples), 2), np.uint64)
    px.parse(_TEXT)["k"][1](given, out, block=len(triples))
    for (a, b, c), (low, high) in zip(triples, out.tolist(), strict=True):
        assert low == carryless(a, b, c, "lo"), (a, b, c)
        assert high == carryless(a, b, 0x8000000000000001, "hi"), (a, b)


def test_the_reference_on_what_is_known() -> None:
    assert carryless(3, 3, 0, "lo") == 5  # (x + 1)^2 = x^2 + 1
    assert carryless(1 << 63, 2, 0, "hi") == 1
    assert carryless(1 << 63, 2, 7, "lo") == 7
