"""`ptxlab bench check`: a row a file, and a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.bench import check, records
from ptxlab.diag import Diagnostic

_KERNEL = ".visible .entry k{0}()\n{{ .reg .b32 %r<3>;\nmov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r1;\nret;\n}}\n"


def test_rates_and_record(tmp_path: Path) -> None:
    file, record = tmp_path / "many.ptx", tmp_path / "r.jsonl"
    body = "".join(_KERNEL.format(i) for i in range(20))
    file.write_text(".version 8.0\n.target sm_90a\n.address_size 64\n" + body)
    assert check.main([file], 1, record) == 0
    (line,) = records.read(record)
    (row,) = line["rows"]
    assert (row["file"], row["bytes"], row["kernels"], row["findings"]) == ("many.ptx", file.stat().st_size, 20, 0)
    assert row["parse"] > 0 < row["lints"]


def test_no_rounds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic) as refused:
        check.main([tmp_path / "none.ptx"], 0)
    assert refused.value.code == "PTX2501"
