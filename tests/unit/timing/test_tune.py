"""`@px.tune`: what it chooses among, what is kept, and what is refused. Launches are simulated, times are made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import driver, streams, timing
from ptxlab.diag import Diagnostic
from ptxlab.timing import tune as module

pytestmark = pytest.mark.ptxlab(sanitize=True)
H200 = px.Device("NVIDIA H200", 132, (13, 0), ordinal=0)


@px.kernel(threads=32)
def twice(k: px.Builder, x: px.Ptr[px.f32], *, per_thread: int, extra: int = 0) -> None:
    for j in range(per_thread):
        i = (k.ctaid.x * per_thread + j) * 32 + k.tid.x
        k.st.global_.f32(x[i], k.mul.f32(k.ld.global_.f32(x[i]), 2.0))


@px.kernel(threads=32)
def differing(k: px.Builder, x: px.Ptr[px.f32], *, value: float) -> None:
    k.st.global_.f32(x[k.tid.x], value)


def _grid(c: Any) -> int:
    return 4 // c.per_thread


def test_the_simulator_takes_the_first_candidate() -> None:
    tuned = px.tune(per_thread=[2, 1], extra=[0, 1])(twice)
    x = np.ones(128, np.float32)
    tuned[_grid](x)
    tuned.launch(grid=_grid, args=[x])
    tuned.prepare(grid=_grid, args=[x])()
    assert (x == 8).all()
    assert tuned.chosen(x) == {"per_thread": 2, "extra": 0}
    assert [tuple(c.values()) for c in tuned.candidates] == [(2, 0), (2, 1), (1, 0), (1, 1)]


def test_arguments_may_depend_on_the_choice() -> None:
    @px.kernel(threads=32)
    def stored(k: px.Builder, tensor: px.TensorMap, *, rows: int) -> None:
        tile = k.smem(px.f32, (rows, 32), align=128)
        for row in range(rows):
            k.st.shared.f32(tile.at(128 * row + k.tid.x * 4), 5.0)
        k.sync_all()
        k.fence.proxy.async_.shared__cta()
        with k.if_(k.tid.x == 0):
            k.tma_store(tensor, (0, 0), tile)
            k.cp.async_.bulk.commit_group()
            k.cp.async_.bulk.wait_group(0)

    x = px.zeros_like(px.empty((4, 32), np.float32))
    px.tune(rows=[4, 2])(stored)[1](lambda c: px.tensor_map(x, box=(c.rows, 32)))
    assert (x == 5).all()


def test_candidates_are_compared_and_the_arrays_stay_as_the_launch_found_them() -> None:
    tuned = px.tune(per_thread=[1, 2, 4], check=True)(twice)
    x = np.ones(128, np.float32)
    for wanted in (2, 4):
        tuned[_grid](x)
        assert (x == wanted).all()
    wrong = px.tune(value=[7.0, 8.0], check=True)(differing)
    with pytest.raises(
        Diagnostic, match=r"PTX2513.*value=8\.0 than with value=7\.0: element \(0,\) of a float32 array"
    ) as found:
        wrong[1](x)
    assert found.value.help
    assert (x == 4).all()


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({}, "nothing to choose"),
        ({"stages": [1]}, "no compile-time constant `stages`"),
        ({"per_thread": []}, "no list of values"),
        ({"per_thread": 3}, "no list of values"),
        ({"per_thread": "12"}, "no list of values"),
        ({"per_thread": [1], "rounds": 0}, "measures nothing"),
        ({"per_thread": [1], "predict": 0}, "leaves nothing to measure"),
        ({"per_thread": [1], "predict": "3"}, "leaves nothing to measure"),
    ],
)
def test_what_is_no_choice(space: dict[str, Any], words: str) -> None:
    with pytest.raises(Diagnostic, match="PTX2514") as found:
        px.tune(**space)(twice)
    assert words in found.value.message


def test_what_cannot_be_tuned() -> None:
    parsed = px.parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }")["k"]
    for given in (parsed, lambda k: None):
        with pytest.raises(Diagnostic, match="PTX2514"):
            px.tune(per_thread=[1])(given)  # type: ignore[arg-type]


@pytest.fixture
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[str, float]], list[str]]:
    """A GPU that simulates, and times as it is told: `gpu(seconds)` gives the candidates that are timed from then on."""
    monkeypatch.setenv("PTXLAB_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(module, "device_of", lambda array: H200)
    monkeypatch.setattr(module, "_capturing", lambda arrays, ordinal: False)
    monkeypatch.setattr(streams, "synchronized", lambda: None)
    monkeypatch.setattr(driver, "device", lambda ordinal: SimpleNamespace(ordinal=ordinal))

    def given(seconds: Mapping[str, float]) -> list[str]:
        timed: list[str] = []

        def medians(device: Any, calls: Mapping[str, Any], rounds: int) -> dict[str, float]:
            for call in calls.values():
                call()
            timed.extend(calls)
            return {name: seconds[name] for name in calls}

        monkeypatch.setattr(timing, "medians", medians)
        return timed

    return given


def test_the_fastest_is_kept_for_shapes_and_dtypes(gpu: Callable[[Mapping[str, float]], list[str]]) -> None:
    timed = gpu({"per_thread=1": 3e-6, "per_thread=2": 1e-6, "per_thread=4": 2e-6})
    tuned = px.tune(per_thread=[1, 2, 4])(twice)
    x = np.ones(128, np.float32)
    tuned[_grid](x)
    assert (x == 2).all()  # what was measured has left no trace
    tuned[_grid](x)
    assert timed == ["per_thread=1", "per_thread=2", "per_thread=4"]
    assert tuned.chosen(x) == {"per_thread": 2}
    tuned[1](np.ones(129, np.float32))
    assert len(timed) == 6
    assert px.tune(per_thread=[1, 2, 4])(twice).chosen(x) == {"per_thread": 2}  # another process would read it, too
    assert px.tune(per_thread=[1, 4])(twice).chosen(x) == {"per_thread": 1}  # another choice


def test_the_best_predicted_alone_are_measured(gpu: Callable[[Mapping[str, float]], list[str]]) -> None:
    timed = gpu({f"per_thread={n}": float(n) for n in (1, 2, 4, 8)})
    x = np.ones(1 << 20, np.float32)

    def grid(c: Any) -> int:
        return x.size // (32 * c.per_thread)

    order = [c.constants["per_thread"] for c in px.rank(twice, grid=grid, args=[x], per_thread=[1, 2, 4, 8]).candidates]
    assert order[-1] == 1  # CTAs of 128 bytes, and eight times as many
    tuned = px.tune(per_thread=[1, 2, 4, 8], predict=2)(twice)
    tuned.launch(grid=grid, args=[x], lints=False, stream=None)
    assert (x == 2).all()
    assert timed == [f"per_thread={n}" for n in order[:2]]
    assert tuned.chosen(x) == {"per_thread": min(order[:2])}
    assert px.tune(per_thread=[1, 2, 4, 8], predict=2)(twice).chosen(x) == {"per_thread": min(order[:2])}
    px.tune(per_thread=[1, 2, 4, 8])(twice).launch(grid=grid, args=[x])
    assert len(timed) == 6  # what was found among two says nothing of all
    px.tune(per_thread=[1, 2], predict=2)(twice).launch(grid=grid, args=[x])
    assert timed[6:] == ["per_thread=1", "per_thread=2"]  # as many as there are: nothing to predict


def test_a_candidate_that_hangs_in_the_simulator_is_not_launched(
    gpu: Callable[[Mapping[str, float]], list[str]],
) -> None:
    @px.kernel(threads=32)
    def waits(k: px.Builder, x: px.Ptr[px.f32], *, forever: bool, tile: int) -> None:
        if forever:
            bar = k.mbarrier(1)
            k.init_barriers()
            bar.wait(0)
        k.st.global_.f32(x[k.tid.x], 1.0)

    timed = gpu({f"forever=False, tile={n}": 1.0 for n in (1, 2)})
    px.tune(forever=[True, False], tile=[1, 2], predict=3)(waits)[1](np.ones(32, np.float32))
    assert sorted(timed) == ["forever=False, tile=1", "forever=False, tile=2"]
    with pytest.raises(Diagnostic, match=r"PTX2512.*None of the 2 candidates of waits can be predicted") as found:
        px.tune(forever=[True], tile=[1, 2], predict=1)(waits)[1](np.ones(32, np.float32))
    assert all("PTX9100" in note for note in found.value.notes)


def test_a_gpu_without_a_table_is_one_diagnostic(
    gpu: Callable[[Mapping[str, float]], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu({})
    monkeypatch.setattr(module, "device_of", lambda array: px.Device("NVIDIA B300", 148, (13, 0), ordinal=0))
    with pytest.raises(Diagnostic, match=r"PTX2501.*no table of what NVIDIA B300 takes") as found:
        px.tune(per_thread=[1, 2], predict=1)(twice)[_grid](np.ones(128, np.float32))
    assert found.value.help


def test_nothing_is_measured_within_a_capture(
    gpu: Callable[[Mapping[str, float]], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = gpu({"per_thread=1": 2e-6, "per_thread=2": 1e-6})
    tuned = px.tune(per_thread=[1, 2], check=True)(twice)
    x = np.ones(128, np.float32)
    tuned[_grid](x)
    assert len(timed) == 2
    monkeypatch.setattr(module, "_capturing", lambda arrays, ordinal: True)
    tuned[_grid](x)  # what was measured before
    with pytest.warns(px.PtxWarning, match="PTX2515"):
        tuned[_grid](np.ones((2, 64), np.float32))
    assert len(timed) == 2


def test_candidates_that_do_not_run_are_left_out(gpu: Callable[[Mapping[str, float]], list[str]]) -> None:
    @px.kernel(threads=32)
    def large(k: px.Builder, x: px.Ptr[px.f32], *, kilobytes: int) -> None:
        k.st.shared.f32(k.smem(px.f32, kilobytes * 256).at(0), 1.0)

    timed = gpu({"kilobytes=8": 1.0})
    px.tune(kilobytes=[1000, 8])(large)[1](np.ones(4, np.float32))
    assert timed == ["kilobytes=8"]
    with pytest.raises(Diagnostic, match=r"PTX2512.*None of the 2 candidates") as found:
        px.tune(kilobytes=[1000, 2000])(large)[1](np.ones(4, np.float32))
    assert [note.partition(":")[0] for note in found.value.notes] == ["kilobytes=1000", "kilobytes=2000"]


def test_launches_of_an_operator_for_shapes_alone_are_left_out() -> None:
    tuned = px.tune(per_thread=[1])(twice)
    ran: list[bool] = []

    @px.operator("ptxlab_tests::tuned")
    def doubled(x: px.Array) -> px.Array:
        out = px.zeros_like(x)
        tuned[_grid](out)
        tuned.prepare(grid=_grid, args=[out])()
        ran.append(px.launches_left_out())
        return out

    from ptxlab.launch.watch import Watch, watched

    class Shapes(Watch):
        leaves_out = True

    with watched(Shapes()):
        doubled(np.ones(128, np.float32))
    assert ran == [True]
