"""From a multicast address to the arrays behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.machine.faults import counted, name_of, not_multicast

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.trap import TrapContext


def replicas(ctx: TrapContext, where: int, nbytes: int, align: int) -> tuple[int, ...]:
    """Where bytes at a multicast address lie in each of the arrays, in order.

    Raises: Diagnostic PTX9027 for an address that is none, PTX9006 for one that is not a multiple of `align` bytes.
    """
    machine, op = ctx.machine, ctx.op
    found = next((m for m in machine.record.multicasts if m.holds(where, nbytes)), None)
    if found is None:
        raise not_multicast(machine, where, nbytes, f"`{op.text}`")
    if where % align:
        words = f"`{op.text}`: {name_of(machine, where)} is not a multiple of {counted(align)}"
        raise Diagnostic("PTX9006", words, isa=op.inst.form.isa)
    return tuple(first + where - found.address for first in found.replicas)
