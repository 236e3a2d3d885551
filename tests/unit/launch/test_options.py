"""Options of launches: declared once, the same in every call that has them, and apart from the constants of kernels."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.diag import Diagnostic
from ptxlab.lang.kernel import KernelFunction
from ptxlab.launch import calls

DECLARED = {f.name: f for kind in (SimOptions, LaunchOptions) for f in fields(kind)}
"""A launch's `sanitize` is the simulator's."""
OWN = {
    "px.check": {"what", "target", "file", "lints", "ptxas"},
    "px.certify": {"kernel"},
    "px.redundant": {"kernel"},
    "px.compare": {"kernel", "reference", "schedules", "seeds", "rtol", "atol", "sanitize"},
    "px.explore": {"kernel", "schedules"},
    "px.debug": {"kernel"},
    "px.simulate": {"kernel"},
    "Kernel.launch": {"self"},
    "Kernel.prepare": {"self"},
}
"""Parameters that are no options of launches and of the simulator, or mean something of their own."""


def _public() -> dict[str, Callable[..., Any]]:
    """Functions of px and methods of its kernels."""
    out = {f"px.{n}": getattr(px, n) for n in px.__all__ if inspect.isfunction(getattr(px, n))}
    for kind in (px.Kernel, px.TritonKernel):
        out |= {f"{kind.__name__}.{n}": f for n, f in inspect.getmembers(kind, inspect.isfunction) if n[0] != "_"}
    return out


def _rest(call: Callable[..., Any]) -> str:
    """What a call names its further keywords."""
    return next((p.name for p in inspect.signature(call).parameters.values() if p.kind is p.VAR_KEYWORD), "")


CALLS = {name: call for name, call in _public().items() if _rest(call) == "constants" or name == "px.compare"}
del CALLS["px.profile"]  # it is above launches: what it alone takes is no option that somebody means elsewhere
LAUNCHING = {name: call for name, call in CALLS.items() if name in OWN}


def test_all_calls_that_take_constants_are_known() -> None:
    assert set(OWN) | {"Kernel.specialize", "Kernel.entry"} == set(CALLS)
    taken = {p.name for c in LAUNCHING.values() for p in inspect.signature(c).parameters.values() if p.name != _rest(c)}
    assert set(calls.options()) == taken
    assert {"seed", "grid", "stream", "kernel", "schedules", "rtol", "target"} <= taken
    for name in ("Kernel.specialize", "Kernel.entry"):  # no option stands in the way of a constant
        kinds = [p.kind for p in inspect.signature(CALLS[name]).parameters.values()]
        assert kinds == [inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_KEYWORD]


@pytest.mark.parametrize("name", sorted(LAUNCHING))
def test_each_call_has_its_options_as_they_are_declared(name: str) -> None:
    hints = typing.get_type_hints(LaunchOptions) | typing.get_type_hints(SimOptions)
    call = LAUNCHING[name]
    for p in inspect.signature(call).parameters.values():
        if p.name in OWN[name] or p.name == _rest(call) or (p.name == "args" and p.kind is not p.KEYWORD_ONLY):
            continue
        declared = DECLARED[p.name]
        assert p.kind is p.KEYWORD_ONLY, p.name
        assert p.default == (inspect.Parameter.empty if declared.default is MISSING else declared.default), p.name
        if p.name != "progress":  # which calls also take as a yes or no
            assert _type(call, p) == hints[p.name], p.name


def _type(call: Callable[..., Any], p: inspect.Parameter) -> Any:
    home = inspect.unwrap(call)
    return eval(p.annotation, home.__globals__)


@pytest.mark.parametrize("name", sorted(LAUNCHING))
def test_each_docstring_lists_the_options(name: str) -> None:
    call = LAUNCHING[name]
    doc = inspect.getdoc(call) or ""
    listed = doc[doc.index("Args:") :].split("\n\n")[0]
    for p in inspect.signature(call).parameters.values():
        if p.name != "self":
            assert re.search(rf"\b{p.name}\b", listed), f"{name}: Args: does not say what {p.name} is"


def _with(constant: str) -> Callable[..., None]:
    """A function with a constant of this name."""
    names: dict[str, Any] = {"px": px}
    exec(f"def g(k, x: px.Ptr[px.u32], *, {constant}=3): pass", names)
    return names["g"]


@pytest.mark.parametrize("name", sorted(calls.options()))
def test_a_constant_with_the_name_of_an_option_is_refused(name: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        px.kernel(threads=32)(_with(name))
    assert caught.value.code == "PTX2227"
    assert f"`{name}`" in caught.value.message
    assert f"{name}_" in (caught.value.help or "")
    with pytest.raises(Diagnostic):
        px.Kernel.of_function(KernelFunction(_with(name), threads=32))
    px.kernel(threads=32)(_with(f"{name}_"))


def test_the_refusal_names_the_line_of_each() -> None:
    with pytest.raises(Diagnostic) as caught:

        @px.kernel(threads=32)
        def g(
            k: px.Builder,
            x: px.Ptr[px.u32],
            *,
            value: int = 1,
            seed: int = 3,  # here
            trace: bool = False,
        ) -> None: ...

    line = next(i for i, t in enumerate(Path(__file__).read_text().split("\n"), 1) if t.endswith("# here"))
    first, second = caught.value, caught.value.also[0]
    assert first.origin is not None
    assert second.origin is not None
    assert (first.origin.file, first.origin.line, second.origin.line) == (__file__, line, line + 1)
    assert "px.explore" in first.message
    assert "px.simulate" in first.message


def test_constants_reach_the_kernel_through_every_call() -> None:
    """A name that no call has for itself means the same to all of them."""

    @px.kernel(threads=32)
    def g(k: px.Builder, x: px.Ptr[px.u32], *, value: int = 3) -> None:
        k.st.global_.u32(x[k.tid.x], value)

    def seven(x: Any) -> None:
        x[...] = 7

    x = np.zeros(32, np.uint32)
    call: dict[str, Any] = {"grid": 1, "args": [x], "value": 7}
    debugged: list[Any] = []

    def debug() -> None:
        with px.debug(g, **call) as d:
            debugged.append(d.run())

    for launch in (
        lambda: g.launch(**call),
        lambda: g[1](x, value=7),
        lambda: g.prepare(**call)(),
        lambda: g.specialize(value=7)[1](x),
        lambda: px.simulate(g, **call),
        lambda: px.explore(g, schedules=1, **call),
        debug,
    ):
        x[...] = 0
        launch()
        assert (x == 7).all()
    assert px.compare(g, seven, [x], grid=1, value=7)
    assert px.check(g, value=7) == []
