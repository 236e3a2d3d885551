"""`compare`: a launch beside a reference, under several schedules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from ptxlab.mcp.findings import findings, status, suppressed
from ptxlab.mcp.models import Answer, Model, Suppressed
from ptxlab.mcp.sources import REFERENCE, Launch, Text, chosen, kernels, module_of, parameters
from ptxlab.mcp.tools.simulate import python_of_requests, shown_warnings
from ptxlab.mcp.tools.tool import Context, Tool
from ptxlab.mcp.values import Array, Bound, Output, array, wrong

if TYPE_CHECKING:
    import numpy as np

_FUNCTION = "reference"


class Compare(Launch):
    """What `px.compare` takes. The reference is a function in NumPy, or the arrays that are expected."""

    reference: Text | None = Field(
        default=None,
        description="Python that defines `def reference(…)`: it gets copies of the arguments in their order, and writes what it "
        "expects into them. Left out, and without `expected`, the function is looked for in `python`",
    )
    expected: dict[str, Array] | None = Field(
        default=None, description="by the parameters' names: what arrays are to hold"
    )
    rtol: float = Field(default=0.0, ge=0)
    atol: float = Field(default=0.0, ge=0)
    schedules: list[Literal["eager", "late", "random"]] = Field(default=["eager", "late", "random"], min_length=1)
    seeds: list[int] = Field(
        default=[0, 1, 2], min_length=1, max_length=64, description="of the random schedule, a run for each"
    )
    sanitize: bool | Literal["strict"] = True
    first: int = Field(default=8, ge=0, le=4096)


class Mismatch(Model):
    """An array that differs from the reference."""

    array: str
    elements: int
    total: int
    index: list[int]
    value: str
    wanted: str


class Run(Model):
    """One run."""

    schedule: str
    seed: int
    outcome: str = Field(description="right, wrong in which arrays, or what stopped it")
    mismatches: list[Mismatch]


class Compared(Answer):
    """The runs."""

    runs: list[Run] | None = None
    outputs: list[Output] | None = Field(default=None, description="arrays after the first run")
    suppressed: list[Suppressed] | None = None


def run(request: Compare, _: Context) -> dict[str, Any]:
    """See `Compare`."""
    import ptxlab as px

    found, module = kernels(request)
    kernel = chosen(found, request.entry)
    with python_of_requests(f"kernel `{kernel.name}`"):
        names = list(parameters(kernel, request.constants))
    bound = Bound(names, request.args)
    reference = _reference(request, module, names)
    with (
        python_of_requests("the reference", REFERENCE if request.reference is not None else "kernel.py"),
        shown_warnings() as more,
    ):
        compared = px.compare(
            kernel,
            reference,
            bound.args,
            rtol=request.rtol,
            atol=request.atol,
            schedules=request.schedules,
            seeds=request.seeds,
            sanitize=request.sanitize,
            **request.launched(),
        )
    all_found = [*compared.findings, *more]
    return {
        "tool": "compare",
        "status": status(all_found),
        "findings": findings(all_found),
        "runs": [
            {
                "schedule": one.schedule,
                "seed": one.seed,
                "outcome": one.outcome,
                "mismatches": [
                    {name: getattr(m, name) for name in Mismatch.model_fields} | {"index": list(m.index)}
                    for m in one.mismatches
                ],
            }
            for one in compared.runs
        ],
        "outputs": bound.outputs(request.first, "summary"),
        "suppressed": list(map(suppressed, compared.suppressed)),
    }


def _reference(request: Compare, module: ModuleType | None, names: list[str]) -> Callable[..., object]:
    if request.expected is not None:
        if request.reference is not None:
            raise wrong("`reference` and `expected` are both given.", "give one of them")
        return _constant(request.expected, names)
    if request.reference is not None:
        module = module_of(request.reference, REFERENCE)
    found = getattr(module, _FUNCTION, None)
    if not callable(found):
        raise wrong(
            "There is no reference." if module is None else f"The Python defines no function `{_FUNCTION}`.",
            f"give `expected`, or `reference` with `def {_FUNCTION}({', '.join(names)}): …`",
        )
    return found


def _constant(expected: Mapping[str, Array], names: list[str]) -> Callable[..., object]:
    unknown = next((name for name in expected if name not in names), None)
    if unknown is not None:
        raise wrong(
            f"expected: the kernel has no parameter {unknown!r}.", f"its parameters: {', '.join(names) or 'none'}"
        )
    made: dict[int, np.ndarray] = {names.index(name): array(given) for name, given in expected.items()}
    return lambda *_: made


TOOL = Tool(
    name="compare",
    title="Compare a kernel with a reference",
    description="Simulate a kernel under several schedules, and compare what it leaves in its arrays with a reference: a function "
    "in NumPy, or the expected arrays. Says which element is wrong first, who wrote it, and what the sanitizer found.",
    request=Compare,
    answer=Compared,
    run=run,
    executes=lambda request: request.python is not None or request.reference is not None,
)
