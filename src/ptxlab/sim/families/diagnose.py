"""What families know of hangs, and show to the debugger: importing this module registers it."""

from ptxlab.sim.diagnose.hangs.causes import blocked, cycle, exited, flag
from ptxlab.sim.diagnose.hangs.waits import Kinds, bring, either
from ptxlab.sim.families.barriers.hang import CtaBarrierWaits, barrier_count, ids, lacking, too_few
from ptxlab.sim.families.cluster.hang import ClusterWaits
from ptxlab.sim.families.mbarrier import debug as debug  # it registers what the debugger shows
from ptxlab.sim.families.mbarrier.hang import PHASES
from ptxlab.sim.families.mbarrier.hang_history import Recorder
from ptxlab.sim.families.mbarrier.hang_wait import MbarrierWaits, unrecorded, waits_first
from ptxlab.sim.families.setmaxnreg.hang import registers
from ptxlab.sim.families.wgmma.hang import warpgroup

bring(
    Kinds(
        waits=(MbarrierWaits(), ClusterWaits(), CtaBarrierWaits()),
        rules=(
            *PHASES,
            unrecorded,
            either(registers, warpgroup),
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
