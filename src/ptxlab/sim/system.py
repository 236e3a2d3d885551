"""Functions of the system that compiled CUDA C++ calls: they have no PTX of their own."""

from __future__ import annotations

from ptxlab.ptx.program import Op
from ptxlab.sim.registry import SYSTEM_CALLS
from ptxlab.sim.trap import Outcome, TrapContext, trap


@trap("call", "call.args", "call.ret", "call.indirect", "call.args.indirect", "call.ret.indirect")
def call(ctx: TrapContext, op: Op) -> Outcome:
    """A call of a function of the system; all others are compiled."""
    return SYSTEM_CALLS[str(op.inst.operands["callee"])](ctx, op)
