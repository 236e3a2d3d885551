"""Options of calls that take a kernel's compile-time constants by name, too: what no constant may be called, and what was meant."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from inspect import Parameter, signature
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic, Span

if TYPE_CHECKING:
    from ptxlab.lang.kernel import KernelFunction

_CALLS = (
    "simulate:simulate",
    "certify:certify",
    "compare:compare",
    "explore:explore",
    "debug:debug",
    "kernel:Kernel.launch",
    "kernel:Kernel.prepare",
)
"""Calls whose further keywords are constants of the kernel: module of this package and name. They make kernels themselves, so they
are imported when a kernel has constants, and not before."""

_ELSEWHERE = {
    **dict.fromkeys(("smem", "shmem", "shared_memory", "shared_mem", "shared_bytes", "dynamic_shared"), "shared"),
    **dict.fromkeys(("blocks", "num_blocks", "grid_dim", "grid_size", "gridDim", "ctas", "num_ctas"), "grid"),
    **dict.fromkeys(("threads", "num_threads", "block_dim", "block_size", "blockDim", "threads_per_block"), "block"),
    **dict.fromkeys(("clusters", "cluster_dim", "cluster_dims", "cluster_size", "clusterDim"), "cluster"),
    **dict.fromkeys(("arguments", "arg", "params", "kernel_params"), "args"),
    **dict.fromkeys(("arrays", "memory", "allocations"), "buffers"),
    **dict.fromkeys(("sanitizer", "check", "racecheck"), "sanitize"),
    **dict.fromkeys(("processes", "jobs", "num_workers"), "workers"),
    **dict.fromkeys(("tolerance", "tol", "eps", "epsilon"), "atol= or rtol"),
    **dict.fromkeys(("abs_tol", "absolute_tolerance"), "atol"),
    **dict.fromkeys(("rel_tol", "relative_tolerance"), "rtol"),
    **dict.fromkeys(("expected", "golden", "ref"), "reference"),
}
"""What launches are given elsewhere, and how it is called here."""

_NEAR = 0.75
"""How alike two names are of which one may be a slip of the other: `tolerance` and `trace` are not."""


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


def meant_option(name: str) -> str | None:
    """What somebody may have meant who gave a call a keyword that it does not have; None for nothing near."""
    launching = {option: calls for option, calls in options().items() if calls != ("px.check",) and option != "self"}
    if name in launching:
        several = launching.get(f"{name}s")
        plural = f"; {_listed(several)} take{'s' if len(several) == 1 else ''} {name}s=" if several else ""
        return f"{name}= is an option of {_listed(launching[name])}{plural}"
    near = _ELSEWHERE.get(name) or next(iter(difflib.get_close_matches(name, launching, n=1, cutoff=_NEAR)), None)
    if near is None:
        return None
    calls = launching[near.rpartition(" ")[2]]
    where = "" if "Kernel.launch" in calls else f", {'options' if ' ' in near else 'an option'} of {_listed(calls)}"
    return f"did you mean {near}={where}?"


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
