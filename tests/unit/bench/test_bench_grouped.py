from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.bench import grouped
from ptxlab.bench.contest import Timing
from ptxlab.diag import Diagnostic


def test_too_few_rounds_are_refused_before_a_gpu_is_looked_for() -> None:
    with pytest.raises(Diagnostic, match="19 rounds") as caught:
        grouped.main(19)
    assert caught.value.code == "PTX2501"


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(Diagnostic) as caught:
        grouped.main(20, tmp_path / "grouped.jsonl")
    assert caught.value.code in ("PTX2304", "PTX2422", "PTX2510")
    assert not (tmp_path / "grouped.jsonl").exists()


@pytest.mark.parametrize("work", grouped.WORKLOADS, ids=lambda w: w.name)
def test_the_dense_product_is_equal_work(work: grouped.Workload) -> None:
    m, n, k = work.dense
    assert 0.99 < 2.0 * m * n * k / work.operations < 1.01
    assert all(x % 8 == 0 for _, n, k in (*work.sizes, work.dense) for x in (n, k))  # rows that TMA can address


def test_a_ragged_workload_of_eight_is_among_them() -> None:
    assert any(len(w.sizes) == 8 and len(set(w.sizes)) == 8 for w in grouped.WORKLOADS)


def test_ratios_are_of_medians() -> None:
    made = Timing(450.0, 500.0, 400.0, 40).scaled(1.1).record(beside=550.0)
    assert made == {"median": 495.0, "best": 550.0, "worst": 440.0, "rounds": 40, "ratio": 0.9}
