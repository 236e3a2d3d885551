"""Those who observe a launch do so together as each does alone: the same results, the same counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.options import SimOptions
from ptxlab.diag import Diagnostic
from ptxlab.sim import Report
from ptxlab.sim.diagnose.debug.debugger import Debugger
from ptxlab.sim.diagnose.observe.counting import Counting
from ptxlab.sim.diagnose.observe.hang import Watch
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.diagnose.observe.stops import Stop, Stops
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.machine import schedule
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.observer import Observer, Turn
from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.spread.arena import Arena
from ptxlab.sim.spread.layout import Layout
from ptxlab.sim.spread.log import copy_back
from ptxlab.sim.spread.part import ArenaMemory, Part

from ...launching import record_of

HEAD = """.visible .entry k(.param .u64 a, .param .u64 b)
{
  .reg .b64 %rd<9>;  .reg .b32 %r<12>;  .reg .f32 %f<4>;  .reg .pred %p<5>;
  .shared .align 16 .b8 tile[512];  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [a];  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %tid.x;  mov.u32 %r2, %ctaid.x;  mov.u32 %r3, %ntid.x;  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;  add.u64 %rd4, %rd1, %rd3;  add.u64 %rd5, %rd2, %rd3;
  mov.u32 %r5, tile;  mad.lo.u32 %r6, %r1, 4, %r5;  mov.u32 %r9, bar;
"""
TAIL = "\n  ret;\n}\n"

KERNELS = {
    "registers and memory": """
      ld.global.u32 %r7, [%rd4];  mov.u32 %r8, 0;
    more:
      mad.lo.u32 %r7, %r7, 3, %r8;  add.u32 %r8, %r8, 1;  setp.lt.u32 %p1, %r8, 9;  @%p1 bra more;
      st.global.u32 [%rd5], %r7;""",
    "a barrier between two warps": """
      ld.global.u32 %r7, [%rd4];  st.shared.u32 [%r6], %r7;  bar.sync 0;
      xor.b32 %r8, %r1, 32;  mad.lo.u32 %r8, %r8, 4, %r5;  ld.shared.u32 %r7, [%r8];  st.global.u32 [%rd5], %r7;""",
    "lanes that part": """
      and.b32 %r7, %r1, 3;  setp.eq.u32 %p1, %r7, 0;  mov.u32 %r8, 7;
      @%p1 bra other;  add.u32 %r8, %r8, %r1;  @!%p1 bra met;
    other: mul.lo.u32 %r8, %r1, 5;
    met: atom.global.add.u32 %r10, [%rd2], %r8;  st.global.u32 [%rd4], %r8;""",
    "a wait that parks": """
      setp.eq.u32 %p1, %r1, 0;
      @%p1 mbarrier.init.shared.b64 [%r9], 1;  fence.mbarrier_init.release.cluster;  bar.sync 0;
      @!%p1 bra wait;
      mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 256;
      mad.wide.u32 %rd7, %r2, 256, %rd1;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd7], 256, [%r9];
    wait: mbarrier.try_wait.parity.shared.b64 %p2, [%r9], 0;  @!%p2 bra wait;
      ld.shared.u32 %r7, [%r6];  st.global.u32 [%rd5], %r7;""",
}
BLOCK, GRID = 64, 3
"""Threads; the kernels are made for it."""


class Looks(Watch):
    """Looks at the machine after every turn."""

    in_turns = True

    def turned(self, cta: Cta, turn: Turn) -> None:
        if turn is not Turn.WAITS and not cta.cluster.ended:
            self.look()


class Steps(Stops):
    """Stops at every instruction, one way or the other: by breakpoints, then by steps of the warp that has come first."""

    def __init__(self) -> None:
        super().__init__(self._came)
        self.count = 0

    def start(self) -> None:
        self.breaks = set(range(len(self.points)))
        self.go(step=False, warp=None)

    def _came(self, stop: Stop) -> None:
        self.count += 1
        step = self.count % 40 >= 20
        self.go(step=step, warp=stop.warp)


@dataclass
class Ran:
    """What a launch has left behind: its arrays, its report."""

    arrays: list[bytes]
    report: Report

    @property
    def counts(self) -> list[dict[str, int]]:
        """By instruction, without those that depend on who waits for whom."""
        told = [dict(s.counts) for s in self.report.stats.sites]
        return [{n: c for n, c in one.items() if n not in ("waits", "waited")} for one in told]


WAYS = ("counts", "stops", "looks", "copies", "timeline")


def ran(body: str, ways: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Ran:
    """A launch that is observed in these ways."""
    monkeypatch.setattr(schedule, "TURN", 16)
    a, b = np.arange(BLOCK * GRID, dtype="u4"), np.zeros(BLOCK * GRID, "u4")
    record = record_of(HEAD + body + TAIL, [a, b], grid=(GRID, 1, 1), block=(BLOCK, 1, 1))
    options = SimOptions(trace="timeline" in ways)
    observers: list[Observer] = [Counting()] if "counts" in ways else []
    steps, looks = Steps(), Looks()
    observers += [steps] if "stops" in ways else []
    observers += [looks] if "looks" in ways else []
    if "copies" not in ways:
        machine = Machine(record, options, observers)
        _run(machine, steps if "stops" in ways else None)
        return Ran([a.tobytes(), b.tobytes()], machine.report)
    layout = Layout.of(record.buffers)
    arena = Arena(layout, np.zeros(Arena.nbytes(layout), np.uint8))
    layout.fill(arena.data)
    machine = Machine(record, options, [*observers, Part(arena)], memory=ArenaMemory(arena))
    _run(machine, steps if "stops" in ways else None)
    assert not b.any()
    copy_back(layout, arena.log())
    return Ran([a.tobytes(), b.tobytes()], machine.report)


def _run(machine: Machine, steps: Steps | None) -> None:
    decoded = machine.image.bind(machine.record.variables)
    if steps is not None:
        steps.start()
    machine.run()
    assert steps is None or steps.count > 20
    for layer in Layer:
        machine.overlay.lift(layer)
    places = np.array(machine.image.points) // 8
    assert np.array_equal(machine.overlay.words[places], decoded[places])


@pytest.mark.parametrize("ways", [*combinations(WAYS, 2), WAYS], ids="+".join)
@pytest.mark.parametrize("body", KERNELS.values(), ids=KERNELS)
def test_together_as_alone(body: str, ways: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    timeline = ("timeline",) if "timeline" in ways else ()  # with it, more runs in Python
    alone, counted, both = (ran(body, some, monkeypatch) for some in (timeline, ("counts",), ways))
    assert alone.arrays == counted.arrays == both.arrays
    assert _numbers(both) == _numbers(alone)
    if "counts" in ways:
        assert both.counts == counted.counts
    if timeline:
        assert _events(both) == _events(alone)


def _numbers(one: Ran) -> tuple[int, int, dict[str, int]]:
    """Instructions, CTAs, and instructions in Python but for those that come there only to wait."""
    stats = one.report.stats
    return stats.instructions, stats.ctas, {n: c for n, c in stats.traps.items() if "wait" not in n}


def _events(one: Ran) -> Counter[tuple[str, str]]:
    assert one.report.trace is not None
    return Counter((e.track, e.name) for e in one.report.trace if e.kind != "wait")


# --- as users meet it ---------------------------------------------------------------------------------------------------
SPIN = """
      setp.ge.u32 %p1, %r1, 32;  @%p1 bra ask;
      mov.u32 %r8, 0;
    work: add.u32 %r8, %r8, 1;  setp.lt.u32 %p2, %r8, 40;  @%p2 bra work;
      st.volatile.global.u32 [%rd2], 1;  bra out;
    ask: ld.volatile.global.u32 %r7, [%rd2];  setp.eq.u32 %p3, %r7, 0;  @%p3 bra ask;
      st.global.u32 [%rd5+4], 7;
    out:"""
HANG = SPIN.replace("st.volatile.global.u32 [%rd2], 1;", "add.u32 %r8, %r8, 1;")


def kernel(body: str) -> px.Kernel:
    return px.parse(f".version 8.7\n.target sm_90a\n.address_size 64\n{HEAD}{body}{TAIL}")["k"]


def arrays() -> list[np.ndarray]:
    return [np.arange(128, dtype="u4"), np.zeros(128, "u4")]


def line_of(k: px.Kernel, text: str) -> int:
    return next(n for n, line in enumerate(k.ptx.splitlines(), 1) if text in line)


def test_a_debugger_counts() -> None:
    k = kernel(KERNELS["a barrier between two warps"])
    wanted = px.simulate(k, grid=2, block=64, args=arrays(), stats=True).stats
    with px.debug(k, grid=2, block=64, args=arrays(), stats=True) as d:
        assert sum(s.executions for s in d.report.stats.sites) == 0
        d.break_at(line_of(k, "bar.sync"))
        d.run()
        some = [s.executions for s in d.report.stats.sites]
        assert 0 < sum(some) < sum(s.executions for s in wanted.sites)
        d.step(2)
        while d.run() is not None:
            pass
    assert [dict(s.counts) | {"waited": 0} for s in d.report.stats.sites] == [
        dict(s.counts) | {"waited": 0} for s in wanted.sites
    ]
    assert d.report.stats.instructions == wanted.instructions


@pytest.mark.parametrize("stats", [False, True])
def test_a_hang_behind_a_breakpoint(stats: bool) -> None:
    k = kernel(HANG)
    with px.debug(k, grid=1, block=64, args=arrays(), stats=stats) as d:
        d.break_at("out")  # where only the other warp comes
        assert d.run() is not None
        with pytest.raises(Diagnostic) as wrong:
            d.run()
    assert wrong.value.code == "PTX9101"
    assert "%rd2" in wrong.value.notes[0]
    assert bool(d.report.stats.sites) == stats


def test_a_hang_while_another_warp_is_stepped() -> None:
    """The warp at hand waits at a barrier for one that never comes there."""
    k = kernel("bar.warp.sync -1;  setp.ge.u32 %p1, %r1, 32;  @%p1 bra ask;  bar.sync 0;  bra out;" + POLL + "out:")

    def step_on(d: Debugger) -> None:
        while True:
            d.step()

    with px.debug(k, grid=1, block=64, args=arrays()) as d, pytest.raises(Diagnostic) as wrong:
        step_on(d)
    assert wrong.value.code == "PTX9101"


POLL = "ask: ld.volatile.global.u32 %r7, [%rd2];  setp.eq.u32 %p3, %r7, 0;  @%p3 bra ask;"


def test_a_loop_with_a_breakpoint_in_it_is_never_called_a_hang() -> None:
    """Whoever is stopped may change what the loop asks for."""
    k, (a, b) = kernel(SPIN.replace("st.volatile.global.u32 [%rd2], 1;", "")), arrays()
    asked = 0
    with px.debug(k, grid=1, block=64, args=[a, b]) as d:
        d.break_at("ask")
        for _ in range(3000):
            assert d.run() is not None
            asked += 1
        b[0] = 1
    assert asked == 3000
    assert b[33] == 7


def test_a_hang_while_it_is_counted() -> None:
    record = record_of(HEAD + HANG + TAIL, arrays(), block=(64, 1, 1))
    machine = machine_of(record, SimOptions(stats=True))
    with pytest.raises(Diagnostic) as wrong:
        machine.run()
    assert wrong.value.code == "PTX9101"
    loads = next(s for s in machine.report.stats.sites if s.text.startswith("ld.volatile"))
    assert loads.executions > 100
    assert loads.counts["global_threads"] == 32 * loads.executions
    assert machine.report.stats.instructions > 32 * 3 * loads.executions


@pytest.mark.parametrize("stats", [False, True])
def test_a_spin_that_ends_is_seen_to_end_in_several_processes(stats: bool) -> None:
    def go(**options: Any) -> tuple[list[bytes], Report]:
        a, b = np.arange(BLOCK * 8, dtype="u4"), np.zeros(BLOCK * 8, "u4")
        body = KERNELS["a barrier between two warps"]
        report = px.simulate(kernel(body), grid=8, block=BLOCK, args=[a, b], stats=stats, **options)
        return [a.tobytes(), b.tobytes()], report

    (one, alone), (two, spread) = go(), go(workers=2)
    assert one == two
    assert spread.stats.workers == 2
    assert spread.stats.sites == alone.stats.sites


def test_a_part_of_a_launch_that_hangs_is_run_again_in_one_process() -> None:
    with pytest.raises(Diagnostic) as wrong:
        px.simulate(kernel(HANG), grid=8, block=64, args=[np.zeros(1024, "u4")] * 2, workers=2, stats=True)
    assert wrong.value.code == "PTX9101"
