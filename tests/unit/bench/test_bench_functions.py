"""`ptxlab bench functions`: a row for each approximate instruction, and a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.bench import functions, records
from ptxlab.conformance.functions.cases import cases
from ptxlab.diag import Diagnostic


def test_rows_and_record(tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    assert functions.main(1, record) == 0
    (line,) = records.read(record)
    assert {row["opcode"] for row in line["rows"]} == {c.probe.opcode for c in cases().values()}
    assert all(row["rate"] > 0 for row in line["rows"])


def test_no_rounds_are_refused() -> None:
    with pytest.raises(Diagnostic) as refused:
        functions.main(0)
    assert refused.value.code == "PTX2501"
