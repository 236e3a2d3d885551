"""What another file has to bring: ptxas takes a module that uses it with --compile-only alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxlab.checks.abi import Calls
from ptxlab.diag import Diagnostic, Severity
from ptxlab.ptx.functions import SYSTEM_FUNCTIONS, references
from ptxlab.ptx.tree import Declarator, Function, Module, VarDecl


def check_arrays(module: Module, *, whole: bool) -> Iterator[Diagnostic]:
    """Arrays that are declared .extern without an extent, and that nothing here defines. `whole`: nothing is linked to it."""
    declared = [(item, one) for item in module.items if isinstance(item, VarDecl) for one in item.names]
    defined = {one.name for item, one in declared if item.linkage != ".extern" or not _is_open(one)}
    for item, one in declared:
        if (
            item.linkage == ".extern"
            and item.space in ("global", "const")
            and _is_open(one)
            and one.name not in defined
        ):
            yield Diagnostic(
                "PTX0024",
                f"`{one.name}` has no extent, and nothing here defines it: ptxas takes it with --compile-only alone",
                help="define it here, link the file with one that does, or give its extent",
                span=item.span,
                origin=item.origin,
                severity=Severity.ERROR if whole else Severity.WARNING,
            )


def _is_open(one: Declarator) -> bool:
    return bool(one.dims) and (one.dims[0] is None or one.dims[0].value == 0)


def check_functions(module: Module, calls: Iterable[Calls]) -> Iterator[Diagnostic]:
    """Functions that are declared .extern, called or named, and that nothing here defines."""
    defined = {f.name for f in module.functions() if f.body is not None}
    outside = {f.name: f for f in module.functions() if f.linkage == ".extern" and f.name not in defined}
    held = {name for item in module.items if isinstance(item, VarDecl) for name in references(item)}
    used = held.union(*(one.reached() for one in calls))
    yield from (_missing(f) for name, f in outside.items() if name in used and name not in SYSTEM_FUNCTIONS)


def _missing(function: Function) -> Diagnostic:
    return Diagnostic(
        "PTX0020",
        f"`{function.name}` is used, and nothing here defines it: ptxas takes it with --compile-only alone",
        help="define it here, or link the file with one that does; where nvcc -rdc=true made it, leave this out: --ignore PTX0020",
        span=function.span,
        origin=function.origin,
    )
