"""Programmatic dependent launch: which grids may begin before those in front of them in the stream have ended."""

from __future__ import annotations

from ptxlab.abi.record import LaunchRecord
from ptxlab.isa.effects import GridDependency
from ptxlab.ptx.program import Program


def may_begin_early(record: LaunchRecord) -> bool:
    """Whether a grid may begin while the one before it runs: the launch says so, or its kernel waits for that grid itself."""
    if record.programmatic is not None:
        return record.programmatic
    return not record.cooperative and waits_for_grids(record.program)


def waits_for_grids(program: Program) -> bool:
    """Whether a kernel itself waits for the grids before it, by griddepcontrol.wait."""
    ops = (op for one in (program, *program.functions) for op in one.ops)
    return any(isinstance(op.inst.form.effect, GridDependency) and op.inst.effect.order == "acquire" for op in ops)
