"""`check`: what is wrong with PTX, or with kernels in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from ptxlab.diag import Diagnostic
from ptxlab.mcp.findings import findings, status
from ptxlab.mcp.models import Answer
from ptxlab.mcp.sources import PTX, PYTHON, Sourced
from ptxlab.mcp.tools.tool import Context, Tool
from ptxlab.mcp.values import wrong


class Check(Sourced):
    """What `ptxlab check` takes."""

    target: str | None = Field(default=None, description="check for this target, e.g. sm_90a, not for the text's own")
    ptxas: str | None = Field(default=None, description="check for this release of ptxas, e.g. 13.1, where they differ")
    lints: bool = Field(default=True, description="look across instructions, too")
    select: list[str] = Field(
        default_factory=list[str], description="codes to report alone: PTX0212, or PTX50 for all such"
    )
    ignore: list[str] = Field(default_factory=list[str], description="codes to leave out")


class Checked(Answer):
    """What is wrong: at most 50 findings; `count` has the number of all."""

    count: int | None = None


def run(request: Check, _: Context) -> dict[str, Any]:
    """See `Check`."""
    from ptxlab.checks.target import check_target
    from ptxlab.ptx.tree import Module

    if request.target is not None and check_target(Module(), request.target)[1]:
        raise wrong(f"target: there is no {request.target!r}.", "write e.g. sm_90a")
    found = [
        d
        for d in dict.fromkeys(_found(request))
        if (not request.select or d.code.startswith(tuple(request.select)))
        and not d.code.startswith(tuple(request.ignore))
    ]
    return {"tool": "check", "status": status(found), "findings": findings(found), "count": len(found)}


def _found(request: Check) -> Iterator[Diagnostic]:
    import ptxlab as px
    from ptxlab.launch.python_file import check_python

    try:
        if request.python is None:
            text = request.ptx or ""
            yield from px.check(text + "\n", request.target, file=PTX, lints=request.lints, ptxas=request.ptxas)
        else:
            file = Path.cwd() / PYTHON
            file.write_text(request.python, encoding="utf-8", errors="surrogatepass")
            yield from check_python(file, request.target, lints=request.lints, ptxas=request.ptxas)[0]
    except ValueError as e:
        raise wrong(f"ptxas: ptxlab does not know release {request.ptxas!r}.", str(e)) from None


TOOL = Tool(
    name="check",
    title="Check PTX",
    description="Parse and validate PTX, or kernels in ptxlab's Python language: every error, warning and lint with its line, the "
    "rule and the way out. Runs nothing on data; `simulate` does.",
    request=Check,
    answer=Checked,
    run=run,
    executes=lambda request: request.python is not None,
)
