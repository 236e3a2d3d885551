"""Operands in braces, and any operand against its row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.isa.instance import Instance
from ptxlab.isa.mismatch import kind_error
from ptxlab.isa.operands import Operand, Reg, Sink, Vec
from ptxlab.isa.scalars import check_scalar
from ptxlab.isa.specs import Spec
from ptxlab.isa.terms import lift


def check_operand(inst: Instance, name: str, operand: Operand) -> None:
    """An operand of any kind. Raises: Diagnostic, without a place."""
    spec = inst.form.operands[name]
    count = None if spec.count is None else spec.count.eval(inst)
    if isinstance(count, int) and (spec.always_vector or count > 1):
        if not isinstance(operand, Vec):
            raise kind_error(inst.form, name, operand, f"a vector of {count} in braces")
        if len(operand.items) != count:
            raise Diagnostic(
                "PTX0106",
                f"operand `{name}` of `{inst.opcode}` has {len(operand.items)} registers, but takes {count}",
                help=f"give {count} registers in braces",
                isa=inst.form.isa,
            )
        each: Any = None if spec.each is None else spec.each.eval(inst)
        for i, item in enumerate(operand.items):
            own = replace(spec, type=lift(str(each[i]))) if isinstance(each, tuple) else spec  # pyright: ignore[reportUnknownArgumentType]
            check_scalar(inst, name, own, item, in_vector=True)
        if spec.holding and _held_and_not(inst, spec, operand):
            raise Diagnostic(
                "PTX0105",
                f"operand `{name}` of `{inst.opcode}` has integer and floating-point registers: `{operand}`",
                help="give all of them one type",
                isa=inst.form.isa,
            )
        if all(isinstance(item, Sink) for item in operand.items):
            raise kind_error(inst.form, name, operand, "a register among the elements: all of them are left out")
        if spec.each is None and len({item.type.bits for item in operand.items if isinstance(item, Reg)}) > 1:
            raise Diagnostic(
                "PTX0105",
                f"operand `{name}` of `{inst.opcode}` has registers of different widths: `{operand}`",
                help="give all registers of a vector one width",
                isa=inst.form.isa,
            )
        return
    check_scalar(inst, name, spec, operand)


def _held_and_not(inst: Instance, spec: Spec, operand: Vec) -> bool:
    """Whether some of the floating-point elements are held by integer registers, and others are not."""
    each: Any = None if spec.each is None else spec.each.eval(inst)
    types = each if isinstance(each, tuple) else [None] * len(operand.items)  # pyright: ignore[reportUnknownVariableType]
    kinds = {
        item.type.kind
        for item, type_ in zip(operand.items, types, strict=True)
        if isinstance(item, Reg) and type_ != "u32"
    }
    return "f" in kinds and bool(kinds & {"u", "s"})
