"""`%is_explicit_cluster` as a guard: where ptxas fails inside itself.

ptxas 13.1 to 13.5 can test the special register for falsehood alone. Arithmetic it turns into a choice between the old and the new
value, which they can make; in front of what it expands into several instructions it tests the guard's opposite, to jump over them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access, Branch, Carry, Compute, RegisterFile, Stack
from ptxlab.isa.instance import Instance
from ptxlab.isa.operands import Label, Reg, Sreg
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import touched

_SKIPPED = re.compile(
    r"bar(rier)?\.(?!cluster)(cta\.|warp\.)?\w.*|(shfl|vote|match|redux)\b.*|w?g?mma\b.*|(ld|mov)matrix|tensormap\.replace"
    r"|multimem\.(ld_reduce|st|red)|createpolicy\.range"
)
"""Instructions that ptxas jumps over, by their names."""
_ASKED = re.compile(r"createpolicy\.(?!range).*|txq(\.level)?|suq|testp.*")
"""Instructions without effects of which the results are chosen, beside arithmetic: keys of their rows."""
_ORDERED = frozenset(("volatile", "acquire", "mmio"))


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
    reads = isinstance(before.inst.operands.get("a"), Sreg) and before.inst.form.key == "mov.pred"
    return reads and op.guard is not None and op.guard == before.inst.operands.get("p") and before.node is op.node


def _may_be(program: Program, i: int) -> bool:
    """Whether the machine code of an instruction is made, in whatever way."""
    op = program.ops[i]
    inst, effect = op.inst, op.inst.form.effect
    if _SKIPPED.fullmatch(inst.form.name):
        return not op.guard_negated
    if op.guard_negated or _is_chosen(inst):
        return True
    if isinstance(effect, Branch) and inst.form.name in ("bra", "brx.idx", "ret", "exit"):
        return _goes_on(program, i)
    computes = isinstance(effect, Compute) or (isinstance(effect, Access) and inst.form.name in ("ld", "ldu"))
    return computes and not _ORDERED & set(inst.opcode.split(".")) and _is_dead(program, op)


def _is_chosen(inst: Instance) -> bool:
    """Whether it computes values that are no predicates, and does nothing else."""
    effect, form = inst.form.effect, inst.form
    if _ASKED.fullmatch(form.key):
        return True
    if isinstance(effect, Compute):
        results = [inst.operands.get(name) for name in form.results]
        return not any(isinstance(r, Reg) and r.type.kind == "p" for r in results)
    return isinstance(effect, Carry | Stack | RegisterFile) and not form.key.endswith(".cc")


def _goes_on(program: Program, i: int) -> bool:
    """Whether the same is executed whether it jumps or not."""
    target = program.ops[i].inst.operands.get("target", program.ops[i].inst.operands.get("targets"))
    if isinstance(target, Label):
        return all(program.labels.get(name) == i + 1 for name in program.targets.get(target.name, (target.name,)))
    return i + 1 == len(program.ops) or program.ops[i + 1].inst.form.name in ("ret", "exit")


def _is_dead(program: Program, op: Op) -> bool:
    """Whether nothing reads what it computes."""
    written = set(touched(op)[1])
    return not any(written & set(touched(other)[0]) for other in program.ops)
