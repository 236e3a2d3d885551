"""`ptxlab bench mcp`: all requests are answered, and a record."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.bench import records

pytest.importorskip("mcp", reason="there is no SDK of MCP: install the extra `mcp`")


def test_parts_and_record(tmp_path: Path) -> None:
    from ptxlab.bench import mcp

    record = tmp_path / "r.jsonl"
    assert mcp.main(3, 1, 2, record) == 0
    (line,) = records.read(record)
    assert [part["part"] for part in line["parts"]] == [
        "check",
        "simulate",
        "verify",
        "certify",
        "faults, first half",
        "faults, second half",
    ]
    assert all(part["requests"] > 0 and part["lost"] == part["hangs"] == part["wrong"] == 0 for part in line["parts"])
    assert line["memory"][0]["after"] == "start"
    assert all(at["server_mib"] > 0 for at in line["memory"])


def test_the_record_has_a_run_of_ten_minutes() -> None:
    """It shows leaks, which the short default does not."""
    lines = records.read(Path(__file__).parents[3] / "benchmarks" / "records" / "mcp.jsonl")
    assert any(sum(part["seconds"] for part in line["parts"]) >= 600 for line in lines)
