"""Names that a kernel's compile-time constants cannot have: those of the options of calls that take both by name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from inspect import Parameter, signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic, Span

if TYPE_CHECKING:
    from ptxlab.lang.kernel import KernelFunction

_CALLS = ("simulate:simulate", "compare:compare", "explore:explore", "debug:debug", "kernel:Kernel.launch", "kernel:Kernel.prepare")
"""Calls whose further keywords are constants of the kernel: module of this package and name. They make kernels themselves, so they
are imported when a kernel has constants, and not before."""


def _calls() -> list[Callable[..., Any]]:
    """Those calls."""
    return [attrgetter(name)(import_module(f"{__package__}.{home}")) for home, name in (c.split(":") for c in _CALLS)]


@lru_cache(maxsize=1)
def options() -> Mapping[str, tuple[str, ...]]:
    """The names of all options, with the calls that have them."""
    from ptxlab.checks import check

    out: dict[str, tuple[str, ...]] = {}
    for call in (*_calls(), check):
        shown = call.__qualname__ if "." in call.__qualname__ else f"px.{call.__qualname__}"
        for p in signature(call).parameters.values():
            if p.kind is not Parameter.VAR_KEYWORD:
                out[p.name] = (*out.get(p.name, ()), shown)
    return {name: tuple(sorted(calls)) for name, calls in out.items()}


def check_constants(function: KernelFunction) -> None:
    """No constant has the name of an option. Raises: Diagnostic PTX2227 at the first one that does, with the others in `also`."""
    found = [_clash(function, name) for name in function.constants if name in options()]
    if found:
        found[0].also = tuple(found[1:])
        raise found[0]


def _clash(function: KernelFunction, name: str) -> Diagnostic:
    free = next(n for n in (f"{name}_", f"{name}_constant") if n not in function.constants)
    return Diagnostic(
        "PTX2227",
        f"The constant `{name}` of kernel `{function.name}` has the name of an option of {_listed(options()[name])}, "
        f"which would take {name}=… for itself",
        help=f"give the constant another name, e.g. {free}",
        origin=_place(function, name),
    )


def _listed(calls: tuple[str, ...]) -> str:
    *first, last = calls
    return f"{', '.join(first)} and {last}" if first else last


def _place(function: KernelFunction, name: str) -> Span:
    """The line of a constant; where the source cannot be read, that of the function."""
    from ptxlab.lang.trace.source import placed_tree

    tree = placed_tree(function.fn.__code__)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            lines = {a.arg: a.lineno for a in node.args.kwonlyargs}
            return Span(function.place.file, lines.get(name, function.place.line))
    return function.place
