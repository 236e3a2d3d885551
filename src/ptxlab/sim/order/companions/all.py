"""All companions of the sanitizer, in the order in which they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.sim.families.barriers.order_numbers import BarrierNumbers
from ptxlab.sim.families.cluster.order import ClusterOrder
from ptxlab.sim.families.cp_async.order import WaitCounts
from ptxlab.sim.families.mbarrier.order_phases import Phases
from ptxlab.sim.families.setmaxnreg.order import RegisterCounts
from ptxlab.sim.families.tensormap.order import MapOrder
from ptxlab.sim.families.wgmma.order_fences import WgmmaFences
from ptxlab.sim.families.wgmma.order_operands import OperandArrays
from ptxlab.sim.order.companions.outputs import Outputs
from ptxlab.sim.order.companions.weak_polls import WeakPolls

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.observer import Observer
    from ptxlab.sim.order.sanitizer import Sanitizer

BEFORE = (ClusterOrder,)
"""Those who are told before the sanitizer: it forgets a cluster when that ends."""
BEHIND = (WgmmaFences, WaitCounts, Phases, RegisterCounts, MapOrder, OperandArrays, Outputs, BarrierNumbers, WeakPolls)


def with_companions(core: Sanitizer) -> list[Observer]:
    """The sanitizer, and those who look for what it does not."""
    return [*(kind(core) for kind in BEFORE), core, *(kind(core) for kind in BEHIND)]


__all__ = ["with_companions"]
