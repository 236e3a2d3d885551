"""Warp-wide instructions by lanes that their member mask lacks, and shuffles from lanes that take no part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px

HEAD = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred p, q; .reg .b32 t, v, w, m; .reg .b64 o;
  ld.param.u64 o, [out];
  mov.u32 t, %tid.x; mov.u32 v, 0; mov.u32 w, t;
  mad.wide.u32 o, t, 4, o;
"""
END = "\n  st.global.u32 [o], v;\n  ret;\n}\n"
LINE = HEAD.count("\n") + 1
WHOLE = {
    "shfl": "shfl.sync.idx.b32 v, t, 3, 31, {};",
    "vote": "vote.sync.any.pred p, p, {};",
    "ballot": "vote.sync.ballot.b32 v, 1, {};",
    "match.any": "match.any.sync.b32 v, t, {};",
    "match.all": "match.all.sync.b32 v, t, {};",
    "redux": "redux.sync.add.u32 v, t, {};",
    "elect": "elect.sync _|p, {};",
    "bar.warp.sync": "bar.warp.sync {};",
}


def found(body: str, block: int = 32, **options: Any) -> list[tuple[str, int | None]]:
    """The codes that a kernel with these lines finds, and the lines."""
    kernel = px.parse(HEAD + "  setp.lt.u32 p, t, 9;\n" + body + END)["k"]
    args = [np.zeros(64, np.uint32)]
    report = px.simulate(kernel, grid=1, block=block, args=args, sanitize=True, lints=False, **options)
    return [(d.code, d.span.line if d.span else None) for d in report.findings]


@pytest.mark.parametrize("name", WHOLE)
def test_whole_warps_with_a_mask_that_lacks_lanes(name: str) -> None:
    line = "  " + WHOLE[name]
    assert found(line.format("0xffff")) == [("PTX9025", LINE + 1)]
    assert found("  mov.u32 m, 0xffff;\n" + line.format("m")) == [("PTX9025", LINE + 2)]
    for mask in ("-1", "0xffffffff", "m"):
        assert found("  mov.u32 m, -1;\n" + line.format(mask)) == []


def test_lanes_of_a_short_warp_are_all_that_must_be_named() -> None:
    assert found("  redux.sync.add.u32 v, t, 0xffff;", block=16) == []
    assert found("  redux.sync.add.u32 v, t, 0xff;", block=16) == [("PTX9025", LINE + 1)]


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize(
    "read",
    [
        "@p shfl.sync.down.b32 v, w, 4, 31, 0x1ff;",  # lanes 9 to 12 took no part
        "shfl.sync.down.b32 v, w, 4, 31, m;",  # nor do they where half of the warp has left
        "@p shfl.sync.idx.b32 v, w, 20, 31, 0x1ff;",
    ],
)
def test_values_of_lanes_that_take_no_part(read: str, schedule: str) -> None:
    leave = "  mov.u32 m, -1;\n" + ("  @!p ret;\n" if ", m;" in read else "")
    where = LINE + 1 + leave.count("\n")
    assert found(f"{leave}  {read}", schedule=schedule) == [("PTX9244", where)]
    drops = "\n  setp.lt.u32 q, t, 5;\n  @!q mov.u32 v, 1;"  # lanes from 5 on read the others
    expected = [("PTX9244", where)] if "idx" in read else []
    assert found(f"{leave}  {read}{drops}", schedule=schedule) == expected


def test_the_shuffle_that_matters_is_named() -> None:
    lines = ("down.b32 w, t, 1, 31, 0x1ff", "up.b32 v, t, 1, 0, 0x1ff", "bfly.b32 v, t, 8, 31, 0x1ff")
    body = "".join(f"  @p shfl.sync.{line};\n" for line in lines)
    assert found(body) == [("PTX9244", LINE + 3)]


def test_arrays_are_as_the_first_run_left_them() -> None:
    out = np.zeros(32, np.uint32)
    body = "  @p shfl.sync.down.b32 w, t, 1, 31, 0x1ff;\n  red.global.add.u32 [o], 1;\n  ret;\n}\n"
    report = px.simulate(
        px.parse(HEAD + "  setp.lt.u32 p, t, 9;\n" + body)["k"], grid=1, block=32, args=[out], sanitize=True
    )
    assert not report.findings
    assert (out == 1).all()
