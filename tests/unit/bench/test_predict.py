"""Predictions and measurements side by side."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import ptxlab as px
from ptxlab.bench.predict import cut, run, spaces
from ptxlab.bench.predict.cases import Case, draw
from ptxlab.diag import Diagnostic


def line(what: str, kind: str, n: int, cycles: int) -> dict[str, object]:
    return {"what": what, "kind": kind, "numbers": {"n": n}, "cycles": cycles, "us": cycles / 1000, "limiter": "reads"}


def test_drawn_cases_depend_on_the_seed_alone() -> None:
    assert draw(3) == draw(3) != draw(4)
    assert len(draw(3)) >= 35
    assert all(case == Case(case.kind, json.loads(json.dumps(case.numbers))) for case in draw(3))


def test_errors_by_kind_and_the_rank_of_products() -> None:
    lines = [line("predicted", "gemm", n, c) for n, c in ((1, 100), (2, 220), (3, 300))]
    lines += [line("measured", "gemm", n, c) for n, c in ((1, 100), (2, 200), (3, 150))]
    found = run.summary(lines)
    assert found["gemm"]["kernels"] == found["all"]["kernels"] == 3
    assert found["all"]["mean"] == pytest.approx((0 + 0.1 + 1) / 3)
    assert found["all"]["worst"] == pytest.approx(1)
    assert found["gemm"]["tau"] == pytest.approx(1 / 3)


def test_a_prediction_is_a_line_of_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = tmp_path / "predict.jsonl"
    case = Case("conflicts", {"ctas": 132, "count": 4, "stride": 2})
    monkeypatch.setattr(run, "draw", lambda seed, gemms: [case])
    assert run.main(1, 0, record, measure=False, console=Console(quiet=True)) == 0
    (made,) = [json.loads(row) for row in record.read_text().splitlines()]
    assert (made["what"], made["kind"], made["numbers"]) == ("predicted", case.kind, case.numbers)
    with pytest.raises(Diagnostic) as caught:
        run.compare(record, Console(quiet=True))
    assert caught.value.code == "PTX2501"


def test_a_record_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as caught:
        run.compare(tmp_path / "nothing.jsonl", Console(quiet=True))
    assert caught.value.code == "PTX2500"


def test_errors_of_the_latest_model_are_those_of_the_seed_that_was_measured_last() -> None:
    lines = [{**line("predicted", "gemm", n, 100), "seed": seed} for seed, n in ((1, 1), (2, 2), (3, 3))]
    lines += [line("measured", "gemm", 1, 50), line("measured", "gemm", 2, 100)]
    assert run.summary(run.latest(lines))["all"] == {"kernels": 1, "mean": 0, "worst": 0}


def _candidate(what: str, space: str, n: int, cycles: int, seed: int = 1) -> dict[str, object]:
    more = {"seed": seed, "space": space, "ranked_as": "with mma"} if what == "predicted" else {}
    return {"what": what, "kind": "scaled", "numbers": {"of": space, "n": n}, "cycles": cycles, "us": cycles / 1000, **more}


def test_rankings_are_of_candidates_of_the_same_work() -> None:
    predicted = {"a": (10, 20, 30, 40), "b": (10, 20)}
    measured = {"a": (300, 100, 200, 400), "b": (5, 6)}
    lines = [_candidate("predicted", s, n, c) for s, every in predicted.items() for n, c in enumerate(every)]
    lines += [_candidate("measured", s, n, c) for s, every in measured.items() for n, c in enumerate(every)]
    found = run.ranks(lines)["with mma"]
    assert (found["spaces"], found["candidates"]) == (2, 6)
    assert found["tau"] == pytest.approx(((4 - 2) / 6 + 1) / 2)
    assert found["first"] == pytest.approx((300 / 100) ** 0.5)
    assert found["three"] == pytest.approx(1)
    assert not run.summary(run.latest(lines))  # candidates are no drawn kernels
    again = [_candidate("predicted", "b", n, c, seed=2) for n, c in enumerate((20, 10))]
    assert run.ranks([*lines, *again])["with mma"]["tau"] == -1  # the last seed is of the model as it is
    assert run.ranks(lines[:6]) == {}


def test_spaces_cut_the_same_work_in_several_ways() -> None:
    cases = spaces.draw(5, 2)
    assert cases == spaces.draw(5, 2) != spaces.draw(6, 2)
    works = {case.space for case in cases}
    assert all(sum(case.space == work for case in cases) == 8 for work in works)
    assert {case.kind for case in cases} == {"gemm", "scaled", "transposed"}
    for case in cases:
        assert case.name.startswith(case.space)


@pytest.mark.parametrize("pad", [0, 1])
@pytest.mark.parametrize("tiles", [1, 2])
def test_the_transpose_is_one(tiles: int, pad: int) -> None:
    x, y = px.empty((64, 64), "f32"), px.empty((64, 64), "f32")
    x[...] = np.arange(4096, dtype=np.float32).reshape(64, 64)
    cut.transposed[64 // (32 * tiles), 2](x, y, 64, tiles=tiles, pad=pad, sanitize=True)
    assert (y == x.T).all()


@pytest.mark.parametrize("apart", [True, False])
def test_scaled_doubles_all(apart: bool) -> None:
    x, y = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    cut.scaled[2](x, y, per_thread=2, apart=apart)
    assert (y == 2 * x).all()
