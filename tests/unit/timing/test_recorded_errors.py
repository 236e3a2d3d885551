"""Recorded measurements, predicted anew without a GPU: a change of the model that makes it worse, or better, is seen.

A prediction that has changed for good belongs into the record: `ptxlab bench predict`, and the table's errors with it.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ptxlab.bench.predict import run
from ptxlab.bench.predict.cases import Case
from ptxlab.cuda import ptxas
from ptxlab.timing.profile import BY_MACHINE_CODE

RECORD = Path(__file__).parents[3] / "benchmarks" / "records" / "predict.jsonl"
SECONDS, OF_CANDIDATES = 3.0, 1.0
"""Cases that took longer to predict when they were recorded are left out: the rest is half a minute of one core."""
KINDS = {"gemm", "attention", "rms_norm", "stream", "strided", "conflicts", "barriers", "divergence", "shuffles", "fma"}
MOVED = 0.005
"""So far the mean error may move."""


def _cases() -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Predictions of the record with their measurements: the kernels, and the candidates, that were measured last."""
    lines = run.lines_of(RECORD)
    candidates = [line for line in lines if line["what"] == "measured" or line.get("space")]
    last = max(line["seed"] for line in candidates if line["what"] == "predicted")
    found = [pair for pair in run.pairs(run.latest(lines)) if pair[0]["seconds"] < SECONDS]
    return found + [
        pair for pair in run.pairs(candidates) if pair[0]["seed"] == last and pair[0]["seconds"] < OF_CANDIDATES
    ]


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.ptxas
def test_the_mean_error_of_recorded_kernels_is_the_recorded_one() -> None:
    cases = _cases()
    assert len(cases) >= 50
    assert {predicted["kind"] for predicted, _ in cases} >= KINDS
    moved: list[str] = []
    before: list[float] = []
    now: list[float] = []
    for predicted, measured in cases:
        case = Case(predicted["kind"], predicted["numbers"])
        again = run.predicted(case, predicted["seed"])
        assert again["used"] == predicted["used"] == BY_MACHINE_CODE, case.name
        before.append(abs(run.error(predicted, measured)))
        now.append(abs(run.error(again, measured)))
        if again["cycles"] != predicted["cycles"]:
            moved.append(f"{case.name}: {predicted['cycles']:,} cycles then, {again['cycles']:,} now")
    then, after = statistics.mean(before), statistics.mean(now)
    assert after == pytest.approx(then, abs=MOVED), "\n".join([f"{then:.2%} then, {after:.2%} now", *moved])
