"""Findings of compiled code name lines of the source: of inlined functions where they were called, and each pair once."""

from __future__ import annotations

import numpy as np

import ptxlab as px

RACE = """\
.version 8.4
.target sm_90a
.address_size 64
.file 1 "kernel.cu"
.file 2 "helper.h"
.visible .entry race(.param .u64 out)
{
  .reg .b32 %r<3>;
  .shared .align 4 .b8 buf[64];
  .loc 1 20 3
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, buf;
  .loc 2 7 5, function_name $L__info0, inlined_at 1 20 3
  st.shared.u32 [%r2], %r1;
  st.shared.u32 [%r2+4], %r1;
  .loc 1 21 3
  ret;
}
.section .debug_str
{
$L__info0:
.b8 112
.b8 117
.b8 116
.b8 0
}
"""


def test_the_call_of_an_inlined_function_is_shown() -> None:
    kernel = px.parse(RACE)["race"]
    report = px.simulate(kernel, grid=1, block=2, args=[np.zeros(4, np.uint32)], sanitize=True)
    (found,) = [d for d in report.findings if d.code in ("PTX9200", "PTX9204")]
    assert found.origin is not None
    assert (str(found.origin), [str(s) for s in found.origin.calls]) == ("helper.h:7", ["kernel.cu:20"])
    assert "--> helper.h:7\n  inlined at kernel.cu:20\n" in str(found)
    # Both stores come of that line: one is told, and the other is counted.
    assert "and 1 more pair of this line" in found.notes


def test_a_chain_of_calls_is_cut() -> None:
    """Each .loc is inlined at the one before it; a hostile text has any number of them."""
    locs = "".join(f"  .loc 2 {n} 1, function_name $L__info0, inlined_at 2 {n - 1} 1\n" for n in range(2, 2003))
    text = RACE.replace("  .loc 2 7 5, function_name $L__info0, inlined_at 1 20 3\n", "  .loc 2 1 1\n" + locs)
    kernel = px.parse(text)["race"]
    report = px.simulate(kernel, grid=1, block=2, args=[np.zeros(4, np.uint32)], sanitize=True)
    (found,) = [d for d in report.findings if d.code in ("PTX9200", "PTX9204")]
    assert found.origin is not None
    assert 0 < len(found.origin.calls) <= 8
