from __future__ import annotations

import math
from pathlib import Path

import pytest

import ptxlab
from ptxlab.bench import records
from ptxlab.diag import Diagnostic


def test_records_add_up(tmp_path: Path) -> None:
    place = tmp_path / "new" / "gemm.jsonl"
    records.append(place, {"n": 4096, "name": "B K×N"})
    records.append(place, {"n": 8192})
    version = {"ptxlab": ptxlab.__version__}
    assert records.read(place) == [{"n": 4096, "name": "B K×N"} | version, {"n": 8192} | version]
    assert records.read(tmp_path / "none.jsonl") == []


def test_a_number_that_json_lacks_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as caught:
        records.append(tmp_path / "x.jsonl", {"median": math.nan})
    assert caught.value.code == "PTX2501"
    assert not (tmp_path / "x.jsonl").exists()


def test_places_that_cannot_be_used_are_diagnostics(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"n": 1}\n{"n": \n')
    with pytest.raises(Diagnostic, match="line 2"):
        records.read(tmp_path / "bad.jsonl")
    for use in (lambda: records.append(tmp_path, {}), lambda: records.read(tmp_path)):
        with pytest.raises(Diagnostic) as caught:
            use()
        assert caught.value.code == "PTX2500"
