"""`tools.reach`: the library's kernels are certified, and what is measured becomes a line of a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools import reach

READS_A_TABLE = ("grouped gemm", "grouped rows")
"""Which tiles they compute stands in memory: that decides what they do."""


@pytest.mark.parametrize("name", reach.OURS)
def test_the_librarys_kernels_are_certified(name: str) -> None:
    launch: Any = reach.OURS[name]()
    found = launch(sanitize=True, certify=True).certificate
    assert found.proved, str(found)
    assert found.any_data == (name not in READS_A_TABLE)


def test_a_line_of_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.jsonl"
    assert reach.main(["--only", "expressions", "--record", str(file), "--note", "a test"]) == 0
    (line,) = map(json.loads, file.read_text().splitlines())
    assert line["note"] == "a test"
    assert [row["verdict"] for row in line["expressions"]] == ["equal", "equal"]
    assert "gemm 128³" in capsys.readouterr().out


def test_what_stands_in_the_repository_is_what_was_asked_for() -> None:
    last: dict[str, Any] = {}
    for line in map(json.loads, reach.RECORD.read_text().splitlines()):
        last |= line
    assert all(row["proved"] for row in last["certificates"])
    assert max(row["ratio"] for row in last["certificates"]) <= 1.5
    assert all(row["verdict"] == "equal" and row["seconds"] <= 5 for row in last["expressions"])
    assert last["mistakes"]["wrong"] >= 200
    assert last["zoo"]["faulty"][0] == 0
    assert all(right == every >= 120 for right, every in last["verdicts"].values())
