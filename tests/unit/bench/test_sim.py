"""The simulator's own benchmark: small here, and a wrong result is an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from ptxlab.bench import sim
from ptxlab.diag import Diagnostic


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sim, "ELEMENTS", 4096)
    monkeypatch.setattr(sim, "GEMMS", ())


def test_table_and_record(tmp_path: Path) -> None:
    console = Console(record=True, width=80)
    path = tmp_path / "sim.jsonl"
    assert sim.main(2, path, console) == 0
    assert "equal" in console.export_text()
    [line] = path.read_text().splitlines()
    [row] = json.loads(line)["rows"]
    assert row["correct"]
    assert row["rounds"] == 2
    assert row["instructions"] > 4096 * 5


def test_wrong_result_is_the_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = sim.Row("x", 1.0, 1.0, 1, 1, 1, False)
    monkeypatch.setattr(sim, "measure", lambda rounds: [wrong])
    console = Console(record=True, width=80)
    assert sim.main(1, None, console) == 1
    assert "differs" in console.export_text()


def test_no_rounds() -> None:
    with pytest.raises(Diagnostic) as caught:
        sim.main(0)
    assert caught.value.code == "PTX2501"
