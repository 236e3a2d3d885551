"""Why warps wait at instructions of wgmma without an end."""

from __future__ import annotations

from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.waits import Cause, Other, Wait


def warpgroup(graph: Graph, wait: Wait) -> Cause | None:
    """Not all warps of a warpgroup have come to an instruction of wgmma."""
    if not isinstance(wait, Other) or not wait.op.inst.opcode.startswith("wgmma"):
        return None
    return Cause("warpgroup", wait.words, "let all four warps of the warpgroup execute it", wait)


__all__ = ["warpgroup"]
