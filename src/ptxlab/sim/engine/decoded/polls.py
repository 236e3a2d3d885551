"""Loops that only ask whether somebody else has done something: their way back lets others run first.

A loop is taken for one when it changes nothing but registers and asks the same question on every pass: what it reads (a
volatile, acquiring or relaxed load, an atomic that claims, an mbarrier's phase, a clock) does not depend on registers that it
carries from pass to pass. A loop that carries none at all cannot end by itself, whatever it reads. It may pass the answer on to
the other threads of its CTA through shared memory, as Triton's loops do in which one thread asks for all. Nothing depends on a
loop being recognised but time: the simulator runs it in any case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.action import is_strong, word
from ptxlab.isa.effects import (
    Access,
    Barrier,
    Branch,
    Carry,
    Compute,
    Effect,
    Fence,
    GridDependency,
    Hint,
    Mbarrier,
    Stack,
    WarpWide,
)
from ptxlab.isa.form import Form
from ptxlab.isa.operands import Imm, Label, Sreg
from ptxlab.ptx.program import Op, Program
from ptxlab.sim.engine.compiled import frame as F

LONGEST = 64
"""Instructions of a loop that is looked at."""
_CLAIMS = frozenset({"cas", "exch", "and", "or", "xor", "min", "max"})
COMPUTING = frozenset({Effect, Compute, Carry, Fence, GridDependency, Hint, Stack, WarpWide})
"""Effects that change nothing but registers."""


def short_loops(program: Program) -> Iterator[tuple[int, int]]:
    """(first instruction, way back) of each loop of a kernel or function that is short enough to be looked at."""
    for index, op in enumerate(program.ops):
        effect = op.inst.form.effect
        if not isinstance(effect, Branch) or effect.to is None:
            continue
        target = op.inst.operands[effect.to]
        begin = program.labels.get(target.name) if isinstance(target, Label) else None
        if begin is not None and begin <= index < begin + LONGEST:
            yield begin, index


def poll_branches(program: Program) -> frozenset[int]:
    """Which instructions of a kernel or function, by index, are the way back of such a loop."""
    return frozenset(back for begin, back in short_loops(program) if _polls(program.ops[begin : back + 1]))


def yielding(program: Program) -> frozenset[int]:
    """Instructions, by index, in whose loops ptxas lets other lanes of the warp run on (YIELD), past where they would meet.

    These are loops with strong loads, atomics that return something, and questions to an mbarrier; in others lanes wait. A function
    that holds such an instruction may be part of a loop of its callers, as may one that is called in a loop.
    """
    ops = program.ops
    marks = [i for i, op in enumerate(ops) if _yields(op)]
    if not marks:
        return frozenset()
    if program.signature is not None:
        return frozenset(range(len(ops)))
    out: set[int] = set()
    for index, op in enumerate(ops):
        for operand in op.inst.operands.values():
            begin = program.labels.get(operand.name, index + 1) if isinstance(operand, Label) else index + 1
            if begin <= index and any(begin <= i <= index for i in marks):
                out.update(range(begin, index + 1))
    return frozenset(out)


def _yields(op: Op) -> bool:
    effect = op.inst.form.effect
    if isinstance(effect, Branch):
        return effect.kind == "call"
    if isinstance(effect, Access) and effect.kind == "atomic":
        return bool(op.inst.form.results)
    if isinstance(effect, Mbarrier):
        return effect.kind in ("test_wait", "try_wait")
    return is_strong(op.inst.form, op.inst)


def yield_table(ranges: Iterable[tuple[int, int]], nbytes: int) -> NDArray[np.uint8]:
    """A byte for every 8 bytes of records: whether other lanes run on while some are there."""
    out = np.zeros(nbytes // F.FIELD + 1, np.uint8)
    for begin, end in ranges:
        out[begin // F.FIELD : end // F.FIELD] = 1
    return out


def _polls(body: list[Op]) -> bool:
    told = {id(op) for op in body if not harmless(op)}
    if not all(_tells(op) for op in body if id(op) in told):
        return False
    if not any(map(asks, body)):
        return not told and not _carried(map(Step, body), at_once=True)
    steps = [Step(op) for op in body]
    fed = _fed(steps, _carried(steps, at_once=False))
    if told:  # what weak loads read may be what the pass before has stored
        kept = _fed(steps, fed.union(*(step.writes for step in steps if _reads_weakly(step.op))))
        if any(kept & step.reads for step in steps if id(step.op) in told):
            return False
    return any(asks(step.op) and not fed & step.reads for step in steps)


def _tells(op: Op) -> bool:
    """Whether it stores to the shared memory of its own CTA."""
    effect = op.inst.form.effect
    if not isinstance(effect, Access) or effect.kind != "store" or is_strong(op.inst.form, op.inst, "store"):
        return False
    spaces = (spec.space for spec in op.inst.form.operands.values() if spec.space is not None)
    return all(space.eval(op.inst) in ("shared", "shared::cta") for space in spaces)


def _reads_weakly(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Access) and effect.kind == "load" and not asks(op)


class Step:
    """An instruction with the names of the registers that it reads, its guard included, and writes."""

    __slots__ = ("op", "reads", "writes")

    def __init__(self, op: Op) -> None:
        self.op = op
        self.reads = {r.name for r in op.inst.registers("r")}
        self.writes = {r.name for r in op.inst.registers("w")}
        if op.guard is not None:
            self.reads.add(op.guard.name)


def harmless(op: Op) -> bool:
    """Whether an instruction changes nothing but registers, or only claims."""
    form = op.inst.form
    known = _innocent.get(form.key)
    if known is None:
        known = _innocent[form.key] = _always_harmless(form)
    return known or _claims(op)


_innocent: dict[str, bool] = {}


def _always_harmless(form: Form) -> bool:
    """Whether no instance of a row changes anything but registers."""
    effect = form.effect
    if isinstance(effect, Access):
        return effect.kind == "load"
    if isinstance(effect, Mbarrier):
        return effect.kind in ("test_wait", "try_wait")
    if isinstance(effect, Branch):
        return effect.kind == "branch"
    if isinstance(effect, Barrier):
        return effect.scope in ("cta", "warp")
    return type(effect) in COMPUTING


def _claims(op: Op) -> bool:
    """Atomics that poll: they take a lock, or read by adding nothing."""
    form = op.inst.form
    effect = form.effect
    if not isinstance(effect, Access) or effect.kind != "atomic" or not form.results:
        return False
    update = word(effect.update, op.inst)
    if update == "add":
        value = op.inst.operands["b"]
        return isinstance(value, Imm) and value.value == 0
    return update in _CLAIMS


def asks(op: Op) -> bool:
    """Whether an instruction asks for what others may have done meanwhile."""
    form = op.inst.form
    if isinstance(form.effect, Mbarrier) or is_strong(form, op.inst) or _claims(op):
        return True
    return any(isinstance(o, Sreg) and o.name in F.CLOCK_SREGS for o in op.inst.operands.values())


def _carried(steps: Iterable[Step], *, at_once: bool) -> set[str]:
    """Registers that a pass takes from the one before: read before they are surely written, and written. `at_once`: any will do."""
    early: set[str] = set()
    sure: set[str] = set()
    written: set[str] = set()
    for step in steps:
        early |= step.reads - sure
        written |= step.writes
        if step.op.guard is None:
            sure |= step.writes
        else:  # where the guard fails, the old value stays
            early |= step.writes - sure
        if at_once and not early.isdisjoint(written):
            break
    return early & written


def _fed(steps: list[Step], carried: set[str]) -> set[str]:
    """Registers whose values depend on carried ones other than through memory."""
    out = set(carried)
    for _ in range(2):
        for step in steps:
            if not out.isdisjoint(step.reads) and not asks(step.op):
                out |= step.writes
    return out
