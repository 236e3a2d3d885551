"""Counters of a launch, on patterns whose banks and sectors are known."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import ptxlab as px
from ptxlab.sim.report.stats import Site, Stats

HEAD = """
.version 8.0
.target sm_90a
.address_size 64
"""


def access(kind: str, width: str, stride: int, lanes: int = 32, offset: int = 0) -> Site:
    """One access of a warp at lane · stride + offset bytes."""
    registers = {
        "u8": "%rs1",
        "u16": "%rs1",
        "u32": "%r2",
        "u64": "%rd4",
        "v2.u32": "{%r2, %r3}",
        "v4.u32": "{%r2, %r3, %r4, %r5}",
    }
    space, direction = kind.split()
    address = "%r6" if space == "shared" else "%rd3"
    operands = (
        f"{registers[width]}, [{address}+{offset}]"
        if direction == "ld"
        else f"[{address}+{offset}], {registers[width]}"
    )
    text = f"""{HEAD}
.visible .entry one(.param .u64 a)
{{
    .reg .b16 %rs<3>; .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p<2>;
    .shared .align 16 .b8 buf[33024];
    ld.param.u64 %rd1, [a];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r7, buf;
    mov.u32 %r1, %laneid;
    mad.lo.u32 %r6, %r1, {stride}, %r7;
    mad.wide.u32 %rd3, %r1, {stride}, %rd2;
    setp.lt.u32 %p1, %r1, {lanes};
    @%p1 {direction}.{space}.{width} {operands};
    ret;
}}
"""
    a = px.empty(40000, np.uint8, align=256)
    report = px.simulate(px.parse(text)["one"], grid=1, block=32, args=[a], stats=True, lints=False)
    return next(s for s in report.stats.sites if s.text.startswith(f"{direction}.{space}"))


@pytest.mark.parametrize(
    ("width", "stride", "lanes", "wavefronts", "least"),
    [
        ("u32", 4, 32, 1, 1),  # adjacent words
        ("u32", 8, 32, 2, 1),
        ("u32", 16, 32, 4, 1),
        ("u32", 128, 32, 32, 1),  # a column of a tile of 32 words
        ("u32", 132, 32, 1, 1),  # padded by a word
        ("u32", 0, 32, 1, 1),  # one word for all
        ("u32", 128, 7, 7, 1),
        ("u8", 1, 32, 1, 1),
        ("u8", 4, 32, 1, 1),
        ("u8", 128, 32, 32, 1),
        ("u16", 2, 32, 1, 1),
        ("u64", 8, 32, 2, 2),  # 16 lanes at a time
        ("u64", 128, 32, 32, 2),
        ("v2.u32", 8, 32, 2, 2),
        ("v4.u32", 16, 32, 4, 4),  # 8 lanes at a time
        ("v4.u32", 128, 32, 32, 4),
        ("v4.u32", 144, 32, 4, 4),  # padded by 16 bytes
        ("v4.u32", 32, 32, 8, 4),
        ("v4.u32", 16, 8, 1, 1),
    ],
)
@pytest.mark.parametrize("direction", ["ld", "st"])
def test_wavefronts_of_shared_memory(
    direction: str, width: str, stride: int, lanes: int, wavefronts: int, least: int
) -> None:
    site = access(f"shared {direction}", width, stride, lanes)
    assert (site.counts["wavefronts"], site.counts["least_wavefronts"]) == (wavefronts, least)
    assert site.bank_conflicts == wavefronts - least
    assert site.threads == lanes
    assert site.counts["worst_wavefronts"] == wavefronts


@pytest.mark.parametrize(
    ("width", "stride", "offset", "sectors", "least"),
    [
        ("u32", 4, 0, 4, 4),
        ("u32", 4, 4, 5, 4),  # across one more sector
        ("u32", 8, 0, 8, 4),
        ("u32", 32, 0, 32, 4),
        ("u32", 128, 0, 32, 4),
        ("u32", 0, 0, 1, 4),
        ("u8", 1, 0, 1, 1),
        ("u64", 8, 0, 8, 8),
        ("v4.u32", 16, 0, 16, 16),
        ("v4.u32", 64, 0, 32, 16),
    ],
)
@pytest.mark.parametrize("direction", ["ld", "st"])
def test_sectors_of_global_memory(
    direction: str, width: str, stride: int, offset: int, sectors: int, least: int
) -> None:
    site = access(f"global {direction}", width, stride, offset=offset)
    assert (site.counts["sectors"], site.counts["least_sectors"]) == (sectors, least)
    assert site.sectors_per_request == sectors


@px.kernel(threads=128)
def transposed(k, src: px.Ptr[px.f32], dst: px.Ptr[px.f32], *, pitch):
    tile = k.smem(px.f32, 32 * pitch)
    lane, warp = k.tid.x % 32, k.tid.x >> 5
    for i in range(8):
        row = warp * 8 + i
        v = k.ld.global_.f32(src.at((row * 32 + lane) * 4))
        k.st.shared.f32(tile.at((row * pitch + lane) * 4), v)
    k.bar.sync(0)
    for i in range(8):
        row = warp * 8 + i
        v = k.ld.shared.f32(tile.at((lane * pitch + row) * 4))
        k.st.global_.f32(dst.at((row * 32 + lane) * 4), v)


def counted(pitch: int) -> Stats:
    a = px.empty((32, 32), np.float32, align=256)
    a[...] = np.arange(1024).reshape(32, 32)
    b = px.empty((32, 32), np.float32, align=256)
    report = px.simulate(transposed, grid=1, args=[a, b], stats=True, pitch=pitch)
    assert np.array_equal(b, a.T)
    return report.stats


def test_a_transposition_with_and_without_padding() -> None:
    plain, padded = counted(32), counted(33)
    assert plain.bank_conflicts == 32 * 31
    assert padded.bank_conflicts == 0
    assert plain.bytes == dict.fromkeys(("global load", "global store", "shared load", "shared store"), 4096)
    assert plain.sectors_per_request == 4
    assert plain.forms["ld"] == 4 * (8 + 8 + 2)
    assert plain.forms["bar.sync"] == 4
    assert plain.waits == 3  # the last warp to come does not wait
    assert sum(plain.forms.values()) == plain.warp_instructions
    assert sum(s.threads for s in plain.sites) == plain.instructions


def test_the_table_names_lines_of_ptx_and_python() -> None:
    stats = counted(32)
    worst = max(stats.sites, key=lambda s: s.bank_conflicts)
    assert worst.text.startswith("ld.shared")
    assert worst.source.file == __file__
    assert "v = k.ld.shared.f32" in Path(__file__).read_text().splitlines()[worst.source.line - 1]
    assert worst in stats.at(worst.line)
    out = io.StringIO()
    Console(file=out, width=200).print(stats.table())
    row = next(line for line in out.getvalue().splitlines() if f" {worst.line} " in line)
    assert row.split()[-1] == str(worst.source.line)
    assert "32.00" in row
    assert "CTA of test_counting.py" in out.getvalue()


def shown(stats: Stats, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(stats.table())
    return out.getvalue()


def test_the_table_fits_a_narrow_terminal_and_cuts_no_number() -> None:
    stats = counted(32)
    text = shown(stats, 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for site in stats.sites:
        if site.bytes:
            assert site.text.split()[0] in text
    assert "32.00" in text
    assert "124" in text


@px.kernel(threads=32)
def stored(k, a: px.Ptr[px.u32]):
    k.st.global_.u32(a[k.tid.x], 1)
    k.print("%u\n", k.tid.x)


def test_the_table_shows_names_in_brackets_and_no_empty_columns() -> None:
    stats = px.simulate(stored, grid=1, args=[np.zeros(32, np.uint32)], stats=True).stats
    text = shown(stats, 120)
    assert "[print_values]" in text
    assert "sectors" in text
    assert "wave-" not in text
    assert "waits" not in text


def test_reports_are_short_where_they_are_shown() -> None:
    report = px.simulate(stored, grid=1, args=[np.zeros(32, np.uint32)], stats=True, trace=True)
    ran = f"{report.stats.instructions:,} thread-instructions, 1 CTA, 1 process"
    assert repr(report.stats) == f"<Stats: {ran}>"
    assert repr(report) == f"<Report: 0 findings, <Stats: {ran}>, trace of {len(report.trace)} events>"
    assert repr(report.trace) == f"<Trace: {len(report.trace)} events of 1 tracks>"
    assert "no counters" in repr(px.simulate(stored, grid=1, args=[np.zeros(32, np.uint32)]))


@px.kernel(threads=32)
def doubled(k, a: px.Ptr[px.f32]):
    i = (k.ctaid.x * 32 + k.tid.x) * 4
    v = k.ld.global_.f32(a.at(i))
    k.st.global_.f32(a.at(i), v + v)


@pytest.mark.parametrize("skip", [0, 1, 4, 8])
def test_sectors_do_not_depend_on_where_an_array_lies(skip: int) -> None:
    for size in range(1040, 1300, 20):
        a = np.ones(size, np.float32)  # at any multiple of 16
        stats = px.simulate(doubled, grid=32, args=[a[skip:]], stats=True).stats
        assert stats.sectors_per_request == (5 if skip % 8 else 4)


def test_without_counters_there_are_none() -> None:
    a, b = np.zeros((32, 32), np.float32), np.zeros((32, 32), np.float32)
    stats = px.simulate(transposed, grid=1, args=[a, b], pitch=33).stats
    assert stats.sites == []
    for ask in (lambda: stats.forms, lambda: stats.bytes, stats.table, lambda: stats.waits):
        with pytest.raises(px.Diagnostic) as found:
            ask()
        assert found.value.code == "PTX2501"


@px.kernel(threads=32)
def copies(k, m: px.TensorMap, src: px.Ptr[px.b32], dst: px.Ptr[px.b32]):
    box, lines = k.smem(px.f32, (8, 32), align=128), k.smem(px.b32, 128, align=16)
    full = k.mbarrier(1)
    k.init_barriers()
    with k.elect():
        full.arrive_expect_tx(box.nbytes)
        k.tma_load(box, m, (0, 0), full)
    k.cp.async_.cg.shared.global_(lines.at(k.tid.x * 16), src.at(k.tid.x * 16), 16)
    k.cp.async_.wait_all()
    full.wait(0)
    k.fence.proxy.async_.shared__cta(pred=k.tid.x > 40)
    k.mbarrier.inval.shared__cta.b64(full, pred=k.tid.x > 40)
    k.st.global_.v4.b32(dst.at(k.tid.x * 16), k.ld.shared.v4.b32(lines.at(k.tid.x * 16)))


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_bytes_of_copies_in_the_background(schedule: str) -> None:
    a = px.empty((8, 32), np.float32, align=256)
    a[...] = 1
    src, dst = np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)
    m = px.tensor_map(a, box=(8, 32))
    stats = px.simulate(copies, grid=1, args=[m, src, dst], stats=True, schedule=schedule).stats
    assert np.array_equal(src, dst)
    assert stats.bytes == {"TMA load": 1024, "cp.async": 512, "global store": 512, "shared load": 512}
    assert (stats.global_read, stats.global_written) == (1024 + 512, 512)
    assert stats.forms["cp.async"] == 1
    assert sum(s.executions + s.counts["skipped"] for s in stats.sites) == stats.warp_instructions
    wait = next(s for s in stats.sites if s.form.startswith("mbarrier.try_wait"))
    assert (wait.executions, wait.waits) == (1, int(schedule == "late"))


@px.kernel(threads=32, cluster=2)
def reach(k, out: px.Ptr[px.u32]):
    word = k.smem(px.u32, 32, name="word")
    k.st.shared.u32(word.at(k.tid.x * 4), k.tid.x)
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()
    v = k.ld.shared__cluster.u32(word.remote(k.cluster_ctarank ^ 1).at(k.tid.x * 4))
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()
    k.st.global_.u32(out.at((k.tid.x + k.cluster_ctarank * 32) * 4), v)


def test_bytes_from_another_cta() -> None:
    stats = px.simulate(reach, grid=2, args=[np.zeros(64, np.uint32)], stats=True).stats
    assert stats.bytes["DSMEM load"] == stats.bytes["shared store"] == 256
    assert (stats.global_read, stats.global_written, stats.sectors) == (0, 256, 8)


TRAFFIC = """
.visible .entry one(.param .u64 a)
{
    .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .pred %p<2>;
    .shared .align 128 .b8 buf[256];
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    LINE
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
"""


@pytest.mark.parametrize(
    ("line", "read", "written", "sectors"),
    [
        ("ld.global.u32 %r2, [%rd1];", 128, 0, 1),
        ("@%p1 ld.v2.u32 {%r2, %r3}, [%rd1];", 8, 0, 1),  # a generic address
        ("st.global.u64 [%rd1], %rd2;", 0, 256, 1),
        ("atom.global.add.u32 %r2, [%rd1], 1;", 128, 128, None),
        ("red.global.add.u32 [%rd1], 1;", 128, 128, None),
        ("@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [buf], 256;", 0, 256, 0),
        ("@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [buf], 64;", 64, 64, 0),
        ("st.shared.u32 [buf], %r1;", 0, 0, 0),
        ("mov.u32 %r2, buf; ld.shared.u32 %r3, [%r2];", 0, 0, 0),
    ],
)
def test_totals_of_global_memory(line: str, read: int, written: int, sectors: int | None) -> None:
    module = px.parse(HEAD + TRAFFIC.replace("LINE", line))
    a = px.empty(1024, np.uint8, align=256)
    stats = px.simulate(module["one"], grid=1, block=32, args=[a], stats=True, lints=False, sanitize=False).stats
    assert (stats.global_read, stats.global_written) == (read, written)
    assert sectors is None or stats.sectors == sectors
    words = f"global memory: {read} bytes read, {written} written"
    assert words in str(stats.table())
    assert words in stats.table()._repr_html_()
    data = json.loads(json.dumps(stats.data()))
    assert (data["global_read"], data["global_written"], data["sectors"]) == (read, written, stats.sectors)
    assert [s["text"] for s in data["sites"]] == [s.text for s in stats.sites]
    assert data["bytes"] == stats.bytes


@px.kernel(threads=32)
def matrices(k, out: px.Ptr[px.b32], *, pitch):
    tile = k.smem(px.b8, 16 * pitch, align=16)
    r = k.ldmatrix.sync.aligned.m8n8.x2.shared.b16(tile.at((k.tid.x % 16) * pitch))
    k.st.global_.v2.b32(out.at(k.tid.x * 8), r)


@pytest.mark.parametrize(("pitch", "wavefronts"), [(16, 2), (128, 16), (144, 2)])
def test_rows_of_ldmatrix_are_accesses_of_16_bytes(pitch: int, wavefronts: int) -> None:
    stats = px.simulate(matrices, grid=1, args=[np.zeros(64, np.uint32)], stats=True, pitch=pitch).stats
    site = next(s for s in stats.sites if s.form == "ldmatrix")
    assert (site.counts["wavefronts"], site.counts["least_wavefronts"]) == (wavefronts, 2)
