"""Which launches can be spread, and who runs which clusters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxlab.isa.action import is_strong
from ptxlab.isa.effects import Access, Branch
from ptxlab.isa.operands import Operand, Params, Sreg, Vec
from ptxlab.sim.engine.compiled import frame as F

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op, Program

ROUNDS = 8
"""Ranges of clusters that each process gets, where there are enough: those at one end of a grid may be longer."""
_HEAP = ("malloc", "free")


@dataclass(frozen=True, slots=True)
class Traits:
    """What spreading needs to know of a kernel.

    Attributes:
        obstacle: why it cannot be spread, or None.
        waits: whether clusters may wait for each other, or show which others run beside them: these cannot be told apart
            where only some are here.
    """

    obstacle: str | None
    waits: bool


def traits(program: Program) -> Traits:
    """What the instructions of a kernel, and of the functions that it may call, say."""
    obstacle: str | None = None
    waits = False
    for op in _ops(program):
        obstacle = obstacle or _obstacle(op)
        waits = waits or _may_wait(op) or _shows_residents(op)
    return Traits(obstacle, waits)


def _ops(program: Program) -> Iterator[Op]:
    for routine in (program, *program.functions):
        yield from routine.ops


def _obstacle(op: Op) -> str | None:
    if any(o.name in F.CLOCK_SREGS for o in _special(op)):
        return f"`{op.text}` reads a clock, which counts what the whole launch has done"
    if _called(op) in _HEAP:
        return f"`{op.text}` uses the heap, which all clusters share"
    return None


def _special(op: Op) -> Iterator[Sreg]:
    """The special registers that an instruction names."""
    for operand in op.inst.operands.values():
        items: tuple[Operand, ...] = operand.items if isinstance(operand, (Vec, Params)) else (operand,)
        yield from (o for o in items if isinstance(o, Sreg))


def _may_wait(op: Op) -> bool:
    """Whether an instruction sees in time what another cluster writes to global memory."""
    form, effect = op.inst.form, op.inst.form.effect
    if not isinstance(effect, Access) or (op.inst.mod("space") or "generic") not in ("generic", "global"):
        return False
    return (effect.kind == "atomic" and bool(form.results)) or is_strong(form, op.inst)


def _shows_residents(op: Op) -> bool:
    """Whether what an instruction gives depends on which clusters are resident: its SM, and the place of what it prints."""
    if any(o.name == "%smid" for o in _special(op)):
        return True
    return _called(op) == "vprintf"


def _called(op: Op) -> str | None:
    """What an instruction calls; None where it is no call."""
    effect = op.inst.form.effect
    return str(op.inst.operands["callee"]) if isinstance(effect, Branch) and effect.kind == "call" else None


def shares(clusters: int, workers: int) -> list[tuple[range, ...]]:
    """The clusters of each process, as ascending ranges; none is empty, and their numbers differ by one at most."""
    workers = min(workers, clusters)
    each, left = divmod(clusters, workers)
    rounds = min(ROUNDS, each)
    out: list[list[range]] = [[] for _ in range(workers)]
    at = 0
    for r in range(rounds):
        size = each * (r + 1) // rounds - each * r // rounds
        for number, ranges in enumerate(out):
            end = at + size + (r == 0 and number < left)
            ranges.append(range(at, end))
            at = end
    return [tuple(ranges) for ranges in out]
