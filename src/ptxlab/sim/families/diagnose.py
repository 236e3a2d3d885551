"""What families know of hangs, and show to the debugger: importing this module registers it."""

from ptxlab.sim.diagnose.hangs.causes import blocked, cycle, exited, flag
from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.waits import Cause, Kinds, Other, Rule, Wait, either, register_kinds
from ptxlab.sim.families.barriers.hang import CtaBarrierWaits, barrier_count, ids, lacking, too_few
from ptxlab.sim.families.cluster.hang import ClusterWaits
from ptxlab.sim.families.mbarrier import debug as debug  # it registers what the debugger shows
from ptxlab.sim.families.mbarrier.hang import PHASES
from ptxlab.sim.families.mbarrier.hang_history import Recorder
from ptxlab.sim.families.mbarrier.hang_wait import MbarrierWaits, unrecorded, waits_first


def _others(opcode: str, rule: str, help_: str) -> Rule:
    """The cause where lanes wait at an instruction for other warps; why is in the words of its unit."""

    def cause(graph: Graph, wait: Wait) -> Cause | None:
        if not isinstance(wait, Other) or not wait.op.inst.opcode.startswith(opcode):
            return None
        return Cause(rule, wait.words, help_, wait)

    return cause


_registers = _others(
    "setmaxnreg",
    "registers",
    "let the other warpgroups give as many registers by setmaxnreg.dec, all four warps of each, before",
)
_warpgroup = _others("wgmma", "warpgroup", "let all four warps of the warpgroup execute it")

register_kinds(
    Kinds(
        waits=(MbarrierWaits(), ClusterWaits(), CtaBarrierWaits()),
        rules=(
            *PHASES,
            unrecorded,
            either(_registers, _warpgroup),
            ids,
            barrier_count,
            too_few,
            exited,
            waits_first,
            flag,
            cycle,
            blocked,
            lacking,
        ),
        listener=Recorder,
    )
)
