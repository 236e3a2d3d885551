"""Products of wgmma that have been met before: compiled code carries them out, and gives what Python gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.bench.sim import tensor
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.families.wgmma import ready as wgmma_ready

from ...conftest import entry
from .test_wgmma import MMA, ONES, REGISTERS, Case

Run = Callable[..., Any]
TURNS = 4
TYPES = [
    ("bf16", "bf16", "f32"),
    ("f16", "f16", "f16"),
    ("tf32", "tf32", "f32"),
    ("e4m3", "e5m2", "f32"),
    ("e5m2", "e5m2", "f16"),
]


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
@pytest.mark.parametrize("a", ["ss", "rs"])
@pytest.mark.parametrize("types", TYPES)
def test_results_are_the_same_in_every_turn(run: Run, types: tuple[str, str, str], a: str, schedule: str) -> None:
    """Of any bits: some results have to be worked out in Python in every turn."""
    case = Case(8, *types, seed=9)
    got = case.run(run, a, turns=TURNS, schedule=schedule, seed=2)
    assert np.array_equal(got, case.expect(steps=TURNS))


@pytest.mark.parametrize("poison", [False, True])
@pytest.mark.parametrize("n", [16, 40, 248])
def test_negated_operands_and_odd_widths(run: Run, n: int, *, poison: bool) -> None:
    case = Case(n, "bf16", "bf16", "f32", seed=2)
    case.a, case.b = case.a & 0xBFFF, case.b & 0xBFFF
    got = case.run(run, instruction=("f32.bf16.bf16", ", -1, -1, 0, 0", 16), turns=TURNS, poison=poison)
    case.a, case.b = case.a ^ 0x8000, case.b ^ 0x8000
    assert np.array_equal(got, case.expect(steps=TURNS))


@pytest.mark.parametrize("a", ["ss", "rs"])
def test_integers_are_clamped_in_every_turn(run: Run, a: str) -> None:
    case = Case(16, "e4m3", "e4m3", "s32", seed=3)  # bytes, whatever they mean
    case.c = np.where(case.c & 1, np.uint32(0x7FFF_0000), np.uint32(0x8000_1000))
    want = case.c.view(np.int32).astype(np.int64)
    for _ in range(TURNS):
        want = np.clip(want + case.a.view(np.int8).astype(np.int64) @ case.b.view(np.int8), -(2**31), 2**31 - 1)
    got = case.run(run, a, instruction=("s32.s8.s8.satfinite", "", 32), turns=TURNS)
    assert np.array_equal(got, want.astype(np.int32).view(np.uint32))


@pytest.mark.parametrize("name", [name for name, _ in tensor.LINES if name.startswith("wgmma")])
def test_every_type_with_numpy(name: str) -> None:
    """Sparse ones as well."""
    work = dict(tensor.LINES)[name](TURNS, 1)
    report: Any = work.launch()
    assert work.right()
    products = {key: count for key, count in report.stats.traps.items() if "mma_async" in key}
    assert list(products.values()) == [4], "each of the four instructions comes to Python once"


KEY = "wgmma.mma_async.f16.ss"


def _steps(turns: int, count: int, *, ctas: int = 1) -> Any:
    """In every turn `count` products, each with operand B sixteen bytes further. Returns the report."""
    body = f"""
        .reg .b32 %left, %inner; .reg .pred %more; {ONES} mov.u32 %left, {turns};
        TURN: mov.u32 %inner, {count};
        LOOP: {MMA} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        add.u64 %rd2, %rd2, 1; sub.u32 %inner, %inner, 1; setp.ne.u32 %more, %inner, 0; @%more bra LOOP;
        sub.u64 %rd2, %rd2, {count}; sub.u32 %left, %left, 1; setp.ne.u32 %more, %left, 0; @%more bra TURN;
        st.global.f32 [%rd3], %f0; ret;
    """
    out = np.zeros(128, np.float32)
    kernel = px.parse(entry(".param .u64 out", REGISTERS + body))["k"]
    report = px.simulate(kernel, grid=ctas, block=128, args=[out])
    assert (out == turns * count * 16).all()
    return report


def test_many_products_are_known() -> None:
    assert _steps(3, 110).stats.traps[KEY] == 110


def test_a_full_table_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wgmma_ready, "_MOST", 8)
    assert _steps(3, 20).stats.traps[KEY] == 60


def test_what_finds_no_room_stays_with_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wgmma_ready.ready, "places", lambda key: [0])  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert _steps(3, 20).stats.traps[KEY] >= 57


def test_ctas_share_what_is_known() -> None:
    assert _steps(3, 1, ctas=8).stats.traps[KEY] == 1


def test_a_box_that_comes_later_is_seen(run: Run) -> None:
    """The product is known when a copy brings a box whose swizzle it does not read with."""
    text = entry(
        ".param .align 64 .b8 ma[128]",
        f"""
        {REGISTERS} .reg .pred %q<3>; .shared .align 8 .b64 bar; .reg .b64 %map; .reg .b32 %bar, %left;
        mov.b64 %map, ma; cvta.param.u64 %map, %map; mov.u32 %bar, bar; mov.u32 %r2, mem; mov.u32 %left, 3;
        setp.ne.u32 %q0, %r1, 0; @!%q0 mbarrier.init.shared::cta.b64 [%bar], 1; bar.sync 0;
        LOOP: {MMA} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
        sub.u32 %left, %left, 1; setp.ne.u32 %q1, %left, 1; @%q1 bra NEXT; @%q0 bra W;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 2048;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%map, {{0, 0}}], [%bar];
        W: mbarrier.try_wait.parity.shared::cta.b64 %q2, [%bar], 0; @!%q2 bra W;
        NEXT: setp.ne.u32 %q1, %left, 0; @%q1 bra LOOP; ret;
        """,
    )
    a = px.empty((64, 16), "bfloat16")
    a[...] = np.arange(a.size).reshape(a.shape) % 7
    for swizzle, codes in (("32B", ["PTX9165"]), ("none", [])):
        box = px.tensor_map(a, box=(64, 16 if swizzle == "32B" else 8), swizzle=swizzle)
        shown = text if swizzle == "32B" else text.replace("], 2048;", "], 1024;")
        assert [d.code for d in run(shown, box, block=128).findings] == codes


def test_the_table_has_room_for_what_it_holds() -> None:
    assert F.READY_TRIES < wgmma_ready._MOST < F.READY_PLACES
