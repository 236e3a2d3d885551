"""Launches spread over processes: the same bytes as in one, or one process after all."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import Buffer
from ptxlab.kernels import gemm
from ptxlab.sim import Report
from ptxlab.sim.spread import pool as pools
from ptxlab.sim.spread import task as tasks
from ptxlab.sim.spread.layout import PAGE, Layout
from ptxlab.sim.spread.plan import shares

from ..launching import launch, record_of

INDEX = """
    .reg .u32 %t0, %cta, %n, %i; .reg .u64 %a, %b, %o; .reg .pred %p;
    mov.u32 %t0, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %n, %ntid.x; mad.lo.u32 %i, %cta, %n, %t0;
"""


def kernel(params: str, body: str, before: str = "") -> str:
    return f"{before} .visible .entry k({params}) {{ {INDEX} {body} ret; }}"


def both(
    text: str, args: Sequence[Any], *, grid: int = 24, workers: int = 2, block: int = 64, **options: Any
) -> tuple[Report, Report]:
    """Run in one process and in several, on copies; all bytes and the counts must agree. The arrays then hold the results."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    shape = {"grid": (grid, 1, 1), "block": (block, 1, 1)}
    one = launch(text, copies, **shape, **options)
    many = launch(text, args, **shape, workers=workers, **options)
    for a, b in zip(args, copies, strict=True):
        assert a.tobytes() == b.tobytes()
    for name in ("instructions", "warp_instructions", "ctas", "traps", "sites"):
        assert getattr(one.stats, name) == getattr(many.stats, name), name
    assert not one.findings
    assert not many.findings
    return one, many


def spread(text: str, args: Sequence[Any], **options: Any) -> Report:
    _, many = both(text, args, **options)
    assert many.stats.serial is None
    assert many.stats.workers == options.get("workers", 2)
    return many


def serial(text: str, args: Sequence[Any], words: str, **options: Any) -> Report:
    _, many = both(text, args, **options)
    assert many.stats.workers == 1
    assert words in (many.stats.serial or ""), many.stats.serial
    return many


BYTES = kernel(
    ".param .u64 a, .param .u64 o",
    """ .reg .u64 %w; .reg .u32 %x;
    ld.param.u64 %a, [a]; ld.param.u64 %o, [o]; cvt.u64.u32 %w, %i;
    add.u64 %a, %a, %w; add.u64 %o, %o, %w; ld.global.u8 %x, [%a]; add.u32 %x, %x, %i; st.global.u8 [%o], %x;""",
)


def test_neighbours_in_a_word_are_told_apart() -> None:
    n = 24 * 33
    a = np.random.default_rng(0).integers(0, 255, n, np.uint8)
    o = np.zeros(n, np.uint8)
    spread(BYTES, [a, o], block=33)
    assert (o == ((a + np.arange(n)) & 255).astype(np.uint8)).all()


@pytest.mark.parametrize("workers", [2, 3, 5])
def test_any_number_of_processes(workers: int) -> None:
    n = 7 * 96
    spread(BYTES, [np.arange(n).astype(np.uint8), np.zeros(n, np.uint8)], grid=7, block=96, workers=workers)


def test_in_place() -> None:
    a = np.arange(24 * 64).astype(np.uint8)
    copy = a.copy()
    launch(BYTES, [copy, copy], grid=(24, 1, 1), block=(64, 1, 1))
    found = launch(BYTES, [a, a], grid=(24, 1, 1), block=(64, 1, 1), workers=2)
    assert found.stats.workers == 2
    assert a.tobytes() == copy.tobytes()


WIDE = kernel(
    ".param .u64 a, .param .u64 o",
    """ .reg .u64 %w; .reg .f32 %x<4>; .reg .u32 %q, %r; .reg .b64 %l<2>;
    ld.param.u64 %a, [a]; ld.param.u64 %o, [o]; mul.wide.u32 %w, %i, 16;
    add.u64 %a, %a, %w; ld.global.v4.f32 {%x0, %x1, %x2, %x3}, [%a];
    add.f32 %x0, %x0, %x3;
    and.b32 %q, %i, 31; xor.b32 %r, %i, %q; sub.u32 %q, 31, %q; add.u32 %q, %q, %r;
    mul.wide.u32 %w, %q, 16; add.u64 %o, %o, %w;
    and.b32 %r, %i, 3; setp.eq.u32 %p, %r, 0;
    @%p bra LEFT; st.global.v2.f32 [%o], {%x0, %x1}; bra OUT;
    LEFT: st.global.v4.f32 [%o], {%x3, %x2, %x1, %x0};
    OUT: ld.global.u32 %q, [%a]; """,
)


def test_gathers_scatters_vectors_and_divergence() -> None:
    n = 24 * 64
    a = np.random.default_rng(1).normal(size=4 * n).astype(np.float32)
    spread(WIDE, [a, np.zeros(4 * n, np.float32)])


STENCIL = kernel(
    ".param .u64 a, .param .u64 o",
    """ .reg .u64 %w; .reg .u32 %x, %y, %z;
    ld.param.u64 %a, [a]; ld.param.u64 %o, [o]; mul.wide.u32 %w, %i, 4; add.u64 %a, %a, %w; add.u64 %o, %o, %w;
    ld.global.u32 %x, [%a]; ld.global.u32 %y, [%a+4]; ld.global.nc.u32 %z, [%a+8];
    add.u32 %x, %x, %y; add.u32 %x, %x, %z; st.global.u32 [%o], %x;""",
)


def test_reads_may_overlap() -> None:
    n = 24 * 64
    a = np.arange(n + 2, dtype=np.uint32)
    o = np.zeros(n, np.uint32)
    spread(STENCIL, [a, o])
    assert (o == 3 * np.arange(n) + 3).all()


def test_what_another_process_would_write_must_not_be_read() -> None:
    """Each CTA reads two words that the next one writes."""
    a = np.arange(24 * 64 + 2, dtype=np.uint32)
    text = STENCIL.replace("ld.param.u64 %o, [o]; mul", "ld.param.u64 %o, [o]; mov.u64 %o, %a; mul")
    serial(text, [a, a[:1].copy()], "met at `a + 0x")


HISTOGRAM = kernel(
    ".param .u64 a, .param .u64 o",
    """ .reg .u64 %w; .reg .u32 %x;
    ld.param.u64 %a, [a]; ld.param.u64 %o, [o]; mul.wide.u32 %w, %i, 4; add.u64 %a, %a, %w; ld.global.u32 %x, [%a];
    mul.wide.u32 %w, %x, 4; add.u64 %o, %o, %w; red.global.add.u32 [%o], 1;""",
)


def test_a_histogram_runs_in_one_process() -> None:
    a = np.random.default_rng(2).integers(0, 16, 24 * 64).astype(np.uint32)
    o = np.zeros(16, np.uint32)
    serial(HISTOGRAM, [a, o], "clusters of different processes met at `o + 0x")
    assert (o == np.bincount(a, minlength=16)).all()


def test_atomics_apart_are_spread() -> None:
    a = (np.arange(24 * 64) // 64).astype(np.uint32)
    o = np.zeros(24, np.uint32)
    spread(HISTOGRAM, [a, o])
    assert (o == 64).all()


def test_a_conflict_is_remembered_for_the_kernel_and_its_grid() -> None:
    from ..launching import program_of

    program = program_of(HISTOGRAM)
    shape = {"block": (64, 1, 1), "workers": 2}
    a, o = np.zeros(24 * 64, np.uint32), np.zeros(64, np.uint32)
    first, second = (launch(program, [a, o], grid=(24, 1, 1), **shape).stats.serial or "" for _ in range(2))
    assert "earlier" not in first
    assert "earlier" in second
    a[:] = np.arange(24 * 64) // 64
    assert launch(program, [a, o], grid=(12, 1, 1), **shape).stats.workers == 2


def test_the_same_value_written_twice_is_a_conflict() -> None:
    text = kernel(".param .u64 o", "ld.param.u64 %o, [o]; st.global.u32 [%o], %cta;")
    o = np.zeros(1, np.uint32)
    serial(text, [o], "met at `o + 0x0`")
    assert o[0] == 23


VARIABLES = kernel(
    ".param .u64 o",
    """ .reg .u64 %w, %t; .reg .u32 %x, %y; mul.wide.u32 %w, %i, 4;
    ld.param.u64 %o, [o]; add.u64 %o, %o, %w; mov.u64 %t, table; and.b32 %x, %i, 3; mul.wide.u32 %w, %x, 4;
    add.u64 %t, %t, %w; ld.const.u32 %x, [%t]; mul.wide.u32 %w, %i, 4; mov.u64 %a, results; add.u64 %a, %a, %w;
    ld.global.u32 %y, [scale]; mul.lo.u32 %x, %x, %y; st.global.u32 [%a], %x; ld.global.u32 %y, [%a]; st.global.u32 [%o], %y;""",
    ".const .align 4 .u32 table[4] = {1, 10, 100, 1000}; .global .u32 scale = 3; .global .align 4 .u32 results[1536];",
)


def test_variables_of_the_module() -> None:
    o = np.zeros(24 * 64, np.uint32)
    spread(VARIABLES, [o])
    assert (o == 3 * np.array([1, 10, 100, 1000])[np.arange(1536) % 4]).all()


def test_variables_keep_what_the_processes_write() -> None:
    module = px.parse(".version 8.7\n.target sm_90a\n.address_size 64\n" + VARIABLES)
    o = np.zeros(24 * 64, np.uint32)
    report = px.simulate(module["k"], grid=24, block=64, args=[o], workers=2)
    assert report.stats.workers == 2
    assert (module.symbol("results")[:] == o).all()


def test_pointers_in_memory_lead_to_the_same_arrays() -> None:
    text = kernel(
        ".param .u64 a",
        """ .reg .u64 %w, %q; .reg .u32 %x; ld.param.u64 %a, [a]; ld.global.u64 %b, [%a]; ld.global.u64 %o, [%a+8];
        mul.wide.u32 %w, %i, 4; add.u64 %b, %b, %w; add.u64 %o, %o, %w; ld.global.u32 %x, [%b]; st.global.u32 [%o], %x;
        """,
    )
    n = 24 * 64
    source, target = np.arange(n, dtype=np.uint32), np.zeros(n, np.uint32)
    table = np.array([source.ctypes.data, target.ctypes.data], np.uint64)
    kernel_ = px.parse(".version 8.7\n.target sm_90a\n.address_size 64\n" + text)["k"]
    report = px.simulate(kernel_, grid=24, block=64, args=[table], buffers=[source, target], workers=2)
    assert report.stats.workers == 2
    assert (target == source).all()


def test_parameters_by_generic_address() -> None:
    text = kernel(
        ".param .u64 o, .param .u32 x",
        """ .reg .u64 %w; .reg .u32 %x; ld.param.u64 %o, [o]; mul.wide.u32 %w, %i, 4; add.u64 %o, %o, %w;
        mov.b64 %a, x; cvta.param.u64 %a, %a; ld.u32 %x, [%a]; add.u32 %x, %x, %i; st.u32 [%o], %x;""",
    )
    o = np.zeros(24 * 64, np.uint32)
    spread(text, [o, np.uint32(7)])
    assert (o == np.arange(24 * 64) + 7).all()


ASYNC = kernel(
    ".param .u64 a, .param .u64 o",
    """ .shared .align 16 .b8 tile[1024]; .reg .u64 %w; .reg .u32 %s, %x; ld.param.u64 %a, [a]; ld.param.u64 %o, [o];
    mul.wide.u32 %w, %i, 16; add.u64 %a, %a, %w; add.u64 %o, %o, %w; mov.u32 %s, tile; mad.lo.u32 %s, %t0, 16, %s;
    cp.async.cg.shared.global [%s], [%a], 16; cp.async.commit_group; cp.async.wait_group 0;
    ld.shared.u32 %x, [%s+4]; st.global.u32 [%o+8], %x;""",
)


@pytest.mark.parametrize("schedule", ["eager", "late"])
def test_asynchronous_copies(schedule: str) -> None:
    a = np.arange(24 * 64 * 4, dtype=np.uint32)
    o = np.zeros_like(a)
    spread(ASYNC, [a, o], schedule=schedule)
    assert (o.reshape(-1, 4)[:, 2] == a.reshape(-1, 4)[:, 1]).all()


PRINT = kernel(
    "",
    """ .local .align 8 .b8 room[8]; .reg .u64 %l, %t; .reg .u32 %r; setp.ne.u32 %p, %t0, 0; @%p ret;
    mov.u64 %l, room; cvta.local.u64 %l, %l; st.u32 [%l], %cta; mov.u64 %t, words; cvta.global.u64 %t, %t;
    { .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %t; st.param.b64 [y], %l;
    call.uni (z), vprintf, (x, y); ld.param.b32 %r, [z]; }""",
    ".extern .func (.param .b32 z) vprintf (.param .b64 x, .param .b64 y);"
    ".global .align 1 .b8 words[8] = {67, 84, 65, 32, 37, 100, 10, 0};",
)


def test_what_is_printed_comes_in_the_order_of_the_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    found = launch(PRINT, [], grid=(24, 1, 1), workers=2)
    assert found.stats.workers == 2
    assert capsys.readouterr().out == "".join(f"CTA {i}\n" for i in range(24))


def test_marks_of_a_launch_do_not_reach_the_next() -> None:
    """What lies behind the arrays of a small launch, its parameters, is an array of the next."""
    test_parameters_by_generic_address()
    for _ in range(2):
        spread(BYTES, [np.zeros(1 << 16, np.uint8), np.zeros(1 << 16, np.uint8)], grid=1 << 8, block=256)


def test_a_fault_is_told_as_by_one_process() -> None:
    """All CTAs but the last ones are in bounds."""
    told: list[str] = []
    arrays: list[np.ndarray] = []
    for workers in (1, 2):
        o = np.zeros(20 * 64, np.uint8)
        with pytest.raises(px.Diagnostic) as caught:
            launch(BYTES, [np.ones(24 * 64, np.uint8), o], grid=(24, 1, 1), block=(64, 1, 1), workers=workers)
        told.append(f"{caught.value.code} {caught.value.message} {caught.value.notes}")
        arrays.append(o)
    assert told[0] == told[1]
    assert "CTA (20, 0, 0)" in told[0]
    assert arrays[0].tobytes() == arrays[1].tobytes()


def test_arrays_that_are_read_only_stay_so() -> None:
    o = np.zeros(24 * 64, np.uint8)
    o.flags.writeable = False
    with pytest.raises(px.Diagnostic) as caught:
        launch(BYTES, [np.ones(24 * 64, np.uint8), o], grid=(24, 1, 1), block=(64, 1, 1), workers=2)
    assert caught.value.code == "PTX9004"


def test_the_limit_of_instructions_is_that_of_the_launch() -> None:
    a, o = np.zeros(24 * 64, np.uint8), np.zeros(24 * 64, np.uint8)
    whole = launch(BYTES, [a, o], grid=(24, 1, 1), block=(64, 1, 1)).stats.instructions
    with pytest.raises(px.Diagnostic) as caught:
        launch(BYTES, [a, o], grid=(24, 1, 1), block=(64, 1, 1), workers=2, max_instructions=whole * 2 // 3)
    assert caught.value.code == "PTX9005"
    enough = launch(BYTES, [a, o], grid=(24, 1, 1), block=(64, 1, 1), workers=2, max_instructions=whole + 64)
    assert enough.stats.workers == 2


CLOCK = kernel(
    ".param .u64 o",
    ".reg .u64 %w; .reg .u32 %x; ld.param.u64 %o, [o]; mul.wide.u32 %w, %i, 4; add.u64 %o, %o, %w;"
    " mov.u32 %x, %clock; st.global.u32 [%o], %x;",
)


def test_clocks_are_read_in_one_process() -> None:
    serial(CLOCK, [np.zeros(24 * 64, np.uint32)], "clock")


CHAIN = kernel(
    ".param .u64 o",
    """ .reg .u32 %x; ld.param.u64 %o, [o]; setp.ne.u32 %p, %t0, 0; @%p bra OUT;
    WAIT: ld.acquire.gpu.global.u32 %x, [%o]; setp.ne.u32 %p, %x, %cta; @%p bra WAIT;
    add.u32 %x, %x, 1; st.release.gpu.global.u32 [%o], %x; OUT:""",
)


def test_clusters_that_wait_for_each_other_end() -> None:
    o = np.zeros(1, np.uint32)
    found = launch(CHAIN, [o], grid=(24, 1, 1), workers=2)
    assert found.stats.workers == 1
    assert o[0] == 24


LAST = kernel(
    ".param .u64 o",
    """ .reg .u32 %x; ld.param.u64 %o, [o]; setp.ne.u32 %p, %t0, 0; @%p bra OUT;
    setp.eq.u32 %p, %cta, 0; @%p bra FIRST; setp.ne.u32 %p, %cta, 1; @%p bra OUT;
    WAIT: ld.volatile.global.u32 %x, [%o]; setp.eq.u32 %p, %x, 0; @%p bra WAIT; bra OUT;
    FIRST: st.volatile.global.u32 [%o], 1; OUT:""",
)


def test_a_cluster_that_waits_for_one_of_another_process_ends() -> None:
    o = np.zeros(1, np.uint32)
    found = serial(LAST, [o], "", grid=2)
    assert "wait" in found.stats.serial or "met" in found.stats.serial
    assert o[0] == 1


SMID = kernel(
    ".param .u64 o",
    ".reg .u64 %w; .reg .u32 %x; ld.param.u64 %o, [o]; mul.wide.u32 %w, %i, 4; add.u64 %o, %o, %w;"
    " mov.u32 %x, %smid; st.global.u32 [%o], %x;",
)


def test_clusters_are_on_the_same_sms() -> None:
    o = np.zeros(300 * 1024, np.uint32)
    spread(SMID, [o], grid=300, block=1024)
    assert len(np.unique(o)) > 100


SLOW = """ .reg .u32 %n; mov.u32 %n, 0; L: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 6000000; @%p bra L;"""


def test_clusters_that_get_company_do_not_show_it() -> None:
    """Those that take long share the machine with others, and then are on other SMs."""
    o = np.zeros(4 * 32, np.uint32)
    serial(
        SMID.replace("mov.u32 %x, %smid", SLOW.replace("%n", "%c") + "mov.u32 %x, %smid"), [o], "wait", grid=4, block=32
    )


def test_what_cannot_be_spread_says_so() -> None:
    args = [np.zeros(24 * 64, np.uint8), np.zeros(24 * 64, np.uint8)]
    serial(BYTES, args, "one cluster", grid=1)
    serial(BYTES, args, "timeline", trace=True)
    serial(BYTES, args, "random", schedule="random")


def test_arrays_that_overlap() -> None:
    whole = np.zeros((64, 96), np.uint8)
    copy = whole.copy()
    for a, workers in ((copy, 1), (whole, 2)):
        source, target = a.reshape(-1)[:1536], a.reshape(-1)[1500:4000]
        source[:] = 1
        launch(BYTES, [source, target], grid=(23, 1, 1), block=(64, 1, 1), workers=workers)
    assert whole.tobytes() == copy.tobytes()


@pytest.mark.parametrize("text", [BYTES, WIDE, STENCIL, ASYNC, HISTOGRAM])
def test_instructions_are_counted(text: str) -> None:
    a = np.arange(24 * 64 * 4, dtype=np.uint32) // 64
    report = spread(text, [a, np.zeros_like(a)], stats=True)
    assert report.stats.sites
    assert report.stats.bytes
    assert report.stats.sectors_per_request > 0


def test_counts_of_instructions_in_clusters() -> None:
    a, b, c = (px.empty(shape, "bfloat16") for shape in ((512, 128), (128, 256), (512, 256)))
    a[...], b[...] = 1, 2
    prepared = gemm.prepare(a, b, c)
    one, many = prepared(stats=True), prepared(stats=True, workers=2)
    assert many.stats.workers == 2, many.stats.serial
    assert one.stats.sites == many.stats.sites
    assert many.stats.table().row_count > 5


def test_a_gemm_with_tensor_maps() -> None:
    """Tiles of neighbouring processes lie side by side in the same rows."""
    rng = np.random.default_rng(3)
    m, n, k = 256, 384, 128
    a, b = (px.empty(shape, "bfloat16") for shape in ((m, k), (k, n)))
    a[...], b[...] = rng.integers(-3, 4, (m, k)), rng.integers(-3, 4, (k, n))
    c = px.empty((m, n), "bfloat16")
    c[...] = 0
    prepared = gemm.prepare(a, b, c)
    assert prepared.record.ctas > 1
    report = prepared(workers=2)
    exact = (a.astype(np.float32) @ b.astype(np.float32)).astype(c.dtype)
    assert c.tobytes() == exact.tobytes()
    assert report.stats.workers == 2, report.stats.serial


def test_progress_counts_the_ctas_of_all() -> None:
    told: list[tuple[int, int]] = []
    spin = kernel(
        ".param .u64 o",
        ".reg .u32 %x; mov.u32 %x, 0; L: add.u32 %x, %x, 1; setp.lt.u32 %p, %x, 100000; @%p bra L;",
    )
    launch(spin, [np.zeros(1, np.uint8)], grid=(64, 1, 1), workers=2, progress=lambda *done: told.append(done))
    assert {total for _, total in told} == {64}
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_an_interrupt_leaves_the_arrays_alone() -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    a, o = np.ones(24 * 64, np.uint8), np.zeros(24 * 64, np.uint8)
    with pytest.raises(KeyboardInterrupt):
        launch(BYTES, [a, o], grid=(24, 1, 1), block=(64, 1, 1), workers=2, progress=interrupt)
    assert not o.any()
    spread(BYTES, [a, o])


LONG = kernel(
    ".param .u64 o",
    ".reg .u64 %x; ld.param.u64 %o, [o]; st.global.u8 [%o], %cta; mov.u64 %x, 0;"
    " L: add.u64 %x, %x, 1; setp.lt.u64 %p, %x, 100000000; @%p bra L;",
)


def test_launches_of_several_threads_and_within_a_callback() -> None:
    a = np.arange(24 * 64).astype(np.uint8)
    outs = [np.zeros_like(a) for _ in range(5)]

    def run(o: np.ndarray) -> None:
        launch(BYTES, [a, o], grid=(24, 1, 1), block=(64, 1, 1), workers=2)

    threads = [threading.Thread(target=run, args=(o,)) for o in outs[:3]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    def inner(done: int, total: int) -> None:
        run(outs[3])

    launch(BYTES, [a, outs[4]], grid=(24, 1, 1), block=(64, 1, 1), workers=2, progress=inner)
    assert all((o == (a + np.arange(24 * 64)).astype(np.uint8)).all() for o in outs)


def test_a_process_that_dies_is_one_diagnostic() -> None:
    def kill(done: int, total: int) -> None:
        os.kill(pools.pool().busy[0].process.pid, signal.SIGKILL)

    o = np.zeros(1, np.uint8)
    with pytest.raises(px.Diagnostic) as caught:
        launch(LONG, [o], grid=(4, 1, 1), workers=2, progress=kill)
    assert caught.value.code == "PTX9040"
    assert "signal 9" in caught.value.message
    assert not o.any()
    spread(BYTES, [np.ones(24 * 64, np.uint8), np.zeros(24 * 64, np.uint8)])


def test_a_process_that_cannot_start_is_one_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_pool", None)
    monkeypatch.setattr(pools.sys, "executable", shutil.which("false"))
    o = np.zeros(24 * 64, np.uint8)
    with pytest.raises(px.Diagnostic) as caught:
        launch(BYTES, [np.ones(24 * 64, np.uint8), o], grid=(24, 1, 1), block=(64, 1, 1), workers=2)
    assert caught.value.code == "PTX9040"
    assert "status 1" in caught.value.message
    assert not o.any()


def test_without_memory_for_a_copy_one_process_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(nbytes: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pools, "_pool", None)
    monkeypatch.setattr(pools, "Shared", full)
    serial(BYTES, [np.ones(24 * 64, np.uint8), np.zeros(24 * 64, np.uint8)], "No space left")


def test_a_part_without_memory_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(tasks, "Arena", full)
    layout = Layout.of([])
    task = tasks.Task.of(record_of(BYTES, [np.zeros(64, np.uint8)] * 2), "", layout, SimOptions(), waits=False)
    assert tasks.perform(task, (range(1),), np.zeros(0, np.uint8)).trouble == tasks.NO_MEMORY


@pytest.mark.parametrize("workers", [-1, 1.5, "all", 10_000, True])
def test_numbers_of_workers_that_are_none(workers: object) -> None:
    with pytest.raises(px.Diagnostic) as caught:
        launch(BYTES, [np.zeros(64, np.uint8)] * 2, block=(64, 1, 1), workers=workers)
    assert caught.value.code == "PTX2501"


def test_shares_are_all_clusters_once() -> None:
    for clusters in (1, 2, 3, 7, 24, 1000):
        for workers in (1, 2, 3, 8, 33):
            found = shares(clusters, workers)
            assert len(found) == min(clusters, workers)
            assert sorted(i for ranges in found for one in ranges for i in one) == list(range(clusters))
            assert all(ranges == tuple(sorted(ranges, key=lambda r: r.start)) for ranges in found)
            sizes = [sum(map(len, ranges)) for ranges in found]
            assert max(sizes) - min(sizes) <= 1
            assert all(len(one) for ranges in found for one in ranges)


def test_buffers_that_overlap_share_a_region() -> None:
    def buffer(address: int, nbytes: int) -> Buffer:
        return Buffer("x", address, nbytes, True, None)

    made = Layout.of([buffer(10_000, 100), buffer(10_050, 5000), buffer(20_480, 10), buffer(20_490, 1), buffer(9, 0)])
    assert [(r.address, r.nbytes) for r in made.regions] == [(10_000, 5050), (20_480, 10), (20_490, 1)]
    for r in made.regions:
        assert r.offset % PAGE == r.address % PAGE
    pages = [(r.offset // PAGE, (r.end - 1) // PAGE) for r in made.regions]
    assert all(a[1] < b[0] for a, b in pairwise(pages))
    assert made.nbytes == (pages[-1][1] + 1) * PAGE
