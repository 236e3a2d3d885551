"""What is wrong with a module: forms, rules, targets, launch directives, and lints across instructions.

`ptxlab.check(module)` is short for `ptxlab.check.check(module)`.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol

from ptxlab.check.analysis import Analysis
from ptxlab.check.constants import check_constants
from ptxlab.check.directives import check_directives
from ptxlab.check.instructions import check_program
from ptxlab.check.known import check_known
from ptxlab.check.lint import check_lints
from ptxlab.check.target import ModuleTarget, check_target
from ptxlab.diag import Diagnostic, Severity
from ptxlab.ptx.collector import uncollected
from ptxlab.ptx.lower import Globals, lowered, lowered_function
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.program import Program
from ptxlab.ptx.tree import Module

__all__ = ["check", "check_tree", "checked"]


class _HasTree(Protocol):
    """A loaded module, as `ptxlab.load` gives it."""

    @property
    def tree(self) -> Module: ...


def check(
    module: Module | _HasTree | str, target: str | None = None, *, file: str = "<ptx>", lints: bool = True
) -> list[Diagnostic]:
    """Everything that is wrong with a module: errors of the text, then kernel by kernel and function by function.

    Args:
        module: a loaded or parsed module, or its text.
        target: checks for this target instead of the module's own, e.g. "sm_90a".
        file: the name of the text in what is reported.
        lints: look across instructions too.

    Returns: errors (ptxas rejects it), warnings (ptxas lets it pass, yet it is wrong or ignored) and lints (it rarely
    means what it says), which `Diagnostic.severity` tells apart.
    """
    if isinstance(module, str):
        with uncollected():
            parsed, found = parse_all(module, file)
            return found + check_tree(parsed, target, found, lints=lints)
    return check_tree(module if isinstance(module, Module) else module.tree, target, lints=lints)


def check_tree(
    module: Module, target: str | None = None, wrong: Sequence[Diagnostic] = (), *, lints: bool = True
) -> list[Diagnostic]:
    """What is wrong with a tree; `wrong` is what the parser has found, which is not reported again."""
    against, found = check_target(module, target)
    spoiled, shared = _spoiled(module, wrong), Globals(module)
    found += check_constants(module, shared)
    for function in module.functions():
        if function.body is not None:
            program, misfits = lowered_function(module, function, shared)
            whole = function.source is None or function.start not in spoiled
            found += _all(program, misfits, against, lints=lints and whole)
    return found


def checked(module: Module, entry: str) -> tuple[Program, list[Diagnostic]]:
    """One kernel made flat, and everything that is wrong with it and with the target of its module; no lints.

    Raises Diagnostic PTX2300 when the module has no such kernel.
    """
    against, wrong = check_target(module, None)
    program, found = lowered(module, entry)
    constants = list(check_constants(module, Globals(module)))
    return program, wrong + constants + _all(program, found, against, lints=False)


def _all(program: Program, found: list[Diagnostic], target: ModuleTarget, *, lints: bool) -> list[Diagnostic]:
    out = list(found)
    if program.function.kind == "entry":
        out += check_directives(program, target)
    out += check_program(program, target)
    # Where an instruction is missing from the program, all that is said of the others' order would be an after-shock.
    if not any(d.severity is Severity.ERROR or d.code == "PTX0110" for d in found):
        analysis = Analysis(program)
        out += check_known(analysis)
        if lints:
            out += check_lints(analysis)
    return out


def _spoiled(module: Module, wrong: Sequence[Diagnostic]) -> set[int]:
    """The functions in whose text something could not be read, by the places where they begin."""
    starts = sorted((f.span.line, f.start) for f in module.functions() if f.span is not None)
    out: set[int] = set()
    for d in wrong:
        at = bisect_right(starts, (d.span.line + 1,)) - 1 if d.span is not None else -1
        if at >= 0:
            out.add(starts[at][1])
    return out


class _Callable(ModuleType):
    """The package under the name of its function: `ptxlab.check(text)`."""

    def __call__(self, *args: Any, **more: Any) -> list[Diagnostic]:
        return check(*args, **more)


sys.modules[__name__].__class__ = _Callable
