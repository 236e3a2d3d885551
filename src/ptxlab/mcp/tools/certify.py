"""`certify`: whether one sanitized run of a launch speaks for every schedule."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ptxlab.mcp.findings import findings
from ptxlab.mcp.models import Answer
from ptxlab.mcp.sources import Launch, chosen, kernels, parameters
from ptxlab.mcp.tools.simulate import python_of_requests, shown_warnings
from ptxlab.mcp.tools.tool import Context, Tool
from ptxlab.mcp.values import Bound


class Certify(Launch):
    """What `ptxlab run --certify` takes, with arrays in the request."""

    sanitize: Literal["strict"] | None = Field(
        default=None, description="strict: by the memory model to the letter, with fewer assumptions"
    )
    orders: int = Field(default=1000, ge=0, description="in how many orders of strong accesses to run it, at most")
    max_instructions: int | None = Field(
        default=None, ge=1, description="counted per thread; the server has a limit, too"
    )


class Certified(Answer):
    """What the certificate says; where it is not proved, the findings are the reasons."""

    proved: bool | None = Field(
        default=None, description="no schedule of this launch races, hangs, or leaves other bits"
    )
    any_data: bool | None = Field(
        default=None, description="whatever the arrays hold: no loaded value decides anything"
    )
    launch: str | None = Field(default=None, description="kernel, grid, block and cluster")
    control: list[str] | None = Field(default=None, description="loads whose data decide what is executed")
    assumptions: list[str] | None = Field(default=None, description="what the proof takes for granted")
    orders: str | None = Field(default=None, description="the orders of strong accesses in which the launch was run")


def run(request: Certify, context: Context) -> dict[str, Any]:
    """See `Certify`."""
    import ptxlab as px

    kernel = chosen(kernels(request)[0], request.entry)
    with python_of_requests(f"kernel `{kernel.name}`"):
        bound = Bound(parameters(kernel, request.constants), request.args)
        most = context.instructions(request.max_instructions)
        with shown_warnings() as more:
            certificate = px.certify(
                kernel,
                args=bound.args,
                sanitize=request.sanitize,
                orders=request.orders,
                max_instructions=most,
                **request.launched(),
            )
    return {
        "tool": "certify",
        "status": "clean" if certificate.proved else "findings",
        "findings": findings([*certificate.reasons, *more]),
        **{name: value for name, value in certificate.data.items() if name != "reasons"},
    }


TOOL = Tool(
    name="certify",
    title="Certify a launch",
    description="Run a kernel once, sanitized, and say whether that run speaks for every schedule: proved means that no schedule "
    "of this launch races, hangs, or leaves other bits. Otherwise the findings say which instruction prevents the proof, and why. "
    "Also names the loads whose data decide what is executed, and what the proof assumes.",
    request=Certify,
    answer=Certified,
    run=run,
    executes=lambda request: request.python is not None,
)
