"""Which values a schedule can change, and what they decide.

A value that depends on the schedule comes from a special register such as %clock64, from a question whether a phase is over, from
the state that an arrival gives, or from `activemask`. It passes on through registers, and through memory: whoever loads from a
state space into which such a value has been stored is taken to get it. Where it comes to a branch, a guard, an address or an
operand of what synchronizes, another schedule may do something else there. Nothing here is executed: so it holds for every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ptxlab.isa.action import Touch
from ptxlab.isa.effects import (
    Access,
    AsyncCopy,
    AsyncMma,
    Barrier,
    Branch,
    Carry,
    Fence,
    Group,
    Mbarrier,
    Opaque,
    RegisterFile,
    WarpWide,
)
from ptxlab.isa.operands import Addr, Operand, Reg, Sreg, Vec
from ptxlab.isa.sregs import SREGS
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import names_in, touched
from ptxlab.sim.certify.waits import asks, awaited

_SYNCHRONIZES = (Mbarrier, Barrier, Fence, Group, RegisterFile)
_GENERIC = "generic"
_MALLOC = "malloc"
_CARRY = "the carry"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a value depends on the schedule: the instruction that it comes from, and how, in words.

    state: whether it is the state of an arrival, which says of which phase that was to who asks, and no more.
    """

    op: Op
    why: str
    state: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """A value that depends on the schedule decides something: at which instruction, what, and where the value comes from."""

    op: Op
    what: str
    cause: Cause


class Dependence:
    """What depends on the schedule in a kernel and the functions that it may call.

    Attributes:
        decisions: what such values decide, each instruction once, in the order of the text.
        loads: instructions whose loaded values reach branches, guards, addresses or what synchronizes: their data is control data.
    """

    def __init__(self, program: Program) -> None:
        self._programs = (program, *program.functions)
        self._ops = [op for one in self._programs for op in one.ops]
        flow = _Flow(self._ops, _causes(self._programs))
        self.decisions: Sequence[Decision] = flow.decisions()
        loads = {id(op): Cause(op, "") for op in self._ops if _loads(op)}
        control = _Flow(self._ops, loads, through_memory=False)
        found = {id(one.cause.op): one.cause.op for one in control.decisions() if one.what != _STORED}
        self.loads: Sequence[Op] = [op for op in self._ops if id(op) in found]


def _loads(op: Op) -> bool:
    """Whether an instruction brings data from memory that a launch may be given into registers."""
    effect = op.inst.form.effect
    if isinstance(effect, Opaque):
        return effect.kind in ("load", "atomic")
    return isinstance(effect, Access) and any(t.reads and t.space not in ("param", "const") for t in _touches(op))


def _touches(op: Op) -> Sequence[Touch]:
    return op.inst.effect.touches


def _causes(programs: Iterable[Program]) -> Mapping[int, Cause]:
    """The instructions whose results depend on the schedule, by identity."""
    found: dict[int, Cause] = {}
    for program in programs:
        good = awaited(program)
        for i, op in enumerate(program.ops):
            why = "" if i in good else _why(op)
            if why:
                found[id(op)] = Cause(op, why)
            elif _gives_state(op):
                found[id(op)] = Cause(op, "the state of an arrival says how many have come before", state=True)
    return found


def _gives_state(op: Op) -> bool:
    """Whether an instruction arrives at an mbarrier, and a register gets the state."""
    effect, state = op.inst.form.effect, op.inst.operands.get("state")
    return isinstance(effect, Mbarrier) and not asks(op) and isinstance(state, Reg)


def _why(op: Op) -> str:
    """Why the result of an instruction depends on the schedule; empty where it does not."""
    effect = op.inst.form.effect
    if asks(op):
        return "it asks whether a phase is over, outside of a loop that does nothing but wait for that"
    if isinstance(effect, WarpWide) and effect.varies:
        return "it gives the lanes that happen to run together"
    if isinstance(effect, Branch) and effect.kind == "call" and _MALLOC in op.inst.text():
        return "malloc gives any address"
    special = next((name for operand in op.inst.operands.values() for name in _special(operand)), None)
    return "" if special is None else f"{special} differs with when and where the thread runs"


def _special(operand: Operand) -> Iterator[str]:
    """The special registers of an operand whose values vary."""
    if isinstance(operand, Sreg) and operand.name in SREGS and SREGS[operand.name].varies:
        yield operand.name
    elif isinstance(operand, Vec):
        for item in operand.items:
            yield from _special(item)


_STORED = "what is stored"


class _Flow:
    """Follows values from where they come from through registers and memory, whatever the flow of control.

    Args:
        causes: where they come from, by the identity of the instruction. through_memory: whether also through memory.
    """

    def __init__(self, ops: Sequence[Op], causes: Mapping[int, Cause], *, through_memory: bool = True) -> None:
        self._ops, self._causes, self._through_memory = ops, causes, through_memory
        self._registers: dict[str, Cause] = {}
        self._spaces: dict[str, Cause] = {}
        while self._pass():
            pass

    def _pass(self) -> bool:
        """One more pass over the program; whether it has found anything new."""
        before = len(self._registers), len(self._spaces)
        for op in self._ops:
            reads, writes = _registers(op)
            cause = self._causes.get(id(op)) or self._first(reads)
            if cause is not None and cause.state and asks(op):
                cause = None  # whether the phase of an arrival is over: the state itself does not matter
            if self._through_memory:
                cause = cause or self._loaded(op)
                if cause is not None:
                    for touch in _written(op):
                        self._spaces.setdefault(_memory(touch), cause)
            if cause is not None:
                for name in writes:
                    self._registers.setdefault(name, cause)
        return before != (len(self._registers), len(self._spaces))

    def _first(self, names: Iterable[str]) -> Cause | None:
        return next((self._registers[name] for name in names if name in self._registers), None)

    def _loaded(self, op: Op) -> Cause | None:
        """What is in the memory that an instruction reads."""
        if not self._spaces:
            return None
        if isinstance(op.inst.form.effect, AsyncMma):
            return self._spaces.get("shared") or self._spaces.get(_GENERIC)
        for touch in _read(op):
            memory = _memory(touch)
            found = self._spaces.get(memory) or self._spaces.get(_GENERIC)
            if found is None and memory == _GENERIC:
                found = next(iter(self._spaces.values()), None)
            if found is not None:
                return found
        return None

    def decisions(self) -> list[Decision]:
        """What such values decide."""
        found = ((op, self._decision(op)) for op in self._ops)
        return [Decision(op, *one) for op, one in found if one is not None]

    def _decision(self, op: Op) -> tuple[str, Cause] | None:
        effect, reads = op.inst.form.effect, touched(op)[0]
        if op.guard is not None and (cause := self._registers.get(op.guard.name)) is not None and _acts(op):
            return "whether it is executed", cause
        if isinstance(effect, Branch) and (cause := self._first(reads)) is not None and effect.kind != "call":
            return "where it goes", cause
        for name, operand in op.inst.operands.items():
            if isinstance(operand, Addr) and (cause := self._first(names_in(operand))) is not None:
                return f"the address `{operand}`", cause
            is_mask = isinstance(effect, WarpWide) and name in ("mask", "membermask")
            if is_mask and (cause := self._first(names_in(operand))) is not None:
                return "its member mask", cause
        if isinstance(effect, (*_SYNCHRONIZES, AsyncCopy, AsyncMma)):
            cause = self._first(reads)
            if cause is not None and not (asks(op) and cause.state):
                return "how it synchronizes", cause
        if isinstance(effect, Branch) and (cause := self._first(reads)) is not None:
            return "what it passes to a function", cause
        if self._through_memory and any(_memory(t) in ("global", _GENERIC) for t in _written(op)):
            cause = self._first(reads) or (self._loaded(op) if isinstance(effect, AsyncCopy) else None)
            if cause is not None:
                return _STORED, cause
        return None


def _registers(op: Op) -> tuple[list[str], list[str]]:
    """What an instruction reads and writes, the carry among it."""
    reads, writes = touched(op)
    effect = op.inst.form.effect
    if isinstance(effect, Carry):
        reads, writes = [*reads, *[_CARRY] * effect.reads], [*writes, *[_CARRY] * effect.writes]
    return reads, writes


def _acts(op: Op) -> bool:
    """Whether an instruction does more than compute registers: under a guard those are data."""
    effect = op.inst.form.effect
    return isinstance(effect, (Access, AsyncCopy, AsyncMma, Branch, WarpWide, Opaque, *_SYNCHRONIZES))


def _memory(touch: Touch) -> str:
    """The memory that an access reaches, as far as values are followed through it."""
    return (touch.space or _GENERIC).partition("::")[0]


def _written(op: Op) -> list[Touch]:
    effect = op.inst.form.effect
    return [t for t in _touches(op) if t.writes] if isinstance(effect, (Access, AsyncCopy)) else []


def _read(op: Op) -> list[Touch]:
    effect = op.inst.form.effect
    return [t for t in _touches(op) if t.reads] if isinstance(effect, (Access, AsyncCopy)) else []
