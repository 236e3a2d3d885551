"""Rules about operands in registers whose value is known all the same, and symbols that are not aligned as an access wants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.checks.values import Place, constant
from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.bind import Instance, check_rules
from ptxlab.isa.form import Form
from ptxlab.isa.limits import SHARED_RESERVED
from ptxlab.isa.operands import Addr, Imm, Operand, Reg, Symbol
from ptxlab.isa.specs import Range
from ptxlab.isa.terms import Op as OperandTerm
from ptxlab.isa.terms import Term
from ptxlab.ptx.lower import DYNAMIC_ALIGN
from ptxlab.ptx.program import Op


def check_known(analysis: Analysis) -> Iterator[Diagnostic]:
    """What ptxas lets pass, since it does not look into registers, nor at how variables are aligned."""
    for op in analysis.program.ops:
        form = op.inst.form
        bound = _bound(form)
        if bound and any(type(op.inst.operands.get(n)) is Reg for n in bound):
            yield from _registers(analysis, op, bound)
        for name in _addresses(form):
            operand = op.inst.operands.get(name)
            base = _base(analysis, operand) if isinstance(operand, Addr) else None
            if isinstance(operand, Addr) and base is not None:
                yield from _alignment(analysis, op, name, operand, base)


@cache
def _addresses(form: Form) -> tuple[str, ...]:
    """Operands that must be aligned."""
    return tuple(n for n, s in form.operands.items() if s.align is not None or s.bytes is not None)


@cache
def _bound(form: Form) -> tuple[str, ...]:
    """Operands that may be registers and whose value rules or ranges speak of."""
    named = {n for r in form.rules for n in _operands(r.term)}
    return tuple(n for n, s in form.operands.items() if "reg" in s.kinds and (n in named or s.values is not None))


def _operands(term: object) -> Iterator[str]:
    if isinstance(term, OperandTerm):
        yield term.name
    elif isinstance(term, Term):
        for inner in vars(term).values():
            yield from _operands(inner)


def _registers(analysis: Analysis, op: Op, bound: tuple[str, ...]) -> Iterator[Diagnostic]:
    inst = op.inst
    known: dict[str, Imm] = {}
    for name in bound:
        operand = inst.operands.get(name)
        value = constant(analysis.constants.operand(operand)) if type(operand) is Reg else None
        if value is not None:
            known[name] = Imm(value, str(value))
    if not known:
        return
    notes = [f"`{inst.operands[n]}` always holds {v} here" for n, v in known.items()]
    filled: dict[str, Operand] = {**inst.operands, **known}
    before = {d.code for d in check_rules(inst)}
    found = [d for d in check_rules(Instance(inst.form, inst.opcode, inst.mods, filled)) if d.code not in before]
    for d in [*found, *_ranges(op, known)]:
        d.severity = Severity.WARNING
        d.notes = (*d.notes, *notes)
        yield d.at(op.span, op.origin)


def _ranges(op: Op, known: dict[str, Imm]) -> Iterator[Diagnostic]:
    for name, value in known.items():
        allowed = op.inst.form.operands[name].values
        if allowed is None or value.value in allowed:
            continue
        shown = str(allowed) if isinstance(allowed, Range) else ", ".join(map(str, allowed))
        yield at_op(
            op,
            "PTX0107",
            f"operand `{name}` of `{op.inst.opcode}` is {value}, but takes {shown}",
            f"write a value that it takes into `{op.inst.operands[name]}`",
        )


def _base(analysis: Analysis, operand: Addr) -> Symbol | None:
    """The place that an address counts from, in a variable."""
    if type(operand.base) is Symbol:
        return operand.base
    place = analysis.constants.operand(operand.base)
    if not isinstance(place, Place) or place.variable is None:
        return None
    return replace(place.variable, offset=place.offset)


def _alignment(analysis: Analysis, op: Op, name: str, operand: Addr, base: Symbol) -> Iterator[Diagnostic]:
    spec = op.inst.form.operands[name]
    term = spec.align if spec.align is not None else spec.bytes
    wanted = term.eval(op.inst) if term is not None else None
    if not isinstance(wanted, int) or wanted < 2 or wanted & (wanted - 1):
        return
    given = base.align
    if base.size == 0 and base.space == "shared":
        # without variables in front of it, dynamic shared memory begins where the CTA's does
        given = max(base.align, DYNAMIC_ALIGN if analysis.program.shared_declared else SHARED_RESERVED)
    offset = base.offset + operand.offset
    if offset % wanted:
        yield at_op(
            op,
            "PTX0120",
            f"`{op.inst.opcode}` wants an address that is a multiple of {wanted}, and `{operand}` is none",
            f"make the offset a multiple of {wanted}, or access fewer bytes at once",
        )
    elif given % wanted:
        yield at_op(
            op,
            "PTX0120",
            f"`{op.inst.opcode}` wants `{base.name}` aligned to {wanted} bytes, but it is declared for {given}",
            f"declare it with `.align {wanted}`",
        )
