"""What the debugger shows of mbarriers."""

from __future__ import annotations

from ptxlab.sim.diagnose.debug.inspect import MBARRIERS, MbarrierState
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import warps_text
from ptxlab.sim.engine.machine.protocol import MachineLike
from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.families.mbarrier.unit import Barrier, Mbarriers


def mbarriers(machine: MachineLike, cta: Cta) -> list[MbarrierState]:
    """The live mbarriers of a CTA, by place."""
    return [_state(machine, cta, b) for _, b in sorted(machine.unit(Mbarriers).live.get(cta, {}).items())]


def _state(machine: MachineLike, cta: Cta, b: Barrier) -> MbarrierState:
    waiting: dict[Cta, list[int]] = {}
    for warp, _ in b.waiters:
        waiting.setdefault(warp.cta, []).append(warp.index)
    words = tuple(
        warps_text(warps) if other is cta else f"{warps_text(warps)} of CTA {other.coordinates}"
        for other, warps in waiting.items()
    )
    at = b.place.offset
    name, counts = shared_name(machine, at), {"count": b.count, "pending": b.pending, "tx": b.tx}
    return MbarrierState(name=name, offset=at, phase=b.phase, waiting=words, **counts)


MBARRIERS.append(mbarriers)
