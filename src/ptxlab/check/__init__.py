"""What is wrong with a module: forms, rules, targets, launch directives."""

from __future__ import annotations

from ptxlab.check.directives import check_directives
from ptxlab.check.instructions import check_program
from ptxlab.check.target import ModuleTarget, check_target
from ptxlab.diag import Diagnostic
from ptxlab.ptx.lower import lowered
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.program import Program
from ptxlab.ptx.tree import Module

__all__ = ["check", "checked"]


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
        found += _entry(module, function.name, against)[1]
    return found


def checked(module: Module, entry: str) -> tuple[Program, list[Diagnostic]]:
    """One kernel made flat, and everything that is wrong with it and with the target of its module.

    Raises Diagnostic PTX2300 when the module has no such kernel.
    """
    against, wrong = check_target(module, None)
    program, found = _entry(module, entry, against)
    return program, wrong + found


def _entry(module: Module, entry: str, target: ModuleTarget) -> tuple[Program, list[Diagnostic]]:
    program, found = lowered(module, entry)
    return program, [*found, *check_directives(program, target), *check_program(program, target)]
