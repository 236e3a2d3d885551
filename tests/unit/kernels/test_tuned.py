"""`ptxlab tune`: which candidate is kept, for whom, and that gemm takes it. Launches are simulated, times are made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import ptxlab as px
from ptxlab import cli
from ptxlab.bench.kernels import tune
from ptxlab.bench.kernels.timing import Call, Seconds
from ptxlab.diag import Diagnostic
from ptxlab.kernels import gemm as module
from ptxlab.kernels.blocks import tuned
from ptxlab.kernels.blocks.choice import candidates, choose
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.blocks.tuned import Tuned
from ptxlab.kernels.gemm_call import problem
from ptxlab.launch.arrays import view

H200 = px.Device("NVIDIA H200", 132, (13, 0), ordinal=0)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXLAB_CACHE_DIR", str(tmp_path))
    tuned._by_shape.cache_clear()


def _arrays() -> tuple[Any, Any, Any]:
    a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
    a[...], b[...], c[...] = 1, 2, 0
    return a, b, c


def _times(found: Mapping[str, float]) -> tune.Timer:
    def timer(calls: Mapping[str, Sequence[Call]]) -> dict[str, Seconds]:
        for one in calls.values():
            for call in one:
                call()
        return {name: Seconds(s := found.get(name, 9e-6), s, s, 3) for name in calls}

    return timer


def test_the_fastest_is_kept_and_gemm_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = _arrays()
    shape = problem(a, b, c, "kn").shape()
    model, other = str(choose(shape)), next(str(t) for t in candidates(shape) if str(t) != str(choose(shape)))

    def make(tiling: Tiling) -> list[Call]:
        c[...] = 0
        return [module.prepare(a, b, c, config=str(tiling))]

    measured = tune.best_of(shape, make, _times({other: 4e-6, model: 5e-6}))
    assert (np.asarray(c) == 256).all()
    assert (measured.tuned.config, measured.tuned.model) == (other, model)
    assert (measured.tuned.seconds, measured.tuned.model_seconds) == (4e-6, 5e-6)
    tuned.keep(H200, measured.tuned)
    assert tuned.kept(H200) == [measured.tuned]
    assert tuned.chosen(view(c), shape) is None  # simulated: the model chooses
    monkeypatch.setattr(tuned, "device_of", lambda array: H200)
    assert str(tuned.chosen(view(c), shape)) == other
    p = problem(a, b, c, "kn")
    assert str(replace(module.fitting(p, None, promoted=False), stages=0)) == other
    with tuned.ignored():
        assert str(replace(module.fitting(p, None, promoted=False), stages=0)) == model


def test_the_model_stays_where_the_gain_may_be_noise() -> None:
    shape = problem(*_arrays(), "kn").shape()
    model, other = str(choose(shape)), next(str(t) for t in candidates(shape) if str(t) != str(choose(shape)))
    measured = tune.best_of(shape, lambda t: [lambda: None], _times({other: 4.97e-6, model: 5e-6}))
    assert measured.tuned.config == model


def test_candidates_that_cannot_run_are_left_out() -> None:
    shape = problem(*_arrays(), "kn").shape()

    def none(tiling: Tiling) -> list[Call]:
        raise Diagnostic("PTX2112", "no.")

    with pytest.raises(Diagnostic, match="PTX2511"):
        tune.best_of(shape, none, _times({}))


@pytest.mark.parametrize(
    "other", [replace(H200, name="NVIDIA H100"), replace(H200, driver=(13, 1)), replace(H200, sm_count=114)]
)
def test_another_machine_does_not_see_it(other: px.Device) -> None:
    shape = problem(*_arrays(), "kn").shape()
    tuned.keep(H200, Tuned(shape, "64x64-1c", "64x64-1c", 1e-6, 1e-6))
    assert tuned.find(H200, shape) is not None
    assert tuned.find(other, shape) is None
    assert tuned.kept(other) == []


def test_another_state_of_the_kernels_does_not_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = problem(*_arrays(), "kn").shape()
    tuned.keep(H200, Tuned(shape, "64x64-1c", "64x64-1c", 1e-6, 1e-6))
    monkeypatch.setattr(tuned, "_disk", lambda: px.TuningCache([Path(__file__)]))
    tuned._by_shape.cache_clear()
    assert tuned.find(H200, shape) is None


def test_a_later_measurement_takes_the_place_of_an_earlier_one_and_all_can_be_forgotten() -> None:
    shape = problem(*_arrays(), "kn").shape()
    for config in ("64x64-1c", "64x128-1c"):
        tuned.keep(H200, Tuned(shape, config, "64x64-1c", 1e-6, 1e-6))
    assert [t.config for t in tuned.kept(H200)] == ["64x128-1c"]
    assert tuned.forget(H200) == 1
    assert tuned.find(H200, shape) is None
    assert tuned.kept(H200) == []


def test_the_table_names_what_was_kept() -> None:
    shape = problem(*_arrays(), "kn").shape()
    console = Console(record=True, width=100)
    measured = tune.best_of(shape, lambda t: [lambda: None], _times({}), tune.expected(shape, 3))
    console.print(tune.table(measured, "a product"))
    text = console.export_text()
    assert sum("kept" in line for line in text.splitlines()) == 1
    assert "the model's choice" in text
    assert len(text.splitlines()) == 2 + len(measured.seconds)  # the title, the heads, the candidates


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Say what to do"),
        (["4096", "--list"], "Say what to do"),
        (["4096", "--type", "f64"], "is no type"),
        (["4096", "--layout", "nm"], "is no layout"),
        (["4096", "--type", "e4m3", "--layout", "kn"], "copied to N×K"),
        (["0x1x1"], "is no shape"),
        (["--list", "--predict", "2"], "--predict is about shapes"),
    ],
)
def test_bad_words_give_one_diagnostic(words: list[str], says: str) -> None:
    done = CliRunner().invoke(cli.app, ["tune", *words])
    assert done.exit_code == 2
    assert "PTX2501" in done.stderr
    assert says in done.stderr


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = CliRunner().invoke(cli.app, ["tune", "4096"])
    assert done.exit_code == 1
    assert any(code in done.stderr for code in ("PTX2304", "PTX2422", "PTX2510"))


def test_without_a_gpu_it_shows_what_is_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = CliRunner().invoke(cli.app, ["tune", "256x256x128", "--layout", "nk", "--most", "3", "--predict", "2"])
    assert done.exit_code == 0, done.stderr
    assert "gemm 256 × 256 × 128 bf16, B N×K on H200: 3 candidates, predicted" in done.stdout
    shape = problem(px.empty((256, 128), "bf16"), px.empty((256, 128), "bf16"), px.empty((256, 256), "bf16"), "nk").shape()
    assert all(str(tiling) in done.stdout for tiling in tune.expected(shape, 3))
    assert "Nothing was measured, and nothing is kept." in done.stdout


def test_what_is_predicted_first_is_timed_beside_the_default() -> None:
    chosen = tune.Chosen(((256, 256, 128),), layouts=("nk",), most=4)
    found = tune.foretold((256, 256, 128), "nk", chosen)
    shape = problem(px.empty((256, 128), "bf16"), px.empty((256, 128), "bf16"), px.empty((256, 256), "bf16"), "nk").shape()
    names = [one.constants["tiling"] for one in found.candidates if one.profile is not None]
    timed = [str(tiling) for tiling in tune.promising(found, shape, 2)]
    assert timed[:2] == names[:2]
    assert str(choose(shape)) in timed
    measured = tune.best_of(shape, lambda t: [lambda: None], _times({}), tune.promising(found, shape, 2))
    assert set(measured.seconds) == set(timed)
