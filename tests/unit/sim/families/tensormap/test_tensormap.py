"""Tensor maps that a kernel changes: the bytes, and what the fences between a change and a use must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px
from ptxlab.layout.tensormap_replace import replaced

from ...conftest import entry

SCHEDULES = ["eager", "late", "random"]
Run = Callable[..., Any]


def world(maps: int = 1) -> tuple[NDArray[np.uint8], list[NDArray[np.float32]], NDArray[np.float32]]:
    """A map of the first of two 16 × 16 arrays in global memory, box 4 × 16; and what kernels write."""
    sources = [px.empty((16, 16), np.float32) for _ in range(2)]
    for i, a in enumerate(sources):
        a[:] = np.arange(256).reshape(16, 16) + 1000 * i
    m = px.empty(128 * maps, np.uint8, align=256)
    m[:] = np.tile(np.frombuffer(px.tensor_map(sources[0], box=(4, 16)).encode(), np.uint8), maps)
    out = px.empty((8, 4, 16), np.float32)
    out[:] = -1
    return m, sources, out


PRELUDE = """
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
    .shared .align 1024 .b8 buf[1024]; .shared .align 128 .b8 stage[128]; .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [other]; ld.param.u64 %rd3, [out];
    mov.u32 %r1, bar; mov.u32 %r2, buf; mov.u32 %r3, stage; mov.u32 %r9, %ctaid.x;
    mbarrier.init.shared::cta.b64 [%r1], 1; fence.mbarrier_init.release.cluster;
"""
PARAMS = ".param .u64 map, .param .u64 other, .param .u64 out"
REBIND = "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;"


def load(n: int, *, wait: bool = True, row: int = 0) -> str:
    """The n-th load of the kernel, into the first 256 bytes of `buf`."""
    text = f"""
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, {{0, {row}}}], [%r1];
    """
    return text + (await_load(n) if wait else "")


def await_load(n: int) -> str:
    return f"""
    W{n}: mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r1], {n & 1};
    @!%p0 bra W{n};
    """


def dump(slot: str = "0") -> str:
    """Write the box to `out` at a slot of 256 bytes: a number or a register."""
    return f"""
    mov.u32 %r8, {slot}; mul.wide.u32 %rd8, %r8, 256; add.u64 %rd8, %rd8, %rd3;
    cp.async.bulk.global.shared::cta.bulk_group [%rd8], [%r2], 256;
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
    """


def release(scope: str) -> str:
    return f"fence.proxy.tensormap::generic.release.{scope};"


def acquire(scope: str) -> str:
    return f"fence.proxy.tensormap::generic.acquire.{scope} [%rd1], 128;"


def go(run: Run, body: str, **options: Any) -> tuple[Any, NDArray[np.float32], list[NDArray[np.float32]], NDArray[Any]]:
    m, sources, out = world()
    report = run(
        entry(PARAMS, PRELUDE + body + "ret;"), m, sources[1], out, buffers=[sources[0]], **{"block": 1} | options
    )
    return report, out, sources, m


def codes(report: Any) -> list[str]:
    return [d.code for d in report.findings]


@pytest.mark.parametrize("space", ["global", "shared::cta", "generic", "generic shared"])
def test_fields_change_the_bytes_where_the_map_lies(run: Run, space: str) -> None:
    where, name = ("%rd1", ".global") if space == "global" else ("%r3", ".shared::cta")
    convert = ""
    if space.startswith("generic"):
        where, name = "%rd5", ""
        convert = "mov.u64 %rd5, %rd1;" if space == "generic" else "cvt.u64.u32 %rd5, %r3; cvta.shared.u64 %rd5, %rd5;"
    shared = "shared" in space
    copy_in = "".join(
        f"ld.global.v2.u64 {{%rd6, %rd7}}, [%rd1+{i}]; st.shared.v2.u64 [%r3+{i}], {{%rd6, %rd7}};"
        for i in range(0, 128, 16)
    )
    copy_out = "".join(
        f"ld.shared.v2.u64 {{%rd6, %rd7}}, [%r3+{i}]; st.global.v2.u64 [%rd1+{i}], {{%rd6, %rd7}};"
        for i in range(0, 128, 16)
    )
    steps = [
        ("global_address", "b64", None, "%rd2", None),
        ("rank", "b32", None, "%r4", 2),
        ("box_dim", "b32", 1, "%r4", 2),
        ("global_dim", "b32", 2, "%r4", 2),
        ("global_stride", "b64", 1, "%rd4", 48),
        ("element_stride", "b32", 0, "%r4", 2),
        ("elemtype", "b32", None, "11", 11),
        ("interleave_layout", "b32", None, "1", 1),
        ("swizzle_mode", "b32", None, "3", 3),
        ("fill_mode", "b32", None, "1", 1),
    ]
    body = convert + "mov.b32 %r4, 2; mov.b64 %rd4, 48;" + (copy_in if shared else "")
    for field, type_, ordinal, operand, _ in steps:
        n = "" if ordinal is None else f"{ordinal}, "
        body += f"tensormap.replace.tile.{field}{name}.b1024.{type_} [{where}], {n}{operand};\n"
    _, _, sources, m = go(run, body + (copy_out if shared else ""))
    expected = px.tensor_map(sources[0], box=(4, 16)).encode()
    for field, _, ordinal, _, value in steps:
        expected = replaced(expected, field, int(sources[1].ctypes.data) if value is None else value, ordinal or 0)
    assert m.tobytes() == expected


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_map_that_is_rebound_in_order(run: Run, schedule: str) -> None:
    body = load(0) + dump("0") + REBIND + release("cta") + acquire("cta") + load(1) + dump("1")
    report, out, sources, m = go(run, body, schedule=schedule)
    assert codes(report) == []
    assert np.array_equal(out[0], sources[0][:4])
    assert np.array_equal(out[1], sources[1][:4])
    assert px.TensorMap.decode(m.tobytes()).address == sources[1].ctypes.data


def test_an_acquire_reads_no_map(run: Run) -> None:
    body = "fence.proxy.tensormap::generic.acquire.gpu [%rd9], 128;"
    report, out, sources, _ = go(run, "mov.u64 %rd9, 0;" + body + load(0) + dump("0"))
    assert codes(report) == []
    assert np.array_equal(out[0], sources[0][:4])


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_without_acquire_the_old_bytes_are_used_and_found(run: Run, schedule: str) -> None:
    report, out, sources, _ = go(
        run, load(0) + dump("0") + REBIND + release("gpu") + load(1) + dump("1"), schedule=schedule
    )
    assert codes(report) == ["PTX9160"]
    assert np.array_equal(out[1], sources[0][:4])
    found = report.findings[0]
    assert "`map + 0x0`" in found.message
    assert found.span is not None


def test_a_prefetched_map_is_in_the_cache(run: Run) -> None:
    """So is the map of a copy that comes after the change."""
    body = "prefetch.tensormap [%rd1];" + REBIND + release("gpu") + load(0) + dump("0")
    report, out, sources, _ = go(run, body)
    assert codes(report) == ["PTX9160"]
    assert np.array_equal(out[0], sources[0][:4])


def test_without_release_it_is_found(run: Run) -> None:
    report, _, _, _ = go(run, load(0) + dump("0") + REBIND + acquire("gpu") + load(1) + dump("1"))
    assert codes(report) == ["PTX9162"]


def pair(scopes: tuple[str, str]) -> str:
    """Both CTAs use the map, then CTA 0 rebinds it and CTA 1 uses it again; flags in `out` order them."""
    return (
        load(0)
        + dump("%r9")
        + f"""
    setp.ne.u32 %p1, %r9, 0;
    @%p1 bra USER;
    READY: ld.acquire.gpu.global.u32 %r5, [%rd3+1028];
    setp.ne.u32 %p2, %r5, 1;
    @%p2 bra READY;
    {REBIND} {release(scopes[0])}
    mov.u32 %r5, 1; st.release.gpu.global.u32 [%rd3+1024], %r5;
    ret;
    USER: mov.u32 %r5, 1; st.release.gpu.global.u32 [%rd3+1028], %r5;
    REBOUND: ld.acquire.gpu.global.u32 %r5, [%rd3+1024];
    setp.ne.u32 %p2, %r5, 1;
    @%p2 bra REBOUND;
    {acquire(scopes[1])}
    """
        + load(1)
        + dump("2")
    )


@pytest.mark.parametrize(
    ("cluster", "scopes", "found", "fresh"),
    [
        (None, ("gpu", "gpu"), [], True),
        (None, ("gpu", "cta"), ["PTX9161"], False),
        (None, ("cta", "gpu"), ["PTX9161"], True),
        (None, ("gpu", "cluster"), ["PTX9161"], False),
        (2, ("cluster", "cluster"), [], True),
        (2, ("cluster", "cta"), ["PTX9161"], False),
    ],
)
def test_scopes(run: Run, cluster: int | None, scopes: tuple[str, str], found: list[str], fresh: bool) -> None:
    report, out, sources, _ = go(run, pair(scopes), grid=2, cluster=cluster)
    assert codes(report) == found
    assert np.array_equal(out[2], sources[1 if fresh else 0][:4])
    if found:
        assert ".gpu" in str(report.findings[0].help) or ".cluster" in str(report.findings[0].help)


@pytest.mark.parametrize("at", [0, 8, 60, 127])
def test_an_ordinary_store_into_a_live_map(run: Run, at: int) -> None:
    """Into any byte: also one that means nothing today."""
    store = f"ld.global.u8 %r5, [%rd1+{at}]; xor.b32 %r5, %r5, 128; st.global.u8 [%rd1+{at}], %r5;"
    report, out, sources, _ = go(run, load(0) + dump("0") + store + load(1) + dump("1"))
    assert codes(report) == ["PTX9163"]
    assert np.array_equal(out[1], sources[0][:4])


def test_ordinary_stores_that_are_published(run: Run) -> None:
    body = load(0) + dump("0") + "st.global.u64 [%rd1], %rd2;" + release("gpu") + acquire("gpu") + load(1) + dump("1")
    report, out, sources, _ = go(run, body)
    assert codes(report) == []
    assert np.array_equal(out[1], sources[1][:4])


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_replace_while_a_load_is_under_way(run: Run, schedule: str) -> None:
    body = load(0, wait=False) + REBIND + release("cta") + acquire("cta") + await_load(0) + dump("0")
    report, out, sources, _ = go(run, body, schedule=schedule)
    assert codes(report) == ["PTX9164"]
    assert np.array_equal(out[0], sources[0][:4])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", ["", "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group.read 1;"])
def test_a_replace_while_a_store_is_under_way(run: Run, schedule: str, wait: str) -> None:
    store = (
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 4}], [%r2]; cp.async.bulk.commit_group;"
    )
    report, _, sources, _ = go(run, load(0) + "fence.proxy.async;" + store + wait + REBIND, schedule=schedule)
    assert codes(report) == ([] if wait.endswith("0;") else ["PTX9164"])
    assert np.array_equal(sources[0][4:8], sources[0][:4])


def test_an_ordinary_store_while_a_load_is_under_way(run: Run) -> None:
    body = load(0, wait=False) + "st.global.u64 [%rd1], %rd2;" + await_load(0) + dump("0")
    report, _, _, _ = go(run, body, schedule="late")
    assert codes(report) == ["PTX9164"]
    assert "ordinary store" in report.findings[0].message


@pytest.mark.parametrize("scope", ["cta", "cluster", "gpu", "sys"])
def test_cp_fenceproxy_publishes_a_map_made_in_shared_memory(run: Run, scope: str) -> None:
    copy_in = "".join(
        f"ld.global.v2.u64 {{%rd6, %rd7}}, [%rd1+{i}]; st.shared.v2.u64 [%r3+{i}], {{%rd6, %rd7}};"
        for i in range(0, 128, 16)
    )
    body = f"""
    {PRELUDE.replace("mbarrier.init", "mov.u32 %r7, %laneid; setp.ne.u32 %p3, %r7, 0; @!%p3 mbarrier.init")}
    bar.sync 0;
    @%p3 bra PUBLISH;
    {load(0) + dump("0")} {copy_in}
    tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r3], %rd2;
    PUBLISH: bar.warp.sync 0xffffffff;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned [%rd1], [%r3], 128;
    @%p3 bra END;
    {acquire(scope)} {load(1) + dump("1")}
    END:
    """
    m, sources, out = world()
    report = run(entry(PARAMS, body + "ret;"), m, sources[1], out, buffers=[sources[0]], block=32)
    assert codes(report) == []
    assert np.array_equal(out[1], sources[1][:4])


def test_cp_fenceproxy_wants_a_whole_warp(run: Run) -> None:
    body = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r3], 128;"
    with pytest.raises(px.Diagnostic) as caught:
        go(run, body)
    assert caught.value.code == "PTX9130"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("add.u64 %rd1, %rd1, 64; " + REBIND, "PTX9121"),
        ("add.u32 %r3, %r3, 64; tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r3], %r9;", "PTX9121"),
        ("cvt.u64.u32 %rd1, %r3; cvta.shared.u64 %rd1, %rd1; " + acquire("gpu"), "PTX9124"),
        ("mov.u64 %rd1, 0; " + REBIND, "PTX9002"),
    ],
)
def test_bad_places(run: Run, body: str, code: str) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        go(run, body)
    assert caught.value.code == code


def test_a_launch_raises_what_a_simulation_reports() -> None:
    m, sources, out = world()
    text = entry(PARAMS, PRELUDE + load(0) + dump("0") + REBIND + release("gpu") + load(1) + dump("1") + "ret;")
    with pytest.raises(px.Diagnostic) as caught:
        px.parse(text)["k"].launch(grid=1, block=1, args=[m, sources[1], out], buffers=[sources[0]])
    assert caught.value.code == "PTX9160"


@pytest.mark.parametrize("bit", [66, 83, 84, 86, 95, 255, 511, 512, 576, 1023])
def test_bits_that_an_h100_does_not_look_at(run: Run, bit: int) -> None:
    m, sources, out = world()
    m[bit // 8] ^= 1 << bit % 8
    run(entry(PARAMS, PRELUDE + load(0) + dump("0") + "ret;"), m, sources[1], out, buffers=[sources[0]], block=1)
    assert np.array_equal(out[0], sources[0][:4])
