"""What `ptxlab bench kernels` does around its measurements: lines, rounds, records, the table and the picture."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from ptxlab.bench import launch, records
from ptxlab.bench.kernels import contest, limits, lines, measure, ours, peers, picture, run, table, timing, works
from ptxlab.bench.kernels.contest import Contest, NotThere
from ptxlab.bench.kernels.timing import Seconds
from ptxlab.bench.kernels.works import KINDS, Reach, Work
from ptxlab.cli import app
from ptxlab.conformance.kernels import run as conformance
from ptxlab.conformance.kernels import timed
from ptxlab.diag import Diagnostic

GPU = {
    "name": "NVIDIA H200",
    "driver_version": "580.1",
    "clocks.sm": "1500",
    "clocks.max.sm": "1980",
    "power.draw": "690.1",
}
ROOFS = measure.Roofs(copy=4e12, sms=132, clock=1980e6)


def nothing() -> None:
    """A call of a contender."""


def line(work: Work, microseconds: dict[str, float], **more: Any) -> dict[str, Any]:
    """The record of a line in which contenders took so long."""
    own = {n: [nothing] for n in microseconds if n.startswith("ptxlab") and n not in (works.PRODUCT, works.PLAIN)}
    others = {n: [nothing] for n in microseconds if not n.startswith("ptxlab")}
    found = {n: Seconds(us / 1e6, us / 1.1e6, us / 0.9e6, 40) for n, us in microseconds.items()}
    return measure.record(work, Contest(own, others, **more), found, ROOFS, GPU)


def test_the_lines_are_those_that_were_asked_for() -> None:
    shapes = [w.shapes[0] for w in lines.works(["gemm"])]
    assert len(shapes) == len(set(shapes)) >= 30
    assert {(512, 512, 512), (16384, 16384, 16384), (1, 28672, 8192), (8192, 4096, 14336), (4097, 4088, 4104)} <= set(
        shapes
    )
    assert {w.kind for w in lines.works()} == set(KINDS)
    assert len(lines.works(quick=True)) < len(lines.works())
    assert [w.name for w in lines.works(["gemm"], [(8, 16, 24), (64, 64, 64)])] == ["8 × 16 × 24", "64³"]


def test_few_rows_are_held_to_the_bandwidth_of_a_copy() -> None:
    shares = {w.shapes[0][0]: w.reach.share for w in lines.works(["gemm"])}
    assert (shares[1], shares[16], shares[64]) == (0.9, 0.9, None)


def test_operations_and_bytes() -> None:
    work = Work("grouped", "two", ((2, 3, 5), (7, 3, 5)), Reach(1))
    assert work.operations == 2 * 9 * 15
    assert work.bytes == 2 * (2 * 5 + 3 * 5 + 2 * 3) + 2 * (7 * 5 + 3 * 5 + 7 * 3)
    assert contest.equal_work(work) == (9, 3, 5)


def test_shapes_on_the_command_line() -> None:
    assert works.shapes_of("4096, 64x4096x8192,1×2×3") == [(4096,) * 3, (64, 4096, 8192), (1, 2, 3)]
    assert works.shapes_of("") == []


@pytest.mark.parametrize("words", ["12x", "0", "1x2", "a", "70000", "1x2x-3"])
def test_what_is_no_shape(words: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        works.shapes_of(words)
    assert caught.value.code == "PTX2501"
    assert words in caught.value.message


@pytest.mark.parametrize(
    "options",
    [["--only", "sparse"], ["--peers", "mkl"], ["--shapes", "12x"], ["--rounds", "5"], ["--quick", "--rounds", "19"]],
)
def test_bad_options_are_said_before_a_gpu_is_looked_for(options: list[str]) -> None:
    done = CliRunner().invoke(app, ["bench", "kernels", *options])
    assert done.exit_code != 0
    assert "PTX2501" in done.output


def test_without_a_gpu_there_is_one_diagnostic(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(Diagnostic) as caught:
        run.main(run.Chosen(record=tmp_path / "k.jsonl", picture=tmp_path / "k.svg"))
    assert caught.value.code in ("PTX2304", "PTX2422", "PTX2510")
    assert list(tmp_path.iterdir()) == []


def test_a_line_is_compared_with_the_best_peer() -> None:
    made = line(
        works.gemm((4096, 4096, 4096)),
        {"ptxlab, B K×N": 200, "ptxlab, B N×K": 190, "cuBLAS, a @ b": 199, "Triton": 209},
    )
    assert (made["ours"], made["beside"]) == ("ptxlab, B N×K", "cuBLAS, a @ b")
    assert made["ratio"] == pytest.approx(199 / 190, abs=1e-4)
    assert made["reached"] is True
    assert made["contenders"]["Triton"]["tflops"] == pytest.approx(2 * 4096**3 / 209e-6 / 1e12, abs=0.01)
    assert made["floor_us"] == pytest.approx(2 * 4096**3 / (132 * 4096 * 1980e6) * 1e6, abs=0.01)
    assert json.loads(json.dumps(made, allow_nan=False)) == json.loads(json.dumps(made))


@pytest.mark.parametrize(("us", "reached"), [(9.0, True), (9.9, False)])
def test_with_few_rows_the_bandwidth_decides_too(us: float, reached: bool) -> None:
    made = line(works.gemm((1, 4096, 4096)), {"ptxlab, B K×N": us, "cuBLAS, a @ b": us})
    assert made["share_of_copy"] == pytest.approx(works.gemm((1, 4096, 4096)).bytes / us / 4e6, abs=1e-3)
    assert made["reached"] is reached


def test_a_grouped_line_is_compared_with_one_product_by_its_own_operations() -> None:
    work = Work("grouped", "two", ((1000, 512, 512),) * 2, Reach(0.95, works.PRODUCT))
    made = line(work, {"ptxlab, grouped": 10, works.PRODUCT: 10, "torch, grouped": 5}, scale={works.PRODUCT: 1.02})
    assert made["beside"] == works.PRODUCT
    assert made["ratio"] == pytest.approx(1 / 1.02, abs=1e-4)


def test_what_is_not_there_says_so() -> None:
    made = line(
        Work("fp8", "8³", ((8, 8, 8),), Reach(1.03), 1), {"cuBLAS, fp8": 5}, missing={"ptxlab, fp8": "PTX2307: no fp8"}
    )
    assert (made["ours"], made["ratio"], made["reached"]) == (None, None, None)
    assert table.missing([made, made]) == ["ptxlab, fp8 (2 lines): PTX2307: no fp8"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (NotThere("no scales"), "no scales"),
        (Diagnostic("PTX2307", "A is fp8."), "PTX2307: A is fp8."),
        (RuntimeError("first\nsecond"), "RuntimeError: first"),
        (KeyError(), "KeyError: "),
    ],
)
def test_who_fails_is_left_out_with_the_reason(wrong: Exception, words: str) -> None:
    def fails() -> timing.Call:
        raise wrong

    into: dict[str, list[timing.Call]] = {"x": [nothing]}
    missing: dict[str, str] = {}
    contest.add(into, missing, "x", fails)
    contest.add(into, missing, "x", lambda: nothing)
    contest.add(into, missing, "y", lambda: nothing)
    assert (list(into), missing) == (["y"], {"x": words})


def test_gemm_is_asked_for_what_it_has_alone() -> None:
    with pytest.raises(NotThere, match="gemm takes no no_such_thing="):
        ours.gemm(None, None, None, "kn", no_such_thing=1)


def test_peers_that_are_not_installed() -> None:
    with pytest.raises(NotThere, match="no_such_library cannot be imported"):
        peers.installed("no_such_library")
    assert peers.chosen([], quick=True) == ("cublas", "cudnn", "quack", "flash", "flashinfer")
    assert set(peers.products(SimpleNamespace(), ("cublas",), 0, 0, 0, 0)) == {"cuBLAS, a @ b", "cuBLAS, a @ b.T"}  # type: ignore[arg-type]


class Clock:
    """torch, as far as timing needs it: a stream whose clock the contenders move, and graphs that repeat what they recorded."""

    def __init__(self) -> None:
        self.now = 0.0
        self.recording: list[float] | None = None
        self.cuda = SimpleNamespace(
            Event=lambda enable_timing: Event(self),
            synchronize=nothing,
            CUDAGraph=lambda: Graph(self),
            graph=lambda g: g,
        )

    def call(self, seconds: float, *, in_graphs: bool = True) -> timing.Call:
        def call() -> None:
            if self.recording is not None:
                if not in_graphs:
                    raise RuntimeError("operation not permitted when stream is capturing")
                self.recording.append(seconds)
            else:
                self.now += seconds + 20e-6  # what its launch costs

        return call


class Event:
    def __init__(self, clock: Clock) -> None:
        self.clock, self.at = clock, 0.0

    def record(self) -> None:
        self.at = self.clock.now

    def elapsed_time(self, other: Event) -> float:
        return (other.at - self.at) * 1e3


class Graph:
    def __init__(self, clock: Clock) -> None:
        self.clock, self.work = clock, list[float]()

    def __enter__(self) -> None:
        self.clock.recording = self.work

    def __exit__(self, *_: object) -> None:
        self.clock.recording = None

    def replay(self) -> None:
        self.clock.now += sum(self.work)


def test_short_calls_are_replayed_and_long_ones_are_not() -> None:
    clock: Any = Clock()
    short = timing.rounds(clock, {"a": [clock.call(5e-6)] * 2, "b": [clock.call(8e-6)]}, 20, 0)
    assert {n: (round(s.median * 1e6, 3), s.graph, s.rounds) for n, s in short.items()} == {
        "a": (5, True, 20),
        "b": (8, True, 20),
    }
    long = timing.rounds(clock, {"a": [clock.call(1e-3)], "b": [clock.call(3e-3)]}, 20, 0)
    assert {n: (round(s.median * 1e6, 1), s.graph) for n, s in long.items()} == {"a": (1020, False), "b": (3020, False)}


def test_what_no_graph_can_hold_is_called() -> None:
    clock: Any = Clock()
    found = timing.rounds(clock, {"a": [clock.call(5e-6)], "b": [clock.call(5e-6, in_graphs=False)]}, 20, 0)
    assert (found["a"].graph, found["b"].graph) == (True, False)
    assert found["b"].median == pytest.approx(25e-6)


def test_sets_of_inputs_take_turns_and_rounds_change_the_order() -> None:
    clock: Any = Clock()
    seen: list[str] = []

    def of(name: str) -> timing.Call:
        move = clock.call(1e-3)

        def call() -> None:
            seen.append(name)
            move()

        return call

    timing.rounds(clock, {"a": [of("a0"), of("a1")], "b": [of("b0")]}, 20, 1)
    order = [key for key, _ in itertools.groupby(name[0] for name in seen[-80:])]
    assert order[:4] not in (["a", "b"] * 2, ["b", "a"] * 2) or len(order) < 40
    assert seen.count("a0") > 20
    assert seen.count("a1") > 20


LINES = [
    line(works.gemm((1024, 1024, 1024)), {"ptxlab, B K×N": 5, "cuBLAS, a @ b": 4}),
    line(works.gemm((1, 4096, 4096)), {"ptxlab, B K×N": 9, "cuBLAS, a @ b": 10}),
    line(works.gemm((8192, 8192, 8192)), {"ptxlab, B K×N": 1500, "QuACK": 1650}),
    line(
        Work("fp8", "4096³", ((4096, 4096, 4096),), Reach(1.03), 1),
        {"cuBLAS, fp8": 95},
        missing={"ptxlab, fp8": "no [fp8] yet"},
    ),
]


def test_the_table_and_what_it_comes_to() -> None:
    console = Console(record=True, width=100)
    run.show(LINES, console, table.words(table.summary(LINES)))
    text = console.export_text()
    rows = {row.split()[0]: row for row in text.splitlines() if row}
    assert rows["1024³"].split()[-1] == "no"
    assert rows["1×4096×4096"].split()[-1] == "yes"
    assert "0.800" in rows["1024³"]
    assert "QuACK" in rows["8192³"]
    assert rows["4096³"].split()[-1] == "?"
    assert all(len(row.rstrip()) <= 100 for row in text.splitlines())
    assert "no [fp8] yet" in text
    found = table.summary(LINES)
    assert found["geometric_mean"] == pytest.approx((0.8 * 10 / 9 * 1.1) ** (1 / 3), abs=1e-4)
    assert found["lowest"] == ["1024³", 0.8]
    assert (found["reached"], found["missed"], found["unknown"]) == (2, 1, 1)
    assert "lowest 0.800 (1024³)" in " ".join(text.split())


def test_no_lines_come_to_nothing() -> None:
    assert table.summary([])["geometric_mean"] is None
    assert table.words(table.summary(LINES[3:])) == "Lines: 0 reached, 0 missed, 1 not there yet."


def test_the_picture_has_a_point_for_each_product(tmp_path: Path) -> None:
    own, others = picture.points(LINES)
    assert len(own) == len(others) == 3
    assert own[0][0] == pytest.approx(2 * 1024**3 / (6 * 1024**2))
    picture.draw(LINES, tmp_path / "a.svg")
    picture.draw(LINES, tmp_path / "b.svg")
    drawn = (tmp_path / "a.svg").read_text()
    assert drawn == (tmp_path / "b.svg").read_text()
    for words in ("operations a byte", "ptxlab", "tensor cores at 1980 MHz", "NVIDIA H200"):
        assert words in drawn


def test_a_picture_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as caught:
        picture.draw(LINES[3:], tmp_path / "a.svg")
    assert caught.value.code == "PTX2501"
    with pytest.raises(Diagnostic) as caught:
        picture.draw(LINES, tmp_path / "no" / "a.svg")
    assert caught.value.code == "PTX2500"


def test_blocks_are_held_to_one_scale_a_tensor_too() -> None:
    [work] = lines.works(["fp8-blocks"], quick=True)
    name = "ptxlab, fp8 with blocks"
    made = Contest({name: [nothing]}, {"cuBLAS, fp8 with blocks": [nothing]}, {works.TENSOR: [nothing]})
    for tensor, reached in ((9.4, True), (9.2, False), (None, None)):
        us = {name: 10.0, "cuBLAS, fp8 with blocks": 13.0, **({works.TENSOR: tensor} if tensor else {})}
        found = {n: Seconds(x / 1e6, x / 1e6, x / 1e6, 20) for n, x in us.items()}
        assert measure.record(work, made, found, ROOFS, GPU)["reached"] is reached


def test_limits_of_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (
        launch.Row("cuLaunchKernelEx", 4.0, 1.0),
        launch.Row("prepared p()", 4.4, 1.1),
        launch.Row("kernel[grid](…)", 12.0, 3.0),
        launch.Row("kernel[grid](…), the first of its kind", 200.0, 50.0),
    )
    monkeypatch.setattr(launch, "measure", lambda _: launch.Result("H200", "13.0", 30, rows))
    found = limits.launches()
    assert [(x["work"], x["value"], x["reached"]) for x in found] == [
        ("prepared p()", 1.1, False),
        ("kernel[grid](…)", 12.0, True),
    ]
    console = Console(record=True, width=100)
    run.show(found, console, table.words(table.summary(found)))
    assert "kernel[grid](…)" in console.export_text()


def test_limits_of_the_simulator() -> None:
    found = limits.simulated(
        [("gemm", 1.5, ""), ("grouped", 6.0, ""), ("wrong", 1.0, "digest 12…"), ("failed", None, "it hangs")]
    )
    assert [(x["value"], x["reached"]) for x in found] == [(1.5, True), (6.0, False), (1.0, False), (None, False)]
    assert table.missing(found) == ["the bytes of a GPU (wrong): digest 12…", "the bytes of a GPU (failed): it hangs"]


def test_cases_in_the_simulator_are_held_to_a_gpus_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    def simulator(case: Any, arrays: Any, **_: Any) -> Any:
        return conformance.Run(arrays["out"], 1.5)  # which nobody has written

    monkeypatch.setattr(conformance, "simulator", simulator)
    found = list(timed.timed())
    assert [(seconds, wrong[:6]) for _, seconds, wrong in found] == [(1.5, "digest")] * 4


def test_a_run_records_each_line_and_what_they_come_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = iter(LINES)
    torch = SimpleNamespace(cuda=SimpleNamespace(empty_cache=nothing))
    monkeypatch.setattr(run.contest, "torch_with_gpu", lambda: torch)
    monkeypatch.setattr(run.measure, "roofs", lambda _: ROOFS)
    monkeypatch.setattr(run.measure, "measured", lambda *_: next(made))
    chosen = run.Chosen(
        only=["gemm"], shapes="1024,1x4096x4096,8192", record=tmp_path / "k.jsonl", picture=tmp_path / "k.svg"
    )
    assert run.main(chosen, Console(quiet=True)) == 0
    kept = records.read(tmp_path / "k.jsonl")
    assert [r["kind"] for r in kept] == ["gemm", "gemm", "gemm", "summary"]
    assert kept[-1]["gemm_lines"] == 3
    assert (tmp_path / "k.svg").exists()
