"""Launches whose flags order nothing that is not ordered otherwise: most that have flags hand on values in them, and no more.

What threads hand on through flags takes Python half a millisecond for each strong access of a warp, and nearly always nobody asks.
So a launch runs without that first: its strong accesses are looked at and noted like others, in machine code, and its fences are
ignored. So less is known to be ordered, and what clashes then may be in order after all, or be told in other words. At the first
such pair, or whatever else may depend on flags, the launch begins anew, from the memory that it began with, and flags are followed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access, AsyncCopy, AsyncMma, Branch, Group, Mbarrier
from ptxlab.sim.engine.decoded.decode import image_of
from ptxlab.sim.order.companions.uninitialized import sanitized
from ptxlab.sim.order.core import Unflagged
from ptxlab.sim.order.sites import orders_generic
from ptxlab.sim.order.split_updates import split_updates

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from ptxlab.abi.options import SimOptions
    from ptxlab.abi.record import LaunchRecord
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.machine import Machine
    from ptxlab.sim.order.companions.rerun import Kept
    from ptxlab.sim.report.report import Report

_ELSE = (AsyncCopy, AsyncMma, Group, Mbarrier)
"""What hands on more than flags do."""


def unflagged(
    record: LaunchRecord, options: SimOptions, machine_of: Callable[..., Machine], before: Callable[[], Kept]
) -> Report | None:
    """A sanitized launch whose flags are not followed; None where they may matter, and memory is as it was before."""
    image = image_of(record.program)
    if image.unflagged is None:
        image.unflagged = _may_do(image.ops, {function.name for function in record.program.functions})
    asked = options.certify or options.graphs or options.trace
    if not image.unflagged or asked or record.ctas_per_cluster > 1:
        return None
    kept = before()
    try:
        report = sanitized(record, options, partial(machine_of, flags=False), before)
        if not report.findings:
            return report
    except (Unflagged, Diagnostic):
        pass
    image.unflagged = False
    kept.put_back()
    return None


def _may_do(ops: Sequence[Op], functions: Container[str]) -> bool:
    """Whether a program has flags, and nothing that is not looked at without them, nor calls any but these functions."""
    for op in ops:
        effect = op.inst.form.effect
        calls = isinstance(effect, Branch) and effect.kind == "call"
        if isinstance(effect, _ELSE) or (calls and str(op.inst.operands["callee"]) not in functions):
            return False
    return any(orders_generic(op) or _is_flag(op) for op in ops) and not split_updates(ops)


def _is_flag(op: Op) -> bool:
    """Whether an instruction accesses memory strongly, and is no relaxed sum without a result: nobody asks about those anyway."""
    touches = op.inst.effect.touches if isinstance(op.inst.form.effect, Access) else ()
    sums = "d" not in op.inst.operands
    return any(t.order != "weak" and not (sums and t.update is not None and t.order == "relaxed") for t in touches)
