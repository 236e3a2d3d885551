"""`simulate`: a launch, bit for bit as an H100 runs it, watched by the sanitizer."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Generator
from typing import Any, Literal

from pydantic import Field

from ptxlab.diag import Diagnostic, Severity
from ptxlab.diag.causes import with_consequences
from ptxlab.mcp.findings import findings, status, suppressed
from ptxlab.mcp.models import Answer, Model, Suppressed
from ptxlab.mcp.sources import PYTHON, Launch, chosen, kernels, parameters
from ptxlab.mcp.tools.tool import Context, Tool
from ptxlab.mcp.values import Bound, Output


class Simulate(Launch):
    """What `ptxlab run` takes, with arrays in the request."""

    sanitize: bool | Literal["strict"] = Field(default=True, description="look for races, missing waits and fences")
    schedule: Literal["eager", "late", "random"] = Field(
        default="eager", description="when asynchronous operations happen; what eager hides, late often shows"
    )
    seed: int = Field(default=0, ge=0, lt=1 << 64, description="of the random schedule, and of what nobody has written")
    poison: bool = True
    max_instructions: int | None = Field(
        default=None, ge=1, description="counted per thread; the server has a limit, too"
    )
    stats: bool = Field(default=False, description="count bytes, bank conflicts, sectors and waits")
    outputs: Literal["summary", "base64"] = "summary"
    first: int = Field(default=8, ge=0, le=4096, description="elements of each output that the answer has")


class Statistics(Model):
    """Counts of the launch."""

    kernel: str
    ctas: int
    instructions: int = Field(description="thread-instructions")
    warp_instructions: int
    bytes: dict[str, int] | None = Field(
        default=None, description="moved, by path; this and the rest with `stats` alone"
    )
    bank_conflicts: int | None = Field(default=None, description="wavefronts of shared memory beyond the least")
    sectors_per_request: float | None = Field(default=None, description="of global memory")
    waits: int | None = Field(default=None, description="how often a warp had to wait at a barrier")
    forms: dict[str, int] | None = Field(
        default=None, description="executions by warps, by the form of the instruction"
    )


_COUNTED = ("bytes", "bank_conflicts", "sectors_per_request", "waits", "forms")


class Simulated(Answer):
    """What the launch left behind."""

    outputs: list[Output] | None = Field(default=None, description="arrays after the launch")
    statistics: Statistics | None = None
    suppressed: list[Suppressed] | None = None
    unwritten: list[str] | None = Field(default=None, description="elements of outputs that nobody has written")
    printed: str | None = Field(default=None, description="what the kernel printed, at most 16384 characters")


def run(request: Simulate, context: Context) -> dict[str, Any]:
    """See `Simulate`."""
    import ptxlab as px

    kernel = chosen(kernels(request)[0], request.entry)
    with python_of_requests(f"kernel `{kernel.name}`"):
        bound = Bound(parameters(kernel, request.constants), request.args)
        most = context.instructions(request.max_instructions)
        with shown_warnings() as more:
            report = px.simulate(
                kernel,
                args=bound.args,
                sanitize=request.sanitize,
                schedule=request.schedule,
                seed=request.seed,
                poison=request.poison,
                max_instructions=most,
                stats=request.stats,
                **request.launched(),
            )
    found = [*with_consequences(report.findings), *more]
    stats = report.stats
    return {
        "tool": "simulate",
        "status": status(found),
        "findings": findings(found),
        "outputs": bound.outputs(request.first, request.outputs),
        "statistics": {
            "kernel": kernel.name,
            "ctas": stats.ctas,
            "instructions": stats.instructions,
            "warp_instructions": stats.warp_instructions,
            **({name: getattr(stats, name) for name in _COUNTED} if request.stats else {}),
        },
        "suppressed": list(map(suppressed, report.suppressed)),
        "unwritten": list(map(str, report.unwritten)),
    }


@contextlib.contextmanager
def shown_warnings() -> Generator[list[Diagnostic]]:
    """The lints that launches within show."""
    found: list[Diagnostic] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    shown = (getattr(w.message, "diagnostic", None) for w in caught)
    found += [d for d in shown if isinstance(d, Diagnostic) and d.severity is not Severity.ERROR]


@contextlib.contextmanager
def python_of_requests(what: str, file: str = PYTHON) -> Generator[None]:
    """What the Python of a request raises is a diagnostic with its line (PTX2505)."""
    from pathlib import Path

    from ptxlab.launch.python_file import raised

    try:
        yield
    except (Diagnostic, MemoryError):
        raise
    except (Exception, SystemExit) as e:
        path = Path.cwd() / file
        if not path.exists():  # the request has no Python
            raise
        raise raised(e, path, f"{what} cannot be run") from None


TOOL = Tool(
    name="simulate",
    title="Simulate a kernel",
    description="Run a kernel of PTX, or of ptxlab's Python language, on arrays, in a simulator that computes what an H100 does, "
    "bit for bit. A sanitizer watches: races, missing fences and waits, mbarriers, swizzles, descriptors, hangs. Returns the "
    "arrays (a summary, and the first elements), findings with the place and the way out, and counts.",
    request=Simulate,
    answer=Simulated,
    run=run,
    executes=lambda request: request.python is not None,
)
