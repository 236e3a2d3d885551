"""What is wrong with a module: forms, rules, targets, launch directives."""

from __future__ import annotations

from ptxlab.check.directives import check_directives
from ptxlab.check.instructions import check_program
from ptxlab.check.target import ModuleTarget, check_target
from ptxlab.diag import Diagnostic
from ptxlab.ptx.lower import lowered
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.tree import Function, Module

__all__ = ["check", "check_entry"]


def check(module: Module | str, target: str | None = None, *, file: str = "<ptx>") -> list[Diagnostic]:
    """Everything that is wrong with a module, in the order of its kernels: errors that ptxas reports too, and warnings.

    Args:
        module: a parsed module, or its text; errors of the text come first.
        target: checks for this target instead of the module's own, e.g. "sm_90a".
        file: the name of the text in what is reported.
    """
    found: list[Diagnostic] = []
    if isinstance(module, str):
        module, found = parse_all(module, file)
    against, wrong = check_target(module, target)
    found += wrong
    for function in module.entries():
        found += check_entry(module, function, against)
    return found


def check_entry(module: Module, function: Function, target: ModuleTarget) -> list[Diagnostic]:
    """What is wrong with one kernel."""
    program, found = lowered(module, function.name)
    return [*found, *check_directives(program, target), *check_program(program, target)]
