"""Instructions that break their rows, and that ptxas takes all the same: it does not look at what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

from ptxlab.checks.target import ModuleTarget
from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa import lenient, releases
from ptxlab.isa.operands import Operand
from ptxlab.ptx.program import Program

_MOST = 100  # instructions of a function that are looked at: each costs up to milliseconds


def judged(program: Program, found: Sequence[Diagnostic], target: ModuleTarget) -> list[Diagnostic]:
    """What was found in a function, with a warning in place of an error where ptxas takes the instruction."""
    header = program.module.header(".target")
    independent = header is not None and "texmode_independent" in header.words
    taken = {
        id(one.wrong)
        for one in program.misfits[:_MOST]
        if not (independent and lenient.lacks_sampler(one.node.opcode, one.node.operands))
        and is_taken(one.node.opcode, one.node.operands, target)
    }
    return [warned(d) if id(d) in taken else d for d in found]


def warned(wrong: Diagnostic) -> Diagnostic:
    """An error as a warning."""
    said = "ptxas does not look at it, so what it makes of the instruction is not known"
    return Diagnostic(
        wrong.code,
        wrong.message,
        help=f"{wrong.help}; {said}" if wrong.help else said,
        span=wrong.span,
        origin=wrong.origin,
        isa=wrong.isa,
        severity=Severity.WARNING,
        notes=wrong.notes,
    )


def is_taken(opcode: str, operands: Sequence[Operand], target: ModuleTarget) -> bool:
    """Whether ptxas takes an instruction that the rows reject."""
    if target.target is None or target.version is None:
        return False
    return lenient.is_taken(opcode, operands, target.target, target.version, target.release or releases.NEWEST)
