"""All companions of the sanitizer, in the order in which they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.sim.sanitizer.groups import WaitCounts
from ptxlab.sim.sanitizer.operands import OperandArrays
from ptxlab.sim.sanitizer.outputs import Outputs
from ptxlab.sim.sanitizer.phases import Phases
from ptxlab.sim.sanitizer.setmaxnreg import RegisterCounts
from ptxlab.sim.sanitizer.tensormaps import MapOrder
from ptxlab.sim.sanitizer.wgmma_fences import WgmmaFences

if TYPE_CHECKING:
    from ptxlab.sim.machine.observer import Observer
    from ptxlab.sim.sanitizer.sanitizer import Sanitizer

KINDS = (WgmmaFences, WaitCounts, Phases, RegisterCounts, MapOrder, OperandArrays, Outputs)


def companions(core: Sanitizer) -> list[Observer]:
    """Those who look for what the sanitizer itself does not."""
    return [kind(core) for kind in KINDS]


__all__ = ["companions"]
