"""Kernels of a request: PTX text, or Python that is executed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from pydantic import BeforeValidator, Field, model_validator

from ptxlab.diag import Diagnostic
from ptxlab.mcp import limits
from ptxlab.mcp.models import Request
from ptxlab.mcp.values import Arguments, wrong

if TYPE_CHECKING:
    from ptxlab.launch.kernel import Kernel

PTX: Final = "kernel.ptx"
PYTHON: Final = "kernel.py"
REFERENCE: Final = "reference.py"
Text = Annotated[str, Field(max_length=limits.TEXT)]


def _listed(given: Any) -> Any:
    return [given] if isinstance(given, int) else given


Extents = Annotated[
    list[int], Field(min_length=1, max_length=3), BeforeValidator(_listed, json_schema_input_type=int | list[int])
]


class Sourced(Request):
    """A request about kernels."""

    ptx: Text | None = Field(default=None, description=f"PTX text; findings call it {PTX}")
    python: Text | None = Field(
        default=None,
        description=f"Python with @px.kernel functions, where the server executes it; findings call it {PYTHON}",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.ptx is None) == (self.python is None):
            raise ValueError("give one of `ptx` and `python`")
        return self


class Launch(Sourced):
    """A request that launches a kernel. Extents are a number or a list, x first."""

    entry: str | None = Field(default=None, description="the kernel; may be left out where there is only one")
    constants: dict[str, int | float | str | bool] = Field(
        default_factory=dict[str, int | float | str | bool],
        description="compile-time constants of a kernel in Python",
    )
    grid: Extents = [1]
    block: Extents | None = Field(default=None, description="default: the kernel's own")
    cluster: Extents | None = None
    shared: int | None = Field(default=None, description="bytes of dynamic shared memory of a CTA")
    cooperative: bool = False
    args: Arguments = Field(
        default_factory=list[Any], description="by the parameters' names, or in their order; a number stands for itself"
    )
    lints: bool = True
    ignore: list[str] = Field(default_factory=list[str], description="codes of lints to leave out")

    def launched(self) -> dict[str, Any]:
        """What `px.simulate` and `px.compare` take under the same names."""
        names = ("grid", "block", "cluster", "shared", "cooperative", "lints", "ignore")
        return {name: getattr(self, name) for name in names} | self.constants


def module_of(source: str, name: str) -> ModuleType:
    """Python of a request as a module: it is executed. Raises: Diagnostic PTX2505, and what it raises itself."""
    from ptxlab.launch.python_file import imported

    file = Path.cwd() / name
    file.write_text(source, encoding="utf-8", errors="surrogatepass")
    return imported(file)


def kernels(request: Sourced) -> tuple[dict[str, Kernel], ModuleType | None]:
    """The kernels of a request by name, and the module that defines them, where it is Python."""
    import ptxlab as px
    from ptxlab.launch.python_file import kernels_of

    if request.python is not None:
        module = module_of(request.python, PYTHON)
        return kernels_of(module), module
    parsed = px.parse(request.ptx or "", PTX)
    return {name: parsed[name] for name in parsed.entries}, None


def chosen(found: dict[str, Kernel], entry: str | None) -> Kernel:
    """The kernel that a request names. Raises: Diagnostic PTX2300, PTX2601."""
    listed = ", ".join(found) or "none"
    if entry is not None:
        if entry not in found:
            raise Diagnostic("PTX2300", f"There is no kernel {entry!r}.", help=f"there is: {listed}")
        return found[entry]
    if len(found) != 1:
        raise wrong(f"There are {len(found)} kernels.", f"name one with `entry`: {listed}")
    return next(iter(found.values()))


def parameters(kernel: Kernel, constants: dict[str, Any]) -> Sequence[str]:
    """The names of a kernel's parameters."""
    entry = kernel.entry(**constants)
    return [entry.names.get(p.name, p.name) for p in entry.program.params]
