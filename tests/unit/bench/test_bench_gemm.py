from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ptxlab.bench import contest, gemm
from ptxlab.diag import Diagnostic

RECORD: dict[str, Any] = {
    "bench": "gemm",
    "date": "2025-01-02",
    "n": 4096,
    "data": "bf16, standard normal",
    "gpu": {"name": "NVIDIA H100", "driver_version": "580.1", "clocks.sm": "1500"},
    "tflops": {"cuBLAS, a @ b": {"median": 700.04, "best": 710.0, "worst": 650.0, "rounds": 40, "ratio": 1.0}},
}


@pytest.mark.parametrize(
    ("sizes", "rounds", "words"), [([4], 20, "size 4"), ([100], 20, "size 100"), ([64], 19, "19 rounds")]
)
def test_what_cannot_be_measured_is_said_before_a_gpu_is_looked_for(sizes: list[int], rounds: int, words: str) -> None:
    with pytest.raises(Diagnostic, match=words) as caught:
        gemm.main(sizes, rounds)
    assert caught.value.code == "PTX2501"


def test_without_a_gpu_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(Diagnostic) as caught:
        gemm.main([64], 20, tmp_path / "gemm.jsonl")
    assert caught.value.code in ("PTX2304", "PTX2422", "PTX2510")
    assert not (tmp_path / "gemm.jsonl").exists()


def test_the_table_shows_every_contender() -> None:
    console = Console(record=True, width=120)
    console.print(contest.table(RECORD, "4096³", "of the faster cuBLAS"))
    text = console.export_text()
    assert "4096³" in text
    assert "driver 580.1" in text
    assert [line.split()[-5:] for line in text.splitlines() if "a @ b" in line] == [
        ["700.0", "710.0", "650.0", "40", "1.000"]
    ]
