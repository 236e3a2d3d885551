"""What tools take and answer is what the documents say; a change of it is seen in a diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="there is no SDK of MCP: install the extra `mcp`")

import jsonschema

from ptxlab.mcp import SCHEMA
from ptxlab.mcp.models import Answer, Finding
from ptxlab.mcp.tools import tools
from tools.reference import mcp

ROOT = Path(__file__).resolve().parents[3]


def test_the_pages_are_fresh() -> None:
    assert (ROOT / mcp.PATH).read_text(encoding="utf-8") == mcp.text(), "run python -m tools.generate"
    assert (ROOT / mcp.SCHEMAS).read_text(encoding="utf-8") == mcp.schemas(), "run python -m tools.generate"


@pytest.mark.parametrize("name", tools())
def test_schemas_are_schemas(name: str) -> None:
    for which in ("input", "output"):
        schema = json.loads(mcp.schemas())[f"{name}.{which}"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]["schema"]["const"] == SCHEMA
        assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", tools())
def test_a_refusal_is_an_answer_of_every_tool(name: str) -> None:
    """Fields that a tool adds are null where there is nothing to say."""
    added = set(tools()[name].answer.model_fields) - set(Answer.model_fields)
    made = tools()[name].answer(tool=name, status="refused").model_dump()
    assert all(made[field] is None for field in added)


def test_findings_have_all_that_the_command_writes() -> None:
    from ptxlab.checks.formats import as_data
    from ptxlab.diag import Diagnostic

    written: dict[str, Any] = as_data(Diagnostic("PTX2501", "wrong"))
    assert set(Finding.model_fields) == {*written, "text", "next", "wait_graph"}
