"""`%is_explicit_cluster` as a guard: where ptxas fails inside itself.

ptxas 13.1 to 13.5 can test the special register for falsehood alone. Arithmetic it turns into a choice between the old and the new
value, which they can make; in front of what it expands into several instructions it tests the guard's opposite, to jump over them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.diag import Diagnostic
from ptxlab.isa.guards import is_chosen, is_jumped_over, may_be_dropped
from ptxlab.isa.operands import Label, Sreg
from ptxlab.ptx.flow import branch_kind
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import touched


def check_cluster_guard(program: Program) -> Iterator[Diagnostic]:
    """An error for each such guard of which the machine code would have to test the truth."""
    for i, (before, op) in enumerate(zip(program.ops, program.ops[1:], strict=False), 1):
        if not _is_read_for(before, op) or _may_be(program, i):
            continue
        yield Diagnostic(
            "PTX1009",
            f"ptxas fails inside itself at `{op.inst.opcode}` behind `@{'!' * op.guard_negated}%is_explicit_cluster`",
            help="move the special register into a predicate with mov.pred, and guard with that",
            isa=op.inst.form.isa,
        ).at(op.span, op.origin)


def _is_read_for(before: Op, op: Op) -> bool:
    """Whether an instruction reads the special register for the guard of the next one, with which it is written."""
    if op.guard is None or before.node is not op.node:
        return False
    operands = before.inst.operands.values()
    return op.guard in operands and any(isinstance(o, Sreg) for o in operands)


def _may_be(program: Program, i: int) -> bool:
    """Whether the machine code of an instruction is made, in whatever way."""
    op = program.ops[i]
    if is_jumped_over(op.inst) != op.guard_negated or is_chosen(op.inst):
        return True
    if branch_kind(op) in ("branch", "return", "exit"):
        return _goes_on(program, i)
    return may_be_dropped(op.inst) and _is_dead(program, op)


def _goes_on(program: Program, i: int) -> bool:
    """Whether the same is executed whether it jumps or not."""
    operands = program.ops[i].inst.operands
    target = operands.get("target", operands.get("targets"))
    if isinstance(target, Label):
        return all(program.labels.get(name) == i + 1 for name in program.targets.get(target.name, (target.name,)))
    return i + 1 == len(program.ops) or branch_kind(program.ops[i + 1]) in ("return", "exit")


def _is_dead(program: Program, op: Op) -> bool:
    """Whether nothing reads what it computes."""
    written = set(touched(op)[1])
    return not any(written & set(touched(other)[0]) for other in program.ops)
