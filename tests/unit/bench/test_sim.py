"""The simulator's own benchmark: small here, and a wrong result is an error."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from rich.console import Console

import ptxlab as px
from ptxlab.bench.sim import memory as sim_memory
from ptxlab.bench.sim import peers as sim_peers
from ptxlab.bench.sim import run as sim
from ptxlab.bench.sim import sanitized
from ptxlab.bench.sim import start as sim_start
from ptxlab.bench.sim import work as sim_work
from ptxlab.diag import Diagnostic

SMALL = sim.Sizes(1024, 16, 256, 10, 2, 10, ((128, 3.0),), ((256, 20.0),), (1, 128, 64), 10, (1000, 200), 20, 1 << 14)
START = sim_start.Start(0.1, 1.0, 0.05, 0.001, 4.0, 0.9, 3.9)


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sim_start, "start", lambda rounds: START)
    monkeypatch.setattr(sim, "_beside", lambda row: row)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    plain = sim.measure
    monkeypatch.setattr(sim, "measure", lambda rounds, full: plain(rounds, full=full, sizes=SMALL))


@pytest.mark.usefixtures("_quick")
def test_table_and_record(tmp_path: Path) -> None:
    console = Console(record=True, width=200)
    path = tmp_path / "sim.jsonl"
    assert sim.main(1, path, console) == 0
    [made] = [json.loads(line) for line in path.read_text().splitlines()]
    rows = {row["name"]: row for row in made["rows"]}
    assert made["cores"] >= 1
    shown = console.export_text()
    assert all(name in shown for name in rows)
    assert all(row["target"] > 0 for row in rows.values())
    measured = [row for row in rows.values() if row["skipped"] is None]
    assert all((row["value"] > 0 or row["measure"] == "MiB") and row["correct"] for row in measured)
    assert {n for n, row in rows.items() if row["skipped"]} == {
        "gemm of kernels/, 256³ bf16",
        "gemm of kernels/, 256³ bf16, 2 processes",
        "attention of Triton, 1 × 1 × 128 × 64 f16",
    }
    assert rows["vector add, 1024 f32"]["instructions"] > 1024 * 5
    assert rows["first launch, empty cache"]["value"] == START.fresh
    assert rows["first launch, empty cache"]["processor"] == START.processor
    assert rows["first launch with TMA, wgmma and a cluster, empty cache"]["value"] == START.tiled


def test_full_runs_the_largest_gemm() -> None:
    rows = sim._gemms(1, SMALL, True)
    assert [r.skipped for r in rows] == [None] * 4
    assert all(r.correct and r.value == r.seconds > 0 for r in rows)
    assert [r.workers for r in rows][::2] == [1, 1]


def test_a_matmul_is_measured_in_two_processes_as_well() -> None:
    rows = {r.name: r for r in sim._instructions(1, SMALL)}
    shared = rows["tiled matmul, 16³ f32, 2 processes"]
    assert shared.correct
    assert shared.instructions == rows["tiled matmul, 16³ f32"].instructions


def test_tensor_cores_of_every_type() -> None:
    rows = sim._products(1, SMALL)
    assert all(r.correct and r.value > 0 for r in rows)
    opcodes = {"wgmma", "wgmma.sp", "mma", "mma.sp", "wmma", "mma.m8n8k4", "wmma.load and wmma.store"}
    assert {r.name.partition(",")[0] for r in rows} == opcodes
    dense, sparse = (next(r for r in rows if r.name == name) for name in ("wgmma, tf32", "wgmma.sp, tf32"))
    assert dense.work == sparse.work == SMALL.products * 4 * 64 * 256 * 8


def test_copies_wait_in_every_second_line() -> None:
    rows = sim._copies(1, SMALL)
    assert all(r.correct and r.value > 0 for r in rows)
    assert all(late.target == 2 * eager.value for eager, late in zip(rows[::2], rows[1::2], strict=True))


def test_memory_does_not_grow_with_the_grid() -> None:
    assert sim_memory.growth(50_000, 2000) < 4 << 20


@pytest.mark.corpus
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="there is no triton: install the extra `corpus`")
def test_attention_is_near_numpy() -> None:
    row = sim._attention(1, SMALL)
    assert row.correct
    assert row.value > 0


def test_new_processes_are_timed() -> None:
    found = sim_start.start(1)
    assert found.imported > 0
    assert found.fresh > found.process > found.later > 0
    assert found.tiled > 0


def test_a_wrong_result_is_seen() -> None:
    work = sim_work.reduction(1024)
    work.reset()
    assert not work.right()
    work.launch()
    assert work.right()
    work.launch()  # it adds to what is there
    assert not work.right()


def test_a_peer_is_run_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    sim_peers._ran.cache_clear()
    monkeypatch.setattr(sim_peers, "PEERS", {"Numba": ("numba", "peer_numba.py", "256", "16"), "none": ("no_such", "")})
    for workload in ("vector add", "reduction", "naive matmul", "tiled matmul"):
        [peer], [missing] = sim_peers.beside(workload, 1e9)
        assert peer.ratio == pytest.approx(1e9 / peer.operations)
        assert peer.seconds > 0
        assert peer.threads > 0
        assert missing == "none: no_such is not installed"
    sim_peers._ran.cache_clear()


@pytest.mark.corpus
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="there is no triton: install the extra `corpus`")
def test_tritons_interpreter_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    sim_peers._ran.cache_clear()
    monkeypatch.setattr(sim_peers, "PEERS", {"Triton": ("triton", "peer_triton.py", "2048", "32")})
    for workload in ("vector add", "reduction", "tiled matmul"):
        [peer], missing = sim_peers.beside(workload, 1e9)
        assert peer.operations > 0
        assert missing == []
    sim_peers._ran.cache_clear()


def test_what_is_kept() -> None:
    assert sim.Row("x", "s", 3.0, 2.9).kept
    assert not sim.Row("x", "s", 3.0, 3.1).kept
    assert sim.Row("x", "instructions/s", 3.0, 3.1).kept
    assert not sim.Row("x", "instructions/s", 3.0, 2.9).kept


def test_wrong_result_is_the_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = sim.Row("x", "s", 1.0, 2.0, work=1, correct=False)
    monkeypatch.setattr(sim, "measure", lambda rounds, full: [wrong])
    console = Console(record=True, width=120)
    assert sim.main(1, None, console) == 1
    assert "differs" in console.export_text()


def test_no_rounds() -> None:
    with pytest.raises(Diagnostic) as caught:
        sim.main(0)
    assert caught.value.code == "PTX2501"


FEW = sanitized.Sizes(1024, 2048, 1024, 16, ((128, 2.0),), (1, 128, 64))


def test_what_the_sanitizer_costs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    plain = sanitized.measure
    monkeypatch.setattr(sanitized, "measure", lambda rounds: plain(rounds, sizes=FEW))
    console, path = Console(record=True, width=200), tmp_path / "sanitizer.jsonl"
    assert sanitized.main(1, path, console) == 0
    [made] = [json.loads(line) for line in path.read_text().splitlines()]
    assert (made["bench"], len(made["rows"])) == ("sanitizer", 9)
    shown = console.export_text()
    assert all(row["name"] in shown for row in made["rows"])
    *measured, attention = made["rows"]
    assert attention["skipped"]
    for row in measured:
        assert (row["correct"], row["findings"] > 0, row["skipped"]) == (True, row["faulty"], None)
        assert row["ratio"] == pytest.approx(row["sanitized"] / row["plain"], abs=1e-3)


def test_a_finding_of_a_workload_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    @px.kernel(threads=64)
    def racing(k: px.Builder, out: px.Ptr[px.b32]) -> None:
        k.st.global_.b32(out, k.tid.x)

    out = px.empty(1, "u32")
    work = sim_work.Work(racing.prepare(grid=1, args=[out]), 1, 64, lambda: None, lambda: True)
    row = sanitized._compared(sanitized.Row("x", 2.0), work, 1)
    assert row.findings >= 2
    monkeypatch.setattr(sanitized, "measure", lambda rounds: [row])
    assert sanitized.main(1, None, Console(record=True)) == 1
