"""A launch under the debugger: where it stops, what it shows, and that it computes what it always does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.diagnose.debug.debugger import Debugger

HERE = Path(__file__).name


@px.kernel(threads=64)
def staged(k, src: px.Ptr[px.f32], dst: px.Ptr[px.f32]):
    tile = k.smem(px.f32, 64, name="tile")
    v = k.ld.global_.f32(src.at(k.tid.x * 4))
    k.st.shared.f32(tile.at(k.tid.x * 4), v)
    k.bar.sync(0)
    w = k.ld.shared.f32(tile.at((k.tid.x ^ 32) * 4))
    k.st.global_.f32(dst.at(k.tid.x * 4), w)


def line_of(text: str) -> int:
    """The line of this file that begins with a text."""
    found = [n for n, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.strip().startswith(text)]
    return found[0]


def ptx_line(kernel: px.Kernel, text: str) -> int:
    return next(n for n, line in enumerate(kernel.ptx.splitlines(), 1) if line.strip().startswith(text))


def arrays() -> tuple[np.ndarray, np.ndarray]:
    return np.arange(64, dtype=np.float32) + 0.5, np.zeros(64, np.float32)


def test_a_python_line_is_a_breakpoint() -> None:
    a, b = arrays()
    with px.debug(staged, grid=1, args=[a, b]) as d:
        assert (d.where.warp, d.where.lanes) == (0, 0xFFFF_FFFF)
        line = line_of("w = k.ld.shared")
        d.break_at(line)
        stops = [d.run(), d.run()]
        assert {s.warp for s in stops} == {0, 1}
        assert stops[0].python.file.endswith(HERE)
        assert stops[0].python.line == line
        assert np.array_equal(d.shared["tile"], a)
        d.select(warp=stops[1].warp)
        while not d.where.text.startswith("st.global"):
            d.step()
        assert d.where.line == ptx_line(staged, "st.global")
        name = d.where.text.split(",")[-1].strip()
        assert d.regs(name).dtype == np.float32
        assert np.array_equal(d.regs(name), a.reshape(2, 32)[1 - stops[1].warp])
        assert d.run() is None
    assert np.array_equal(b, np.roll(a, 32))
    assert d.ended


def test_warps_are_stepped_in_turn_through_every_instruction_once() -> None:
    a, b = arrays()
    seen: Counter[tuple[int, int]] = Counter()
    with px.debug(staged, grid=1, args=[a, b]) as d:
        while not d.ended:
            ready = [w for w in d.warps if w.state == "ready"]
            turn = min(ready, key=lambda w: (w.line, w.warp))
            seen[turn.warp, turn.line] += 1
            d.select(warp=turn.warp)
            d.step()
        lines = {line for _, line in seen}
    assert seen == {(warp, line): 1 for warp in (0, 1) for line in lines}
    assert len(lines) == len(staged.program.ops)
    assert np.array_equal(b, np.roll(a, 32))


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_steps_go_on_into_the_next_cta(schedule: str) -> None:
    a, b = arrays()
    seen: list[tuple[int, int]] = []
    with px.debug(staged, grid=3, args=[a, b], schedule=schedule) as d:
        while (where := d.step()) is not None:
            seen.append((where.cta[0], where.warp))
    ran = list(dict.fromkeys(cta for cta, _ in seen))
    assert sorted(ran) == [0, 1, 2]
    assert np.array_equal(b, np.roll(a, 32))


def test_steps_pass_breakpoints_of_another_cta_and_stop_at_none_once() -> None:
    a, b = arrays()
    with px.debug(staged, grid=3, args=[a, b]) as d:
        store = next(w.line for w in iter(d.step, None) if w.text.startswith("st.global"))
        point = d.break_at(("staged.ptx", store), cta=2)
        steps = [d.where]
        while (where := d.step()) is not None:
            steps.append(where)
    assert point.cta == (2, 0, 0)
    assert {w.cta for w in steps} == {(0, 0, 0), (1, 0, 0), (2, 0, 0)}
    assert max(Counter((w.cta, w.warp, w.line) for w in steps).values()) == 1
    assert np.array_equal(b, np.roll(a, 32))


def test_places_are_shown_as_a_reader_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    a, b = arrays()
    d = px.debug(staged, grid=1, args=[a, b])
    assert repr(d) == "<Debugger of staged: not begun>"
    with d:
        where = d.where
        assert str(where).startswith(f"CTA (0, 0, 0) warp 0 at staged.ptx:{where.line}: ")
        assert str(where).endswith(f"({Path(__file__).name}:{where.python.line})")
        assert repr(d) == f"<Debugger of staged: {where}>"
    assert repr(d) == "<Debugger of staged: ended>"


LOOP = """
.version 8.0
.target sm_90a
.address_size 64
.file 1 "loop.cu"
.visible .entry loop(.param .u64 out, .param .u32 n)
{
    .reg .u64 %rd<4>;
    .reg .b32 %r<5>;
    .reg .pred %p1;
    .local .align 4 .b8 spill[8];
    .loc 1 3 0
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    and.b32 %r4, %r2, 3;
    mov.u32 %r3, 0;
AGAIN:
    .loc 1 5 0
    add.u32 %r3, %r3, %r2;
    st.local.u32 [spill+4], %r3;
    .loc 1 6 0
    sub.u32 %r4, %r4, 1;
    setp.gt.s32 %p1, %r4, 0;
    @%p1 bra AGAIN;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
"""


def loop() -> px.Kernel:
    return px.parse(LOOP, "loop.ptx")["loop"]


def expected_loop() -> np.ndarray:
    lanes = np.arange(32, dtype=np.uint32)
    return lanes * np.maximum(lanes & 3, 1)


def test_a_label_stops_the_lanes_that_come_by_each_time() -> None:
    out = np.zeros(32, np.uint32)
    with px.debug(loop(), grid=1, block=32, args=[out, np.uint32(7)]) as d:
        d.break_at("AGAIN")
        masks = []
        while (where := d.run()) is not None:
            assert where.text.startswith("add.u32")
            masks.append(where.lanes)
    third, fourth = 0xCCCC_CCCC, 0x8888_8888
    assert masks == [0xFFFF_FFFF, third, fourth]
    assert np.array_equal(out, expected_loop())


def test_a_breakpoint_may_ask_before_it_stops() -> None:
    out = np.zeros(64, np.uint32)
    asked: list[tuple[int, int]] = []

    def large(d: Debugger) -> bool:
        asked.append((d.where.warp, d.where.lanes))
        return bool(d.regs("r3").max() > 60)

    with px.debug(loop(), grid=1, block=64, args=[out, np.uint32(7)]) as d:
        held = d.break_at("AGAIN", when=large, warp=0)
        assert held.when is large
        assert d.run().lanes == 0x8888_8888
        assert d.regs("r3").max() == 62
        assert asked == [(0, 0xFFFF_FFFF), (0, 0xCCCC_CCCC), (0, 0x8888_8888)]
        d.break_at("AGAIN", when=lambda _: False)
        d.break_at("AGAIN", when=lambda d: d.regs("nothing"), warp=1)
        with pytest.raises(px.Diagnostic):
            d.run()


def test_lines_of_text_and_of_the_source_behind_it() -> None:
    kernel, out = loop(), np.zeros(32, np.uint32)
    with px.debug(kernel, grid=1, block=32, args=[out, np.uint32(7)]) as d:
        text = d.break_at(ptx_line(kernel, "setp"))
        assert d.run().text.startswith("setp")
        assert d.regs("r3").tolist() == list(range(32))
        assert d.regs("%r4", "s32").tolist() == [(n & 3) - 1 for n in range(32)]
        assert d.local["spill"].shape == (32, 8)
        assert d.local.view(4, "u32", 1)[:, 0].tolist() == list(range(32))
        assert d.params["n"] == 7
        d.clear(text)
        d.break_at(("loop.cu", 6))
        assert d.run().text.startswith("sub")
        assert d.where.python.line == 6
        assert d.regs("rd1").dtype == np.uint64
        assert d.regs("p1").dtype == bool
    assert np.array_equal(out, expected_loop())


def test_what_is_not_there_is_said_once() -> None:
    kernel, out = loop(), np.zeros(32, np.uint32)
    with px.debug(kernel, grid=(2, 1, 1), block=32, args=[out, np.uint32(7)]) as d:
        for wrong, code, help in (
            (lambda: d.break_at(2), "PTX9030", "13, 14"),
            (lambda: d.break_at(5), "PTX9030", '("loop.cu", 5)'),
            (lambda: d.break_at("AGIAN"), "PTX9030", "AGAIN"),
            (lambda: d.break_at(("other.cu", 3)), "PTX9030", "loop.cu"),
            (lambda: d.regs("r33"), "PTX9031", "%r3"),
            (lambda: d.regs("r3", "f64"), "PTX2307", "same size"),
            (lambda: d.shared["tile"], "PTX9033", "none"),
            (lambda: d.local.view(6, "u32", 4), "PTX9033", "earlier"),
            (lambda: d.select(cta=1), "PTX9034", "cta="),
            (lambda: d.select(warp=1), "PTX9034", "0 to 0"),
        ):
            with pytest.raises(px.Diagnostic) as found:
                wrong()
            assert found.value.code == code
            assert help in found.value.help
    for late in (d.run, d.step, lambda: d.where, lambda: d.regs("r1"), lambda: d.shared):
        with pytest.raises(px.Diagnostic) as found:
            late()
        assert found.value.code == "PTX9032"


def test_an_exception_leaves_the_launch_where_it_is() -> None:
    a, b = arrays()
    with pytest.raises(KeyError), px.debug(staged, grid=1, args=[a, b]) as d:
        raise KeyError
    assert d.ended
    assert not b.any()


def test_a_fault_comes_out_of_run() -> None:
    a, b = np.zeros(8, np.float32), np.zeros(64, np.float32)
    with px.debug(staged, grid=1, args=[a, b]) as d:
        with pytest.raises(px.Diagnostic) as found:
            d.run()
        assert found.value.code == "PTX9002"
        assert d.ended
        where = d.where
        assert (where.state, where.lanes) == ("failed", 1 << 8)
        assert where.text.startswith("ld.global")
        assert d.regs("tid.x")[8] == 8
        with pytest.raises(px.Diagnostic) as again:
            d.step()
        assert again.value.code == "PTX9032"


@px.kernel(threads=32)
def waits_for_ever(k, out: px.Ptr[px.u32]):
    full = k.mbarrier(2, name="full")
    k.init_barriers()
    with k.elect():
        full.arrive()
    full.wait(0)
    k.st.global_.u32(out, 1)


def test_a_deadlock_can_be_looked_at() -> None:
    with px.debug(waits_for_ever, grid=1, args=[np.zeros(32, np.uint32)]) as d:
        with pytest.raises(px.Diagnostic) as found:
            d.run()
        assert found.value.code == "PTX9100"
        assert "likely cause: `full`" in str(found.value)
        assert found.value.wait_graph is not None
        assert d.where.state == "waits"
        assert d.where.text.startswith("mbarrier.try_wait")
        assert "lacks 1 of 2 arrivals; warp 0 waiting" in str(d.mbarriers[0])


def test_arrays_of_a_gpu_are_refused() -> None:
    class Far:
        __cuda_array_interface__ = {
            "shape": (64,), "typestr": "<f4", "data": (1 << 40, False), "version": 3, "strides": None,
        }  # fmt: skip

    with pytest.raises(px.Diagnostic) as found:
        px.debug(staged, grid=1, args=[Far(), Far()])
    assert found.value.code.startswith("PTX23")


def test_a_schedule_that_is_none_is_refused() -> None:
    with pytest.raises(px.Diagnostic) as found:
        px.debug(staged, grid=1, args=[*arrays()], schedule="soon")
    assert found.value.code == "PTX2501"


@px.kernel(threads=32)
def boxed(k, m: px.TensorMap, out: px.Ptr[px.u32]):
    box = k.smem(px.bf16, (64, 128), swizzle="128B", name="box")
    full = k.mbarrier(1, name="full")
    k.init_barriers()
    with k.elect():
        full.arrive_expect_tx(box.nbytes)
        k.tma_load(box, m, (0, 0), full)
    full.wait(0)
    k.st.global_.u32(out.at(k.tid.x * 4), k.tid.x)


def test_mbarriers_in_words_and_tiles_without_their_swizzle() -> None:
    a = px.empty((64, 128), ml_dtypes.bfloat16, align=256)
    a[...] = np.arange(64 * 128).reshape(64, 128) % 251
    out = np.zeros(32, np.uint32)
    m = px.tensor_map(a, box=(64, 64), swizzle="128B")
    with px.debug(boxed, grid=1, args=[m, out], schedule="late") as d:
        while not d.where.text.startswith("cp.async.bulk.tensor"):
            d.step()
        (full,) = d.mbarriers
        assert (full.phase, full.pending, full.tx) == (0, 0, a.nbytes)
        assert str(full) == f"{full.name}: phase 0 (parity 0) lacks {a.nbytes} bytes"
        d.break_at(line_of("k.st.global_.u32(out.at(k.tid.x * 4), k.tid.x)"))
        d.run()
        assert d.mbarriers[0].phase == 1
        assert d.shared["box"].dtype == ml_dtypes.bfloat16
        assert np.array_equal(d.shared["box"], a)
    assert out.tolist() == list(range(32))


@px.kernel(threads=32, cluster=2)
def pair(k, out: px.Ptr[px.u32]):
    word = k.smem(px.u32, 32, name="word")
    rank = k.cluster_ctarank
    k.st.shared.u32(word.at(k.tid.x * 4), k.tid.x + rank * 100)
    k.barrier.cluster.arrive()
    k.barrier.cluster.wait()
    k.st.global_.u32(out.at((k.tid.x + rank * 32) * 4), k.ld.shared__cluster.u32(word.remote(rank ^ 1).at(k.tid.x * 4)))
    k.barrier.cluster.arrive()  # the other one reads here
    k.barrier.cluster.wait()


def test_ctas_of_a_cluster_are_stepped_one_by_one() -> None:
    out = np.zeros(64, np.uint32)
    with px.debug(pair, grid=2, args=[out]) as d:
        d.select(cta=1)
        here = d.where
        d.step(3)
        assert d.where.cta == (1, 0, 0)
        assert d.where.line > here.line
        assert d.select(cta=(0, 0, 0)).line == here.line
        while d.where.text.split(".")[0] != "mapa":
            d.step()
        assert d.where.cta == (0, 0, 0)
        assert d.shared["word"].tolist() == list(range(32))
        d.select(cta=1)
        assert d.shared["word"][0] == 100
    assert out.tolist() == [*range(100, 132), *range(32)]


def test_breakpoints_for_one_cta_and_warp() -> None:
    a, b = arrays()
    with px.debug(staged, grid=4, args=[a, b]) as d:
        d.break_at(line_of("k.bar.sync"), cta=2, warp=1)
        where = d.run()
        assert (where.cta, where.warp) == ((2, 0, 0), 1)
        assert d.run() is None
    assert d.report.stats.ctas == 4


FUNCTION = """
.version 8.0
.target sm_90a
.address_size 64
.func (.param .b32 r) twice(.param .b32 a)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [a];
    shl.b32 %r2, %r1, 1;
    st.param.b32 [r], %r2;
    ret;
}
.visible .entry caller(.param .u64 out)
{
    .reg .u64 %rd<3>;
    .reg .b32 %v<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %v1, %tid.x;
    {
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %v1;
        call (y), twice, (x);
        ld.param.b32 %v2, [y];
    }
    mad.wide.u32 %rd2, %v1, 4, %rd1;
    st.global.u32 [%rd2], %v2;
    ret;
}
"""


def test_steps_go_into_functions_and_back() -> None:
    out = np.zeros(32, np.uint32)
    with px.debug(px.parse(FUNCTION)["caller"], grid=1, block=32, args=[out]) as d:
        texts = [d.where.text]
        while d.step() is not None:
            texts.append(d.where.text)
    opcodes = [t.split()[0] for t in texts]
    at = opcodes.index("call")
    assert opcodes[at + 1 : at + 5] == ["ld.param.u32", "shl.b32", "st.param.b32", "ret"]
    assert opcodes[at + 5] == "ld.param.b32"
    assert len(texts) == 12
    assert out.tolist() == [2 * n for n in range(32)]


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda d: d.break_at(None), "PTX9030"),
        (lambda d: d.break_at(1.5), "PTX9030"),
        (lambda d: d.break_at(("loop.cu",)), "PTX9030"),
        (lambda d: d.break_at("AGAIN", cta=1), "PTX9034"),
        (lambda d: d.break_at("AGAIN", cta="x"), "PTX9034"),
        (lambda d: d.break_at("AGAIN", cta=(0, 0, 1)), "PTX9034"),
        (lambda d: d.break_at("AGAIN", cta=-1), "PTX9034"),
        (lambda d: d.break_at("AGAIN", when=3), "PTX2501"),
        (lambda d: d.break_at("AGAIN", warp=1), "PTX9034"),
        (lambda d: d.break_at("AGAIN", warp=-1), "PTX9034"),
        (lambda d: d.select(cta=1), "PTX9034"),
        (lambda d: d.select(warp="x"), "PTX9034"),
        (lambda d: d.step(0), "PTX2501"),
        (lambda d: d.step("x"), "PTX2501"),
        (lambda d: d.regs(""), "PTX9031"),
        (lambda d: d.regs(3), "PTX9031"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(ask: Callable[[Debugger], object], code: str) -> None:
    out = np.zeros(32, np.uint32)
    with px.debug(loop(), grid=1, block=32, args=[out, np.uint32(7)]) as d:
        before = d.where
        with pytest.raises(px.Diagnostic) as found:
            ask(d)
        assert (found.value.code, d.breakpoints) == (code, [])
        assert found.value.help
        assert d.where == before
    assert np.array_equal(out, expected_loop())
    with pytest.raises(px.Diagnostic) as found:
        d.__enter__()
    assert found.value.code == "PTX9032"
