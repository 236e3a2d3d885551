"""`verify`: whether a kernel computes what a reference computes, on inputs that the judge draws."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

from pydantic import Field

from ptxlab.mcp import limits
from ptxlab.mcp.findings import findings
from ptxlab.mcp.models import Answer, Model, Request
from ptxlab.mcp.sources import PYTHON, module_of
from ptxlab.mcp.tools.simulate import python_of_requests
from ptxlab.mcp.tools.tool import Context, Tool
from ptxlab.mcp.values import wrong


class Verify(Request):
    """Python that defines a candidate, a reference and a spec, as `px.verify` takes them."""

    python: str = Field(
        max_length=limits.TEXT,
        description=f"with a @px.kernel function or a function that launches kernels, a reference in NumPy, and a px.Spec; "
        f"findings call it {PYTHON}",
    )
    candidate: str = Field(default="candidate", max_length=256, description="the name of the kernel or function")
    reference: str = Field(default="reference", max_length=256, description="the name of the reference")
    spec: str = Field(default="spec", max_length=256, description="the name of the px.Spec")
    seed: int | None = Field(default=None, ge=0, lt=1 << 63, description="of what is drawn; default: a new one")
    runs: int = Field(default=16, ge=1, le=1000, description="inputs that are drawn")
    sanitize: Literal[True, "strict"] = True


class Trial(Model):
    """The run that showed it."""

    sizes: dict[str, int]
    inputs: list[str] = Field(description="what each input held")
    schedule: str
    seed: int


class WrongElement(Model):
    """The first wrong element."""

    array: str
    index: list[int]
    value: str
    wanted: str
    elements: int = Field(description="of the array that are wrong")
    total: int


class Verified(Answer):
    """The verdict; its cause is the finding."""

    verdict: str | None = Field(
        default=None,
        description="equal, wrong, races, hangs, nondeterministic, cheats, out-of-bounds, faulty, unsupported, or inconclusive",
    )
    seed: int | None = Field(default=None, description="the same seed draws the same again")
    runs: int | None = None
    trial: Trial | None = None
    mismatch: WrongElement | None = None
    proved: bool | None = Field(default=None, description="whether one run of the kernel speaks for every schedule")
    work: dict[str, int] | None = Field(default=None, description="of the first run, beside what the reference needs")


def run(request: Verify, context: Context) -> dict[str, Any]:
    """See `Verify`."""
    import ptxlab as px

    module = module_of(request.python, PYTHON)
    given = [_named(module, name) for name in (request.candidate, request.reference, request.spec)]
    with python_of_requests(f"{request.candidate} cannot be judged"):
        found = px.verify(
            *given,
            seed=request.seed,
            runs=request.runs,
            sanitize=request.sanitize,
            max_instructions=context.limits.instructions,
            seconds=context.limits.time / 2,
        )
    data = found.data
    certificate = data.pop("certificate")
    return {
        "tool": "verify",
        "status": "clean" if found else "findings",
        "findings": findings(found.findings),
        **{name: data[name] for name in ("verdict", "seed", "runs", "trial", "mismatch", "work")},
        "proved": None if certificate is None else certificate["proved"],
    }


def _named(module: ModuleType, name: str) -> Any:
    found = getattr(module, name, None)
    if found is None:
        raise wrong(
            f"The Python defines no {name!r}.", "define candidate, reference and spec, or name what they are called"
        )
    return found


TOOL = Tool(
    name="verify",
    title="Judge a kernel",
    description="Judge whether a kernel computes what a reference in NumPy computes. Sizes and inputs are drawn anew, sums may be "
    "rounded as far as arithmetic of the allowed type does and no further, each run is sanitized under changing schedules. Answers "
    "with one word of a closed list, the first wrong element, the trial that showed it, and the cause.",
    request=Verify,
    answer=Verified,
    run=run,
    executes=lambda request: True,
)
