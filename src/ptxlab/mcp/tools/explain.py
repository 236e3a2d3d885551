"""`explain`: what stands behind a code, an instruction or a term."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ptxlab.mcp.models import Answer, Request
from ptxlab.mcp.tools.tool import Context, Tool


class Explain(Request):
    """What `ptxlab explain` takes."""

    what: str = Field(
        min_length=1,
        max_length=4000,
        description='a code ("PTX9213"), a code and the cause of a hang ("PTX9100 bytes"), an opcode ("cp.async"), an instruction, '
        'a name of the Python language ("k.else_"), a term ("poll"), or a shape of matrices ("mma.m16n8k16")',
    )


class Explained(Answer):
    """The text."""

    text: str | None = None


def run(request: Explain, _: Context) -> dict[str, Any]:
    """See `Explain`."""
    import ptxlab as px

    return {"tool": "explain", "status": "clean", "text": px.explain(request.what)}


TOOL = Tool(
    name="explain",
    title="Explain a code or an instruction",
    description="Explain a diagnostic's code, with a faulty kernel and its repair; an instruction: syntax, operands, rules, what "
    "it needs, an example; or a term.",
    request=Explain,
    answer=Explained,
    run=run,
)
