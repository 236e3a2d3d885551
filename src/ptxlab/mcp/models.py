"""What requests and answers are made of: the JSON Schemas of the tools come from these models.

A finding is the JSON that `ptxlab check --format json` writes (`checks.formats`), with the text of its line and the next step.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ptxlab.mcp import SCHEMA

Status = Literal["clean", "findings", "stopped", "refused"]


class Model(BaseModel):
    """A part of a request or an answer: it has the fields that are named, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Place(Model):
    """A place in a text; lines and columns count from 1, and are null where they are not known."""

    file: str | None
    line: int | None
    column: int | None
    end_column: int | None


class Placed(Place):
    """A place in the PTX, with the place in the source behind it."""

    source: Place | None


class Memory(Model):
    """Bytes that a finding is about."""

    space: str
    array: str | None
    offset: int
    nbytes: int
    element: list[int] | None


class Access(Model):
    """Who accesses them: the thread and its CTA, x first, and the instruction."""

    does: str
    thread: list[int]
    cta: list[int]
    instruction: str
    asynchronous: bool
    place: Placed | None


class Step(Model):
    """A call of a tool that leads on."""

    tool: str
    arguments: dict[str, Any]


class Finding(Place):
    """A diagnostic: the code, what is wrong, where, who takes part, the way out, and the next step."""

    code: str
    slug: str
    severity: Literal["error", "warning", "lint", "note"]
    message: str
    text: str | None = Field(description="the line of `file` at `line`")
    help: str | None = Field(description="the way out")
    notes: list[str]
    next: Step
    isa: str | None = Field(description="the section of the PTX manual")
    explain: str
    source: Place | None
    other: Placed | None = Field(description="the access that came first, where two clash")
    memory: Memory | None
    accesses: list[Access]
    flag: list[Access]
    alike: list[list[Placed | None]]
    wait_graph: dict[str, Any] | None = Field(default=None, description="of a launch that hangs: who waits for whom")


class Suppressed(Finding):
    """A finding that a comment in the source suppresses."""

    reason: str
    suppressed_at: Place
    in_source: bool


class Request(Model):
    """What every request may have."""

    schema_version: Literal["ptxlab.mcp/1"] = Field(
        default=SCHEMA, alias="schema", description="the version that the client is written for"
    )


class Answer(Model):
    """What every answer has. Other fields are null where the request was refused or the launch stopped."""

    schema_version: Literal["ptxlab.mcp/1"] = Field(default=SCHEMA, alias="schema")
    tool: str
    status: Status = Field(
        description="clean: done, and nothing was found. findings: done, and something was found. stopped: the launch ended "
        "before its end. refused: the request was not carried out"
    )
    findings: list[Finding] = Field(default_factory=list[Finding])


NUMBERS: Final = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
"""Numbers that JSON does not have, as strings."""
Number = int | float | bool | Literal["nan", "inf", "-inf"]
