"""`version`: what the server is, and what it allows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import Field

from ptxlab import __version__
from ptxlab.mcp.models import Answer, Request
from ptxlab.mcp.tools.tool import Context, Tool


class Version(Request):
    """Nothing is asked for."""


class Described(Answer):
    """The server."""

    ptxlab: str | None = None
    limits: dict[str, int | float | bool | None] | None = Field(
        default=None, description="seconds, bytes, and numbers of requests"
    )
    isolation: dict[str, str] | None = Field(
        default=None, description="how the processes that work on requests are shut in"
    )
    ptxas: list[str] | None = Field(default=None, description="releases that `check` knows")


def run(_: Version, context: Context) -> dict[str, Any]:
    """See `Described`."""
    from ptxlab.isa import releases

    return {
        "tool": "version",
        "status": "clean",
        "ptxlab": __version__,
        "limits": asdict(context.limits),
        "isolation": dict(context.isolation),
        "ptxas": list(map(releases.name, releases.READS)),
    }


TOOL = Tool(
    name="version",
    title="Version and limits",
    description="Say which ptxlab this is, what it allows a request, whether it executes Python, and how that is shut in.",
    request=Version,
    answer=Described,
    run=run,
    local=True,
)
