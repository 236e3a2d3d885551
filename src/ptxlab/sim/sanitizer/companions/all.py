"""All companions of the sanitizer, in the order in which they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.sim.sanitizer.companions.barrier_numbers import BarrierNumbers
from ptxlab.sim.sanitizer.companions.cluster_order import ClusterOrder
from ptxlab.sim.sanitizer.companions.groups import WaitCounts
from ptxlab.sim.sanitizer.companions.operands import OperandArrays
from ptxlab.sim.sanitizer.companions.outputs import Outputs
from ptxlab.sim.sanitizer.companions.phases import Phases
from ptxlab.sim.sanitizer.companions.setmaxnreg import RegisterCounts
from ptxlab.sim.sanitizer.companions.tensormaps import MapOrder
from ptxlab.sim.sanitizer.companions.weak_polls import WeakPolls
from ptxlab.sim.sanitizer.companions.wgmma_fences import WgmmaFences

if TYPE_CHECKING:
    from ptxlab.sim.machine.observer import Observer
    from ptxlab.sim.sanitizer.sanitizer import Sanitizer

BEFORE = (ClusterOrder,)
"""Those who are told before the sanitizer: it forgets a cluster when that ends."""
BEHIND = (WgmmaFences, WaitCounts, Phases, RegisterCounts, MapOrder, OperandArrays, Outputs, BarrierNumbers, WeakPolls)


def with_companions(core: Sanitizer) -> list[Observer]:
    """The sanitizer, and those who look for what it does not."""
    return [*(kind(core) for kind in BEFORE), core, *(kind(core) for kind in BEHIND)]


__all__ = ["with_companions"]
