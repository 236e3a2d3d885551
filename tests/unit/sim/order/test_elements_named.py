"""Findings say which element of which array, at which lines of PTX and of the source behind it, and have all of it as data."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.sim.order.findings.elements import index_in

BLOCK = np.zeros((5, 6, 7), np.int16)
VIEWS = {
    "whole": BLOCK,
    "rows backwards": BLOCK[::-1],
    "columns backwards, by two": BLOCK[:, ::-2],
    "transposed": BLOCK.T,
    "a part": BLOCK[1:4, 2:, ::3],
    "a plane": BLOCK[:, 3],
    "no dimensions": np.zeros((), np.int16),
}


@pytest.mark.parametrize("array", VIEWS.values(), ids=VIEWS)
def test_every_byte_has_its_index(array: NDArray[np.int16]) -> None:
    for index in np.ndindex(array.shape):
        offset = sum(i * s for i, s in zip(index, array.strides, strict=True))
        assert [index_in(offset + byte, array.shape, array.strides, 2) for byte in (0, 1)] == [index, index]


@pytest.mark.parametrize("offset", [2, -1, 12, -4])
def test_a_byte_outside_has_none(offset: int) -> None:
    assert index_in(offset, (3,), (4,), 2) is None


@px.kernel(threads=64)
def clashing(k: px.Builder, out: px.Ptr[px.b32]) -> None:
    row = k.smem(px.b32, (4, 16), name="row")
    tile = k.smem(px.b16, (8, 64), swizzle="128B", name="tile")
    i = k.tid.x
    k.st.shared.b32(row.at(i * 4), i)
    value = k.ld.shared.b32(row.at((i ^ 32) * 4))
    k.st.global_.b32(out.at(i * 4), value)
    k.st.global_.b32(out.at((i ^ 32) * 4), value)
    k.st.shared.b32(tile.at(128 + i * 4), i)
    k.st.shared.b32(tile.at(128 + (i ^ 32) * 4), value)


def found() -> dict[str, Diagnostic]:
    out = np.zeros((8, 16), np.uint32)[::2]
    report = px.simulate(clashing, grid=1, block=64, args=[np.zeros((4, 16), np.uint32)], sanitize=True)
    assert out.strides == (128, 4)
    return {d.memory.array: d for d in report.findings if d.memory is not None and d.memory.array is not None}


def test_elements_are_named() -> None:
    findings = found()
    assert set(findings) == {"row", "out", "tile"}
    assert "`row[2, 0]` (shared + 0x80)" in findings["row"].message
    assert "`out[2, 0]` (`out + 0x80`)" in findings["out"].message
    # Row 2 of a swizzled tile: its first 16 bytes lie behind two other groups of 16.
    memory = findings["tile"].memory
    assert memory is not None
    assert (memory.offset, memory.element) == (256, (2, 16))


def test_a_finding_is_data_too() -> None:
    race = found()["out"]
    assert race.memory is not None
    assert (race.memory.space, race.memory.nbytes) == ("global", 4)
    later, earlier = race.accesses
    assert (later.does, later.thread, later.cta, later.asynchronous) == ("writes", (32, 0, 0), (0, 0, 0), False)
    assert (earlier.thread, earlier.origin) == ((0, 0, 0), race.other_origin)
    assert later.origin == race.origin
    assert later.instruction.startswith("st.global.b32")


LOC = """.version 8.0
.target sm_90a
.address_size 64
.file 1 "kernel.cu"
.shared .align 4 .b32 words[64];
.entry k(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [out];
  .loc 1 10 0
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, words;
  add.u32 %r3, %r2, %r1;
  .loc 1 11 0
  st.shared.u32 [%r3], %r0;
  xor.b32 %r1, %r1, 128;
  add.u32 %r3, %r2, %r1;
  .loc 1 12 0
  ld.shared.u32 %r4, [%r3];
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd2, %rd0, %rd1;
  st.global.u32 [%rd2], %r4;
  ret;
}
"""


def test_both_source_lines_of_compiled_code_are_shown() -> None:
    (race,) = px.simulate(
        px.parse(LOC, "k.ptx")["k"], grid=1, block=64, args=[np.zeros(64, np.uint32)], sanitize=True
    ).findings
    assert race.origin is not None
    assert race.other_origin is not None
    assert {str(race.origin), str(race.other_origin)} == {"kernel.cu:11", "kernel.cu:12"}
    assert [str(a.origin) for a in race.accesses] == [str(race.origin), str(race.other_origin)]
    assert "`words[32]`" in race.message
    assert str(race).count("kernel.cu:") == 2


@px.kernel(threads=64)
def unrolled(k: px.Builder, out: px.Ptr[px.b32]) -> None:
    row = k.smem(px.b32, 64)
    i = k.tid.x
    for _ in range(3):
        k.st.shared.b32(row.at(i * 4), i)
        value = k.ld.shared.b32(row.at((i ^ 32) * 4))
        k.st.global_.b32(out.at(i * 4), value)


def test_a_loop_of_python_that_is_unrolled_is_one_finding() -> None:
    (race,) = px.simulate(unrolled, grid=1, args=[np.zeros(64, np.uint32)], sanitize=True, lints=False).findings
    assert race.notes[-1].endswith(" more pairs of these lines")
