"""`litmus`: what the memory model allows in a small program."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ptxlab.mcp.models import Answer, Model, Request
from ptxlab.mcp.tools.tool import Context, Tool


class Litmus(Request):
    """What `ptxlab litmus` takes."""

    test: str = Field(max_length=200_000, description="a test in the litmus format of herd7, or PTX with a condition")
    races: bool = Field(default=True, description="look for data races")
    all_races: bool = Field(default=False, description="every pair of instructions that race, not the first one alone")
    hangs: bool = Field(default=True, description="look for executions that never end")


class Verdict(Model):
    """What `ptxlab litmus --format json` writes; null is what nobody knows, or what was not asked."""

    name: str
    quantifier: str | None
    condition: str | None
    holds: bool | None
    reachable: bool | None
    outcomes: list[dict[str, int | str]]
    races: list[list[str]]
    hangs: list[list[Any]]
    unknown: list[str]
    bounds: list[str]


class Decided(Answer):
    """The verdict, and the same in words: outcomes, and an execution that shows or forbids what was asked."""

    verdict: Verdict | None = None
    text: str | None = None


def run(request: Litmus, _: Context) -> dict[str, Any]:
    """See `Litmus`."""
    from ptxlab.memory_model import parse
    from ptxlab.memory_model.decision import decide
    from ptxlab.memory_model.verdict import as_data, report

    program = parse(request.test, "test.litmus")
    verdict = decide(program, race=request.races, all_races=request.all_races, hang=request.hangs)
    return {"tool": "litmus", "status": "clean", "verdict": as_data(verdict), "text": report(verdict)}


TOOL = Tool(
    name="litmus",
    title="Ask the memory model",
    description="Decide a litmus test of PTX's memory model: which outcomes are allowed, data races, hangs, and why.",
    request=Litmus,
    answer=Decided,
    run=run,
)
