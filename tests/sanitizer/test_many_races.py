"""A race in every thread of a large launch: it is found once, and costs no more than a right kernel from then on."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order import checks

HEAD = """.version 8.1
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
.reqntid 256
{
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .align 16 .b8 row[1024];
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  and.b32 %r3, %r1, 63; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd1, %rd2; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3;
  mad.lo.u32 %r4, %r2, 256, %r1; mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd1, %rd4;
  shl.b32 %r5, %r1, 2; mov.u32 %r6, row; add.u32 %r5, %r5, %r6; xor.b32 %r7, %r5, 128;
"""
FAULTY = {
    "a load, an add and a store in place of an atomic operation": (
        "ld.global.u32 %r8, [%rd2]; add.u32 %r8, %r8, 1; st.global.u32 [%rd2], %r8;",
        ["PTX9200", "PTX9200"],
    ),
    "all CTAs store to the same words": ("st.global.u32 [%rd3], %r2;", ["PTX9200"]),
    "no bar.sync": (
        "st.shared.u32 [%r5], %r1; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd4], %r8;",
        ["PTX9200"],
    ),
    "no wait_group": (
        """cp.async.ca.shared.global [%r5], [%rd4], 4; cp.async.commit_group;
        ld.shared.u32 %r8, [%r5]; st.global.u32 [%rd4], %r8;""",
        ["PTX9210", "PTX9211", "PTX9222"],
    ),
    "one race behind another": (
        """st.global.u32 [%rd3], %r2; ld.global.u32 %r8, [%rd2]; st.shared.u32 [%r5], %r8;
        ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd4+8], %r8;""",
        ["PTX9200"] * 5,
    ),
}


def found(body: str, ctas: int) -> list[str]:
    kernel = px.parse(HEAD + body + "\nret;\n}", "k.ptx")["k"]
    out = np.zeros(256 * ctas + 2, np.uint32)
    report = px.simulate(kernel, grid=ctas, args=[out], lints=False, sanitize=True)
    return sorted(f"{d.code} {d.span and d.span.column} {d.other and d.other.column}" for d in report.findings)


@pytest.mark.parametrize("name", FAULTY)
def test_findings_are_those_of_a_small_launch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body, codes = FAULTY[name]
    many = found(body, 256)
    assert [line.split()[0] for line in many] == codes
    monkeypatch.setattr(checks, "ENOUGH", 1 << 30)
    assert many == found(body, 4)


@pytest.mark.parametrize("name", FAULTY)
def test_a_small_number_will_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been told stays told, and other pairs of instructions are found all the same."""
    body, codes = FAULTY[name]
    monkeypatch.setattr(checks, "ENOUGH", 8)
    assert [line.split()[0] for line in found(body, 16)] == codes
