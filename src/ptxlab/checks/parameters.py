"""Accesses by a constant address that leave their parameter."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access
from ptxlab.isa.operands import Addr, Symbol
from ptxlab.ptx.program import Op


def check_parameters(analysis: Analysis) -> Iterator[Diagnostic]:
    """ld.param and st.param beside their parameter: ptxas takes most of them, dies of some, and says nothing."""
    for op in analysis.program.ops:
        if type(op.inst.form.effect) is Access:
            for name, operand in op.inst.operands.items():
                if type(operand) is Addr and type(operand.base) is Symbol and operand.base.space.startswith("param"):
                    yield from _beside(op, name, operand.base, operand.base.offset + operand.offset)


def _beside(op: Op, name: str, base: Symbol, offset: int) -> Iterator[Diagnostic]:
    spec = op.inst.form.operands[name]
    size = spec.bytes.eval(op.inst) if spec.bytes is not None else None
    if not isinstance(size, int) or not base.size or 0 <= offset <= base.size - size:
        return
    yield at_op(
        op,
        "PTX5050",
        f"`{op.text}` takes {size} bytes at byte {offset} of `{base.name}`, which has {base.size}",
        "stay inside the parameter: what lies beside it is not promised",
    )
