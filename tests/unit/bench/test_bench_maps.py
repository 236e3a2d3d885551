"""The measurement of tensor maps: every way is timed, and the record says what was promised."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from ptxlab.bench import maps, records
from ptxlab.diag import Diagnostic

ROOT = Path(__file__).parents[3]


def test_one_line_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "_CALLS", 3)
    text = io.StringIO()
    assert maps.main(2, tmp_path / "r.jsonl", Console(file=text, width=160)) == 0
    (made,) = records.read(tmp_path / "r.jsonl")
    names = [row["name"] for row in made["rows"]]
    assert made["bench"] == "tensormap"
    assert [n for n in names if n.startswith("TensorMap.")] == names[:4]
    assert sum("px.tensor_map of an array" in n for n in names) >= 2
    assert all(0 < row["best"] <= row["median"] for row in made["rows"] if "adds" not in row["name"])
    assert all(name in text.getvalue() for name in names)


def test_nothing_measured_is_refused() -> None:
    with pytest.raises(Diagnostic) as e:
        maps.main(0)
    assert e.value.code == "PTX2501"


def test_a_way_is_within_its_limit_or_not() -> None:
    assert maps.Row("x", 2.0, 3.0, 2.0).kept
    assert not maps.Row("x", 2.1, 3.0, 2.0).kept
    assert maps.Row("x", 2.1, 3.0).kept


def test_what_was_promised_was_measured() -> None:
    runs = [r for r in records.read(ROOT / "benchmarks" / "records" / "tensormap.jsonl") if "H100" in r.get("name", "")]
    assert runs
    limits = {row["name"]: row["limit"] for row in runs[-1]["rows"] if row["limit"] is not None}
    assert sorted(set(limits.values())) == [maps.LAUNCH, maps.LOOK_UP, maps.MAKE]
    for row in runs[-1]["rows"]:
        assert maps.Row(**row).kept, row
