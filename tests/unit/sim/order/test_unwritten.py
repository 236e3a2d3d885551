"""Results that depend on registers and local memory that nobody has written; reads that do not matter are none."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
BODY = """  .reg .pred p; .reg .b32 t, v, w; .reg .b64 o;
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  mad.wide.u32 o, t, 4, o;
"""


def codes(lines: str) -> list[tuple[str, int]]:
    out = np.zeros(32, np.uint32)
    module = px.parse(HEAD + BODY + lines + "  st.global.u32 [o], v;\n  ret;\n}\n")
    report = px.simulate(module["k"], grid=1, block=32, args=[out], sanitize=True, lints=False)
    return [(d.code, d.span.line if d.span else 0) for d in report.findings]


@pytest.mark.parametrize(
    "lines",
    [
        "  mov.u32 v, w;\n  xor.b32 v, v, v;\n",  # whatever it is
        "  and.b32 v, w, 0;\n",
        "  setp.eq.u32 p, t, t;\n  selp.u32 v, t, w, p;\n",
        "  setp.lt.u32 p, t, 32;\n  @p mov.u32 v, t;\n",
    ],
)
def test_reads_that_do_not_matter_are_silent(lines: str) -> None:
    assert codes(lines) == []


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("  add.u32 v, w, t;\n", 10),
        ("  setp.lt.u32 p, t, 31;\n  @p mov.u32 v, t;\n", 12),
        ("  mov.u32 v, 0;\n  setp.gt.s32 p, w, 0;\n  @p mov.u32 v, 1;\n", 11),
    ],
)
def test_what_a_result_depends_on_is_named(lines: str, line: int) -> None:
    assert codes(lines) == [("PTX9241", line)]


def test_local_memory() -> None:
    lines = "  .local .align 4 .b8 kept[8];\n  st.local.u32 [kept], t;\n  ld.local.u32 w, [kept+4];\n  ld.local.u32 v, [kept];\n"
    assert codes(lines) == []
    assert codes(lines + "  add.u32 v, v, w;\n") == [("PTX9242", 12)]


def test_arrays_are_as_the_sanitized_run_left_them() -> None:
    out = np.zeros(32, np.uint32)
    text = HEAD + BODY + "  atom.global.add.u32 v, [o], 1;\n  add.u32 w, w, 1;\n  ret;\n}\n"
    px.simulate(px.parse(text)["k"], grid=1, block=32, args=[out], sanitize=True, lints=False)
    assert (out == 1).all()
