"""stmatrix by several lanes or warps to one place: a race only where they store different values."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px

TEXT = """.version 8.1
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
.reqntid {threads}
{{
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .shared .align 16 .b8 m[512];
  mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r3, m; and.b32 %r4, %r2, {rows}; shl.b32 %r4, %r4, 4; add.u32 %r3, %r3, %r4;
  mov.u32 %r6, 65537; {value}
  stmatrix.sync.aligned.m8n8.x1{trans}.shared.b16 [%r3], {{%r5}};
  bar.sync 0;
  ld.shared.u32 %r7, [m]; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r7;
  ret;
}}
"""
SAME, OF_COLUMNS, OF_ROWS = (
    "mov.u32 %r5, %r6;",
    "and.b32 %r5, %r2, 3; mul.lo.u32 %r5, %r5, %r6;",
    "shr.u32 %r5, %r2, 2; mul.lo.u32 %r5, %r5, %r6;",
)
OF_LANES, OF_THREADS, HALVES = "mov.u32 %r5, %r2;", "mov.u32 %r5, %r1;", "mov.u32 %r5, 7;"


@pytest.mark.parametrize("schedule", ["eager", "late"])
@pytest.mark.parametrize(
    ("threads", "rows", "value", "trans", "codes"),
    [
        (32, 0, SAME, "", []),  # all rows to one place
        (32, 0, OF_COLUMNS, "", []),
        (32, 0, OF_ROWS, "", ["PTX9204"]),
        (32, 0, HALVES, "", []),
        (32, 0, SAME, ".trans", []),
        (32, 0, OF_COLUMNS, ".trans", ["PTX9204"]),
        (32, 0, OF_ROWS, ".trans", []),
        (32, 0, HALVES, ".trans", ["PTX9204"]),  # rows of sevens and rows of zeros
        (64, 31, OF_LANES, "", []),  # two warps, the same matrix
        (64, 31, OF_THREADS, "", ["PTX9200"]),
        (64, 31, OF_LANES, ".trans", []),
        (64, 31, OF_THREADS, ".trans", ["PTX9200"]),
    ],
)
def test_equal_values_are_no_race(
    threads: int, rows: int, value: str, trans: str, codes: list[str], schedule: str
) -> None:
    kernel = px.parse(TEXT.format(threads=threads, rows=rows, value=value, trans=trans), "k.ptx")["k"]
    report = px.simulate(kernel, grid=1, args=[np.zeros(1, np.uint32)], schedule=schedule, sanitize=True, lints=False)
    assert [d.code for d in report.findings] == codes
