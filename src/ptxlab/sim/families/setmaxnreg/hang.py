"""Why warps wait at setmaxnreg without an end."""

from __future__ import annotations

from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.waits import Cause, Other, Wait


def registers(graph: Graph, wait: Wait) -> Cause | None:
    """The other warps of the CTA hold the registers that a setmaxnreg wants."""
    if not isinstance(wait, Other) or not wait.op.inst.opcode.startswith("setmaxnreg"):
        return None
    help_ = "let the other warpgroups give as many registers by setmaxnreg.dec, all four warps of each, before"
    return Cause("registers", wait.words, help_, wait)


__all__ = ["registers"]
