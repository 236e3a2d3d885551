"""A launch that stops at a bad address says so where that comes from a register that the thread has never written."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred p; .reg .b32 t, v, w, a; .reg .b64 o, s, list;
  .shared .align 8 .b8 buf[256];
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x;
  setp.lt.u32 p, t, 32;
"""
NEVER = "`w`, which this thread has never written"
WRITTEN = "  @p mov.u32 w, 0;\n"


def stop(lines: str, *, sanitize: bool = True, code: str = "") -> Diagnostic:
    module = px.parse(HEAD + lines + "  ret;\n}\n")
    with pytest.raises(Diagnostic) as e:
        px.simulate(module["k"], grid=1, block=64, args=[np.zeros(64, np.uint32)], sanitize=sanitize, lints=False)
    assert not code or e.value.code == code
    return e.value


def told(lines: str, *, sanitize: bool = True) -> list[str]:
    return [note for note in stop(lines, sanitize=sanitize).notes if "written" in note]


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        ("  mad.wide.u32 o, w, 4, o;\n  st.global.u32 [o], 1;\n", "`mad.wide.u32 o, w, 4, o` reads it (<ptx>:12:3)"),
        ("  mov.u32 a, buf;\n  add.u32 a, a, w;\n  st.shared.u32 [a], 1;\n", "`add.u32 a, a, w` reads it (<ptx>:13:3)"),
        ("  @!p st.shared.u32 [w], 1;\n", "`st.shared.u32 [w], 1` reads it (<ptx>:12:3)"),
        ("  shl.b32 a, w, 3;\n  @!p mbarrier.arrive.shared.b64 s, [a];\n", "`shl.b32 a, w, 3` reads it (<ptx>:12:3)"),
    ],
)
def test_the_register_and_the_line_are_named(lines: str, read: str) -> None:
    (note,) = told(WRITTEN + lines)
    assert note == f"the address comes from {NEVER}: {read}"
    assert stop(WRITTEN + lines).help == "write the register first, on every way that leads to its use"


def test_only_the_register_that_matters_is_named() -> None:
    lines = "  add.u32 v, v, 1;\n  mov.u32 a, buf;\n  add.u32 a, a, w;\n  st.shared.u32 [a], v;\n"
    (note,) = told(lines)
    assert NEVER in note


@pytest.mark.parametrize("compared", ["gt", "le"])
def test_a_guard_decides_whether_there_is_a_bad_address(compared: str) -> None:
    lines = f"  setp.{compared}.s32 p, w, 0;\n  mov.u32 a, 0x8001;\n  @p st.shared.u32 [a], 1;\n"
    (note,) = told(lines)
    assert note.startswith(f"with other bits in {NEVER}, it does not stop here: `setp.{compared}.s32 p, w, 0` reads it")


@pytest.mark.parametrize(
    "lines",
    ["  mov.u32 w, 7;\n  st.shared.u32 [w], 1;\n", "  mov.u64 o, 8;\n  add.u32 v, w, 1;\n  st.global.u32 [o], v;\n"],
)
def test_other_bad_addresses_are_as_they_were(lines: str) -> None:
    assert told(lines) == []


def test_what_another_thread_has_not_written() -> None:
    lines = """  mov.u32 a, buf;
  mad.lo.u32 a, t, 4, a;
  mov.u32 v, 0;
  @!p mov.u32 v, w;
  st.shared.u32 [a], v;
  bar.sync 0;
  xor.b32 t, t, 33;
  mov.u32 a, buf;
  mad.lo.u32 a, t, 4, a;
  ld.shared.u32 v, [a];
  add.u32 v, v, 1;
  @p st.shared.u32 [v], 1;
"""
    (note,) = told(lines)
    assert "`w`, which nobody has written: `mov.u32 v, w` reads it" in note


def test_arrays_are_as_the_launch_left_them() -> None:
    out = np.zeros(64, np.uint32)
    lines = "  mad.wide.u32 s, t, 4, o;\n  st.global.u32 [s], 3;\n  bar.sync 0;\n  st.shared.u32 [w], 1;\n"
    with pytest.raises(Diagnostic) as e:
        px.simulate(
            px.parse(HEAD + lines + "  ret;\n}\n")["k"], grid=1, block=64, args=[out], sanitize=True, lints=False
        )
    assert NEVER in e.value.notes[-1]
    assert (out == 3).all()


def test_without_the_sanitizer_nothing_runs_again() -> None:
    assert told("  st.shared.u32 [w], 1;\n", sanitize=False) == []
