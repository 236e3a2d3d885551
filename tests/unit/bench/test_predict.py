"""Predictions and measurements side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from ptxlab.bench.predict import run
from ptxlab.bench.predict.cases import Case, draw
from ptxlab.diag import Diagnostic


def line(what: str, kind: str, n: int, cycles: int) -> dict[str, object]:
    return {"what": what, "kind": kind, "numbers": {"n": n}, "cycles": cycles, "us": 1.0, "limiter": "reads"}


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
