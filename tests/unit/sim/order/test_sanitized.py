"""Launches under the sanitizer: results are those without it, and findings come with errors, other observers and all schedules."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.sim.report.unwatched import Unwatched

HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
RACE = (
    HEAD
    + """
.entry k(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  .shared .align 16 .b8 row[512];
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, row;
  add.u32 %r3, %r2, %r1;
  st.shared.u32 [%r3], %r0;
  xor.b32 %r1, %r1, 128;
  add.u32 %r3, %r2, %r1;
  ld.shared.u32 %r4, [%r3];
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd0, %rd0, %rd1;
  st.global.u32 [%rd0], %r4;
  ret;
}
"""
)
RIGHT = RACE.replace("  xor", "  bar.sync 0;\n  xor")


def found(text: str, **options: object) -> list[Diagnostic]:
    out = np.zeros(64, np.uint32)
    report = px.simulate(px.parse(text, "k.ptx")["k"], grid=1, block=64, args=[out], **options)  # type: ignore[arg-type]
    return list(report.findings)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_a_race_is_found_once_and_at_both_lines(schedule: str) -> None:
    (race,) = found(RACE, sanitize=True, schedule=schedule, seed=3)
    assert race.code == "PTX9200"
    lines = RACE.splitlines()
    assert race.span is not None
    assert race.other is not None
    named = {lines[span.line - 1].strip() for span in (race.span, race.other)}
    assert named == {"st.shared.u32 [%r3], %r0;", "ld.shared.u32 %r4, [%r3];"}
    assert found(RIGHT, sanitize=True, schedule=schedule, seed=3) == []


def test_without_it_nothing_is_found() -> None:
    assert found(RACE, sanitize=False) == []


def test_a_cta_that_runs_alone_for_many_slices_is_the_one_that_is_sanitized() -> None:
    @px.kernel(threads=32)
    def spins(k: px.Builder, out: px.Ptr[px.u32]) -> None:
        x = k.mov.u32(0)
        with k.loop(200_000):
            x += 1
        k.st.global_.u32(out[k.ctaid.x], x)
        k.bar.sync(0)
        k.st.global_.u32(out[3], x + k.ctaid.x)

    out = np.zeros(4, np.uint32)
    (race,) = px.simulate(spins, grid=3, args=[out], sanitize=True).findings
    assert race.code == "PTX9200"
    assert {one.cta[0] for one in race.accesses} <= {0, 1, 2}
    assert len({one.cta for one in race.accesses}) == 2
    assert out[:3].tolist() == [200_000] * 3


@pytest.mark.parametrize("options", [{"stats": True}, {"trace": True}, {"poison": False}, {"max_instructions": 10**6}])
def test_it_goes_with_others(options: dict[str, object]) -> None:
    assert [d.code for d in found(RACE, sanitize=True, **options)] == ["PTX9200"]


def test_findings_come_with_the_error_that_ends_a_launch() -> None:
    with pytest.raises(Diagnostic) as stop:
        found(RACE.replace("  ret;", "  bar.sync 0;\n  trap;"), sanitize=True)
    assert stop.value.code == "PTX9010"
    assert [d.code for d in stop.value.also] == ["PTX9200"]


def test_the_other_place_is_shown() -> None:
    (race,) = found(RACE, sanitize=True)
    assert "and, earlier in this run:" in str(race)
    assert str(race).count("k.ptx:") == 2


def test_one_word_for_all_lanes_is_no_race_unless_it_differs() -> None:
    same = RIGHT.replace("st.shared.u32 [%r3], %r0;", "st.shared.u32 [%r2], 7;").replace(
        "ld.shared.u32 %r4, [%r3]", "ld.shared.u32 %r4, [%r2]"
    )
    one_warp = same.replace("mov.u32 %r0, %tid.x;", "mov.u32 %r0, %laneid;")
    out = np.zeros(32, np.uint32)
    kernel = px.parse(one_warp, "k.ptx")["k"]
    assert list(px.simulate(kernel, grid=1, block=32, args=[out], sanitize=True).findings) == []
    differs = px.parse(one_warp.replace("[%r2], 7", "[%r2], %r0"), "k.ptx")["k"]
    assert [d.code for d in px.simulate(differs, grid=1, block=32, args=[out], sanitize=True).findings] == ["PTX9204"]


@pytest.mark.parametrize("lanes", [16, 8])
def test_rows_of_a_store_in_one_place_are_told(lanes: int) -> None:
    """Lanes write whole rows of global memory, but some rows twice, with different values."""

    @px.kernel(threads=32)
    def rows(k: px.Builder, out: px.Ptr[px.b32], rows: px.u32) -> None:
        i = k.tid.x
        k.st.global_.v4.b32(out.at((i & (rows - 1)) * 16), [i, i, i, i])

    for count, codes in ((32, []), (lanes, ["PTX9204"])):
        out = px.empty(128, np.uint32)
        report = px.simulate(rows, grid=1, args=[out, np.uint32(count)], sanitize=True)
        assert [d.code for d in report.findings] == codes


def test_several_ctas_are_told_apart() -> None:
    """CTAs that write the same words race; each with its own words does not."""
    out = np.zeros(128, np.uint32)
    kernel = px.parse(RIGHT, "k.ptx")["k"]
    report = px.simulate(kernel, grid=2, block=64, args=[out], sanitize=True)
    assert [d.code for d in report.findings] == ["PTX9200"]
    assert "CTA (1, 0, 0)" in str(report.findings[0])


def test_a_second_launch_starts_anew() -> None:
    out = np.zeros(64, np.uint32)
    kernel = px.parse(RIGHT, "k.ptx")["k"]
    for _ in range(2):
        assert list(px.simulate(kernel, grid=1, block=64, args=[out], sanitize=True).findings) == []


def test_the_report_says_what_was_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here there is room for the cells of one line, and the kernel needs those of two."""

    @px.kernel(threads=32)
    def apart(k: px.Builder, out: px.Ptr[px.b32]) -> None:
        k.st.global_.b32(out.at(k.tid.x * 8), k.tid.x)

    def unwatched() -> Unwatched:
        return px.simulate(apart, grid=1, args=[np.zeros(64, np.uint32)], sanitize=True).unwatched

    assert not unwatched()
    monkeypatch.setattr("ptxlab.sim.order.native.arena.MOST_LINES", 1)
    assert unwatched() == Unwatched(memory=128)
    assert Unwatched(1, 2) + Unwatched(3, 4) == Unwatched(4, 6)
    assert str(Unwatched(4096, 6)) == "4,096 bytes of global memory not watched, 6 accesses forgotten"


COUNTS = """.version 8.0
.target sm_90
.address_size 64
.visible .global .u32 count;
.visible .entry k(.param .u64 out)
{
    .reg .b32 %c; .reg .b64 %p;
    ld.global.u32 %c, [count]; ld.param.u64 %p, [out]; st.global.u32 [%p], %c;
    ret;
}
"""


def test_variables_of_other_modules_are_no_outputs_of_a_launch() -> None:
    """A module's variables stay in memory as long as the module; PTX9243 is about the arrays of its own launch."""
    loaded = px.parse(COUNTS, "counts.ptx")
    px.simulate(loaded["k"], grid=1, block=1, args=[np.zeros(1, np.uint32)])
    nothing = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
    kernel = px.parse(nothing, "nothing.ptx")["k"]
    (finding,) = px.simulate(
        kernel, grid=1, block=1, args=[np.zeros(1, np.uint32)], lints=False, sanitize=True
    ).findings
    assert (finding.code, finding.message.endswith("does not use `p`")) == ("PTX9243", True), str(finding)


GUARDED = (
    HEAD
    + """
.entry k(.param .u64 src, .param .u64 dst, .param .u32 n, .param .f32 scale) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p0;
  ld.param.u64 %rd0, [src]; ld.param.u64 %rd1, [dst]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  READ
  setp.ge.u32 %p0, %r1, %r0;
  @%p0 ret;
  ld.global.u32 %r2, [%rd0];
  st.global.u32 [%rd1], %r2;
  ret;
}
"""
)


@pytest.mark.parametrize(
    ("read", "guard", "n", "expected"),
    [
        ("", "ge", 0, []),  # there is nothing to do
        ("", "ge", 8, []),
        ("", "lt", 64, ["PTX9243"]),  # the guard is wrong
        ("ld.global.u32 %r2, [%rd0];", "ge", 0, ["PTX9243"]),  # it reads, and nothing comes of it
    ],
)
def test_a_launch_without_work_writes_nothing(read: str, guard: str, n: int, expected: list[str]) -> None:
    text = GUARDED.replace("READ", read).replace("setp.ge", f"setp.{guard}")
    args = [np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.uint32(n), np.float32(0)]
    report = px.simulate(px.parse(text, "k.ptx")["k"], grid=1, block=8, args=args, lints=False, sanitize=True)
    assert [f.code for f in report.findings] == expected


def test_a_copy_out_of_bounds_is_no_launch_that_writes_nothing() -> None:
    """A store by a tensor map writes what lies inside of the tensor: here nothing."""
    text = (
        HEAD
        + """
.entry k(.param .align 64 .b8 map[128]) {
  .reg .b32 %r<2>; .reg .b64 %m;
  .shared .align 128 .b8 row[64];
  mov.u32 %r0, row; mov.u32 %r1, 64; mov.b64 %m, map; cvta.param.u64 %m, %m;
  st.shared.v4.u32 [row], {%r1, %r1, %r1, %r1};
  fence.proxy.async.shared::cta;
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%m, {%r1}], [%r0];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
"""
    )
    out = px.empty(16, np.uint32)
    out[...] = 0
    bound = px.tensor_map(out, box=(4,))
    report = px.simulate(px.parse(text, "k.ptx")["k"], grid=1, block=1, args=[bound], lints=False, sanitize=True)
    assert report.findings == []
    assert not out.any()
