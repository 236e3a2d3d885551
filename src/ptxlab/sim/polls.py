"""Loops that only ask whether somebody else has done something: their way back lets others run first.

A loop is taken for one when it changes nothing but registers and asks the same question on every pass: what it reads (a
volatile, acquiring or relaxed load, an atomic that claims, an mbarrier's phase, a clock) does not hang on registers that it
carries from pass to pass. A loop that carries none at all cannot end by itself, whatever it reads. Nothing hangs on a loop
being recognised but time: the simulator runs it in any case.
"""

from __future__ import annotations

from ptxlab.isa.effects import Access, Barrier, Branch, Carry, Compute, Effect, Fence, Hint, Mbarrier, WarpWide
from ptxlab.isa.operands import Imm, Label, Reg, Sreg
from ptxlab.ptx.program import Op, Program
from ptxlab.sim import frame as F

LONGEST = 64
"""Instructions of a loop that is looked at."""
_ASKS = frozenset({"ld.volatile", "ld.strong", "ld.mmio"})
_CLAIMS = frozenset({"atom.cas", "atom.exch", "atom.bits", "atom.extreme"})
_HARMLESS = frozenset({"load", "prefetch"})
_COMPUTING = frozenset({Effect, Compute, Carry, Fence, Hint, WarpWide})


def poll_branches(program: Program) -> frozenset[int]:
    """Which instructions of a kernel or function, by index, are the way back of such a loop."""
    out: set[int] = set()
    for index, op in enumerate(program.ops):
        if op.inst.form.name != "bra":
            continue
        target = op.inst.operands["target"]
        begin = program.labels.get(target.name) if isinstance(target, Label) else None
        if begin is not None and begin <= index < begin + LONGEST and _polls(program.ops[begin : index + 1]):
            out.add(index)
    return frozenset(out)


def _polls(body: list[Op]) -> bool:
    if not all(map(_changes_nothing, body)):
        return False
    carried = _carried(body)
    if not carried:
        return True
    fed = _fed(body, carried)
    return any(asks(op) and not fed.intersection(_inputs(op)) for op in body)


def _changes_nothing(op: Op) -> bool:
    effect = op.inst.form.effect
    if isinstance(effect, Access):
        return effect.kind in _HARMLESS or _claims(op)
    if isinstance(effect, Mbarrier):
        return effect.kind in ("test_wait", "try_wait")
    if isinstance(effect, Branch):
        return effect.kind == "branch"
    if isinstance(effect, Barrier):
        return effect.scope in ("cta", "warp")
    return type(effect) in _COMPUTING


def _claims(op: Op) -> bool:
    """Atomics that poll: they take a lock, or read by adding nothing."""
    form = op.inst.form
    if form.key == "atom.add":
        value = op.inst.operands["b"]
        return isinstance(value, Imm) and value.value == 0
    return form.key in _CLAIMS


def asks(op: Op) -> bool:
    """Whether an instruction asks for what others may have done meanwhile."""
    form = op.inst.form
    if form.key in _ASKS or isinstance(form.effect, Mbarrier) or _claims(op):
        return True
    return any(isinstance(o, Sreg) and o.name in F.CLOCK_SREGS for o in op.inst.operands.values())


def _inputs(op: Op) -> set[Reg]:
    guard = {op.guard} if op.guard is not None else set[Reg]()
    return {*op.inst.registers("r"), *guard}


def _carried(body: list[Op]) -> set[Reg]:
    """Registers that a pass takes from the one before: read before they are written, and written."""
    written: set[Reg] = set()
    early: set[Reg] = set()
    for op in body:
        early |= _inputs(op) - written
        written |= set(op.inst.registers("w"))
        if op.guard is not None:  # where the guard fails, the old value stays
            early |= set(op.inst.registers("w")) - _surely(body, op)
    return early & written


def _surely(body: list[Op], guarded: Op) -> set[Reg]:
    """Registers that are written without a guard before a guarded instruction."""
    out: set[Reg] = set()
    for op in body:
        if op is guarded:
            break
        if op.guard is None:
            out |= set(op.inst.registers("w"))
    return out


def _fed(body: list[Op], carried: set[Reg]) -> set[Reg]:
    """Registers whose values hang on carried ones other than through memory."""
    out = set(carried)
    for _ in range(2):
        for op in body:
            if out.intersection(_inputs(op)) and not asks(op):
                out |= set(op.inst.registers("w"))
    return out


__all__ = ["asks", "poll_branches"]
