"""Launches of all kinds from several threads at once: each gets its own results, findings and faults."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.engine.machine.heap import Heap

from ..launching import HEAD

THREADS = 6

HEAP = px.parse(f"""{HEAD}
.extern .func (.param .b64 r) malloc(.param .b64 a);
.extern .func free(.param .b64 a);
.visible .entry k(.param .u64 io)
{{
    .reg .u32 i, n; .reg .u64 a, p, w, s; .reg .pred q;
    mov.u32 i, %tid.x; ld.param.u64 a, [io]; mad.wide.u32 a, i, 8, a; mov.u32 n, 0;
AGAIN:
    add.u32 n, n, 1; mad.wide.u32 s, n, 24, 8;
    {{ .param .b64 x; .param .b64 y; st.param.b64 [x], s; call (y), malloc, (x); ld.param.b64 p, [y]; }}
    ld.u64 w, [a]; st.u64 [p], w; bar.warp.sync -1; ld.u64 w, [p]; add.u64 w, w, 1; st.u64 [a], w;
    {{ .param .b64 x; st.param.b64 [x], p; call free, (x); }}
    setp.lt.u32 q, n, 5; @q bra AGAIN;
    ret;
}}""")["k"]

DEADLOCK = px.parse(f"""{HEAD}
.visible .entry k()
{{
    .shared .b64 m; .reg .pred p;
    mbarrier.init.shared.b64 [m], 2;
WAIT:
    mbarrier.try_wait.parity.shared.b64 p, [m], 0; @!p bra WAIT;
    ret;
}}""")["k"]


@px.kernel(target="sm_90a", threads=128)
def copy(k, src: px.Ptr[px.b32], dst: px.Ptr[px.b32]):
    buf, off = k.smem(px.b32, 512, align=16), k.tid.x * 16
    k.cp.async_.cg.shared.global_(buf.at(off), src.at(off), 16)
    k.cp.async_.commit_group()
    k.cp.async_.wait_group(0)
    k.st.global_.v4.b32(dst.at(off), k.ld.shared.v4.b32(buf.at(off)))


def allocating(dice: random.Random) -> None:
    io = np.arange(64, dtype=np.uint64)
    report = px.simulate(HEAP, grid=1, block=64, args=[io])
    assert io.tolist() == list(range(5, 69))
    assert report.findings == []


def copying(dice: random.Random) -> None:
    a = np.frombuffer(dice.randbytes(2048), np.uint32).copy()
    b = np.zeros_like(a)
    schedule = dice.choice(["eager", "late", "random"])
    report = px.simulate(copy, grid=1, args=[a, b], schedule=schedule, seed=3, trace=dice.random() < 0.5, stats=True)
    assert np.array_equal(a, b)
    assert report.stats.instructions > 0


def stepping(dice: random.Random) -> None:
    a, b = np.arange(512, dtype=np.uint32), np.zeros(512, np.uint32)
    with px.debug(copy, grid=1, args=[a, b]) as d:
        for _ in range(3):
            d.step()
        d.run()
    assert np.array_equal(a, b)


def failing(dice: random.Random) -> None:
    with pytest.raises(px.Diagnostic) as short:
        px.simulate(copy, grid=1, args=[np.zeros(4, np.uint32), np.zeros(512, np.uint32)])
    with pytest.raises(px.Diagnostic) as stuck:
        px.simulate(DEADLOCK, grid=1, block=1)
    assert (short.value.code, stuck.value.code) == ("PTX9002", "PTX9100")


def new(dice: random.Random) -> None:
    """A module of its own, with a variable."""
    start, factor = dice.randrange(1 << 20), dice.choice([3, 5, 7])
    module = px.parse(f"""{HEAD}
        .global .u32 g = {start};
        .visible .entry k(.param .u64 p)
        {{
            .reg .u64 a; .reg .u32 i, x;
            ld.param.u64 a, [p]; mov.u32 i, %tid.x; mad.wide.u32 a, i, 4, a;
            ld.global.u32 x, [g]; mad.lo.u32 x, x, {factor}, i; st.global.u32 [a], x; bar.warp.sync -1;
            st.global.u32 [g], 1;
            ret;
        }}""")
    out = np.zeros(32, np.uint32)
    for first in (start, 1):
        px.simulate(module["k"], grid=1, block=32, args=[out])
        assert out.tolist() == [first * factor + i for i in range(32)]


@pytest.fixture(autouse=True)
def _restless() -> Iterator[None]:
    """Threads take turns so often that what must not be interrupted is."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def together(work: Callable[[random.Random], None]) -> None:
    wrong: list[BaseException] = []

    def live(seed: int) -> None:
        try:
            work(random.Random(seed))
        except BaseException as e:
            wrong.append(e)

    threads = [threading.Thread(target=live, args=(i,)) for i in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if wrong:
        raise wrong[0]


def test_launches_of_all_kinds() -> None:
    def work(dice: random.Random) -> None:
        for _ in range(8):
            dice.choice([allocating, copying, stepping, failing, new])(dice)

    together(work)


def test_kernels_that_allocate() -> None:
    together(allocating)


def test_the_heap_gives_no_piece_twice() -> None:
    heap = Heap(1 << 14)

    def work(dice: random.Random) -> None:
        for _ in range(150):
            made = [heap.allocate(dice.randrange(1, 200), "a thread") for _ in range(3)]
            taken = [one for one in made if one is not None]
            for one in taken:
                assert heap.holds(heap.begin + one.start, one.size)
                heap.memory[one.start : one.start + one.size] = id(one) & 255
            for one in taken:
                assert set(heap.memory[one.start : one.start + one.size].tolist()) == {id(one) & 255}
                assert heap.release(heap.begin + one.start, "a thread") is None

    together(work)
    assert heap.live == {}
    whole = heap.allocate(1 << 14, "the test")
    assert whole is not None
    assert whole.start == 0
