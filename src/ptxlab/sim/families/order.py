"""What families bring to the sanitizer: importing this module registers it."""

from ptxlab.isa.effects import Mbarrier
from ptxlab.sim.families.barriers.order import BarrierNumbers, Meetings
from ptxlab.sim.families.cluster.order import ClusterOrder
from ptxlab.sim.families.cp_async.order import WaitCounts
from ptxlab.sim.families.cp_async.unit import copy_touches
from ptxlab.sim.families.mbarrier.order import Mbarriers
from ptxlab.sim.families.mbarrier.order_counts import Leftovers, counts_several
from ptxlab.sim.families.mbarrier.order_peeks import Peeks
from ptxlab.sim.families.mbarrier.order_phases import Phases
from ptxlab.sim.families.plain.order import MemberMasks
from ptxlab.sim.families.setmaxnreg.order import RegisterCounts
from ptxlab.sim.families.tensormap.order import MapOrder
from ptxlab.sim.families.wgmma.order import OperandArrays, WgmmaFences
from ptxlab.sim.families.wgmma.unit import products_waited
from ptxlab.sim.order.companions.outputs import Outputs
from ptxlab.sim.order.companions.weak_polls import WeakPolls
from ptxlab.sim.order.parts import Parts, register_parts

register_parts(
    Parts(
        meetings=Meetings,
        mbarriers=Mbarriers,
        copied=copy_touches,
        products_waited=products_waited,
        before=(ClusterOrder,),  # the sanitizer forgets a cluster when that ends
        behind=(
            WgmmaFences,
            WaitCounts,
            Phases,
            Peeks,
            RegisterCounts,
            MapOrder,
            OperandArrays,
            Outputs,
            BarrierNumbers,
            WeakPolls,
            MemberMasks,
        ),
        asks_again=lambda image: Leftovers() if counts_several(image.with_effect(Mbarrier).values()) else None,
    )
)
