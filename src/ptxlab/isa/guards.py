"""What ptxas makes of an instruction that `%is_explicit_cluster` guards, which machine code can test for falsehood alone."""

from __future__ import annotations

import re

from ptxlab.isa.effects import Access, Carry, Compute, Hint, RegisterFile, Stack, WarpWide
from ptxlab.isa.instance import Instance
from ptxlab.isa.match import split_opcode
from ptxlab.isa.operands import Reg

_JUMPED_OVER = re.compile(
    r"bar(rier)?\.(?!cluster)(cta\.|warp\.)?\w.*|(shfl|vote|match|redux)\b.*|w?g?mma\b.*|(ld|mov)matrix|tensormap\.replace"
    r"|multimem\.(ld_reduce|st|red)|createpolicy\.range"
)
_ASKED = re.compile(r"createpolicy\.(?!range).*|txq(\.level)?|suq|testp.*")
_ORDERED = frozenset(("volatile", "acquire", "mmio", "wmma"))


def is_jumped_over(inst: Instance) -> bool:
    """Whether ptxas expands it, and jumps over the whole where the guard is false: of a guard it tests the opposite."""
    return _JUMPED_OVER.fullmatch(inst.form.name) is not None


def is_chosen(inst: Instance) -> bool:
    """Whether ptxas computes it in any case, and chooses between the old and the new value: values that are no predicates, of what
    does nothing else."""
    effect, form = inst.form.effect, inst.form
    if _ASKED.fullmatch(form.key):
        return True
    if isinstance(effect, Compute):
        results = [inst.operands.get(name) for name in form.results]
        return not any(isinstance(r, Reg) and r.type.kind == "p" for r in results)
    return isinstance(effect, Stack | RegisterFile) or (isinstance(effect, Carry) and not effect.writes)


def may_be_dropped(inst: Instance) -> bool:
    """Whether ptxas leaves it out where nothing reads its results."""
    effect, parts = inst.form.effect, set(split_opcode(inst.opcode))
    loads = isinstance(effect, Access) and effect.kind == "load" and not parts & _ORDERED
    return loads or isinstance(effect, Compute | WarpWide) or (isinstance(effect, Hint) and bool(inst.form.results))
